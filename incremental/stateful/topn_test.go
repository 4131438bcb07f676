package stateful

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// topTwin keeps all rows in a slice and ranks them anew.
type topTwin struct {
	cfg   TopNConfig
	front int64
	rows  [][]any
	final bag // of partitions that are closed
}

func (w *topTwin) take(c change) vec.Fate {
	if w.cfg.Bound >= 0 && c.row[w.cfg.Bound] != nil && c.row[w.cfg.Bound].(int64) < w.front {
		return vec.Late
	}
	if c.w > 0 {
		w.rows = append(w.rows, c.row)
	} else {
		w.rows = without(w.rows, c.row)
	}
	return vec.Contributed
}

func (w *topTwin) advance(fronts []int64) {
	if w.cfg.Bound < 0 {
		return
	}
	w.front = fronts[0]
	var closed, open [][]any
	for _, r := range w.rows {
		if x := r[w.cfg.Bound]; x != nil && x.(int64) < w.front {
			closed = append(closed, r)
		} else {
			open = append(open, r)
		}
	}
	w.rows = open
	w.rank(closed, w.final)
}

func (w *topTwin) want() bag {
	out := bag{}
	for k, n := range w.final {
		out[k] = n
	}
	if !w.cfg.EmitOnClose {
		w.rank(w.rows, out)
	}
	return out
}

func (w *topTwin) live() [][]any { return w.rows }

// rank adds the first rows of each partition.
func (w *topTwin) rank(rows [][]any, out bag) {
	parts := map[string][][]any{}
	for _, r := range rows {
		var key []any
		for _, c := range w.cfg.Partition {
			key = append(key, r[c])
		}
		parts[rowText(key)] = append(parts[rowText(key)], r)
	}
	for _, part := range parts {
		slices.SortFunc(part, w.compare)
		rank, group := int64(0), int64(0)
		for i, r := range part {
			if i == 0 || w.compareOrder(part[i-1], r) != 0 {
				rank, group = int64(i)+1, group+1
			}
			n := map[Ranking]int64{ByPosition: int64(i) + 1, ByRank: rank, ByGroup: group}[w.cfg.Ranking]
			if n > w.cfg.end() || int64(i) < w.cfg.Offset {
				continue
			}
			if w.cfg.Carry {
				r = append(slices.Clone(r), n)
			}
			out.add(r, 1)
		}
	}
}

func (w *topTwin) compareOrder(a, b []any) int {
	for _, k := range w.cfg.Order {
		x, y := a[k.Col], b[k.Col]
		if x == nil || y == nil {
			if c := cmp.Compare(btoi(x != nil), btoi(y != nil)); c != 0 {
				if k.Order.NullsFirst() {
					return c
				}
				return -c
			}
			continue
		}
		if c := compareAny(x, y); c != 0 {
			if k.Order.Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

func (w *topTwin) compare(a, b []any) int {
	if c := w.compareOrder(a, b); c != 0 {
		return c
	}
	for i := range a {
		if a[i] == nil || b[i] == nil {
			if c := cmp.Compare(btoi(a[i] != nil), btoi(b[i] != nil)); c != 0 {
				return c
			}
			continue
		}
		if c := compareAny(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareAny(a, b any) int {
	if x, ok := a.(int64); ok {
		return cmp.Compare(x, b.(int64))
	}
	if x, ok := a.(bool); ok {
		return cmp.Compare(btoi(x), btoi(b.(bool)))
	}
	return strings.Compare(a.(string), b.(string))
}

// topCases are all kinds of limits, partitions and inputs.
func topCases() []*opCase {
	byV := []OrderColumn{{Col: 2, Type: bigint, Order: vec.Order{Desc: true}}}
	byText := []OrderColumn{{Col: 1, Type: text, Order: vec.Order{Nulls: vec.NullsLast}}, {Col: 0, Type: stamp}}
	var out []*opCase
	for _, retract := range []bool{false, true} {
		for _, r := range []Ranking{ByPosition, ByRank, ByGroup} {
			out = append(out,
				topCase(TopNConfig{Partition: []int{1}, Order: byV, Ranking: r, Limit: 1, Bound: -1, Retract: retract}),
				topCase(TopNConfig{Partition: []int{1}, Order: byV, Ranking: r, Limit: 3, Carry: true, Bound: -1, Retract: retract}),
				topCase(TopNConfig{Order: byText, Ranking: r, Limit: 4, Offset: 2, Bound: -1, Retract: retract}),
				topCase(TopNConfig{Partition: []int{0}, Order: byV, Ranking: r, Limit: 2, Carry: true, Bound: 0, Retract: retract, Width: 25}),
				topCase(TopNConfig{Partition: []int{1, 0}, Order: byV, Ranking: r, Limit: 2, Carry: r == ByPosition, Bound: 0, EmitOnClose: true, Retract: retract, Width: 25}),
			)
		}
		out = append(out, topCase(TopNConfig{Limit: -1, Offset: 3, Bound: -1, Retract: retract}),
			topCase(TopNConfig{Order: byV, Limit: 0, Bound: -1, Retract: retract}),
			topCase(TopNConfig{Order: byV, Limit: 2, Offset: 1, Carry: true, Bound: -1, Retract: retract}))
	}
	return out
}

func topCase(cfg TopNConfig) *opCase {
	cfg.Types = dedupInput
	cfg.Name = fmt.Sprintf("partition %v rank %d limit %d offset %d bound %d close %v retract %v", cfg.Partition, cfg.Ranking, cfg.Limit,
		cfg.Offset, cfg.Bound, cfg.EmitOnClose, cfg.Retract)
	return &opCase{name: cfg.Name, types: dedupInput, row: dedupRow, fronts: aggFronts, retract: cfg.Retract, net: true, ordered: true,
		twin: func() twin { return &topTwin{cfg: cfg, front: NoFrontier, final: bag{}} },
		make: func(t tester) Operator {
			op, err := NewTopN(cfg)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		}}
}

func TestTopN(t *testing.T) { playAll(t, topCases(), 20) }

// topBatch is a batch of n rows over many keys, later ones later.
func topBatches(n, keys int) []*vec.Batch {
	var out []*vec.Batch
	all := orderedBatch(3, n)
	for i := range all.Cols[0].I64 {
		all.Cols[0].I64[i] %= int64(keys)
		all.Cols[1].I64[i] = int64(1_700_000_000_000_000 + i*1000)
	}
	for from := 0; from < n; from += vec.BatchSize {
		b := &vec.Batch{N: min(vec.BatchSize, n-from)}
		for _, c := range all.Cols {
			b.Cols = append(b.Cols, vec.Slice(c, from, from+b.N))
		}
		out = append(out, b)
	}
	return out
}

func benchTopN(b *testing.B, cfg TopNConfig, keys int) {
	cfg.Types = []types.Type{bigint, stamp, text}
	cfg.Partition, cfg.Order, cfg.Bound = []int{0}, []OrderColumn{{Col: 1, Type: stamp, Order: vec.Order{Desc: true}}}, -1
	batches := topBatches(1<<17, keys)
	b.ReportAllocs()
	for b.Loop() {
		op, err := NewTopN(cfg)
		if err != nil {
			b.Fatal(err)
		}
		tr := &Trigger{}
		for _, x := range batches {
			if err := op.Step(tr, 0, 0, x, nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := op.Flush(tr, func(*vec.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if err := op.LogState(discard{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(1<<17), "ns/row")
}

func BenchmarkTopOneManyKeys(b *testing.B) { benchTopN(b, TopNConfig{Limit: 1}, 50_000) }
func BenchmarkTopOneFewKeys(b *testing.B)  { benchTopN(b, TopNConfig{Limit: 1}, 500) }
func BenchmarkTopTenFewKeys(b *testing.B)  { benchTopN(b, TopNConfig{Limit: 10}, 500) }
func BenchmarkTopTenOldFirst(b *testing.B) { benchTopN(b, TopNConfig{Limit: 10, Ranking: ByRank}, 500) }
func BenchmarkTopTenRetract(b *testing.B)  { benchTopN(b, TopNConfig{Limit: 10, Retract: true}, 500) }

// TestTopNCostIsThatOfTheDelta counts comparisons of a trigger over a state and over one
// of twice the size.
func TestTopNCostIsThatOfTheDelta(t *testing.T) {
	cost := func(rows int, retract bool) (n int64) {
		op, err := NewTopN(TopNConfig{Types: []types.Type{bigint, stamp, text}, Limit: 10, Bound: -1, Retract: retract,
			Order: []OrderColumn{{Col: 1, Type: stamp, Order: vec.Order{Desc: true}}}})
		if err != nil {
			t.Fatal(err)
		}
		top := op.(*topN)
		play := func(batches []*vec.Batch) {
			tr := &Trigger{}
			for _, b := range batches {
				if err := op.Step(tr, 0, 0, b, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := op.Flush(tr, func(*vec.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if err := op.LogState(discard{}); err != nil {
				t.Fatal(err)
			}
		}
		play(topBatches(rows, 1000))
		inner := top.win.seqs.compare
		top.win.seqs.compare = func(a, b uint32) int {
			n++
			return inner(a, b)
		}
		more := topBatches(rows+100, 1000)
		last := more[len(more)-1]
		if last.N > 100 {
			last = &vec.Batch{Cols: sliceAll(last.Cols, last.N-100, last.N), N: 100}
		}
		play([]*vec.Batch{last})
		return n
	}
	for _, retract := range []bool{false, true} {
		small, large := cost(20_000, retract), cost(40_000, retract)
		if large > small+small/4+50 {
			t.Errorf("retract %v: %d comparisons over 20,000 rows, %d over 40,000", retract, small, large)
		}
	}
}
