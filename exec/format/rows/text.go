package rows

import (
	"math"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// AppendNumber appends a BOOLEAN or a number of any kind; NaN and the infinities by
// their names. ok is false for other types.
func AppendNumber(dst []byte, v *vec.Vector, row int) (out []byte, ok bool) {
	f, i := v.At(row)
	t := f.Type
	switch {
	case t.Kind == types.Bool:
		return strconv.AppendBool(dst, f.Bool[i] != 0), true
	case t.IsInteger():
		return strconv.AppendInt(dst, f.I64[i], 10), true
	case t.IsFloat():
		return appendFloat(dst, f.F64[i], t.Kind), true
	case t.Kind != types.Decimal:
		return dst, false
	case f.I128 != nil:
		return types.AppendDecimal(dst, f.I128[i], int(t.Scale)), true
	}
	return types.AppendDecimal(dst, types.Int128From(f.I64[i]), int(t.Scale)), true
}

func appendFloat(dst []byte, x float64, k types.Kind) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	bits := 64
	if k == types.Float32 {
		bits = 32
	}
	if a := math.Abs(x); a != 0 && (a < 1e-7 || a >= 1e21) {
		return strconv.AppendFloat(dst, x, 'e', -1, bits)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, bits)
	for _, c := range dst[at:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
