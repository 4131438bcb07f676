package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const benchRows = 1 << 20

// benchBatches are rows (window, key, value): windows in order, keys uniformly random.
func benchBatches(keys int) []*vec.Batch {
	rng := rand.New(rand.NewPCG(1, 1))
	var out []*vec.Batch
	for from := 0; from < benchRows; from += vec.BatchSize {
		ts, ks, vs := make([]int64, vec.BatchSize), make([]int64, vec.BatchSize), make([]int64, vec.BatchSize)
		for i := range ts {
			ts[i] = int64(from+i) / (benchRows / 4) * 10_000_000
			ks[i] = int64(rng.IntN(keys)) * 7919
			vs[i] = int64(rng.IntN(1000))
		}
		out = append(out, vec.NewBatch(vec.FromInts(types.Of(types.Timestamp), ts), vec.FromInts(bigint, ks), vec.FromInts(bigint, vs)))
	}
	return out
}

func benchAgg(b *testing.B, keys []int, bound int) Operator {
	cfg := AggregateConfig{Name: "bench", Keys: keys, Bound: bound, Width: 1, Unlogged: true, Aggs: []AggregateSpec{
		{Impl: resolve(b, agg.Count), Filter: -1}, {Impl: resolve(b, agg.Sum, bigint), Args: []int{2}, Filter: -1}}}
	for _, k := range keys {
		cfg.KeyTypes = append(cfg.KeyTypes, []types.Type{stamp, bigint}[k])
	}
	op, err := NewAggregate(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return op
}

// BenchmarkAggregate is count and sum in one trigger, ns per row.
func BenchmarkAggregate(b *testing.B) {
	for _, keys := range []int{1_000, 100_000, 1_000_000} {
		batches := benchBatches(keys)
		for _, shape := range []struct {
			name  string
			keys  []int
			bound int
		}{{"key", []int{1}, -1}, {"window+key", []int{0, 1}, 0}} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, keys), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					runOnce(b, benchAgg(b, shape.keys, shape.bound), batches)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
			})
		}
	}
}

func runOnce(b *testing.B, op Operator, batches []*vec.Batch) {
	tr := &Trigger{Ctx: &fn.Ctx{}}
	rows := 0
	emit := func(o *vec.Batch) error { rows += o.Rows(); return nil }
	s := op.(Parallel).Local(0)
	for _, in := range batches {
		if err := s.Step(tr, 0, 0, in, emit); err != nil {
			b.Fatal(err)
		}
	}
	if err := op.Flush(tr, emit); err != nil {
		b.Fatal(err)
	}
	if err := op.Advance(tr, [][]int64{{NoFrontier}}, emit); err != nil {
		b.Fatal(err)
	}
	if rows == 0 {
		b.Fatal("nothing emitted")
	}
}

// BenchmarkTriggers is a state of a million groups of which each trigger changes a
// thousand, ns per trigger.
func BenchmarkTriggers(b *testing.B) {
	op := benchAgg(b, []int{1}, -1)
	runOnce(b, op, benchBatches(1_000_000))
	all := benchBatches(1_000_000)
	small := vec.NewBatch(vec.Slice(all[3].Cols[0], 0, 1000), vec.Slice(all[3].Cols[1], 0, 1000), vec.Slice(all[3].Cols[2], 0, 1000))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		runOnce(b, op, []*vec.Batch{small})
	}
}
