package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// SetOp
//
// State: per distinct row two weights, a on the left (port 0) and b on the right
// (port 1). Rows of further workers come into tables of their own, which Flush adds.
// +1/−1: the weight of the row's side changes; the result of the row is min(a, b) for
// INTERSECT ALL, [a>0 ∧ b>0] for INTERSECT, max(0, a−b) for EXCEPT ALL, [a>0 ∧ b=0]
// for EXCEPT.
// Emitted: at Flush, per touched row the new result minus the old one, retractions
// first; with EmitOnClose the result once, at Advance, when the row is final.
// Late: a row whose bound column is below the frontier of the trigger before, the
// smaller of both inputs. NULL is neither late nor final before the end of input.
// Dropped: rows whose bound column is below the frontier, and rows with weights 0.
// Cost: O(1) per row.
// Restart: the rows with both weights, and the bound.

// SetOpConfig describes INTERSECT and EXCEPT.
type SetOpConfig struct {
	Name      string
	Types     []types.Type // of all columns: they are the key
	Intersect bool         // else EXCEPT
	All       bool         // rows count as often as they come
	// EmitOnClose: a row comes out once, when the frontier has passed it.
	EmitOnClose bool
	Bound       int // column that carries the frontier, −1 = none
	Front       int // which frontier of fronts[0], those of the output edge, is its
	Unlogged    bool
}

type setOp struct {
	cfg     SetOpConfig
	rows    sided // the state; worker 0 writes to it directly
	at      []int64
	flags   []groupFlags
	lists   timeLists // groups by the value of the bound column
	touched []uint32
	old     []int64 // results before the trigger, in the order of touched
	dirty   []uint32
	locals  []*setLocal // of workers 1, 2, …

	bound, boundLogged, closedTo int64

	direct setLocal
	keys   []*vec.Builder
	stats  Stats
}

// sided are distinct rows with a weight on each side.
type sided struct {
	table *hash.Table
	w     [2][]int64 // by side, by group
}

func (s *sided) grow() {
	for side := range s.w {
		s.w[side] = growZero(s.w[side], s.table.Cap())
	}
}

const flagHeld groupFlags = 1 << 7 // the group is in the state

// NewSetOp returns the operator. It implements Parallel. Both ports take rows in any
// order.
func NewSetOp(cfg SetOpConfig) (Operator, error) {
	if cfg.EmitOnClose && cfg.Bound < 0 {
		return nil, fmt.Errorf("%s: rows that never become final cannot be emitted on close", cfg.Name)
	}
	s := &setOp{cfg: cfg, bound: NoFrontier, boundLogged: NoFrontier, closedTo: NoFrontier, keys: vec.NewBuilders(cfg.Types)}
	s.direct.op, s.direct.late = s, s.lateFilter()
	s.empty()
	return s, nil
}

// empty begins with no rows.
func (s *setOp) empty() {
	s.rows = sided{table: hash.New(s.cfg.Types)}
	s.at, s.flags, s.lists = nil, nil, newTimeLists(s.width())
}

func (s *setOp) width() int64 {
	if s.cfg.Bound < 0 {
		return 1
	}
	return defaultWidth(0, s.cfg.Types[s.cfg.Bound])
}

// setLocal is the stepper of a worker.
type setLocal struct {
	op     *setOp
	rows   *sided // nil: the rows go into the state
	groups []uint32
	late   lateFilter
}

// Local implements Parallel.
func (s *setOp) Local(worker int) Stepper {
	if worker == 0 {
		return &s.direct
	}
	for len(s.locals) < worker {
		s.locals = append(s.locals, &setLocal{op: s, late: s.lateFilter(), rows: &sided{table: hash.New(s.cfg.Types)}})
	}
	return s.locals[worker-1]
}

// Step implements Stepper.
func (s *setOp) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	return s.direct.Step(t, port, seq, b, out)
}

// Step implements Stepper.
func (l *setLocal) Step(t *Trigger, port int, _ int64, b *vec.Batch, _ Emit) error {
	sel, err := l.late.onTime(t, b, l.op.refusing())
	if err != nil {
		return err
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	l.groups = growZero(l.groups, n)[:n]
	if l.rows == nil {
		l.op.find(b.Cols, sel, l.groups)
		l.op.touch(l.groups)
		addWeights(l.op.rows.w[port], l.groups, b, sel)
		return nil
	}
	l.rows.table.FindOrInsert(b.Cols, sel, nil, l.groups)
	l.rows.grow()
	addWeights(l.rows.w[port], l.groups, b, sel)
	return nil
}

func addWeights(w []int64, groups []uint32, b *vec.Batch, sel []int32) {
	for i, g := range groups {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		w[g] += b.Weight(r)
	}
}

func (s *setOp) lateFilter() lateFilter {
	return lateFilter{name: s.cfg.Name, col: s.cfg.Bound}
}

// refusing is the bound below which rows are late.
func (s *setOp) refusing() int64 {
	if mutant.On("set operations take late rows") {
		return NoFrontier
	}
	return s.bound
}

// find finds or makes the groups of rows in the state.
func (s *setOp) find(cols []*vec.Vector, sel []int32, groups []uint32) {
	s.rows.table.FindOrInsert(cols, sel, nil, groups)
	s.adopt()
}

// adopt makes room for the groups that the table has just made.
func (s *setOp) adopt() {
	added := s.rows.table.Added()
	if len(added) == 0 {
		return
	}
	s.rows.grow()
	s.flags = growZero(s.flags, s.rows.table.Cap())
	for _, g := range added {
		s.flags[g] = flagHeld
	}
	if s.cfg.Bound >= 0 {
		s.timeAdded(added)
	}
}

// timeAdded lists new groups by the value of the bound column.
func (s *setOp) timeAdded(added []uint32) {
	s.at = growZero(s.at, s.rows.table.Cap())
	col := s.keys[s.cfg.Bound]
	col.Reset()
	s.rows.table.Key(added, s.cfg.Bound, col)
	v := col.Finish()
	for i, g := range added {
		if v.IsNull(i) {
			s.at[g] = never
			continue
		}
		s.at[g] = v.Int(i)
		s.lists.add(s.at[g], g)
	}
	if s.lists.places > 8*s.rows.table.Len()+4096 {
		s.relist()
	}
}

// relist forgets the entries of groups that are gone.
func (s *setOp) relist() {
	s.lists = newTimeLists(s.width())
	s.rows.table.Each(func(g uint32) {
		if s.at[g] != never {
			s.lists.add(s.at[g], g)
		}
	})
}

// touch remembers the results of groups that are about to change.
func (s *setOp) touch(groups []uint32) {
	for _, g := range groups {
		if s.flags[g]&flagTouched == 0 {
			s.flags[g] |= flagTouched
			s.touched, s.old = append(s.touched, g), append(s.old, s.result(g))
		}
	}
}

// result is how often a row is in the result.
func (s *setOp) result(g uint32) int64 {
	a, b := s.rows.w[0][g], s.rows.w[1][g]
	switch {
	case s.cfg.Intersect && s.cfg.All:
		if mutant.On("INTERSECT ALL takes the larger count") && min(a, b) > 0 {
			return max(a, b)
		}
		return min(a, b)
	case s.cfg.Intersect:
		return min(a, b, 1)
	case s.cfg.All:
		if mutant.On("EXCEPT ALL owes rows") {
			return max(0, a) - min(b, 1)
		}
		return max(0, a-b)
	case b > 0:
		return 0
	}
	return min(a, 1)
}

// Flush implements Operator.
func (s *setOp) Flush(_ *Trigger, out Emit) error {
	s.stats = Stats{Late: s.direct.late.taken()}
	for _, l := range s.locals {
		s.merge(l)
	}
	s.stats.Updated = int64(len(s.touched))
	for _, g := range s.touched {
		if s.rows.w[0][g] < 0 || s.rows.w[1][g] < 0 {
			return fmt.Errorf("%s: a row was deleted that is not there", s.cfg.Name)
		}
	}
	if !s.cfg.EmitOnClose {
		if err := s.emitChanges(out); err != nil {
			return err
		}
	}
	s.settle()
	return nil
}

// merge adds the rows of a worker to the state and empties its table.
func (s *setOp) merge(l *setLocal) {
	s.stats.Late += l.late.taken()
	n := l.rows.table.Cap()
	for from := 0; from < n; from += vec.BatchSize {
		size := min(n-from, vec.BatchSize)
		l.groups = l.groups[:0]
		for g := range size {
			l.groups = append(l.groups, uint32(from+g))
		}
		into := make([]uint32, size)
		s.rows.table.InsertFrom(l.rows.table, l.groups, into)
		s.adopt()
		s.touch(into)
		for i, g := range into {
			s.rows.w[0][g] += l.rows.w[0][from+i]
			s.rows.w[1][g] += l.rows.w[1][from+i]
		}
	}
	l.rows.table.Reset()
	clear(l.rows.w[0])
	clear(l.rows.w[1])
}

// Stats implements Operator.
func (s *setOp) Stats() Stats {
	st := s.stats
	st.Keys = int64(s.rows.table.Len())
	st.Bytes = s.rows.bytes() + int64(8*cap(s.at)+cap(s.flags)+4*cap(s.dirty)) + s.lists.bytes()
	for _, l := range s.locals {
		st.Bytes += l.rows.bytes()
	}
	return st
}

func (s *sided) bytes() int64 {
	return s.table.Bytes() + int64(8*(cap(s.w[0])+cap(s.w[1])))
}
