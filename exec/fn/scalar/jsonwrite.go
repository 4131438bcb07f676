package scalar

import (
	"encoding/base64"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonWriter writes values as Spark's to_json does: timestamps with milliseconds and
// offset, BYTES as Base64, NULL fields left out.
type jsonWriter struct {
	zone     *time.Location
	keepNull bool
}

func (w jsonWriter) append(dst []byte, v *vec.Vector, r int) []byte {
	if v.IsNull(r) {
		return append(dst, "null"...)
	}
	f, i := v.At(r)
	switch f.Type.Kind {
	case types.Array:
		return w.array(dst, f, i)
	case types.Map:
		return w.mapping(dst, f, i)
	case types.Struct:
		return w.object(dst, f, i)
	case types.Timestamp, types.TimestampNTZ:
		return w.timestamp(dst, f, i)
	case types.Bytes:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), f.Bytes(i)), '"')
	}
	return vec.AppendJSON(dst, f, i, w.zone)
}

func (w jsonWriter) array(dst []byte, f *vec.Vector, i int) []byte {
	dst = append(dst, '[')
	for e := f.Off[i]; e < f.Off[i+1]; e++ {
		if e > f.Off[i] {
			dst = append(dst, ',')
		}
		dst = w.append(dst, f.Child[0], int(e))
	}
	return append(dst, ']')
}

func (w jsonWriter) mapping(dst []byte, f *vec.Vector, i int) []byte {
	dst = append(dst, '{')
	for e := f.Off[i]; e < f.Off[i+1]; e++ {
		if e > f.Off[i] {
			dst = append(dst, ',')
		}
		dst = vec.AppendJSONString(dst, []byte(vec.RowString(f.Child[0], int(e), w.zone)))
		dst = w.append(append(dst, ':'), f.Child[1], int(e))
	}
	return append(dst, '}')
}

func (w jsonWriter) object(dst []byte, f *vec.Vector, i int) []byte {
	dst = append(dst, '{')
	first := true
	for k, field := range f.Type.Fields {
		if f.Child[k].IsNull(i) && !w.keepNull {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = vec.AppendJSONString(dst, []byte(field.Name))
		dst = w.append(append(dst, ':'), f.Child[k], i)
	}
	return append(dst, '}')
}

func (w jsonWriter) timestamp(dst []byte, f *vec.Vector, i int) []byte {
	if sign := f.Type.Kind.Infinite(f.I64[i]); sign != 0 {
		return vec.AppendJSONString(dst, []byte(types.InfiniteText(sign)))
	}
	layout := "2006-01-02T15:04:05.000Z07:00"
	zone := w.zone
	if f.Type.Kind == types.TimestampNTZ {
		layout, zone = "2006-01-02T15:04:05.000", time.UTC
	}
	if f.I64[i]%1000 != 0 {
		layout = layout[:len("2006-01-02T15:04:05.")] + "000000" + layout[len("2006-01-02T15:04:05.000"):]
	}
	t := time.UnixMicro(f.I64[i]).In(zone)
	if _, off := t.Zone(); off%60 != 0 {
		t = t.UTC() // ISO 8601 has no seconds in offsets
	}
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, layout)
	return append(dst, '"')
}
