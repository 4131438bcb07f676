package reference

import (
	"math"
	"math/big"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Variances and covariances are the mean product of deviations, from the definition;
// values that are not finite, or too large to be squared, make them NaN.

// huge is where squares of doubles begin to overflow.
const huge = 0x1p511

func statistic(name string, xs []any) any {
	pairs := make([][]any, len(xs))
	for i, x := range xs {
		pairs[i] = []any{x, x}
	}
	v := covariance(pairs, strings.HasSuffix(name, "_samp"))
	if f, ok := v.(float64); ok && strings.HasPrefix(name, "stddev") {
		return math.Sqrt(f)
	}
	return v
}

func pairStatistic(name string, rows [][]any) any {
	rows = withoutNulls(rows)
	if name != "corr" {
		return covariance(rows, name == "covar_samp")
	}
	if len(rows) == 0 {
		return nil
	}
	if !allFinite(rows) {
		return math.NaN()
	}
	xy, xx, yy := deviations(rows, 0, 1), deviations(rows, 0, 0), deviations(rows, 1, 1)
	if xx.Sign() == 0 || yy.Sign() == 0 {
		return nil
	}
	const digits = 400
	root := new(big.Float).SetPrec(digits).SetRat(new(big.Rat).Mul(xx, yy))
	root.Sqrt(root)
	f, _ := new(big.Float).Quo(new(big.Float).SetPrec(digits).SetRat(xy), root).Float64()
	return f
}

func allFinite(rows [][]any) bool {
	for _, r := range rows {
		for _, x := range r {
			if f := x.(float64); !(math.Abs(f) < huge) {
				return false
			}
		}
	}
	return true
}

// covariance of pairs; of a value with itself it is the variance.
func covariance(rows [][]any, sample bool) any {
	n := int64(len(rows)) - int64(boolInt(sample))
	switch {
	case n < 1:
		return nil
	case !allFinite(rows):
		return math.NaN()
	}
	r := deviations(rows, 0, 1)
	f, _ := r.Quo(r, new(big.Rat).SetInt64(n)).Float64()
	return f
}

// deviations is Σ (a − mean a)·(b − mean b).
func deviations(rows [][]any, a, b int) *big.Rat {
	ma, mb := mean(rows, a), mean(rows, b)
	out := new(big.Rat)
	for _, r := range rows {
		x := rational(types.Of(types.Float64), r[a])
		y := rational(types.Of(types.Float64), r[b])
		out.Add(out, x.Mul(x.Sub(x, ma), y.Sub(y, mb)))
	}
	return out
}

func mean(rows [][]any, c int) *big.Rat {
	s := new(big.Rat)
	for _, r := range rows {
		s.Add(s, rational(types.Of(types.Float64), r[c]))
	}
	return s.Quo(s, new(big.Rat).SetInt64(int64(len(rows))))
}

// between is the value at the share p of sorted numbers, interpolated.
func between(xs []any, p float64) any {
	at := p * float64(len(xs)-1)
	low := int(math.Floor(at))
	a := xs[low].(float64)
	if at == float64(low) {
		return a
	}
	return a + (xs[low+1].(float64)-a)*(at-float64(low))
}

// reached is the least of sorted values at which the share p has been reached.
func reached(xs []any, p float64) any {
	rank := max(int(math.Ceil(p*float64(len(xs)))), 1)
	return xs[rank-1]
}
