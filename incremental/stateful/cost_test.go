package stateful

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// costRow are the columns of the rows of this file: a time, a key, a value.
var costRow = []types.Type{stamp, text, bigint}

// costCase is an operator whose cost is looked at.
type costCase struct {
	name    string
	ports   int
	retract bool // it takes deletions
	make    func(t testing.TB) (Operator, error)
}

// costCases has every operator that keeps rows, in its most general form.
func costCases() []costCase {
	lag := OverFunc{Kind: fn.Lag, N: 1, Args: []int{2}, Result: bigint}
	return []costCase{
		{"aggregate", 1, true, func(t testing.TB) (Operator, error) {
			return NewAggregate(AggregateConfig{Name: "x", Keys: []int{1}, KeyTypes: []types.Type{text}, Retract: true, Bound: -1,
				Aggs: []AggregateSpec{{Impl: resolve(t, agg.Sum, bigint), Args: []int{2}, Filter: -1}}})
		}},
		{"aggregate of many kinds", 1, true, func(t testing.TB) (Operator, error) {
			cfg := AggregateConfig{Name: "x", Keys: []int{1}, KeyTypes: []types.Type{text}, Retract: true, Bound: -1}
			for _, f := range []fn.Aggregate{agg.BitAnd, agg.Min, agg.Mode, agg.ArrayAgg} {
				cfg.Aggs = append(cfg.Aggs, AggregateSpec{Impl: resolve(t, f, bigint), Args: []int{2}, Filter: -1})
			}
			return NewAggregate(cfg)
		}},
		{"distinct", 1, true, func(testing.TB) (Operator, error) {
			return NewDistinct(DistinctConfig{Name: "x", Types: costRow, Retract: true, Bound: -1})
		}},
		{"dedup", 1, false, func(testing.TB) (Operator, error) {
			return NewDedup(DedupConfig{Name: "x", Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: -1})
		}},
		{"close", 1, true, func(testing.TB) (Operator, error) { return NewClose(CloseConfig{Name: "x", Types: costRow, Bound: 0}) }},
		{"except", 2, true, func(testing.TB) (Operator, error) {
			return NewSetOp(SetOpConfig{Name: "x", Types: costRow, All: true, Bound: -1})
		}},
		{"top-n", 1, true, func(testing.TB) (Operator, error) {
			return NewTopN(TopNConfig{Name: "x", Types: costRow, Order: []OrderColumn{{Col: 2, Type: bigint}}, Limit: 10, Retract: true, Bound: -1})
		}},
		{"over", 1, true, func(testing.TB) (Operator, error) {
			return NewOver(OverConfig{Name: "x", Types: costRow, Visible: 3, Order: []OrderColumn{{Col: 0, Type: stamp}}, Funcs: []OverFunc{lag}, Bound: -1})
		}},
		{"session", 1, true, func(testing.TB) (Operator, error) {
			ts := append(append([]types.Type{}, costRow...), stamp)
			return NewSession(SessionConfig{Name: "x", Types: ts, Partition: []int{1}, Time: 0, End: 3, Front: -1})
		}},
		{"inner join", 2, true, func(testing.TB) (Operator, error) { return costJoin(InnerJoin) }},
		{"left join", 2, true, func(testing.TB) (Operator, error) { return costJoin(LeftJoin) }},
		{"anti join", 2, true, func(testing.TB) (Operator, error) { return costJoin(AntiJoin) }},
		{"upsert", 1, true, func(testing.TB) (Operator, error) {
			return NewUpsert(UpsertConfig{Name: "x", Types: costRow, Keys: []int{1}, Bound: -1})
		}},
		{"temporal", 1, true, func(testing.TB) (Operator, error) {
			return NewTemporal(TemporalConfig{Name: "x", Types: costRow, Bound: triggerTime{}, Leaves: true})
		}},
		{"view", 1, true, func(testing.TB) (Operator, error) {
			return NewMaterialize(MaterializeConfig{Name: "x", Types: costRow, Limit: -1})
		}},
	}
}

func costJoin(kind JoinKind) (Operator, error) {
	return NewJoin(JoinConfig{Name: "x", Kind: kind, Types: [2][]types.Type{costRow, costRow}, Keys: [2][]int{{1}, {1}}, KeyTypes: []types.Type{text},
		NullSafe: []bool{false}, Sides: [2]JoinSide{{Retract: true}, {Retract: true}}})
}

// costBatches has rows from to to, each of a key of its own, ten seconds apart; the last
// column of sessions is five seconds after the time.
func costBatches(from, to int, weight int64) []*vec.Batch {
	var out []*vec.Batch
	for from < to {
		n := min(to-from, vec.BatchSize)
		bs := vec.NewBuilders(append(append([]types.Type{}, costRow...), stamp))
		b := &vec.Batch{N: n}
		for i := from; i < from+n; i++ {
			bs[0].AppendAny(int64(i) * 10_000_000)
			bs[1].AppendAny(fmt.Sprintf("key %d", i))
			bs[2].AppendAny(int64(i*7919) % 1_000_003)
			bs[3].AppendAny(int64(i)*10_000_000 + 5_000_000)
			b.W = append(b.W, weight)
		}
		for _, x := range bs {
			b.Cols = append(b.Cols, x.Take())
		}
		out, from = append(out, b), from+n
	}
	return out
}

// costTrigger takes batches through every port of an operator.
func costTrigger(t testing.TB, c costCase, op Operator, batches []*vec.Batch) {
	t.Helper()
	tr := &Trigger{Ctx: &fn.Ctx{Now: math.MinInt64}}
	none := func(*vec.Batch) error { return nil }
	fronts := [][]int64{{NoFrontier, NoFrontier}, {NoFrontier, NoFrontier}}
	for port := range c.ports {
		for _, b := range batches {
			part := *b
			if _, session := op.(*session); !session {
				part.Cols = b.Cols[:3]
			}
			if err := op.Step(tr, port, 0, &part, none); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := op.Flush(tr, none); err != nil {
		t.Fatal(err)
	}
	if err := op.Advance(tr, fronts[:c.ports], none); err != nil {
		t.Fatal(err)
	}
	if err := op.LogState(discard{}); err != nil {
		t.Fatal(err)
	}
}

// deltaTime is the least time of a trigger that changes a few rows, over a state of size
// rows.
func deltaTime(t testing.TB, c costCase, size int) time.Duration {
	t.Helper()
	op, err := c.make(t)
	if err != nil {
		t.Fatal(err)
	}
	costTrigger(t, c, op, costBatches(0, size, 1))
	best, now := time.Duration(math.MaxInt64), clock.Real()
	for i := range 40 {
		batches := costBatches(size+16*i, size+16*(i+1), 1)
		if c.retract {
			batches = append(batches, costBatches(16*i, 16*(i+1), -1)...)
		}
		start := now.Now()
		costTrigger(t, c, op, batches)
		best = min(best, now.Now().Sub(start))
	}
	return best
}

// A trigger costs what changed, not what there is: over 32 times the state, the same
// delta must not take 8 times as long, whatever the machine does meanwhile (the least of
// many runs counts). Work that grows with the state would take 32 times as long.
func TestCostFollowsTheDelta(t *testing.T) {
	const small, large = 2_000, 64_000
	for _, c := range costCases() {
		t.Run(c.name, func(t *testing.T) {
			a, b := deltaTime(t, c, small), deltaTime(t, c, large)
			if b > 8*max(a, 20*time.Microsecond) {
				t.Errorf("a delta of some rows takes %v over %d rows and %v over %d", a, small, b, large)
			}
		})
	}
}

// BenchmarkOperators takes rows into the state of each operator, each of a key of its own.
func BenchmarkOperators(b *testing.B) {
	batches := costBatches(0, 1<<16, 1)
	for _, c := range costCases() {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op, err := c.make(b)
				if err != nil {
					b.Fatal(err)
				}
				costTrigger(b, c, op, batches)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<16)/float64(c.ports), "ns/row")
		})
	}
}

// Retracting everything gives the memory back, however much there was: what is left must not
// grow with what has been.
func TestRetractedStateIsFree(t *testing.T) {
	const size = 30_000
	for _, c := range costCases() {
		if !c.retract {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			op, err := c.make(t)
			if err != nil {
				t.Fatal(err)
			}
			costTrigger(t, c, op, nil)
			empty := op.Stats()
			costTrigger(t, c, op, costBatches(0, size, 1))
			full := op.Stats()
			for from := 0; from < size; from += size / 5 { // in several triggers
				costTrigger(t, c, op, costBatches(from, from+size/5, -1))
			}
			costTrigger(t, c, op, nil)
			left := op.Stats()
			if left.Keys != empty.Keys || left.Bytes > empty.Bytes+512<<10 || full.Bytes < 10*left.Bytes {
				t.Errorf("%d keys and %d bytes, then %d and %d, at last %d and %d", empty.Keys, empty.Bytes, full.Keys, full.Bytes, left.Keys, left.Bytes)
			}
		})
	}
}
