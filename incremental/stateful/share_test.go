package stateful

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// crew is what a graph lends: each worker has a trigger of its own.
type crew struct {
	triggers []*Trigger
	shared   int // calls of Share
}

// newCrew lends n workers to a trigger, whose goroutine is the first.
func newCrew(n int, t *Trigger, emit Emit, free bool) *crew {
	c := &crew{triggers: []*Trigger{t}}
	for i := range n - 1 {
		ctx := *t.Ctx
		c.triggers = append(c.triggers, &Trigger{BatchID: t.BatchID, Ctx: &ctx, Worker: i + 1})
	}
	var mu sync.Mutex
	for _, t := range c.triggers {
		t.Workers = c
		if free {
			t.Out = func(b *vec.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				return emit(b)
			}
		}
	}
	return c
}

func (c *crew) Count() int { return len(c.triggers) }

func (c *crew) Share(n int, work func(t *Trigger, i int) error) error {
	c.shared++
	var next atomic.Int64
	errs := make([]error, n)
	var wg sync.WaitGroup
	for _, t := range c.triggers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				errs[i] = work(t, int(i))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// shareFrom makes an operator share work from so many groups on.
func shareFrom(op Operator, groups int) Operator {
	switch o := op.(type) {
	case parallelAggregate:
		o.shareFrom = groups
	case *aggregate:
		o.shareFrom = groups
	}
	return op
}

// manyRows are batches of (time, key, value, flag) with many different keys.
func manyRows(batches int) []*vec.Batch {
	var out []*vec.Batch
	for i := range batches {
		bs := vec.NewBuilders([]types.Type{stamp, text, bigint, boolean})
		b := &vec.Batch{N: vec.BatchSize}
		for r := range vec.BatchSize {
			x := (i*vec.BatchSize + r) * 7919 % 30_011
			bs[0].AppendInt(int64(x%3) * 10)
			if x%1000 == 0 {
				bs[1].AppendNull()
			} else {
				bs[1].AppendBytes(fmt.Appendf(nil, "key %d", x))
			}
			bs[2].AppendInt(int64(x % 17))
			bs[3].AppendBool(x%2 == 0)
		}
		for _, c := range bs {
			b.Cols = append(b.Cols, c.Take())
		}
		out = append(out, b)
	}
	return out
}

// played is what an operator made of some triggers.
type played struct {
	deltas []bag
	log    memLog
	shared int
	errors int64
	err    error
}

// playMany takes batches through an operator in two triggers, with steppers of some
// workers, and as many to share with.
func playMany(t *testing.T, op Operator, batches []*vec.Batch, workers int, free bool, ctx fn.Ctx) (p played) {
	t.Helper()
	shareFrom(op, 512)
	p.log = memLog{}
	half := len(batches) / 2
	for i, part := range [][]*vec.Batch{batches[:half], batches[half:]} {
		d := bag{}
		emit := func(b *vec.Batch) error {
			for i := range b.Rows() {
				var row []any
				for _, c := range b.Cols {
					row = append(row, vec.ToAny(c, b.Row(i)))
				}
				d.add(row, b.Weight(b.Row(i)))
			}
			return nil
		}
		own := ctx
		tr := &Trigger{BatchID: int64(i), Ctx: &own}
		c := newCrew(workers, tr, emit, free)
		for k, b := range part {
			var s Stepper = op
			if par, ok := op.(Parallel); ok {
				s = par.Local(k % workers)
			}
			if err := s.Step(tr, 0, int64(k*vec.BatchSize), b, emit); err != nil {
				t.Fatal(err)
			}
		}
		p.err = op.Flush(tr, emit)
		if p.err == nil {
			p.err = op.Advance(tr, [][]int64{{10 * int64(i+1)}}, emit)
		}
		for _, t := range c.triggers {
			p.errors += t.Ctx.Errors
		}
		if p.shared += c.shared; p.err != nil {
			return p
		}
		if err := op.LogState(p.log); err != nil {
			t.Fatal(err)
		}
		p.deltas = append(p.deltas, d)
	}
	return p
}

func shareConfigs(t *testing.T) map[string]AggregateConfig {
	spec := func(a fn.Aggregate, distinct bool, filter int, cols ...int) AggregateSpec {
		var ts []types.Type
		for _, c := range cols {
			ts = append(ts, []types.Type{stamp, text, bigint, boolean}[c])
		}
		return AggregateSpec{Impl: resolve(t, a, ts...), Args: cols, Filter: filter, Distinct: distinct}
	}
	aggs := []AggregateSpec{spec(agg.Count, false, -1), spec(agg.Sum, false, 3, 2), spec(agg.Min, false, -1, 1),
		spec(agg.Count, true, -1, 2), spec(agg.Max, false, -1, 2)}
	sorted := spec(agg.StringAgg, false, -1, 1)
	sorted.OrderBy = []OrderColumn{{Col: 2, Type: bigint}}
	return map[string]AggregateConfig{
		"key":      {Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: -1, Aggs: aggs},
		"bags":     {Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: -1, Aggs: aggs, Retract: true},
		"window":   {Keys: []int{0, 1}, KeyTypes: []types.Type{stamp, text}, Bound: 0, Width: 1, Aggs: aggs},
		"on close": {Keys: []int{0, 1}, KeyTypes: []types.Type{stamp, text}, Bound: 0, Width: 1, EmitOnClose: true, Aggs: aggs},
		"panes": {Keys: []int{0, 1}, KeyTypes: []types.Type{stamp, text}, Bound: 0, Keep: true, Aggs: aggs,
			Panes: &PaneConfig{Size: 20, Slide: 10, Pane: 10}},
		"one group": {Keys: []int{0}, KeyTypes: []types.Type{stamp}, Bound: -1, Aggs: []AggregateSpec{spec(agg.Count, true, -1, 1), spec(agg.Min, false, -1, 1)}},
		"set":       {Keys: []int{1, 2}, KeyTypes: []types.Type{text, bigint}, Bound: -1},
		"sorted":    {Keys: []int{2}, KeyTypes: []types.Type{bigint}, Bound: -1, Aggs: []AggregateSpec{sorted}},
	}
}

// Whoever does the work, the deltas and the state are the same, large tables included.
func TestSharedAggregate(t *testing.T) {
	batches := manyRows(10)
	for name, cfg := range shareConfigs(t) {
		t.Run(name, func(t *testing.T) {
			var one played
			for _, workers := range []int{1, 2, 8} {
				op, err := NewAggregate(cfg)
				if err != nil {
					t.Fatal(err)
				}
				got := playMany(t, op, batches, workers, workers == 2, fn.Ctx{})
				if got.err != nil {
					t.Fatal(got.err)
				}
				if workers == 1 {
					one = got
					continue
				}
				if got.shared == 0 && name != "one group" && name != "sorted" {
					t.Errorf("%d workers: nothing is shared", workers)
				}
				for i := range one.deltas {
					if !maps.Equal(one.deltas[i], got.deltas[i]) {
						t.Errorf("%d workers, trigger %d: another delta, of %d rows instead of %d", workers, i, len(got.deltas[i]), len(one.deltas[i]))
					}
				}
				if !maps.EqualFunc(one.log, got.log, slices.Equal) {
					t.Errorf("%d workers: another state", workers)
				}
			}
		})
	}
}

// overflow is a sum that does not fit for about half of the groups.
func overflow(t *testing.T) Operator {
	t.Helper()
	op, err := NewAggregate(AggregateConfig{Name: "Sums", Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: -1,
		Aggs: []AggregateSpec{{Impl: resolve(t, agg.Sum, bigint), Args: []int{2}, Filter: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func overflowing() []*vec.Batch {
	batches := manyRows(10)
	for _, b := range batches {
		for i, x := range b.Cols[2].I64 {
			if x > 8 {
				b.Cols[2].I64[i] = math.MaxInt64 - 1
			}
		}
	}
	return batches
}

// Values that cannot be computed are counted wherever they are met, once a trigger.
func TestSharedErrorsAreCounted(t *testing.T) {
	var want int64
	for _, workers := range []int{1, 2, 5} {
		for _, free := range []bool{false, true} {
			got := playMany(t, overflow(t), overflowing(), workers, free, fn.Ctx{NullOnError: true})
			if got.err != nil {
				t.Fatal(got.err)
			}
			if workers == 1 {
				want = got.errors
			}
			if got.errors != want || want == 0 {
				t.Errorf("%d workers count %d errors, want %d", workers, got.errors, want)
			}
		}
	}
}

func TestSharedErrorsEnd(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		got := playMany(t, overflow(t), overflowing(), workers, false, fn.Ctx{})
		if bad := (*fn.DataError)(nil); !errors.As(got.err, &bad) {
			t.Errorf("%d workers: got %v", workers, got.err)
		}
	}
}
