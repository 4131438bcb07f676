package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Asof
//
// State: the rows of both inputs by key in the order of time (ordered), with weights.
// +1/−1: a right row that comes or goes is the match of the left rows from its time to
// that of the next right row; a left row looks its own match up. Flush emits, for each left
// row that was reached, the difference between the pair from before the trigger and the
// pair now. Left rows with NULL in a key or the time match nothing and are not kept; nor are
// such right rows.
// Late: a row whose time is below the frontier of its input of the trigger before.
// Dropped, looking back: left rows below the right frontier (and their own, if they can be
// retracted or wait to be emitted); right rows below both, but for the last one of each key.
// Looking forward: right rows below both frontiers, and the left rows that match them. With
// EmitOnClose left rows are emitted when they are dropped.
// Cost: O(log n) per row, and per left row whose match may have changed.
// Restart: the rows with their weights, and the bounds.
type asof struct {
	cfg   AsofConfig
	sides [2]*asofSide
	lone  *netRows // left rows that match nothing, if they can be retracted
	mates []uint32
	cols  []*vec.Vector
	keys  []*vec.Builder

	hits  []asofHit
	moved []uint32 // right rows that come or go
	ps    []uint32
	pairs [2][]asofPair // to be retracted, to be inserted
	out   asofOutput
	stats Stats
	begun bool
}

// asofSide is what is kept of one input.
type asofSide struct {
	*ordered
	late               lateFilter
	bound, boundLogged int64 // by which rows are late
	front              int64 // of the time
	needed             []int // columns in which NULL matches nothing
	timed              bool  // rows are forgotten by their time
	times              expiries
	at                 []int64 // by row: its time, if timed
	seen               []bool  // by row: among the hits
	void               []bool  // by row: it stands for none
	sel, lone          []int32
	log                portLog
	restored           bool // rows have been loaded whose times are not listed
}

// asofHit is a left row whose match may change in this trigger.
type asofHit struct {
	row   uint32
	match uint32 // right row + 1 before the trigger, 0 = none
	w     int64  // weight before the trigger
}

// asofPair is a row of the output.
type asofPair struct {
	row, match uint32
	w          int64
}

// NewAsof returns the operator.
func NewAsof(cfg AsofConfig) (Operator, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	a := &asof{cfg: cfg, out: newAsofOutput(cfg)}
	for port := range a.sides {
		s := &asofSide{ordered: newOrdered(cfg.arrange(port)), bound: NoFrontier, boundLogged: NoFrontier, front: NoFrontier, times: newExpiries()}
		s.late = lateFilter{name: cfg.Name, col: -1}
		if l := cfg.Late[port]; l != nil {
			s.late.col = l.Col
		}
		s.needed = append(s.needed, cfg.Time[port])
		for k, c := range cfg.Keys[port] {
			if cfg.NullSafe == nil || !cfg.NullSafe[k] {
				s.needed = append(s.needed, c)
			}
		}
		s.timed, s.log.port = cfg.timed(port), byte(port)
		a.sides[port] = s
	}
	if cfg.Outer && cfg.Retract[0] {
		a.lone = newNetRows(cfg.Types[0])
	}
	for _, k := range cfg.Keys[0] {
		a.keys = append(a.keys, vec.NewBuilder(cfg.Types[0][k]))
	}
	return a, nil
}

func (a *asof) begin() error {
	if !a.begun {
		a.stats, a.begun = Stats{}, true
	}
	for port, s := range a.sides {
		if err := s.load.finish(); err != nil {
			return err
		}
		if s.restored {
			s.restored = false
			a.list(port)
		}
	}
	return nil
}

// Step implements Stepper.
func (a *asof) Step(t *Trigger, port int, _ int64, b *vec.Batch, out Emit) error {
	if err := a.begin(); err != nil {
		return err
	}
	s := a.sides[port]
	sel, err := s.late.onTime(t, b, s.bound)
	a.stats.Late += s.late.taken()
	if err != nil {
		return err
	}
	sel = s.matching(b, sel)
	if port == 0 && a.cfg.Outer && len(s.lone) > 0 {
		if err := a.alone(b, out); err != nil {
			return err
		}
	}
	if len(sel) == 0 && sel != nil {
		return nil
	}
	rows := s.add(b, sel)
	s.seen = growZero(s.seen, s.table.Cap())
	if port == 1 && a.cfg.Void >= 0 {
		s.mark(b.Cols[a.cfg.Void], sel, rows)
	}
	if s.timed {
		s.note(b.Cols[a.cfg.Time[port]], sel, rows)
	}
	return nil
}

// matching selects the rows that can match something; the others are lone.
func (s *asofSide) matching(b *vec.Batch, sel []int32) []int32 {
	s.lone = s.lone[:0]
	nulls := false
	for _, c := range s.needed {
		nulls = nulls || b.Cols[c].HasNulls()
	}
	if !nulls {
		return sel
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	if n == 0 {
		return sel
	}
	s.sel = growZero(s.sel, n)[:0]
	for i := range n {
		r := rowAt(sel, i)
		if s.hasNull(b, int(r)) {
			s.lone = append(s.lone, r)
		} else {
			s.sel = append(s.sel, r)
		}
	}
	return s.sel
}

func (s *asofSide) hasNull(b *vec.Batch, row int) bool {
	for _, c := range s.needed {
		if b.Cols[c].IsNull(row) {
			return true
		}
	}
	return false
}

// alone takes left rows that match nothing, now and later.
func (a *asof) alone(b *vec.Batch, out Emit) error {
	lone := a.sides[0].lone
	if mutant.On("left rows with NULL are lost") {
		return nil
	}
	if a.lone != nil {
		a.lone.add(b, lone)
		return nil
	}
	part := *b
	part.Sel = lone
	return a.out.emitAlone(part.Clone(), out)
}

// mark notes which rows stand for none.
func (s *asofSide) mark(v *vec.Vector, sel []int32, rows []uint32) {
	s.void = growZero(s.void, s.table.Cap())
	for i, row := range rows {
		s.void[row] = v.IsTrue(int(rowAt(sel, i)))
	}
}

// note lists the times of rows that are new.
func (s *asofSide) note(times *vec.Vector, sel []int32, rows []uint32) {
	s.at = growZero(s.at, s.table.Cap())
	added := s.table.Added()
	for i, row := range rows {
		if len(added) == 0 {
			return
		}
		if row != added[0] {
			continue
		}
		added = added[1:]
		s.at[row] = times.Int(int(rowAt(sel, i)))
		s.times.add(s.at[row], row)
	}
}

// list lists the times of all rows, after a restart.
func (a *asof) list(port int) {
	s := a.sides[port]
	s.seen = growZero(s.seen, s.table.Cap())
	var rows []uint32
	s.table.Each(func(row uint32) { rows = append(rows, row) })
	if port == 1 && a.cfg.Void >= 0 {
		b := vec.NewBuilder(types.Of(types.Bool))
		s.column(rows, a.cfg.Void, b)
		s.mark(b.Finish(), nil, rows)
	}
	if !s.timed {
		return
	}
	s.at = growZero(s.at, s.table.Cap())
	b := vec.NewBuilder(a.cfg.Types[port][a.cfg.Time[port]])
	s.column(rows, a.cfg.Time[port], b)
	v := b.Finish()
	for i, row := range rows {
		s.at[row] = v.Int(i)
		s.times.add(s.at[row], row)
	}
}

// Flush implements Operator.
func (a *asof) Flush(_ *Trigger, out Emit) error {
	if err := a.begin(); err != nil {
		return err
	}
	a.begun = false
	a.pairs[0], a.pairs[1] = a.pairs[0][:0], a.pairs[1][:0]
	if err := a.settleKeys(0); err != nil {
		return err
	}
	if err := a.settleKeys(1); err != nil {
		return err
	}
	a.sides[0].settle()
	a.sides[1].settle()
	for _, pairs := range a.pairs {
		if err := a.emit(pairs, out); err != nil {
			return err
		}
	}
	if a.lone != nil {
		return a.lone.flush(func(b *vec.Batch) error { return a.out.emitAlone(b, out) })
	}
	return nil
}

// Stats implements Operator.
func (a *asof) Stats() Stats {
	s := a.stats
	for _, side := range a.sides {
		var own Stats
		if err := side.stats(&own); err != nil {
			return s
		}
		s.Keys += own.Keys
		s.Bytes += own.Bytes + side.times.bytes() + int64(8*cap(side.at)+cap(side.seen))
	}
	return s
}
