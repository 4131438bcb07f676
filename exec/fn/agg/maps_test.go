package agg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// collected are probes of aggregates that give maps and the like, against their
// definitions.
func collected() []probe {
	desc, shares := vec.FromAny(text, "desc"), vec.FromAny(types.ArrayOf(double), []any{0.0, 0.5, 1.0})
	spans := []any{types.IntervalValue{Months: 1}, types.IntervalValue{Days: -3, Micros: 7}, types.IntervalValue{Micros: math.MaxInt64}}
	return []probe{
		{name: "histogram", agg: Histogram, types: []types.Type{text}, domain: [][]any{words}, naive: naiveHistogram},
		{name: "map_agg", agg: MapAgg, types: []types.Type{text, bigint}, domain: [][]any{words, ints}, naive: naiveMap},
		{name: "product", agg: Product, types: []types.Type{double}, domain: [][]any{{2.0, -3.0, 0.5, 0.0}}, naive: orNull(naiveProduct)},
		{name: "mode desc", agg: Mode, types: []types.Type{bigint, text}, consts: []*vec.Vector{nil, desc}, domain: [][]any{{int64(1), int64(2), int64(3)}, {"desc"}},
			naive: orNull(func(xs []any) any { return naiveModeDesc(xs) })},
		{name: "percentile_disc of a list", agg: PercentileDisc, types: []types.Type{bigint, types.ArrayOf(double)}, consts: []*vec.Vector{nil, shares},
			domain: [][]any{{int64(1), int64(2), int64(3)}, {[]any{0.0, 0.5, 1.0}}}, naive: orNull(func(xs []any) any {
				s := sorted(bigint, xs)
				return []any{s[0], s[(len(s)-1)/2], s[len(s)-1]}
			})},
		{name: "percentile_disc desc", agg: PercentileDisc, types: []types.Type{bigint, double, text}, consts: []*vec.Vector{nil, vec.FromAny(double, 0.5), desc},
			domain: [][]any{{int64(1), int64(2), int64(3)}, {0.5}, {"desc"}}, naive: orNull(func(xs []any) any {
				s := sorted(bigint, xs)
				slices.Reverse(s)
				return s[(len(s)-1)/2]
			})},
		{name: "quantile_dd", agg: QuantileDD, types: []types.Type{double, double, double}, consts: []*vec.Vector{nil, vec.FromAny(double, 0.5), vec.FromAny(double, 0.25)},
			domain: [][]any{{-3.0, 0.0, 1.0, 7.5, 100.0, math.Inf(1)}, {0.5}, {0.25}}, naive: orNull(func(xs []any) any {
				s := sorted(double, xs)
				return bucketMiddle(s[len(s)/2].(float64), 5.0/3, math.Log(5.0/3))
			})},
		{name: "sum of intervals", agg: Sum, types: []types.Type{interval}, domain: [][]any{spans[:2]}, naive: orNull(naiveIntervals)},
	}
}

func TestCollected(t *testing.T) {
	for _, p := range collected() {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(25) {
				p.run(t, seed, false)
				p.run(t, seed, true)
			}
		})
	}
}

func naiveHistogram(rows [][]any) any {
	out := [][2]any{}
	xs := column(rows)
	for _, x := range unique(text, xs) {
		n := int64(0)
		for _, y := range xs {
			if x == y {
				n++
			}
		}
		out = append(out, [2]any{x, n})
	}
	return out
}

func naiveMap(rows [][]any) any {
	out := [][2]any{}
	for _, k := range unique(text, column(rows)) {
		var best any
		for _, r := range rows {
			if r[0] == k && r[1] != nil && (best == nil || r[1].(int64) > best.(int64)) {
				best = r[1]
			}
		}
		out = append(out, [2]any{k, best})
	}
	return out
}

func naiveProduct(xs []any) any {
	p := 1.0
	for _, x := range xs {
		p *= x.(float64)
	}
	return p
}

func naiveModeDesc(xs []any) any {
	var best any
	most := 0
	for _, x := range unique(bigint, xs) {
		n := 0
		for _, y := range xs {
			if x == y {
				n++
			}
		}
		if n >= most {
			best, most = x, n
		}
	}
	return best
}

func naiveIntervals(xs []any) any {
	var sum types.IntervalValue
	for _, x := range xs {
		sum, _ = sum.Add(x.(types.IntervalValue))
	}
	return sum
}

// avg of INTERVAL cuts months into 30 days and days into 24 hours.
func TestMeanInterval(t *testing.T) {
	acc := intervalImpl(true).New(false)
	acc.Grow(1)
	v := vec.FromAny(interval, types.IntervalValue{Months: 3}, types.IntervalValue{Days: 1, Micros: 2}, nil)
	if err := acc.Add(fn.AggRows{Args: []*vec.Vector{v}, Groups: []uint32{0, 0, 0}}); err != nil {
		t.Fatal(err)
	}
	out := vec.NewBuilder(interval)
	if err := acc.Result([]uint32{0}, out); err != nil {
		t.Fatal(err)
	}
	want := types.IntervalValue{Months: 1, Days: 15, Micros: dayMicros/2 + 1}
	if got := vec.ToAny(out.Finish(), 0); got != want {
		t.Errorf("the mean is %v, want %v", got, want)
	}
}

// A change and a result visit a number of values that grows as the logarithm of the
// group, not as the group.
func TestRankedDepth(t *testing.T) {
	depth := func(n int) (most int) {
		b := &bag{ranked: true}
		b.root.Grow(1)
		rng := rand.New(rand.NewPCG(1, 2))
		var key []byte
		for i := range n {
			key = vec.AppendIntKey(key[:0], int64(rng.IntN(n)))
			b.add(0, key, 1)
			if i%3 == 0 {
				b.add(0, key, -1)
			}
		}
		total := int64(0)
		b.walk(0, func(k []byte, w int64) bool {
			for range w {
				total++
				if string(b.at(0, total)) != string(k) {
					t.Fatalf("the value of rank %d is not the one in order", total)
				}
			}
			return true
		})
		if b.total(0) != total {
			t.Fatalf("%d values, the tree knows of %d", total, b.total(0))
		}
		var walk func(at int32, d int)
		walk = func(at int32, d int) {
			if at != 0 {
				most = max(most, d)
				walk(b.nodes[at-1].left, d+1)
				walk(b.nodes[at-1].right, d+1)
			}
		}
		walk(b.root.at[0], 1)
		return most
	}
	small, large := depth(4000), depth(8000)
	if large > small+12 || large > 60 {
		t.Errorf("4,000 values are %d deep, 8,000 are %d", small, large)
	}
}

// A deletion finds the newest of equal values without walking the list: what it visits
// grows as the logarithm of the group.
func TestArrivalIndex(t *testing.T) {
	impl, err := ArrayAgg.Resolve([]fn.Arg{{Type: bigint}})
	if err != nil {
		t.Fatal(err)
	}
	acc := impl.New(true).(*arrivalList)
	acc.Grow(1)
	var want []int64
	for i := range int64(4000) {
		acc.come(0, vec.AppendIntKey(nil, i%1000), 1)
		want = append(want, i%1000)
	}
	for i := range int64(1000) {
		acc.come(0, vec.AppendIntKey(nil, i), -1)
	}
	want = want[:3000]
	out := vec.NewBuilder(impl.Result)
	if err := acc.Result([]uint32{0}, out); err != nil {
		t.Fatal(err)
	}
	for i, x := range vec.ToAny(out.Finish(), 0).([]any) {
		if x != want[i] {
			t.Fatalf("value %d is %v, want %d", i, x, want[i])
		}
	}
	if acc.index.used > 5000 || acc.used > 4000 {
		t.Errorf("%d nodes and %d of the index for 3,000 values", acc.used, acc.index.used)
	}
}
