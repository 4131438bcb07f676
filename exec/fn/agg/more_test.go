package agg

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// moreProbes are the aggregates beyond sums, counts and extremes.
func moreProbes() []probe {
	ps := []probe{
		{name: "bool_and", agg: BoolAnd, types: []types.Type{boolean}, domain: [][]any{logical},
			naive: orNull(func(xs []any) any { return !contains(xs, false) })},
		{name: "bool_or", agg: BoolOr, types: []types.Type{boolean}, domain: [][]any{logical},
			naive: orNull(func(xs []any) any { return contains(xs, true) })},
		{name: "bit_and", agg: BitAnd, types: []types.Type{bigint}, domain: [][]any{ints}, naive: foldInts(func(a, b int64) int64 { return a & b })},
		{name: "bit_or", agg: BitOr, types: []types.Type{bigint}, domain: [][]any{ints}, naive: foldInts(func(a, b int64) int64 { return a | b })},
		{name: "bit_xor", agg: BitXor, types: []types.Type{bigint}, domain: [][]any{ints}, naive: foldInts(func(a, b int64) int64 { return a ^ b })},
		{name: "array_agg", agg: ArrayAgg, types: []types.Type{text}, domain: [][]any{words}, appends: true,
			naive: func(rows [][]any) any { return append([]any{}, column(rows)...) }},
		{name: "array_agg ordered", agg: ArrayAgg, types: []types.Type{text}, domain: [][]any{words, ints[:4]},
			naive: naiveOrdered},
		{name: "array_agg distinct", agg: ArrayAgg, types: []types.Type{text}, domain: [][]any{words}, wrap: Distinct, appends: true,
			naive: func(rows [][]any) any { return firsts(column(rows)) }},
		{name: "string_agg", agg: StringAgg, types: []types.Type{text, text}, consts: []*vec.Vector{nil, vec.FromAny(text, "-")},
			domain: [][]any{words, {"-"}}, appends: true, naive: orNull(func(xs []any) any {
				var parts []string
				for _, x := range xs {
					parts = append(parts, x.(string))
				}
				return strings.Join(parts, "-")
			})},
		{name: "first", agg: First, types: []types.Type{bigint}, domain: [][]any{ints}, appends: true,
			naive: func(rows [][]any) any { return endOf(rows, 0) }},
		{name: "last", agg: Last, types: []types.Type{bigint}, domain: [][]any{ints}, appends: true,
			naive: func(rows [][]any) any { return endOf(rows, len(rows)-1) }},
		{name: "any_value", agg: AnyValue, types: []types.Type{bigint}, domain: [][]any{ints}, appends: true,
			naive: orNull(func(xs []any) any { return xs[0] })},
		{name: "regr_count", agg: RegrCount, types: []types.Type{bigint, bigint}, domain: [][]any{ints, ints},
			naive: func(rows [][]any) any {
				n := int64(0)
				for _, r := range rows {
					if r[0] != nil && r[1] != nil {
						n++
					}
				}
				return n
			}},
		{name: "var_pop", agg: named("var_pop"), types: []types.Type{double}, domain: [][]any{tame},
			naive: orNull(func(xs []any) any { return variance(xs, 0) })},
	}
	for i := range ps {
		if ps[i].name == "array_agg ordered" {
			ps[i].types = []types.Type{text, bigint}
			ps[i].agg.Resolve = func(args []fn.Arg) (fn.AggImpl, error) {
				inner, err := ArrayAgg.Resolve(args[:1])
				return Sorted(inner, []types.Type{bigint}, []vec.Order{{Desc: true}}), err
			}
		}
	}
	return append(ps, rankProbes()...)
}

func named(name string) fn.Aggregate {
	for _, a := range Statistics() {
		if a.Name == name {
			return a
		}
	}
	panic(name)
}

func contains(xs []any, x any) bool {
	for _, y := range xs {
		if x == y {
			return true
		}
	}
	return false
}

func foldInts(f func(a, b int64) int64) func(rows [][]any) any {
	return orNull(func(xs []any) any {
		acc := xs[0].(int64)
		for _, x := range xs[1:] {
			acc = f(acc, x.(int64))
		}
		return acc
	})
}

func endOf(rows [][]any, i int) any {
	if len(rows) == 0 {
		return nil
	}
	return rows[i][0]
}

func firsts(xs []any) any {
	out := []any{}
	for _, x := range xs {
		if !contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// naiveOrdered sorts rows by the second column descending, NULLs last, then by the first.
func naiveOrdered(rows [][]any) any {
	keys := make([]any, len(rows))
	for i := range rows {
		keys[i] = int64(i)
	}
	order := append([][]any{}, rows...)
	for i := range order {
		for j := i; j > 0 && orderedBefore(order[j], order[j-1]); j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return append([]any{}, column(order)...)
}

func orderedBefore(a, b []any) bool {
	if c := vec.CompareOrder(vec.FromAny(bigint, a[1]), 0, vec.FromAny(bigint, b[1]), 0, vec.Order{Desc: true}); c != 0 {
		return c < 0
	}
	return vec.Compare(vec.FromAny(text, a[0]), 0, vec.FromAny(text, b[0]), 0) < 0
}

func variance(xs []any, less float64) any {
	mean, n := 0.0, float64(len(xs))
	for _, x := range xs {
		mean += x.(float64) / n
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x.(float64) - mean) * (x.(float64) - mean)
	}
	return sum / (n - less)
}

func rankProbes() []probe {
	half := vec.FromAny(double, 0.5)
	return []probe{
		{name: "collect_set", agg: CollectSet, types: []types.Type{text}, domain: [][]any{words},
			naive: func(rows [][]any) any { return append([]any{}, unique(text, column(rows))...) }},
		{name: "mode", agg: Mode, types: []types.Type{bigint}, domain: [][]any{ints}, naive: orNull(naiveMode)},
		{name: "median", agg: Median, types: []types.Type{double}, domain: [][]any{tame}, naive: orNull(naiveMedian)},
		{name: "percentile", agg: Percentile, types: []types.Type{double, double}, consts: []*vec.Vector{nil, half},
			domain: [][]any{tame, {0.5}}, naive: orNull(naiveMedian)},
		{name: "percentile_disc", agg: PercentileDisc, types: []types.Type{text, double}, consts: []*vec.Vector{nil, half},
			domain: [][]any{words, {0.5}}, naive: orNull(func(xs []any) any { return sorted(text, xs)[(len(xs)-1)/2] })},
		{name: "min_by", agg: MinBy, types: []types.Type{text, bigint}, domain: [][]any{words, ints}, naive: naiveBy(false)},
		{name: "max_by", agg: MaxBy, types: []types.Type{text, bigint}, domain: [][]any{words, ints}, naive: naiveBy(true)},
		{name: "covar_pop", agg: named("covar_pop"), types: []types.Type{double, double}, domain: [][]any{tame[:3], tame[:3]}, naive: naiveCovar},
	}
}

func naiveMode(xs []any) any {
	var best any
	most := 0
	for _, x := range unique(bigint, xs) {
		n := 0
		for _, y := range xs {
			if x == y {
				n++
			}
		}
		if n > most {
			best, most = x, n
		}
	}
	return best
}

func naiveMedian(xs []any) any {
	s := sorted(double, xs)
	a, b := s[(len(s)-1)/2].(float64), s[len(s)/2].(float64)
	return a + (b-a)/2
}

func naiveBy(greatest bool) func(rows [][]any) any {
	return func(rows [][]any) any {
		var best []any
		for _, r := range rows {
			if r[1] == nil {
				continue
			}
			if best == nil {
				best = r
				continue
			}
			c := vec.Compare(vec.FromAny(bigint, r[1]), 0, vec.FromAny(bigint, best[1]), 0)
			if c == 0 {
				c = vec.Compare(vec.FromAny(text, r[0]), 0, vec.FromAny(text, best[0]), 0)
			}
			if greatest && c > 0 || !greatest && c < 0 {
				best = r
			}
		}
		if best == nil {
			return nil
		}
		return best[0]
	}
}

func naiveCovar(rows [][]any) any {
	var x, y, xy, n float64
	for _, r := range rows {
		if r[0] != nil && r[1] != nil {
			n++
			x, y = x+r[0].(float64), y+r[1].(float64)
		}
	}
	if n == 0 {
		return nil
	}
	for _, r := range rows {
		if r[0] != nil && r[1] != nil {
			xy += (r[0].(float64) - x/n) * (r[1].(float64) - y/n)
		}
	}
	return xy / n
}
