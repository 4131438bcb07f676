package scan

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
)

var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

var exact10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Uint reads decimal digits at p. end is the first byte that is none; with more than
// 19 digits v is worthless, and the caller looks at end − p.
func Uint(base unsafe.Pointer, p int) (v uint64, end int) {
	v, n := digits(Load(base, p))
	p += n
	for n == 8 {
		var w uint64
		w, n = digits(Load(base, p))
		v = v*pow10[n] + w
		p += n
	}
	return v, p
}

// maxDigits is how many digits surely fit a signed 64-bit integer.
const maxDigits = 18

// Int reads a signed integer at p. ok is false if there is no digit or the value does
// not fit; end is then where the digits end.
func Int(base unsafe.Pointer, p int) (v int64, end int, ok bool) {
	negative := At(base, p) == '-'
	if negative {
		p++
	}
	u, end := Uint(base, p)
	n := end - p
	switch {
	case n == 0:
		return 0, end, false
	case n > maxDigits:
		return longInt(base, p, end, negative)
	case negative:
		return -int64(u), end, true
	}
	return int64(u), end, true
}

func longInt(base unsafe.Pointer, p, end int, negative bool) (int64, int, bool) {
	if negative {
		p--
	}
	v, err := strconv.ParseInt(text(base, p, end), 10, 64)
	return v, end, err == nil
}

// text is the bytes of a token, not copied.
func text(base unsafe.Pointer, p, end int) string {
	return unsafe.String((*byte)(unsafe.Add(base, p)), end-p)
}

// Number is a decimal number split into its parts: ± Mant · 10^Exp.
type Number struct {
	Mant     uint64
	Exp      int
	Negative bool
	Exact    bool // Mant has every digit
	Integer  bool // written without point and exponent
	Zeros    bool // has a leading zero before another digit: no JSON
}

// Decimal reads a number with optional fraction and exponent at p. ok is false if
// there is none, or a point or exponent without digits; end is then where it broke.
func Decimal(base unsafe.Pointer, p int) (n Number, end int, ok bool) {
	if At(base, p) == '-' {
		n.Negative = true
		p++
	}
	u, q := Uint(base, p)
	count := q - p
	if count == 0 {
		return n, q, false
	}
	n.Zeros = count > 1 && At(base, p) == '0'
	n.Integer = true
	if At(base, q) == '.' {
		n.Integer = false
		f, r := Uint(base, q+1)
		if r == q+1 {
			return n, r, false
		}
		n.Exp = q + 1 - r
		count += r - q - 1
		if count <= maxDigits {
			u = u*pow10[r-q-1] + f
		}
		q = r
	}
	n.Mant, n.Exact = u, count <= maxDigits
	if At(base, q)|0x20 == 'e' {
		n.Integer = false
		return exponent(base, q+1, n)
	}
	return n, q, true
}

func exponent(base unsafe.Pointer, p int, n Number) (Number, int, bool) {
	negative := false
	if c := At(base, p); c == '+' || c == '-' {
		negative = c == '-'
		p++
	}
	e, q := Uint(base, p)
	if q == p {
		return n, q, false
	}
	if q-p > 6 {
		e = 1e6
	}
	if negative {
		n.Exp -= int(e)
	} else {
		n.Exp += int(e)
	}
	return n, q, true
}

// Float is the number nearest to n, which was read from base[p:end]. bits is 32 or 64.
// ok is false if it is beyond the range of the type.
func (n Number) Float(base unsafe.Pointer, p, end, bits int) (f float64, ok bool) {
	limit, most := uint64(1)<<53, 22
	if bits == 32 {
		limit, most = 1<<24, 10
	}
	if !n.Exact || n.Mant > limit || n.Exp > most || n.Exp < -most {
		f, err := strconv.ParseFloat(text(base, p, end), bits)
		return f, err == nil
	}
	f = float64(n.Mant)
	if n.Exp < 0 {
		f /= exact10[-n.Exp]
	} else {
		f *= exact10[n.Exp]
	}
	if bits == 32 {
		f = float64(float32(f))
	}
	if n.Negative {
		f = math.Copysign(f, -1)
	}
	return f, true
}

// Unscaled is n as a DECIMAL(prec, scale) with prec ≤ 18, rounded half up (away from
// zero) like Spark. fast is false if it needs the general way; ok is false if the value
// has too many digits.
func (n Number) Unscaled(prec, scale int) (v int64, ok, fast bool) {
	shift := n.Exp + scale
	if !n.Exact || shift > maxDigits || shift < -maxDigits {
		return 0, false, false
	}
	u := n.Mant
	switch {
	case shift < 0:
		d := pow10[-shift]
		u = (u + d/2) / d
	case shift > 0:
		if u != 0 && u > pow10[maxDigits]/pow10[shift] {
			return 0, false, true
		}
		u *= pow10[shift]
	}
	if u >= pow10[prec] {
		return 0, false, true
	}
	if n.Negative {
		return -int64(u), true, true
	}
	return int64(u), true, true
}

// NamedFloat reads the numbers that have no digits, as Spark and Java write them.
func NamedFloat(b []byte) (float64, bool) {
	switch string(b) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "+Infinity", "Inf", "+Inf", "INF", "+INF":
		return math.Inf(1), true
	case "-Infinity", "-Inf", "-INF":
		return math.Inf(-1), true
	}
	return 0, false
}

// Unscaled128 reads a number as a DECIMAL(prec, scale) in general, where
// Number.Unscaled is not enough.
func Unscaled128(b []byte, prec, scale int) (types.Int128, bool) {
	v, err := types.ParseDecimal(stringOf(b), prec, scale)
	return v, err == nil
}
