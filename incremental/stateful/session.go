package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Session
//
// State: the rows of open sessions with their weights, by partition in order of time, and
// the bounds of the session of each.
// +1/−1: changes the weight of a row; at Flush the sessions that the changed rows touch
// are formed again: a new row may join sessions, a removed one may split one.
// Emitted: at Flush the rows whose session or weight has changed, with old (−) and new
// bounds (+); with EmitOnClose each row once, at Advance, when its session is final.
// Dropped: sessions that end at or before the frontier, at Advance. A row is late when its
// time is below the frontier of the trigger before, whatever the mode.
// Cost: O(log n) per row, and O(1) per row of the touched sessions.
// Restart: the rows and the bound; sessions follow from them.

// SessionConfig describes an operator that appends the bounds of its session to each row.
type SessionConfig struct {
	Name      string
	Types     []types.Type // of the input
	Partition []int
	Time, End int // a row covers [Time, End); neither is NULL
	Front     int // which frontier of fronts[0] is that of Time, −1 = none
	// EmitOnClose: rows are emitted once, when their session is final.
	EmitOnClose bool
	Unlogged    bool
}

// Fronted is an operator with frontiers of its own: what it promises of the starts of
// sessions in later deltas, together with the frontier of its input.
type Fronted interface {
	Operator
	// OwnFront is valid after Advance and after Load.
	OwnFront() int64
}

type session struct {
	cfg      SessionConfig
	keyTypes []types.Type
	rows     *hash.Table
	parts    *hash.Table // nil without a partition
	row      []sessionRow
	part     []sessionPart
	times    sessionTimes

	bound, boundLogged int64
	touched            []uint32 // partitions with changed rows
	dirty              []uint32 // rows changed since the last LogState
	emptied            []uint32 // partitions that may have no row any more
	loaded             []uint32

	keys         []*vec.Vector
	groups, into []uint32
	late         lateFilter
	minus, plus  []sessionChange
	merged       []uint32
	builders     []*vec.Builder
	stats        Stats
	begun        bool
}

// sessionRow is a distinct row. It is settled while out > 0: in the list of its
// partition, with the bounds of its session.
type sessionRow struct {
	at, till    int64
	start, end  int64
	weight, out int64
	part        uint32
	pending     bool
	dirty       bool
}

// sessionPart has the settled rows of a partition in order of time, and the changed ones.
type sessionPart struct {
	rows, pending []uint32
	empty         bool // listed as such
}

// sessionChange is a row to be emitted.
type sessionChange struct {
	row        uint32
	weight     int64
	start, end int64
}

// NewSession returns the operator.
func NewSession(cfg SessionConfig) (Operator, error) {
	if cfg.EmitOnClose && cfg.Front < 0 {
		return nil, fmt.Errorf("%s: sessions that never become final cannot be emitted on close", cfg.Name)
	}
	s := &session{cfg: cfg, bound: NoFrontier, boundLogged: NoFrontier}
	for _, c := range cfg.Partition {
		s.keyTypes = append(s.keyTypes, cfg.Types[c])
	}
	t := cfg.Types[cfg.Time]
	s.builders = vec.NewBuilders(append(slices.Clone(cfg.Types), t, t))
	s.late = lateFilter{name: cfg.Name, col: -1}
	if cfg.Front >= 0 {
		s.late.col = cfg.Time
	}
	s.reset()
	return s, nil
}

// reset makes the state that of a new operator, but for the bound.
func (s *session) reset() {
	s.rows, s.row, s.part = hash.New(s.cfg.Types), nil, nil
	if len(s.keyTypes) > 0 {
		s.parts = hash.New(s.keyTypes)
	}
	s.times = sessionTimes{trackStarts: s.cfg.Front >= 0, trackEnds: s.cfg.Front >= 0}
	s.minus, s.plus, s.merged = trim(s.minus), trim(s.plus), trim(s.merged)
}

// Step implements Stepper.
func (s *session) Step(t *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	s.begin()
	if err := s.finish(); err != nil {
		return err
	}
	sel, err := s.late.onTime(t, b, sessionBound(s.bound))
	s.stats.Late += s.late.taken()
	if err != nil {
		return err
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	s.groups, s.into = growZero(s.groups, n)[:n], growZero(s.into, n)[:n]
	s.rows.FindOrInsert(b.Cols, sel, nil, s.groups)
	s.row = growZero(s.row, s.rows.Cap())
	s.partitions(b.Cols, sel)
	at, till := b.Cols[s.cfg.Time], b.Cols[s.cfg.End]
	for i, g := range s.groups {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		row := &s.row[g]
		row.weight += b.Weight(r)
		if row.pending {
			continue
		}
		row.at, row.till, row.part = at.Int(r), till.Int(r), s.into[i]
		s.touch(g, row)
	}
	return nil
}

func (s *session) begin() {
	if !s.begun {
		s.stats, s.begun = Stats{}, true
	}
}

// sessionBound is the time below which rows are late for sessions.
func sessionBound(bound int64) int64 {
	if mutant.On("sessions refuse no row") {
		return NoFrontier
	}
	return bound
}

// partitions finds the partitions of rows, making those that are missing.
func (s *session) partitions(cols []*vec.Vector, sel []int32) {
	if s.parts == nil {
		clear(s.into)
		s.part = growZero(s.part, 1)
		return
	}
	s.keys = s.keys[:0]
	for _, c := range s.cfg.Partition {
		s.keys = append(s.keys, cols[c])
	}
	s.parts.FindOrInsert(s.keys, sel, nil, s.into)
	s.part = growZero(s.part, s.parts.Cap())
}

func (s *session) touch(g uint32, row *sessionRow) {
	row.pending = true
	p := &s.part[row.part]
	if len(p.pending) == 0 {
		s.touched = append(s.touched, row.part)
	}
	p.pending = append(p.pending, g)
	s.soil(g, row)
}

func (s *session) soil(g uint32, row *sessionRow) {
	if !row.dirty {
		row.dirty = true
		s.dirty = append(s.dirty, g)
	}
}

// Flush implements Operator.
func (s *session) Flush(_ *Trigger, out Emit) error {
	s.begin()
	s.begun = false
	if err := s.finish(); err != nil {
		return err
	}
	s.minus, s.plus = s.minus[:0], s.plus[:0]
	for _, p := range s.touched {
		if err := s.settle(p); err != nil {
			return err
		}
	}
	s.touched = trim(s.touched)
	if err := s.emit(s.minus, out); err != nil {
		return err
	}
	return s.emit(s.plus, out)
}

// emit hands rows downstream.
func (s *session) emit(list []sessionChange, out Emit) error {
	n := len(s.cfg.Types)
	for len(list) > 0 {
		chunk := list[:min(len(list), vec.BatchSize)]
		list = list[len(chunk):]
		for _, b := range s.builders {
			b.Reset()
		}
		s.groups = s.groups[:0]
		w := make([]int64, len(chunk))
		for i, c := range chunk {
			s.groups = append(s.groups, c.row)
			s.builders[n].AppendInt(c.start)
			s.builders[n+1].AppendInt(c.end)
			w[i] = c.weight
		}
		s.rows.Keys(s.groups, s.builders[:n])
		b := &vec.Batch{N: len(chunk), W: w}
		for _, x := range s.builders {
			b.Cols = append(b.Cols, x.Finish())
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// Advance implements Operator.
func (s *session) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	if s.cfg.Front >= 0 {
		front := fronts[0][s.cfg.Front]
		invariant.Assert(front >= s.bound, "frontiers never retreat")
		if front > s.bound {
			if err := s.close(front, out); err != nil {
				return err
			}
			s.bound = front
		}
	}
	if s.cfg.Unlogged {
		return s.LogState(discard{})
	}
	return nil
}

// close emits and forgets the sessions that end at or before front.
func (s *session) close(front int64, out Emit) error {
	s.plus = s.plus[:0]
	if mutant.On("sessions close one tick late") && front < EndOfInput {
		front--
	}
	for {
		p, ok := s.times.ended(front)
		if !ok {
			break
		}
		part := &s.part[p]
		n := 0
		for ; n < len(part.rows) && s.row[part.rows[n]].end <= front; n++ {
			g := part.rows[n]
			r := &s.row[g]
			s.plus = append(s.plus, sessionChange{g, r.weight, r.start, r.end})
			r.weight, r.out = 0, 0
			s.soil(g, r)
		}
		s.stats.Removed += int64(n)
		part.rows = slices.Delete(part.rows, 0, n)
		s.noteFirst(p)
	}
	if !s.cfg.EmitOnClose {
		return nil
	}
	return s.emit(s.plus, out)
}

// OwnFront implements Fronted.
func (s *session) OwnFront() int64 {
	if err := s.finish(); err != nil {
		return NoFrontier
	}
	return s.times.oldest()
}

// Rows implements Readable: the rows of open sessions.
func (s *session) Rows(_ *fn.Ctx, out Emit) error {
	if err := s.finish(); err != nil {
		return err
	}
	var list []sessionChange
	for i := range s.part {
		for _, g := range s.part[i].rows {
			r := &s.row[g]
			list = append(list, sessionChange{g, r.weight, r.start, r.end})
		}
	}
	return s.emit(list, out)
}

// Stats implements Operator.
func (s *session) Stats() Stats {
	out := s.stats
	out.Keys = int64(s.rows.Len())
	out.Bytes = s.rows.Bytes() + int64(cap(s.row))*64 + int64(cap(s.part))*48 + s.times.bytes()
	if s.parts != nil {
		out.Bytes += s.parts.Bytes()
	}
	for i := range s.part {
		out.Bytes += int64(4 * (cap(s.part[i].rows) + cap(s.part[i].pending)))
	}
	return out
}
