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

// ParseDecimal parses text as DECIMAL(p, s), rounding half away from zero. The text is
// [sign] digits [. digits] [e exponent], with blanks around it.
func ParseDecimal(text string, p, s int) (Int128, error) {
	d, err := parseDecimal(text)
	if err != nil {
		return Int128{}, err
	}
	x, ok := d.unscaled(s)
	if !ok || !FitsPrecision(x, p) {
		return Int128{}, ErrDecimalRange
	}
	return x, nil
}

// ParseExact parses text as a decimal with exactly its own digits, as a literal is
// typed: "0.908" is 908 of scale 3.
func ParseExact(text string) (x Int128, p, s int, err error) {
	d, err := parseDecimal(text)
	if err != nil {
		return x, 0, 0, err
	}
	s = max(-d.exp, 0)
	x, ok := d.unscaled(s)
	if s > MaxPrecision || !ok || !FitsPrecision(x, MaxPrecision) {
		return x, 0, 0, ErrDecimalRange
	}
	for p = max(s, 1); !FitsPrecision(x, p); p++ {
	}
	return x, p, s, nil
}

// scanned is digits · 10^exp. Digits beyond those that a u128 holds are in neither;
// the first of them decides how to round.
type scanned struct {
	neg    bool
	digits u128
	exp    int
	round  bool // the digit after the kept ones is at least 5
}

// unscaled returns the value at a scale; false if it is out of range.
func (d scanned) unscaled(s int) (Int128, bool) {
	u := d.digits
	if d.round && d.exp+s >= 0 {
		u = u.add(u128{0, 1})
	}
	x, ok := u.signed(d.neg)
	if !ok {
		return x, false
	}
	if shift := d.exp + s; shift < 0 {
		return x.DivPow10(-shift), true
	}
	return x.MulPow10(d.exp + s)
}

func parseDecimal(text string) (d scanned, err error) {
	s := trimBlanks(text)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.neg = s[0] == '-'
		s = s[1:]
	}
	whole, s := d.scan(s, false)
	frac := 0
	if s != "" && s[0] == '.' {
		frac, s = d.scan(s[1:], true)
	}
	if whole+frac == 0 {
		return d, ErrDecimalSyntax
	}
	if s != "" {
		e, ok := parseExponent(s)
		if !ok {
			return d, ErrDecimalSyntax
		}
		d.exp += e
	}
	return d, nil
}

// scan adds digits, and returns their number and what follows them.
func (d *scanned) scan(s string, frac bool) (int, string) {
	i := 0
	full := d.exp > 0 // digits were dropped before the point
	for ; i < len(s) && isDigit(s[i]); i++ {
		if full || d.digits.hi >= 1<<59 { // 2^123 > 10^37: no digit of a DECIMAL(38) is lost
			if !full {
				full, d.round = true, s[i] >= '5'
			}
			if !frac {
				d.exp++
			}
			continue
		}
		d.digits = d.digits.mulLow(10).add(u128{0, uint64(s[i] - '0')})
		if frac {
			d.exp--
		}
	}
	return i, s[i:]
}

// parseExponent reads e[sign]digits; huge ones are cut to what is surely out of range.
func parseExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	neg := s != "" && s[0] == '-'
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	e := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		e = min(e*10+int(s[i]-'0'), 1<<20)
	}
	if neg {
		e = -e
	}
	return e, s != ""
}
