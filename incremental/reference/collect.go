package reference

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// mode is the most frequent value, of several the least or the greatest.
func mode(xs []any, greatest bool) any {
	counts := map[string]int{}
	for _, x := range xs {
		counts[textOf(x)]++
	}
	order := sorted(xs)
	if greatest {
		slices.Reverse(order)
	}
	best := order[0]
	for _, x := range order {
		if counts[textOf(x)] > counts[textOf(best)] {
			best = x
		}
	}
	return best
}

// percentile computes one share, or each of a list, from either end.
func percentile(a logical.Agg, xs []any, one func(xs []any, p float64) any) any {
	xs = sorted(xs)
	if len(a.Args) == 3 && constant(a, 2) == "desc" {
		slices.Reverse(xs)
	}
	if len(a.Args) < 2 {
		return one(xs, 0.5)
	}
	t := a.Args[1].Type()
	if t.Kind != types.Array {
		p, _ := rational(t, constant(a, 1)).Float64()
		return one(xs, p)
	}
	out := []any{}
	for _, x := range constant(a, 1).([]any) {
		p, _ := rational(*t.Elem, x).Float64()
		out = append(out, one(xs, p))
	}
	return out
}

// histogram counts the different values.
func histogram(xs []any) [][2]any {
	out := [][2]any{}
	for _, x := range sorted(distinctValues(xs)) {
		n := int64(0)
		for _, y := range xs {
			if textOf(y) == textOf(x) {
				n++
			}
		}
		out = append(out, [2]any{x, n})
	}
	return out
}

// mapOf gives each key its greatest value.
func mapOf(rows [][]any) [][2]any {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r []any) bool { return r[0] == nil })
	slices.SortStableFunc(rows, compareRows)
	out := [][2]any{}
	for _, r := range rows {
		if n := len(out); n > 0 && textOf(out[n-1][0]) == textOf(r[0]) {
			out[n-1][1] = r[1]
			continue
		}
		out = append(out, [2]any{r[0], r[1]})
	}
	return out
}

// product multiplies in ascending order, equal values at once.
func product(xs []any) float64 {
	p := 1.0
	for _, kv := range histogram(xs) {
		p *= math.Pow(kv[0].(float64), float64(kv[1].(int64)))
	}
	return p
}

// sumIntervals adds the parts apart and divides them by n, unless that is 0.
func sumIntervals(xs []any, n int64) (any, error) {
	var m, d, us big.Int
	for _, x := range xs {
		v := x.(types.IntervalValue)
		m.Add(&m, big.NewInt(int64(v.Months)))
		d.Add(&d, big.NewInt(int64(v.Days)))
		us.Add(&us, big.NewInt(v.Micros))
	}
	if n > 0 {
		var left big.Int
		m.QuoRem(&m, big.NewInt(n), &left)
		d.Add(&d, left.Mul(&left, big.NewInt(30)))
		d.QuoRem(&d, big.NewInt(n), &left)
		us.Add(&us, left.Mul(&left, big.NewInt(24*3600*1_000_000)))
		us.Quo(&us, big.NewInt(n))
	}
	out := types.IntervalValue{Months: int32(m.Int64()), Days: int32(d.Int64()), Micros: us.Int64()}
	if !m.IsInt64() || int64(out.Months) != m.Int64() || !d.IsInt64() || int64(out.Days) != d.Int64() || !us.IsInt64() {
		return nil, errors.New("the sum of intervals does not fit")
	}
	return out, nil
}
