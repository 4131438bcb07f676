package types

import (
	"cmp"
	"math"
	"math/bits"
)

// Int128 is a two's complement 128-bit integer: the unscaled value of a DECIMAL
// with more than 18 digits, and the accumulator of sums. Operations that can leave
// the range say so; none wraps silently.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Int128From widens v.
func Int128From(v int64) Int128 { return Int128{Hi: v >> 63, Lo: uint64(v)} }

// Int64 narrows x; false if it does not fit.
func (x Int128) Int64() (int64, bool) {
	v := int64(x.Lo)
	return v, x.Hi == v>>63
}

// Sign is −1, 0 or 1.
func (x Int128) Sign() int {
	switch {
	case x.Hi < 0:
		return -1
	case x.Hi|int64(x.Lo) == 0:
		return 0
	}
	return 1
}

// IsZero reports x = 0.
func (x Int128) IsZero() bool { return x.Hi == 0 && x.Lo == 0 }

// Cmp compares x and y: −1, 0 or 1.
func (x Int128) Cmp(y Int128) int {
	if x.Hi != y.Hi {
		return cmp.Compare(x.Hi, y.Hi)
	}
	return cmp.Compare(x.Lo, y.Lo)
}

// Add returns x + y; false if the sum is out of range.
func (x Int128) Add(y Int128) (Int128, bool) {
	lo, c := bits.Add64(x.Lo, y.Lo, 0)
	hi, _ := bits.Add64(uint64(x.Hi), uint64(y.Hi), c)
	z := Int128{int64(hi), lo}
	return z, (x.Hi^z.Hi)&(y.Hi^z.Hi) >= 0
}

// Sub returns x − y; false if the difference is out of range.
func (x Int128) Sub(y Int128) (Int128, bool) {
	lo, b := bits.Sub64(x.Lo, y.Lo, 0)
	hi, _ := bits.Sub64(uint64(x.Hi), uint64(y.Hi), b)
	z := Int128{int64(hi), lo}
	return z, (x.Hi^y.Hi)&(x.Hi^z.Hi) >= 0
}

// Neg returns −x; false for the smallest value.
func (x Int128) Neg() (Int128, bool) { return Int128{}.Sub(x) }

// Abs returns |x|; false for the smallest value.
func (x Int128) Abs() (Int128, bool) {
	if x.Hi < 0 {
		return x.Neg()
	}
	return x, true
}

// Mul returns x · y; false if the product is out of range.
func (x Int128) Mul(y Int128) (Int128, bool) {
	if a, ok := x.Int64(); ok {
		if b, ok := y.Int64(); ok {
			return MulInt64(a, b), true
		}
	}
	u, v := x.magnitude(), y.magnitude()
	if u.hi != 0 && v.hi != 0 {
		return Int128{}, false
	}
	hi, lo := bits.Mul64(u.lo, v.lo)
	h1, c1 := bits.Mul64(u.hi, v.lo)
	h2, c2 := bits.Mul64(u.lo, v.hi)
	hi, over := bits.Add64(hi, c1|c2, 0) // at most one of c1 and c2 is not 0
	if h1|h2|over != 0 {
		return Int128{}, false
	}
	return u128{hi, lo}.signed(x.Hi < 0 != (y.Hi < 0))
}

// MulInt64 returns a · b, which always fits.
func MulInt64(a, b int64) Int128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return Int128{int64(hi) - (a >> 63 & b) - (b >> 63 & a), lo}
}

// QuoRem divides toward zero; the remainder has the sign of x. y is not 0. False if
// the quotient is out of range (the smallest value by −1).
func (x Int128) QuoRem(y Int128) (q, r Int128, ok bool) {
	uq, ur := x.magnitude().div(y.magnitude())
	q, ok = uq.signed(x.Hi < 0 != (y.Hi < 0))
	r, _ = ur.signed(x.Hi < 0)
	return q, r, ok
}

// DivRound divides and rounds half away from zero. y is not 0.
func (x Int128) DivRound(y Int128) (Int128, bool) {
	v := y.magnitude()
	q, r := x.magnitude().div(v)
	if r.cmp(v.sub(r)) >= 0 { // 2r ≥ v
		q = q.add(u128{0, 1})
	}
	return q.signed(x.Hi < 0 != (y.Hi < 0))
}

// MulPow10 returns x · 10^n; false if it is out of range.
func (x Int128) MulPow10(n int) (Int128, bool) {
	if n > MaxPrecision {
		return Int128{}, x.IsZero()
	}
	return x.Mul(Pow10(n))
}

// DivPow10 returns x / 10^n, rounded half away from zero.
func (x Int128) DivPow10(n int) Int128 {
	if n > MaxPrecision {
		return Int128{} // |x| < 1.8e38 is less than half of 10^39
	}
	q, _ := x.DivRound(Pow10(n))
	return q
}

// Pow10 returns 10^n for 0 ≤ n ≤ 38.
func Pow10(n int) Int128 {
	if n < len(pow10u64) {
		return Int128{0, pow10u64[n]}
	}
	hi, lo := bits.Mul64(pow10u64[19], pow10u64[n-19])
	return Int128{int64(hi), lo}
}

var pow10u64 = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// Float64 is the nearest float to x.
func (x Int128) Float64() float64 {
	u := x.magnitude()
	f := u.float64()
	if x.Hi < 0 {
		return -f
	}
	return f
}

// Int128FromFloat rounds f half away from zero; false if it is NaN or out of range.
func Int128FromFloat(f float64) (Int128, bool) {
	r := math.Round(f)
	a := math.Abs(r)
	if !(a <= 0x1p127) {
		return Int128{}, false
	}
	hi := math.Floor(a / 0x1p64)
	u := u128{uint64(hi), uint64(a - hi*0x1p64)}
	return u.signed(r < 0)
}

// String is x in decimal digits.
func (x Int128) String() string { return string(x.Append(nil)) }

// Append appends x in decimal digits.
func (x Int128) Append(dst []byte) []byte { return AppendDecimal(dst, x, 0) }

// u128 is a magnitude.
type u128 struct{ hi, lo uint64 }

func (x Int128) magnitude() u128 {
	if x.Hi >= 0 {
		return u128{uint64(x.Hi), x.Lo}
	}
	lo, b := bits.Sub64(0, x.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(x.Hi), b)
	return u128{hi, lo}
}

// signed gives u a sign; false if it is out of range.
func (u u128) signed(neg bool) (Int128, bool) {
	if !neg {
		return Int128{int64(u.hi), u.lo}, u.hi>>63 == 0
	}
	lo, b := bits.Sub64(0, u.lo, 0)
	hi, _ := bits.Sub64(0, u.hi, b)
	return Int128{int64(hi), lo}, u.hi>>63 == 0 || u == u128{1 << 63, 0}
}

func (u u128) cmp(v u128) int {
	if u.hi != v.hi {
		return cmp.Compare(u.hi, v.hi)
	}
	return cmp.Compare(u.lo, v.lo)
}

func (u u128) add(v u128) u128 {
	lo, c := bits.Add64(u.lo, v.lo, 0)
	hi, _ := bits.Add64(u.hi, v.hi, c)
	return u128{hi, lo}
}

func (u u128) sub(v u128) u128 {
	lo, b := bits.Sub64(u.lo, v.lo, 0)
	hi, _ := bits.Sub64(u.hi, v.hi, b)
	return u128{hi, lo}
}

func (u u128) shl(n uint) u128 {
	if n == 0 {
		return u
	}
	return u128{u.hi<<n | u.lo>>(64-n), u.lo << n}
}

func (u u128) shr(n uint) u128 {
	if n == 0 {
		return u
	}
	return u128{u.hi >> n, u.lo>>n | u.hi<<(64-n)}
}

// div divides magnitudes (Hacker's Delight, divlu and udivti3).
func (u u128) div(v u128) (q, r u128) {
	if v.hi == 0 {
		qh := u.hi / v.lo
		ql, rl := bits.Div64(u.hi%v.lo, u.lo, v.lo)
		return u128{qh, ql}, u128{0, rl}
	}
	n := uint(bits.LeadingZeros64(v.hi))
	est, _ := bits.Div64(u.hi>>1, u.shr(1).lo, v.shl(n).hi)
	est >>= 63 - n
	if est > 0 {
		est--
	}
	q = u128{0, est}
	r = u.sub(v.mulLow(est))
	if r.cmp(v) >= 0 {
		q.lo++
		r = r.sub(v)
	}
	return q, r
}

func (u u128) mulLow(m uint64) u128 {
	hi, lo := bits.Mul64(u.lo, m)
	return u128{hi + u.hi*m, lo}
}

// float64 rounds to nearest, ties to even, in one step.
func (u u128) float64() float64 {
	if u.hi == 0 {
		return float64(u.lo)
	}
	n := uint(bits.LeadingZeros64(u.hi))
	w := u.shl(n)
	top := w.hi
	if w.lo != 0 {
		top |= 1 // sticky
	}
	return math.Ldexp(float64(top), 64-int(n))
}
