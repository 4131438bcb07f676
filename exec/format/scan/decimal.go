package scan

import (
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Unscaled128 reads a decimal number (sign, digits, fraction, exponent) of any length
// as a DECIMAL(prec, scale), exactly, rounded half up (away from zero). It is the
// general way beside Number.Unscaled. ok is false if it is no number or does not fit.
func Unscaled128(b []byte, prec, scale int) (v types.Int128, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	digits, whole, ok := splitNumber(b)
	if !ok {
		return v, false
	}
	var hi, lo uint64
	keep := whole + scale // digits of the number that the result keeps
	for i := range max(keep, 0) {
		d := byte(0)
		if i < len(digits) {
			d = digits[i]
		} else if hi|lo == 0 {
			return v, true // zero, however large its exponent
		}
		if hi, lo, ok = times10(hi, lo, d); !ok {
			return v, false
		}
	}
	if keep >= 0 && keep < len(digits) && digits[keep] >= 5 {
		var carry uint64
		lo, carry = bits.Add64(lo, 1, 0)
		hi += carry
	}
	if tooLong(hi, lo, prec) {
		return v, false
	}
	v = types.Int128{Hi: int64(hi), Lo: lo}
	if negative {
		lo, borrow := bits.Sub64(0, lo, 0)
		v = types.Int128{Hi: -int64(hi) - int64(borrow), Lo: lo}
	}
	return v, true
}

// splitNumber returns the digits of a number, without point, and how many of them (or
// more, or fewer than none) stand before it once the exponent is applied.
func splitNumber(b []byte) (digits []byte, whole int, ok bool) {
	point, i := -1, 0
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c-'0' <= 9:
			digits = append(digits, c-'0')
			continue
		case c == '.' && point < 0:
			point = len(digits)
			continue
		}
		break
	}
	if len(digits) == 0 {
		return nil, 0, false
	}
	if point < 0 {
		point = len(digits)
	}
	if i == len(b) {
		return digits, point, true
	}
	if b[i]|0x20 != 'e' {
		return nil, 0, false
	}
	negative := i+1 < len(b) && b[i+1] == '-'
	rest := b[i+1:]
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	e, rest, ok := number(rest, 1, 9)
	if negative {
		e = -e
	}
	return digits, point + e, ok && len(rest) == 0
}

// times10 is hi:lo·10 + d; false when it exceeds 127 bits.
func times10(hi, lo uint64, d byte) (uint64, uint64, bool) {
	c, l := bits.Mul64(lo, 10)
	l, carry := bits.Add64(l, uint64(d), 0)
	over, h := bits.Mul64(hi, 10)
	h, carry2 := bits.Add64(h, c+carry, 0)
	return h, l, over == 0 && carry2 == 0 && h>>63 == 0
}

func tooLong(hi, lo uint64, prec int) bool {
	h, l := uint64(0), uint64(1)
	for range prec {
		h, l, _ = times10(h, l, 0)
	}
	return hi > h || hi == h && lo >= l
}
