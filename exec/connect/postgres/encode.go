package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// PostgreSQL counts from 2000-01-01.
const (
	epochDays   = 10957
	epochMicros = epochDays * types.MicrosPerDay
	// The first and last day and instant that PostgreSQL has, counted so.
	minDate, endDate = -2451545, 2145031949
	minTime          = -211813488000000000 // our last instant is before its last
)

// cell appends the binary form of the element i of flat storage, which is not NULL. The
// text is empty, or says why there is none.
type cell func(dst []byte, f *vec.Vector, i int) ([]byte, string)

// cellOf chooses how values of a type are written into a column that fits it.
func cellOf(t types.Type, w wire) cell {
	switch {
	case w.kind == arrayKind:
		return arrayCell(cellOf(*t.Elem, wire{kind: w.elem}), w.elemOID)
	case t.Kind == types.String, t.Kind == types.JSON:
		return textCell(w.kind)
	case t.IsNested():
		return jsonCell(w.kind == jsonbKind)
	case w.kind == numericKind:
		return numericCell(t)
	case t.IsInteger():
		return intCell(w.kind)
	}
	switch w.kind {
	case boolKind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) { return append(dst, f.Bool[i]&1), "" }
	case float4Kind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(f.F64[i]))), ""
		}
	case float8Kind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(f.F64[i])), ""
		}
	case timeKind:
		return intCell(int8Kind)
	case byteaKind, uuidKind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) { return append(dst, f.Bytes(i)...), "" }
	case dateKind:
		return dateCell
	case intervalKind:
		return intervalCell
	}
	return timeCell
}

func intCell(k kind) cell {
	switch k {
	case int2Kind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
			return binary.BigEndian.AppendUint16(dst, uint16(f.I64[i])), ""
		}
	case int4Kind:
		return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
			return binary.BigEndian.AppendUint32(dst, uint32(f.I64[i])), ""
		}
	}
	return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
		return binary.BigEndian.AppendUint64(dst, uint64(f.I64[i])), ""
	}
}

func dateCell(dst []byte, f *vec.Vector, i int) ([]byte, string) {
	d := f.I64[i] - epochDays
	switch f.I64[i] {
	case types.InfiniteDay:
		return binary.BigEndian.AppendUint32(dst, math.MaxInt32), ""
	case types.MinusInfiniteDay:
		return binary.BigEndian.AppendUint32(dst, 1<<31), ""
	}
	if d < minDate || d >= endDate {
		return dst, "PostgreSQL has no date " + string(types.AppendDate(nil, f.I64[i]))
	}
	return binary.BigEndian.AppendUint32(dst, uint32(d)), ""
}

func timeCell(dst []byte, f *vec.Vector, i int) ([]byte, string) {
	us := f.I64[i]
	switch us {
	case types.InfiniteMicros:
		return binary.BigEndian.AppendUint64(dst, math.MaxInt64), ""
	case types.MinusInfiniteMicros:
		return binary.BigEndian.AppendUint64(dst, 1<<63), ""
	}
	if us < minTime+epochMicros {
		return dst, fmt.Sprintf("PostgreSQL has no timestamp %d µs from 1970", us)
	}
	return binary.BigEndian.AppendUint64(dst, uint64(us-epochMicros)), ""
}

func intervalCell(dst []byte, f *vec.Vector, i int) ([]byte, string) {
	v := f.Iv[i]
	if isInfinite(v) {
		return dst, "PostgreSQL takes this interval for an infinite one: " + v.String()
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(v.Micros))
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.Days))
	return binary.BigEndian.AppendUint32(dst, uint32(v.Months)), ""
}

// isInfinite reports what PostgreSQL 17 reads as −infinity or infinity.
func isInfinite(v types.IntervalValue) bool {
	low := types.IntervalValue{Months: math.MinInt32, Days: math.MinInt32, Micros: math.MinInt64}
	high := types.IntervalValue{Months: math.MaxInt32, Days: math.MaxInt32, Micros: math.MaxInt64}
	return v == low || v == high
}

func textCell(k kind) cell {
	return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
		b := f.Bytes(i)
		if reason := badText(b); reason != "" {
			return dst, reason
		}
		switch k {
		case uuidKind:
			return appendUUID(dst, b)
		case jsonbKind:
			if reason := badEscape(b); reason != "" {
				return dst, reason
			}
			dst = append(dst, 1)
		}
		return append(dst, b...), ""
	}
}

// badText tells why PostgreSQL cannot hold a text.
func badText(b []byte) string {
	switch {
	case bytes.IndexByte(b, 0) >= 0:
		return "PostgreSQL has no text with the character NUL (U+0000); remove it with replace(…), or use BYTES"
	case !utf8.Valid(b):
		return "the text is not valid UTF-8; use BYTES"
	}
	return ""
}

// badEscape tells why jsonb cannot hold JSON: it has neither NUL nor half a surrogate
// pair.
func badEscape(b []byte) string {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			return ""
		}
		if b = b[i+1:]; len(b) >= 5 && b[0] == 'u' && (string(b[1:5]) == "0000" || b[1]|0x20 == 'd' && b[2] >= '8') {
			return "jsonb has no text with the escape \\" + string(b[:5]) + "; remove it, or make the column json"
		}
		b = b[1:]
	}
}

func appendUUID(dst, b []byte) ([]byte, string) {
	id, err := types.ParseUUID(string(b))
	if err != nil {
		return dst, fmt.Sprintf("%q is no UUID", shorten(string(b)))
	}
	return append(dst, id[:]...), ""
}

// jsonCell writes nested values as JSON, with times in UTC.
func jsonCell(binaryForm bool) cell {
	return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
		if reason := badNested(f, i); reason != "" {
			return dst, reason
		}
		if binaryForm {
			dst = append(dst, 1)
		}
		return vec.AppendJSON(dst, f, i, nil), ""
	}
}

// badNested looks for texts within a value that PostgreSQL cannot hold.
func badNested(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		return ""
	}
	f, i := v.At(row)
	switch f.Type.Kind {
	case types.String:
		return badText(f.Bytes(i))
	case types.JSON:
		return badEscape(f.Bytes(i))
	case types.Struct:
		for _, c := range f.Child {
			if reason := badNested(c, i); reason != "" {
				return reason
			}
		}
	case types.Array, types.Map:
		for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
			for _, c := range f.Child {
				if reason := badNested(c, e); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

func arrayCell(elem cell, oid uint32) cell {
	return func(dst []byte, f *vec.Vector, i int) ([]byte, string) {
		from, to := int(f.Off[i]), int(f.Off[i+1])
		kids := f.Child[0]
		nulls, dims := uint32(0), uint32(1)
		for e := from; e < to; e++ {
			if kids.IsNull(e) {
				nulls = 1
			}
		}
		if from == to {
			dims = 0
		}
		dst = binary.BigEndian.AppendUint32(dst, dims)
		dst = binary.BigEndian.AppendUint32(dst, nulls)
		dst = binary.BigEndian.AppendUint32(dst, oid)
		if dims == 0 {
			return dst, ""
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(to-from))
		dst = binary.BigEndian.AppendUint32(dst, 1)
		for e := from; e < to; e++ {
			var reason string
			if dst, reason = appendCell(dst, kids, e, elem); reason != "" {
				return dst, reason
			}
		}
		return dst, ""
	}
}

// appendCell appends the length of a value, −1 for NULL, and the value.
func appendCell(dst []byte, v *vec.Vector, row int, c cell) ([]byte, string) {
	if v.IsNull(row) {
		return append(dst, 0xff, 0xff, 0xff, 0xff), ""
	}
	f, i := v.At(row)
	at := len(dst)
	dst, reason := c(append(dst, 0, 0, 0, 0), f, i)
	n := len(dst) - at - 4
	if n > maxValue {
		return dst, fmt.Sprintf("a value of %d bytes is longer than PostgreSQL takes (1 GiB)", n)
	}
	binary.BigEndian.PutUint32(dst[at:], uint32(n))
	return dst, reason
}

const maxValue = 1<<30 - 1

// shorten cuts a text for a message.
func shorten(s string) string {
	if len(s) <= 60 {
		return s
	}
	cut := 57
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
