package reference

import (
	"math"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Sums and means are computed as fractions, which are exact, and rounded once.

func constValue(v *vec.Vector) any { return vec.ToAny(v, 0) }

func bigOf(x types.Int128) *big.Int {
	b := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return b.Add(b, new(big.Int).SetUint64(x.Lo))
}

// rational is a finite number as a fraction.
func rational(t types.Type, x any) *big.Rat {
	r := new(big.Rat)
	switch x := x.(type) {
	case float64:
		return r.SetFloat64(x)
	case int64:
		r.SetInt64(x)
	case types.Int128:
		r.SetInt(bigOf(x))
	}
	if isDecimal(t) {
		r.Quo(r, new(big.Rat).SetInt(pow10(int(t.Scale))))
	}
	return r
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// oddSum is the sum of values among which NaN or infinities are; false if none is.
func oddSum(xs []any) (float64, bool) {
	total, odd := 0.0, false
	for _, x := range xs {
		if f, ok := x.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			total += f
			odd = true
		}
	}
	return total, odd
}

func total(t types.Type, xs []any) *big.Rat {
	r := new(big.Rat)
	for _, x := range xs {
		r.Add(r, rational(t, x))
	}
	return r
}

func sum(a logical.Agg, xs []any) (any, error) {
	t := a.Args[0].Type()
	if t.Kind == types.Interval {
		return sumIntervals(xs, 0)
	}
	if odd, ok := oddSum(xs); ok {
		return odd, nil
	}
	return boxed("sum", total(t, xs), a.Impl.Result)
}

func avg(a logical.Agg, xs []any) (any, error) {
	t := a.Args[0].Type()
	if t.Kind == types.Interval {
		return sumIntervals(xs, int64(len(xs)))
	}
	if odd, ok := oddSum(xs); ok {
		return odd, nil
	}
	s := total(t, xs)
	if isDecimal(a.Impl.Result) {
		return boxed("avg", s.Quo(s, new(big.Rat).SetInt64(int64(len(xs)))), a.Impl.Result)
	}
	f, _ := s.Float64() // the sum is rounded to a DOUBLE, then divided
	return f / float64(len(xs)), nil
}

// boxed rounds a fraction to a type, half away from zero.
func boxed(name string, r *big.Rat, t types.Type) (any, error) {
	if t.IsFloat() {
		f, _ := r.Float64()
		return f, nil
	}
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(pow10(int(t.Scale))))
	x := roundHalfAway(scaled)
	limit := pow10(int(t.Prec))
	if !isDecimal(t) {
		limit = new(big.Int).Lsh(big.NewInt(1), 63)
	}
	least := new(big.Int).Neg(limit)
	if x.Cmp(limit) >= 0 || x.Cmp(least) < 0 || isDecimal(t) && x.Cmp(least) == 0 {
		return nil, &fn.DataError{Func: name, Value: r.RatString(), Row: -1, Msg: "the result does not fit in " + t.String()}
	}
	if t.Phys() == types.PhysInt64 {
		return x.Int64(), nil
	}
	low := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64))
	return types.Int128{Hi: new(big.Int).Rsh(x, 64).Int64(), Lo: low.Uint64()}, nil
}

func roundHalfAway(r *big.Rat) *big.Int {
	twice := new(big.Int).Mul(new(big.Int).Abs(r.Num()), big.NewInt(2))
	twice.Add(twice, r.Denom())
	q := twice.Quo(twice, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	if r.Sign() < 0 {
		q.Neg(q)
	}
	return q
}
