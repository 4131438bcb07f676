package csv

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// field decodes the values of one needed column.
type field struct {
	name     string
	typ      types.Type
	col      *column.Column
	min, max int64
	decode   func(s *session, f *field, row, p, end int) bool
	filled   int // the row that has a value, +1
}

func newField(name string, t types.Type, col *column.Column) *field {
	f := &field{name: name, typ: t, col: col}
	switch t.Kind {
	case types.Int8:
		f.decode, f.min, f.max = integer, math.MinInt8, math.MaxInt8
	case types.Int16:
		f.decode, f.min, f.max = integer, math.MinInt16, math.MaxInt16
	case types.Int32:
		f.decode, f.min, f.max = integer, math.MinInt32, math.MaxInt32
	case types.Int64:
		f.decode, f.min, f.max = integer, math.MinInt64, math.MaxInt64
	case types.Bool:
		f.decode = boolean
	case types.Float32, types.Float64:
		f.decode = float
	case types.Decimal:
		f.decode = decimal
	case types.Date:
		f.decode = func(s *session, f *field, row, p, end int) (ok bool) {
			f.col.I64[row], ok = s.times.Date(s.buf[p:end])
			return ok
		}
	case types.Timestamp:
		f.decode = func(s *session, f *field, row, p, end int) (ok bool) {
			f.col.I64[row], ok = s.times.Timestamp(s.buf[p:end])
			return ok
		}
	case types.TimestampNTZ:
		f.decode = func(s *session, f *field, row, p, end int) (ok bool) {
			f.col.I64[row], ok = s.times.Local(s.buf[p:end])
			return ok
		}
	case types.Time, types.UUID, types.JSON:
		f.decode = func(s *session, f *field, row, p, end int) bool { return f.col.SetParsed(row, s.buf[p:end]) == nil }
	default:
		f.decode = text
	}
	return f
}

// Decoders read the field in [p, end) into a row; false if it is not of the type.

func text(_ *session, f *field, row, p, end int) bool {
	f.col.Str[row] = vec.StrRef{Off: uint32(p), Len: uint32(end - p)}
	return true
}

func integer(s *session, f *field, row, p, end int) bool {
	if s.buf[p] == '+' && p+1 < end && s.buf[p+1] != '-' {
		p++
	}
	v, stop, ok := scan.Int(s.base, p)
	f.col.I64[row] = v
	return ok && stop == end && v >= f.min && v <= f.max
}

func boolean(s *session, f *field, row, p, end int) bool {
	f.col.Bool[row] = 0
	switch end - p {
	case 4:
		f.col.Bool[row] = 1
		return lower(s.buf[p:end]) == "true"
	case 5:
		return lower(s.buf[p:end]) == "false"
	}
	return false
}

// lower is a word of at most 8 ASCII letters in lower case.
func lower(b []byte) string {
	var w [8]byte
	for i, c := range b {
		w[i] = c | 0x20
	}
	return string(w[:len(b)])
}

func float(s *session, f *field, row, p, end int) bool {
	bits := 64
	if f.typ.Kind == types.Float32 {
		bits = 32
	}
	n, stop, ok := scan.Decimal(s.base, p)
	if ok && stop == end {
		f.col.F64[row], ok = n.Float(s.base, p, end, bits)
		return ok
	}
	b := s.buf[p:end]
	if f.col.F64[row], ok = scan.NamedFloat(b); ok {
		return true
	}
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '+' && c != '-' && c|0x20 != 'e' {
			return false
		}
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), bits)
	f.col.F64[row] = v
	return err == nil
}

func decimal(s *session, f *field, row, p, end int) bool {
	prec, scale := int(f.typ.Prec), int(f.typ.Scale)
	narrow := f.col.Phys == types.PhysInt64
	if n, stop, ok := scan.Decimal(s.base, p); ok && stop == end && narrow {
		if v, ok, fast := n.Unscaled(prec, scale); fast {
			f.col.I64[row] = v
			return ok
		}
	}
	v, ok := scan.Unscaled128(s.buf[p:end], prec, scale)
	switch {
	case !ok || s.buf[p] == ' ' || s.buf[end-1] == ' ':
		return false
	case narrow:
		f.col.I64[row] = int64(v.Lo)
	default:
		f.col.I128[row] = v
	}
	return true
}
