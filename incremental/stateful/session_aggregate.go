package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Session aggregate
//
// State: per open session its bounds, a row count and the accumulators; by partition the
// sessions in order of time.
// +1: the row's session grows, begins, or joins others, whose accumulators are merged.
// −1: does not occur, the input is append-only; where it is not, the plan has a Session
// below an Aggregate.
// Emitted: at Flush the old rows (−1) of the sessions that changed or were joined and the
// new ones (+1); with EmitOnClose each session once, at Advance, when it is final.
// Dropped: sessions that end at or before the frontier, at Advance. A row is late when its
// time is below the frontier of the trigger before, whatever the mode.
// Cost: O(1) per row that comes about in order, O(log n) per other row, then O(1) per
// touched session and aggregate.
// Restart: sessions, entries of accumulators that have them, and the bound.

// SessionAggregateConfig describes an aggregate by sessions. Output columns are the keys,
// then the aggregates.
type SessionAggregateConfig struct {
	Name     string
	Keys     []int // input columns
	KeyTypes []types.Type
	// Start and End are indexes into Keys: the row covers the time from one to the other,
	// and the output has the bounds of the session. The other keys are the partition.
	Start, End  int
	Aggs        []AggregateSpec
	Front       int // which frontier of fronts[0] is that of the rows' time, −1 = none
	EmitOnClose bool
	Unlogged    bool
}

// openSession is an open session.
type openSession struct {
	start, end int64
	serial     int64 // names it in the log: the time of its first row
	part       uint32
	joined     uint32 // the session that took it in
	flags      sessionFlags
}

type sessionFlags uint8

const (
	sessionKnown   sessionFlags = 1 << iota // there was a trigger before in which it was flushed
	sessionTouched                          // in this trigger
	sessionJoined                           // another one has taken it in
	sessionDirty                            // since the last LogState
	sessionLogged                           // the log has it
	sessionGone                             // closed or joined
)

type sessionAggregate struct {
	cfg      SessionAggregateConfig
	agg      *aggregate // what knows the aggregates; its own state is not used
	partCols []int
	partKeys []types.Type
	parts    *hash.Table // nil without a partition
	lists    [][]uint32  // by partition: sessions in order of time
	room     []uint32    // for short lists
	all      []openSession
	free     []uint32
	accs     *bucket // their rows and accumulators
	one      *bucket // room for one
	times    sessionTimes
	open     int64
	bound    int64
	logged   int64 // bound
	local    *aggLocal
	outTypes []types.Type
	builders []*vec.Builder
	fresh    []uint32       // touched first by the batch under way, and known before
	joins    []uint32       // joined by the batch under way
	touched  []uint32       // by the trigger
	changed  []uint32       // touched and known before, with
	old      []*vec.Builder // their bounds and results of then
	dirty    []uint32
	emptied  []uint32
	keys     []*vec.Vector
	late     lateFilter
	into     []uint32
	load     sessionLoad
	stats    Stats
	begun    bool
}

// NewSessionAggregate returns the operator.
func NewSessionAggregate(cfg SessionAggregateConfig) (Operator, error) {
	if cfg.EmitOnClose && cfg.Front < 0 {
		return nil, fmt.Errorf("%s: sessions that never become final cannot be emitted on close", cfg.Name)
	}
	agg, err := newAggregate(AggregateConfig{Name: cfg.Name, Aggs: cfg.Aggs, Global: true, Bound: -1, Front: -1})
	if err != nil {
		return nil, err
	}
	s := &sessionAggregate{cfg: cfg, agg: agg, bound: NoFrontier, logged: NoFrontier, outTypes: slices.Clone(cfg.KeyTypes)}
	for i, k := range cfg.Keys {
		if i != cfg.Start && i != cfg.End {
			s.partCols, s.partKeys = append(s.partCols, k), append(s.partKeys, cfg.KeyTypes[i])
		}
	}
	for _, a := range cfg.Aggs {
		s.outTypes = append(s.outTypes, a.Impl.Result)
	}
	s.builders = vec.NewBuilders(s.outTypes)
	s.local = newAggLocal(agg)
	s.late = lateFilter{name: cfg.Name, col: -1}
	if cfg.Front >= 0 {
		s.late.col = cfg.Keys[cfg.Start]
	}
	s.reset()
	return s, nil
}

// reset makes the state that of a new operator, but for the bound.
func (s *sessionAggregate) reset() {
	if len(s.partKeys) > 0 {
		s.parts = hash.New(s.partKeys)
	}
	s.lists, s.room, s.all, s.free = nil, nil, nil, nil
	s.accs, s.one = newBucket(s.agg, slot{}, nil), newBucket(s.agg, slot{}, nil)
	s.one.grow(1)
	t := s.cfg.KeyTypes[s.cfg.Start]
	s.old = vec.NewBuilders(append([]types.Type{t, t}, s.outTypes[len(s.cfg.Keys):]...))
	s.times = sessionTimes{trackStarts: s.cfg.Front >= 0, trackEnds: s.cfg.Front >= 0}
}

// Step implements Stepper.
func (s *sessionAggregate) Step(t *Trigger, _ int, seq int64, b *vec.Batch, _ Emit) error {
	s.begin()
	s.agg.ctx = t.Ctx
	sel, err := s.late.onTime(t, b, sessionBound(s.bound))
	s.stats.Late += s.late.taken()
	if err != nil {
		return err
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	s.partitions(b, sel, n)
	s.local.groups = growZero(s.local.groups, n)[:n]
	s.assign(b.Cols[s.cfg.Keys[s.cfg.Start]], b.Cols[s.cfg.Keys[s.cfg.End]], sel)
	if err := s.prepare(); err != nil {
		return err
	}
	return s.add(b, sel, seq)
}

func (s *sessionAggregate) begin() {
	if !s.begun {
		s.stats, s.begun = Stats{}, true
	}
	s.load.finish(s)
}

func (s *sessionAggregate) partitions(b *vec.Batch, sel []int32, n int) {
	s.into = growZero(s.into, n)[:n]
	if s.parts == nil {
		clear(s.into)
		s.lists = growZero(s.lists, 1)
		return
	}
	s.keys = s.keys[:0]
	for _, c := range s.partCols {
		s.keys = append(s.keys, b.Cols[c])
	}
	s.parts.FindOrInsert(s.keys, sel, nil, s.into)
	s.lists = growZero(s.lists, s.parts.Cap())
}

// add gives rows to the accumulators of their sessions.
func (s *sessionAggregate) add(b *vec.Batch, sel []int32, seq int64) error {
	countRows(s.accs.rows, s.local.groups, sel, b.W)
	for i := range s.agg.specs {
		acc := s.accs.accs[i]
		if acc == nil {
			continue
		}
		if err := s.local.feedOne(&s.agg.specs[i], acc, b, sel, seq); err != nil {
			return fmt.Errorf("%s: %w", s.cfg.Name, err)
		}
	}
	return nil
}

// Flush implements Operator.
func (s *sessionAggregate) Flush(t *Trigger, out Emit) error {
	s.begin()
	s.begun = false
	s.agg.ctx = t.Ctx
	s.stats.Updated = int64(len(s.touched) + len(s.changed))
	if !s.cfg.EmitOnClose {
		if err := s.emitChanged(out); err != nil {
			return err
		}
		if err := s.emitGroups(s.livingOf(s.touched), out); err != nil {
			return err
		}
	}
	s.settle(s.touched)
	s.settle(s.changed)
	s.touched, s.changed = trim(s.touched), trim(s.changed)
	for _, b := range s.old {
		b.Reset()
	}
	return nil
}

// livingOf are the sessions of a list that no other has taken in.
func (s *sessionAggregate) livingOf(list []uint32) []uint32 {
	s.into = s.into[:0]
	for _, g := range list {
		if s.all[g].flags&sessionGone == 0 {
			s.into = append(s.into, g)
		}
	}
	return s.into
}

// settle ends the changes of sessions.
func (s *sessionAggregate) settle(list []uint32) {
	for _, g := range list {
		x := &s.all[g]
		x.flags = x.flags&^sessionTouched | sessionKnown
		s.soil(g, x)
		if s.cfg.Front >= 0 {
			s.noteFirst(x.part)
		}
	}
}

func (s *sessionAggregate) soil(g uint32, x *openSession) {
	if x.flags&sessionDirty == 0 {
		x.flags |= sessionDirty
		s.dirty = append(s.dirty, g)
	}
}

// noteFirst files the first session of a partition.
func (s *sessionAggregate) noteFirst(p uint32) {
	if len(s.lists[p]) == 0 {
		s.emptied = append(s.emptied, p)
		s.times.note(p, nothing, nothing)
		return
	}
	x := &s.all[s.lists[p][0]]
	s.times.note(p, x.start, x.end)
}

// Advance implements Operator.
func (s *sessionAggregate) Advance(t *Trigger, fronts [][]int64, out Emit) error {
	s.agg.ctx = t.Ctx
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
func (s *sessionAggregate) close(front int64, out Emit) error {
	if mutant.On("sessions close one tick late") && front < EndOfInput {
		front--
	}
	final := s.into[:0]
	for {
		p, ok := s.times.ended(front)
		if !ok {
			break
		}
		list, n := s.lists[p], 0
		for n < len(list) && s.all[list[n]].end <= front {
			n++
		}
		final = append(final, list[:n]...)
		s.lists[p] = slices.Delete(list, 0, n)
		s.noteFirst(p)
	}
	s.into = final
	s.stats.Removed += int64(len(final))
	s.open -= int64(len(final))
	if s.cfg.EmitOnClose {
		if err := s.emitGroups(final, out); err != nil {
			return err
		}
	}
	for _, g := range final {
		x := &s.all[g]
		x.flags |= sessionGone
		s.soil(g, x)
	}
	return nil
}

// OwnFront implements Fronted.
func (s *sessionAggregate) OwnFront() int64 {
	s.load.finish(s)
	return s.times.oldest()
}

// Stats implements Operator.
func (s *sessionAggregate) Stats() Stats {
	out := s.stats
	s.load.finish(s)
	out.Keys = s.open
	out.Bytes = s.accs.bytes() + s.one.bytes() + s.times.bytes() + int64(40*cap(s.all)+4*cap(s.free)+24*cap(s.lists)+4*len(s.room))
	if s.parts != nil {
		out.Bytes += s.parts.Bytes()
	}
	for _, l := range s.lists {
		out.Bytes += int64(4 * cap(l))
	}
	return out
}
