package agg

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func listed(t *testing.T, list []fn.Aggregate, name string) fn.Aggregate {
	t.Helper()
	for _, a := range list {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no aggregate %s", name)
	return fn.Aggregate{}
}

// byProbes are the aggregates that order rows by another column.
func byProbes(t *testing.T) []probe {
	two := vec.FromAny(bigint, int64(2))
	pair := []types.Type{text, bigint, bigint}
	domain := [][]any{words, {int64(1), int64(2), int64(3)}, {int64(2)}}
	consts := []*vec.Vector{nil, nil, two}
	return []probe{
		{name: "max n", agg: Max, types: []types.Type{bigint, bigint}, consts: []*vec.Vector{nil, two}, domain: [][]any{ints, {int64(2)}},
			naive: orNull(func(xs []any) any { s := sorted(bigint, xs); slices.Reverse(s); return s[:min(2, len(s))] })},
		{name: "min n", agg: Min, types: []types.Type{text, bigint}, consts: []*vec.Vector{nil, two}, domain: [][]any{words, {int64(2)}},
			naive: orNull(func(xs []any) any { s := sorted(text, xs); return s[:min(2, len(s))] })},
		{name: "max_by n", agg: MaxBy, types: pair, consts: consts, domain: domain, naive: naiveManyBy(true, byAny, 2)},
		{name: "min_by n", agg: MinBy, types: pair, consts: consts, domain: domain, naive: naiveManyBy(false, byAny, 2)},
		{name: "arg_max n", agg: listed(t, ByArguments(), "arg_max"), types: pair, consts: consts, domain: domain, naive: naiveManyBy(true, bySome, 2)},
		{name: "arg_max", agg: listed(t, ByArguments(), "arg_max"), types: pair[:2], domain: domain[:2], naive: naiveManyBy(true, bySome, 0)},
		{name: "arg_min", agg: listed(t, ByArguments(), "arg_min"), types: pair[:2], domain: domain[:2], naive: naiveManyBy(false, bySome, 0)},
		{name: "arg_max_nulls_last", agg: listed(t, ByArguments(), "arg_max_nulls_last"), types: pair, consts: consts, domain: domain, naive: naiveManyBy(true, byNullsLast, 2)},
		{name: "arg_min_nulls_last", agg: listed(t, ByArguments(), "arg_min_nulls_last"), types: pair, consts: consts, domain: domain, naive: naiveManyBy(false, byNullsLast, 2)},
		{name: "list", agg: List, types: []types.Type{bigint}, domain: [][]any{ints}, naive: func(rows [][]any) any {
			if len(rows) == 0 {
				return nil
			}
			out := []any{}
			for _, r := range rows {
				out = append(out, r[0])
			}
			return out
		}},
	}
}

// naiveManyBy sorts the rows; n = 0 gives the first alone.
func naiveManyBy(greatest bool, nulls byNulls, n int) func(rows [][]any) any {
	return func(rows [][]any) any {
		var kept [][]any
		for _, r := range rows {
			if (r[1] != nil || nulls == byNullsLast) && (r[0] != nil || nulls != bySome) {
				kept = append(kept, r)
			}
		}
		order := vec.Order{Desc: greatest, Nulls: vec.NullsLast}
		sort.SliceStable(kept, func(i, j int) bool {
			if c := vec.CompareOrder(vec.FromAny(bigint, kept[i][1]), 0, vec.FromAny(bigint, kept[j][1]), 0, order); c != 0 {
				return c < 0
			}
			return vec.CompareOrder(vec.FromAny(text, kept[i][0]), 0, vec.FromAny(text, kept[j][0]), 0, order) < 0
		})
		if len(kept) == 0 {
			return nil
		}
		if n == 0 {
			return kept[0][0]
		}
		out := []any{}
		for _, r := range kept[:min(n, len(kept))] {
			out = append(out, r[0])
		}
		return out
	}
}

// spreadProbes are the aggregates of how values are spread and of sets.
func spreadProbes(t *testing.T) []probe {
	small := []any{1.0, 2.5, -4.0, 8.0}
	two := vec.FromAny(bigint, int64(2))
	bounds := vec.FromAny(types.ArrayOf(bigint), []any{int64(0), int64(5)})
	return []probe{
		{name: "mad", agg: mad, types: []types.Type{double}, domain: [][]any{small}, naive: orNull(naiveMad)},
		{name: "entropy", agg: entropy, types: []types.Type{text}, domain: [][]any{words}, naive: naiveEntropy},
		{name: "geomean", agg: geomean, types: []types.Type{double}, domain: [][]any{{0.5, 2.0, 8.0, 0.0}}, naive: orNull(naiveGeomean)},
		{name: "collect_union", agg: CollectUnion, types: []types.Type{listOf}, domain: [][]any{{[]any{int64(1), int64(2)}, []any{int64(2), nil}, []any{}}}, naive: naiveUnion},
		{name: "histogram bounds", agg: Histogram, types: []types.Type{bigint, types.ArrayOf(bigint)}, consts: []*vec.Vector{nil, bounds},
			domain: [][]any{ints, {[]any{int64(0), int64(5)}}}, naive: naiveBins},
		{name: "approx_top_k", agg: ApproxTopK, types: []types.Type{text, bigint}, consts: []*vec.Vector{nil, two}, domain: [][]any{words, {int64(2)}}, naive: naiveTop},
		{name: "bitmap_construct_agg", agg: listed(t, Bitmaps(), "bitmap_construct_agg"), types: []types.Type{bigint}, domain: [][]any{{int64(0), int64(9), int64(32767)}}, naive: naiveBits},
		{name: "bitmap_and_agg", agg: listed(t, Bitmaps(), "bitmap_and_agg"), types: []types.Type{blob}, domain: [][]any{{[]byte{7}, []byte{2, 1}}}, naive: naiveCommonBits},
		{name: "percentile of counted", agg: Percentile, types: []types.Type{double, double, bigint}, consts: []*vec.Vector{nil, vec.FromAny(double, 0.5)},
			domain: [][]any{small, {0.5}, {int64(0), int64(1), int64(3)}}, naive: naiveCounted},
		{name: "vector_sum", agg: listed(t, VectorSums(), "vector_sum"), types: []types.Type{types.ArrayOf(types.Of(types.Float32))},
			domain: [][]any{{[]any{1.0, 2.0}, []any{0.5, -1.0}, []any{nil, 1.0}}}, naive: naiveVector},
	}
}

func TestManyAndSpread(t *testing.T) {
	for _, p := range append(byProbes(t), spreadProbes(t)...) {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(15) {
				p.run(t, seed, false)
				p.run(t, seed, true)
			}
		})
	}
}

func middleOf(xs []any) float64 {
	s := sorted(double, xs)
	return (s[(len(s)-1)/2].(float64) + s[len(s)/2].(float64)) / 2
}

func naiveMad(xs []any) any {
	m := middleOf(xs)
	var off []any
	for _, x := range xs {
		off = append(off, math.Abs(x.(float64)-m))
	}
	return middleOf(off)
}

func naiveEntropy(rows [][]any) any {
	xs, bits := column(rows), 0.0
	for _, x := range unique(text, xs) {
		n := 0.0
		for _, y := range xs {
			if x == y {
				n++
			}
		}
		bits -= n / float64(len(xs)) * math.Log2(n/float64(len(xs)))
	}
	return max(bits, 0)
}

func naiveGeomean(xs []any) any {
	p := 1.0
	for _, x := range xs {
		p *= x.(float64)
	}
	return math.Pow(p, 1/float64(len(xs)))
}

func naiveUnion(rows [][]any) any {
	out := []any{}
	for _, x := range column(rows) {
		for _, e := range x.([]any) {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	if len(out) == 0 {
		return out
	}
	return unique(bigint, out)
}

func naiveBins(rows [][]any) any {
	low, mid, high := int64(0), int64(0), int64(0)
	for _, x := range column(rows) {
		switch n := x.(int64); {
		case n <= 0:
			low++
		case n <= 5:
			mid++
		default:
			high++
		}
	}
	out := [][2]any{{int64(0), low}, {int64(5), mid}}
	if high > 0 {
		out = append(out, [2]any{int64(math.MaxInt64), high})
	}
	return out
}

func naiveTop(rows [][]any) any {
	type item struct {
		x any
		n int64
	}
	var items []item
	for _, r := range rows {
		at := slices.IndexFunc(items, func(i item) bool { return i.x == r[0] })
		if at < 0 {
			at, items = len(items), append(items, item{r[0], 0})
		}
		items[at].n++
	}
	sort.Slice(items, func(i, j int) bool {
		if items[i].n != items[j].n {
			return items[i].n > items[j].n
		}
		return vec.Compare(vec.FromAny(text, items[i].x), 0, vec.FromAny(text, items[j].x), 0) < 0
	})
	out := []any{}
	for _, i := range items[:min(2, len(items))] {
		out = append(out, []any{i.x, i.n})
	}
	return out
}

func naiveBits(rows [][]any) any {
	b := make([]byte, bitmapBytes)
	for _, x := range column(rows) {
		b[x.(int64)/8] |= 1 << (x.(int64) % 8)
	}
	return b
}

func naiveCommonBits(rows [][]any) any {
	b := make([]byte, bitmapBytes)
	for i := range b {
		b[i] = 0xff
	}
	for _, x := range column(rows) {
		for i := range b {
			if m := x.([]byte); i < len(m) {
				b[i] &= m[i]
			} else {
				b[i] = 0
			}
		}
	}
	return b
}

func naiveCounted(rows [][]any) any {
	var all []any
	for _, r := range rows {
		if n, _ := r[2].(int64); r[0] != nil {
			for range n {
				all = append(all, r[0])
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return middleOf(all)
}

func naiveVector(rows [][]any) any {
	sum, some := []any{0.0, 0.0}, false
	for _, x := range column(rows) {
		v := x.([]any)
		if v[0] == nil {
			continue
		}
		some = true
		for i := range sum {
			sum[i] = sum[i].(float64) + v[i].(float64)
		}
	}
	if !some {
		return nil
	}
	return sum
}
