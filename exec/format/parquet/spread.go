package parquet

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// spread puts stored values at their rows: Parquet stores nothing for NULL.
type spread struct {
	out   vec.Vector
	bools []uint8
	i64   []int64
	f64   []float64
	i128  []types.Int128
	str   []vec.StrRef
	codes []uint32
	valid []uint64
}

// over returns a vector with a row for each level: the next value of v where the level
// is most, else NULL.
func (s *spread) over(v *vec.Vector, def []byte, most byte) *vec.Vector {
	out := &s.out
	*out = vec.Vector{Type: v.Type, N: len(def), Buf: v.Buf, Dict: v.Dict}
	s.valid = sized(s.valid, vec.BatchSize/64+1)
	out.Valid = s.valid[:vec.Words(len(def))]
	mark(out.Valid, def, most)
	switch {
	case v.Dict != nil:
		s.codes = place(s.codes, v.Codes, def, most)
		out.Codes = s.codes
	case v.Bool != nil:
		s.bools = place(s.bools, v.Bool, def, most)
		out.Bool = s.bools
	case v.I64 != nil:
		s.i64 = place(s.i64, v.I64, def, most)
		out.I64 = s.i64
	case v.F64 != nil:
		s.f64 = place(s.f64, v.F64, def, most)
		out.F64 = s.f64
	case v.I128 != nil:
		s.i128 = place(s.i128, v.I128, def, most)
		out.I128 = s.i128
	default:
		s.str = place(s.str, v.Str, def, most)
		out.Str = s.str
	}
	return out
}

// mark sets the bits of the rows that are not NULL.
func mark(valid []uint64, def []byte, most byte) {
	for w := range valid {
		var bits uint64
		for i, d := range def[w<<6 : min(len(def), w<<6+64)] {
			if d == most {
				bits |= 1 << i
			}
		}
		valid[w] = bits
	}
}

func place[T any](dst, src []T, def []byte, most byte) []T {
	dst = sized(dst, len(def))
	var none T
	k := 0
	for i, d := range def {
		if d == most {
			dst[i] = src[k]
			k++
		} else {
			dst[i] = none
		}
	}
	return dst
}

// sized returns a slice of n elements with any content, s itself if it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, vec.BatchSize))
	}
	return s[:n]
}
