package stateful

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Recursive
//
// State: the rows of all inputs and of the recursion with weights, and the state of the
// step, which is a graph of its own: it is not logged, but made again from the rows.
// +1/−1: in each round the step gets what the round before has added to the recursion,
// in the first one also the changes of its other inputs; what it emits is added. With UNION
// rows that are there already add nothing. The rounds end when nothing is added. With
// UNION ALL deletions take the same way: a way to a row goes when a part of it goes. With
// UNION, where rows may hold one another up in a circle, a deletion that takes a way to a
// row makes all be computed again.
// Emitted: at Flush, net per row.
// Dropped: nothing.
// Cost: that of the step for the rows that are added; with UNION, after a deletion, that of
// the whole.
// Restart: the rows of the inputs and of the recursion.
type recursive struct {
	cfg    RecursiveConfig
	inputs []*rowBag
	rows   *rowBag
	step   StepGraph
	loaded bool // rows have been loaded that the step does not have
	feeds  [][]*vec.Batch
	stats  Stats
	until  StepGraph
	read   int64 // rows that until has given
}

// RecursiveConfig describes a recursion. Input 0 has the rows that it begins with.
type RecursiveConfig struct {
	Name   string
	Types  []types.Type   // of the recursion, and of input 0
	Inputs [][]types.Type // of all inputs
	All    bool           // UNION ALL: every way to a row counts
	Rounds int64          // the most rounds of a trigger
	Rows   int64          // the most rows
	// NewStep makes a step without state.
	NewStep func() (StepGraph, error)
	// NewSettle, of NewRounds only, makes what keeps one row for each key of the rows that it is
	// given with the number of their round; nil = the rows are what they are.
	NewSettle func() (StepGraph, error)
	// NewUntil makes what is read of the result, of which Enough rows are wanted; nil = all.
	NewUntil func() (StepGraph, error)
	Enough   int64
	Unlogged bool
}

// StepGraph is the step of a recursion: it maintains what a query says of rows that are given
// to it.
type StepGraph interface {
	// Run takes changes, by input: 0 are those of the recursion; the last one, of NewRounds, is
	// all of it. What the answer changes by is emitted.
	Run(t *Trigger, feeds [][]*vec.Batch, out Emit) error
	Bytes() int64 // memory held
}

// NewRecursive returns the operator.
func NewRecursive(cfg RecursiveConfig) (Operator, error) {
	r := &recursive{cfg: cfg, rows: newRowBag(cfg.Types), feeds: make([][]*vec.Batch, len(cfg.Inputs))}
	for _, ts := range cfg.Inputs {
		r.inputs = append(r.inputs, newRowBag(ts))
	}
	var err error
	if r.step, err = cfg.NewStep(); err == nil {
		err = r.bound()
	}
	return r, err
}

// bound makes what tells that there are enough rows.
func (r *recursive) bound() (err error) {
	if r.read = 0; r.cfg.NewUntil != nil {
		r.until, err = r.cfg.NewUntil()
	}
	return err
}

// enough takes rows that were added to the result: not more of them are wanted.
func (r *recursive) enough(t *Trigger, rows []*vec.Batch) (bool, error) {
	if r.until == nil {
		return false, nil
	}
	err := r.until.Run(t, [][]*vec.Batch{rows}, func(b *vec.Batch) error {
		for i := range b.Rows() {
			r.read += b.Weight(b.Row(i))
		}
		return nil
	})
	return r.read >= r.cfg.Enough, err
}

// Step implements Stepper.
func (r *recursive) Step(_ *Trigger, port int, _ int64, b *vec.Batch, _ Emit) error {
	b.MarkAll(vec.Contributed)
	r.inputs[port].add(b)
	return nil
}

// Flush implements Operator.
func (r *recursive) Flush(t *Trigger, out Emit) error {
	r.stats = Stats{}
	if err := r.restore(t); err != nil {
		return err
	}
	for i, in := range r.inputs {
		batches, err := in.take()
		if err != nil {
			return fmt.Errorf("%s: %w", r.cfg.Name, err)
		}
		r.feeds[i] = batches
	}
	if !anyRows(r.feeds) {
		return nil
	}
	err := r.rounds(t)
	if errors.Is(err, errTaken) {
		err = r.again(t)
	}
	if err != nil {
		return err
	}
	r.stats.Updated = int64(len(r.rows.touched))
	return r.rows.emit(out)
}

// errTaken tells that of a UNION a row was taken away.
var errTaken = errors.New("a row of a recursive query was taken away")

// again computes the recursion from nothing.
func (r *recursive) again(t *Trigger) error {
	step, err := r.cfg.NewStep()
	if err != nil {
		return err
	}
	r.step = step
	r.rows.zero()
	for i, in := range r.inputs {
		r.feeds[i] = in.all()
	}
	return r.rounds(t)
}

// rounds adds to the recursion until nothing is added. feeds are the changes of the inputs.
func (r *recursive) rounds(t *Trigger) error {
	feeds := r.feeds
	if err := r.absorb(feeds[0]); err != nil {
		return err
	}
	for round := int64(0); ; round++ {
		feeds[0] = r.rows.news(!r.cfg.All && !mutant.On("UNION adds rows that are there"))
		if enough, err := r.enough(t, feeds[0]); err != nil || enough || !anyRows(feeds) {
			return err
		}
		if err := r.limits(round); err != nil {
			return err
		}
		err := r.step.Run(t, feeds, func(b *vec.Batch) error { return r.absorb([]*vec.Batch{b}) })
		if err != nil {
			return err
		}
		clear(feeds)
		if mutant.On("a recursion ends after two rounds") && round == 1 {
			return nil
		}
	}
}

// limits ends a recursion that is too large, or too long.
func (r *recursive) limits(round int64) error {
	switch {
	case r.rows.total > r.cfg.Rows:
		return fmt.Errorf("%s: it has more than %d rows: stop it by a condition, or SET recursion_rows", r.cfg.Name, r.cfg.Rows)
	case round >= r.cfg.Rounds:
		return fmt.Errorf("%s: it has not ended after %d rounds: stop it by a condition, let UNION take rows away that are there already, or SET recursion_rounds", r.cfg.Name, round)
	}
	return nil
}

func anyRows(feeds [][]*vec.Batch) bool {
	for _, f := range feeds {
		if len(f) > 0 {
			return true
		}
	}
	return false
}

// absorb adds rows to the recursion.
func (r *recursive) absorb(batches []*vec.Batch) error {
	for _, b := range batches {
		if !r.cfg.All {
			for i := range b.Rows() {
				if b.Weight(b.Row(i)) < 0 && !mutant.On("a deletion deletes no row that was made of it") {
					return errTaken
				}
			}
		}
		r.rows.add(b)
	}
	return nil
}

// restore gives the step the rows of before a restart.
func (r *recursive) restore(t *Trigger) error {
	if !r.loaded {
		return nil
	}
	r.loaded = false
	feeds := make([][]*vec.Batch, len(r.inputs))
	for i, in := range r.inputs {
		feeds[i] = in.all()
	}
	if feeds[0] = r.rows.all(); mutant.On("after a restart the step knows no row of the recursion") {
		feeds[0] = nil
	}
	return r.step.Run(t, feeds, func(*vec.Batch) error { return nil })
}

// Advance implements Operator.
func (r *recursive) Advance(*Trigger, [][]int64, Emit) error {
	if r.cfg.Unlogged {
		return r.LogState(discard{})
	}
	return nil
}

// Keys of the state, version 1 (docs/formats/operator-state.md):
//
//	01 row            a row of the recursion: the key encodings of its columns → uvarint weight
//	02 input row      a row of an input, whose number is a byte
const tagInput = 0x02

// LogState implements Operator.
func (r *recursive) LogState(log Log) error {
	r.rows.logState(log, tagGroup)
	for i, in := range r.inputs {
		in.logState(log, tagInput, byte(i))
	}
	return nil
}

// Load implements Operator.
func (r *recursive) Load(key, value []byte) error {
	r.loaded = true
	var err error
	switch {
	case len(key) > 0 && key[0] == tagGroup:
		err = r.rows.load(key[1:], value)
	case len(key) > 1 && key[0] == tagInput && int(key[1]) < len(r.inputs):
		err = r.inputs[key[1]].load(key[2:], value)
	default:
		err = errStateKey
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.cfg.Name, err)
	}
	return nil
}

// Stats implements Operator.
func (r *recursive) Stats() Stats {
	s := r.stats
	s.Keys, s.Bytes = int64(r.rows.table.Len()), r.rows.bytes()+r.step.Bytes()
	for _, in := range r.inputs {
		s.Keys += int64(in.table.Len())
		s.Bytes += in.bytes()
	}
	return s
}
