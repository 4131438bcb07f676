package reference

import (
	"math"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/types"
)

// regression is an aggregate over pairs (y, x), from the definition of the line of
// least squares.
func regression(name string, rows [][]any) any {
	rows = withoutNulls(rows)
	if name == "regr_count" {
		return int64(len(rows))
	}
	if len(rows) == 0 {
		return nil
	}
	if !allFinite(rows) {
		return math.NaN()
	}
	xx, yy, xy := deviations(rows, 1, 1), deviations(rows, 0, 0), deviations(rows, 0, 1)
	out := new(big.Rat)
	switch name {
	case "regr_avgx":
		out = mean(rows, 1)
	case "regr_avgy":
		out = mean(rows, 0)
	case "regr_sxx":
		out = xx
	case "regr_syy":
		out = yy
	case "regr_sxy":
		out = xy
	default:
		if xx.Sign() == 0 {
			return nil
		}
		out = line(name, rows, xx, yy, xy)
	}
	f, _ := out.Float64()
	return f
}

// line is a property of the line through points that are not all above each other.
func line(name string, rows [][]any, xx, yy, xy *big.Rat) *big.Rat {
	out := new(big.Rat)
	slope := new(big.Rat).Quo(xy, xx)
	switch name {
	case "regr_slope":
		return slope
	case "regr_intercept":
		return out.Sub(mean(rows, 0), slope.Mul(slope, mean(rows, 1)))
	}
	if yy.Sign() == 0 {
		return out.SetInt64(1)
	}
	return out.Quo(out.Mul(xy, xy), new(big.Rat).Mul(xx, yy))
}

// higher is skewness or kurtosis.
func higher(name string, xs []any) any {
	rows := make([][]any, len(xs))
	for i, x := range xs {
		rows[i] = []any{x}
	}
	if !allFinite(rows) {
		return math.NaN()
	}
	m := mean(rows, 0)
	var powers [5]big.Rat
	for _, x := range xs {
		d := rational(types.Of(types.Float64), x)
		d.Sub(d, m)
		p := new(big.Rat).SetInt64(1)
		for k := 1; k < len(powers); k++ {
			p.Mul(p, d)
			powers[k].Add(&powers[k], p)
		}
	}
	if powers[2].Sign() == 0 {
		return nil
	}
	n := new(big.Rat).SetInt64(int64(len(xs)))
	if name == "kurtosis" {
		n.Mul(n, &powers[4]).Quo(n, p2(&powers[2])).Sub(n, new(big.Rat).SetInt64(3))
		x, _ := n.Float64()
		return x
	}
	// √(n·m3² / m2³), with the sign of m3; the square is exact.
	n.Mul(n, p2(&powers[3])).Quo(n, new(big.Rat).Mul(p2(&powers[2]), &powers[2]))
	root := new(big.Float).SetPrec(512).SetRat(n)
	x, _ := root.Sqrt(root).Float64()
	return math.Copysign(x, float64(powers[3].Sign()))
}

func p2(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
