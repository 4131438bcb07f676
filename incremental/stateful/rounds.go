package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Rounds is a recursion whose step is not linear: it reads the recursion more than once, or
// aggregates it, or rows of a key replace one another.
//
// State: the rows of all inputs and of the result with weights.
// +1/−1: all is computed again, round by round: the step, a graph of its own without state,
// maintains its answer over the rows of the last round while these change from one round to
// the next. What it answers are the rows of the next round; with UNION those that are there
// already are none. With a key they go through a second graph, which has the row of each key.
// Emitted: at Flush, net per row, the difference from what was emitted before.
// Dropped: nothing.
// Cost: that of the whole, in every trigger that changes an input.
// Restart: the rows of the inputs and of the result.
type rounds struct {
	recursive
	last   *rowBag // the rows of the round before
	answer *rowBag // of the step, to those
	settle StepGraph
}

// NewRounds returns the operator.
func NewRounds(cfg RecursiveConfig) (Operator, error) {
	r := &rounds{recursive: recursive{cfg: cfg, rows: newRowBag(cfg.Types)}}
	for _, ts := range cfg.Inputs {
		r.inputs = append(r.inputs, newRowBag(ts))
	}
	return r, r.reset()
}

// reset forgets all but the inputs and what was emitted.
func (r *rounds) reset() (err error) {
	given := r.cfg.Inputs[0]
	r.answer, r.last = newRowBag(given), newRowBag(given)
	if !r.cfg.All {
		r.last = newRowBag(r.cfg.Types)
	}
	if r.step, err = r.cfg.NewStep(); err == nil && r.cfg.NewSettle != nil {
		r.settle, err = r.cfg.NewSettle()
	}
	if err == nil {
		err = r.bound()
	}
	return err
}

// Flush implements Operator.
func (r *rounds) Flush(t *Trigger, out Emit) error {
	r.stats, r.loaded = Stats{}, false
	changed := false
	for _, in := range r.inputs {
		batches, err := in.take()
		if err != nil {
			return fmt.Errorf("%s: %w", r.cfg.Name, err)
		}
		changed = changed || len(batches) > 0
	}
	if !changed {
		return nil
	}
	r.rows.zero()
	err := r.compute(t)
	if again := r.reset(); err == nil {
		err = again
	}
	if err != nil {
		return err
	}
	r.stats.Updated = int64(len(r.rows.touched))
	return r.rows.emit(out)
}

// compute goes round by round until one has no rows.
func (r *rounds) compute(t *Trigger) error {
	feeds := make([][]*vec.Batch, len(r.inputs)+1)
	for i, in := range r.inputs[1:] {
		feeds[i+1] = in.all()
	}
	given := r.inputs[0].all()
	for round := int64(0); ; round++ {
		rows, changes, err := r.take(t, given, round)
		if err != nil || len(rows) == 0 {
			return err
		}
		if enough, err := r.enough(t, changes); err != nil || enough {
			return err
		}
		if err := r.limits(round); err != nil {
			return err
		}
		if mutant.On("recurring has the rows of the last round only") && round > 0 {
			changes = nil
		}
		feeds[0], feeds[len(feeds)-1] = r.change(rows), changes
		if err := r.step.Run(t, feeds, func(b *vec.Batch) error { r.answer.add(b); return nil }); err != nil {
			return err
		}
		clear(feeds)
		r.answer.news(false)
		given = r.answer.all()
		r.answer.sweep()
	}
}

// take adds rows that the base or the step gave to the result: rows are those of the next
// round, changes what the result changes by.
func (r *rounds) take(t *Trigger, given []*vec.Batch, round int64) (rows, changes []*vec.Batch, err error) {
	if r.settle == nil {
		for _, b := range given {
			r.rows.add(b)
		}
		changes = r.rows.news(!r.cfg.All)
		return changes, changes, nil
	}
	if len(given) > 0 {
		feeds := [][]*vec.Batch{withRound(given, round), nil}
		if err := r.settle.Run(t, feeds, func(b *vec.Batch) error { r.rows.add(b); return nil }); err != nil {
			return nil, nil, err
		}
	}
	changes = r.rows.news(false)
	if r.cfg.All {
		return given, changes, nil
	}
	return added(changes), changes, nil
}

// change makes rows those of the last round: what that one changes by.
func (r *rounds) change(rows []*vec.Batch) []*vec.Batch {
	before := r.last.all()
	for _, b := range rows {
		r.last.add(b)
	}
	for _, b := range before {
		r.last.add(negated(b))
	}
	out := r.last.news(false)
	r.last.sweep()
	return out
}

func negated(b *vec.Batch) *vec.Batch {
	c := *b
	c.W = make([]int64, b.N)
	for i := range c.W {
		c.W[i] = -b.Weight(i)
	}
	return &c
}

// withRound are rows with the number of a round.
func withRound(batches []*vec.Batch, round int64) []*vec.Batch {
	out := make([]*vec.Batch, len(batches))
	for i, b := range batches {
		n := vec.NewBuilder(types.Of(types.Int64))
		for range b.N {
			n.AppendInt(round)
		}
		c := *b
		c.Cols = append(append([]*vec.Vector(nil), b.Cols...), n.Take())
		out[i] = &c
	}
	return out
}

// added are the rows of positive weight. Bags give dense batches.
func added(batches []*vec.Batch) (out []*vec.Batch) {
	for _, b := range batches {
		c := *b
		c.Sel = nil
		for i := range b.N {
			if b.Weight(i) > 0 {
				c.Sel = append(c.Sel, int32(i))
			}
		}
		if len(c.Sel) > 0 {
			out = append(out, &c)
		}
	}
	return out
}
