package types

import (
	"errors"
	"math/bits"
)

// ErrDecimalSyntax is the error of text that is no number.
var ErrDecimalSyntax = errors.New("not a decimal number")

// ErrDecimalRange is the error of a number with too many digits for its type.
var ErrDecimalRange = errors.New("too many digits")

// FitsPrecision reports whether x has at most p digits.
func FitsPrecision(x Int128, p int) bool {
	u := x.magnitude()
	m := Pow10(p)
	return u.cmp(u128{uint64(m.Hi), m.Lo}) < 0
}

// Rescale moves an unscaled value from one scale to another, rounding half away
// from zero; false if it is out of range.
func Rescale(x Int128, from, to int) (Int128, bool) {
	if to >= from {
		return x.MulPow10(to - from)
	}
	return x.DivPow10(from - to), true
}

// AppendDecimal appends the decimal with the unscaled value x, in its full scale.
func AppendDecimal(dst []byte, x Int128, scale int) []byte {
	var buf [48]byte
	i := len(buf)
	u := x.magnitude()
	for digits := 0; digits <= scale || u != (u128{}); digits++ {
		if digits == scale && scale > 0 {
			i--
			buf[i] = '.'
		}
		var d uint64
		u, d = u.divSmall(10)
		i--
		buf[i] = byte('0' + d)
	}
	if x.Hi < 0 {
		i--
		buf[i] = '-'
	}
	return append(dst, buf[i:]...)
}

func (u u128) divSmall(v uint64) (u128, uint64) {
	if u.hi == 0 {
		return u128{0, u.lo / v}, u.lo % v
	}
	q, r := bits.Div64(u.hi%v, u.lo, v)
	return u128{u.hi / v, q}, r
}
