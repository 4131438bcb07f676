package types

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	bigMin = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 127))
	bigMax = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
)

func toBig(x Int128) *big.Int {
	b := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return b.Add(b, new(big.Int).SetUint64(x.Lo))
}

// fits compares a result with the exact one; ok must tell whether that is in range.
func fits(t *testing.T, what string, got Int128, ok bool, want *big.Int) {
	t.Helper()
	inRange := want.Cmp(bigMin) >= 0 && want.Cmp(bigMax) <= 0
	if ok != inRange {
		t.Fatalf("%s: ok = %v, the exact result is %v", what, ok, want)
	}
	if ok && toBig(got).Cmp(want) != 0 {
		t.Fatalf("%s: %v, want %v", what, toBig(got), want)
	}
}

func random128(r *rand.Rand) Int128 {
	words := []uint64{0, 1, math.MaxUint64, 1 << 63, 1<<63 - 1, r.Uint64(), r.Uint64() >> r.IntN(64)}
	x := Int128{Hi: int64(words[r.IntN(len(words))]), Lo: words[r.IntN(len(words))]}
	if r.IntN(2) == 0 {
		x.Hi >>= r.IntN(64)
	}
	return x
}

// roundDiv is a/b, half away from zero.
func roundDiv(a, b *big.Int) *big.Int {
	twice := new(big.Int).Abs(new(big.Int).Mul(a, big.NewInt(2)))
	d := new(big.Int).Abs(b)
	q := new(big.Int).Quo(twice.Add(twice, d), new(big.Int).Mul(d, big.NewInt(2)))
	if a.Sign()*b.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

func TestInt128AgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		x, y := random128(r), random128(r)
		a, b := toBig(x), toBig(y)
		sum, ok := x.Add(y)
		fits(t, "add", sum, ok, new(big.Int).Add(a, b))
		diff, ok := x.Sub(y)
		fits(t, "sub", diff, ok, new(big.Int).Sub(a, b))
		product, ok := x.Mul(y)
		fits(t, "mul", product, ok, new(big.Int).Mul(a, b))
		neg, ok := x.Neg()
		fits(t, "neg", neg, ok, new(big.Int).Neg(a))
		abs, ok := x.Abs()
		fits(t, "abs", abs, ok, new(big.Int).Abs(a))
		if x.Cmp(y) != a.Cmp(b) || x.Sign() != a.Sign() || x.IsZero() != (a.Sign() == 0) {
			t.Fatalf("cmp %v %v", a, b)
		}
		if v, ok := x.Int64(); ok != a.IsInt64() || ok && v != a.Int64() {
			t.Fatalf("int64 of %v", a)
		}
		if x.String() != a.String() {
			t.Fatalf("text %s, want %v", x, a)
		}
		if b.Sign() == 0 {
			continue
		}
		q, rem, ok := x.QuoRem(y)
		wq, wr := new(big.Int).QuoRem(a, b, new(big.Int))
		fits(t, "quo", q, ok, wq)
		fits(t, "rem", rem, true, wr)
		q, ok = x.DivRound(y)
		fits(t, "round", q, ok, roundDiv(a, b))
	}
}

func TestPowersOfTen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := big.NewInt(1)
	for n := range 45 {
		if n <= MaxPrecision {
			fits(t, "pow", Pow10(n), true, p)
		}
		for range 300 {
			x := random128(r)
			up, ok := x.MulPow10(n)
			fits(t, "shift up", up, ok, new(big.Int).Mul(toBig(x), p))
			fits(t, "shift down", x.DivPow10(n), true, roundDiv(toBig(x), p))
		}
		p = new(big.Int).Mul(p, big.NewInt(10))
	}
}

func TestInt128Floats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50000 {
		x := random128(r)
		want, _ := new(big.Float).SetInt(toBig(x)).Float64()
		if got := x.Float64(); got != want {
			t.Fatalf("float of %s is %v, want %v", x, got, want)
		}
		f := math.Ldexp(r.Float64()-0.5, r.IntN(135))
		exact, _ := big.NewFloat(math.Round(f)).Int(nil)
		got, ok := Int128FromFloat(f)
		fits(t, "from float", got, ok, exact)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p127, 1e300} {
		if _, ok := Int128FromFloat(f); ok {
			t.Errorf("%v is accepted", f)
		}
	}
	if x, ok := Int128FromFloat(-0x1p127); !ok || toBig(x).Cmp(bigMin) != 0 {
		t.Error("the smallest value")
	}
}
