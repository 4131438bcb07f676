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

// sessionBatches are rows (time, key, end): 10,000 a second, mostly in order, keys that
// come in bursts.
func sessionBatches(keys int) []*vec.Batch {
	rng := rand.New(rand.NewPCG(1, 1))
	var out []*vec.Batch
	for from := 0; from < benchRows; from += vec.BatchSize {
		ts, ks, es := make([]int64, vec.BatchSize), make([]int64, vec.BatchSize), make([]int64, vec.BatchSize)
		for i := range ts {
			ts[i] = int64(from+i)*100 - int64(rng.IntN(20))*int64(rng.IntN(20))*10_000
			ks[i] = int64(rng.IntN(keys)) * 7919
			es[i] = ts[i] + 10_000_000
		}
		out = append(out, vec.NewBatch(vec.FromInts(stamp, ts), vec.FromInts(bigint, ks), vec.FromInts(stamp, es)))
	}
	return out
}

func benchSession(b testing.TB, front int) Operator {
	op, err := NewSessionAggregate(SessionAggregateConfig{Name: "bench", Keys: []int{1, 0, 2}, KeyTypes: []types.Type{bigint, stamp, stamp},
		Start: 1, End: 2, Front: front, Unlogged: front < 0, Aggs: []AggregateSpec{{Impl: resolve(b, agg.Count), Filter: -1}}})
	if err != nil {
		b.Fatal(err)
	}
	return op
}

// BenchmarkSession is count by key and session in one trigger, ns per row.
func BenchmarkSession(b *testing.B) {
	for _, keys := range []int{1_000, 20_000, 200_000} {
		batches := sessionBatches(keys)
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				sessionsOnce(b, benchSession(b, -1), batches)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

func sessionsOnce(b *testing.B, op Operator, batches []*vec.Batch) {
	tr := &Trigger{Ctx: &fn.Ctx{}}
	rows := 0
	emit := func(o *vec.Batch) error { rows += o.Rows(); return nil }
	for i, x := range batches {
		if err := op.Step(tr, 0, int64(i*vec.BatchSize), x, emit); err != nil {
			b.Fatal(err)
		}
	}
	if err := op.Flush(tr, emit); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(rows), "sessions")
}

// What a trigger allocates is that of its rows and sessions, not of the state: with the
// open sessions doubled it is the same.
func TestSessionCostIsTheDeltas(t *testing.T) {
	cost := func(open int) float64 {
		op := benchSession(t, 0)
		tr := &Trigger{Ctx: &fn.Ctx{}}
		drop := func(*vec.Batch) error { return nil }
		turn := func(ts, ks []int64) {
			es := make([]int64, len(ts))
			for i := range ts {
				es[i] = ts[i] + 1_000_000
			}
			b := vec.NewBatch(vec.FromInts(stamp, ts), vec.FromInts(bigint, ks), vec.FromInts(stamp, es))
			for _, err := range []error{op.Step(tr, 0, 0, b, drop), op.Flush(tr, drop), op.Advance(tr, [][]int64{{0}}, drop), op.LogState(discard{})} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		ts, ks := make([]int64, open), make([]int64, open)
		for i := range ts {
			ts[i], ks[i] = int64(i)%1000, int64(i)
		}
		turn(ts, ks)
		at := int64(1000)
		return testing.AllocsPerRun(20, func() {
			at++
			turn([]int64{at, at, at}, []int64{1, 2, 3})
		})
	}
	if small, large := cost(10_000), cost(20_000); large > small+2 {
		t.Errorf("a trigger of three rows allocates %g times over 10,000 sessions, %g times over 20,000", small, large)
	}
}
