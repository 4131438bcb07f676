package stateful

import (
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
)

// Flush implements Operator.
func (j *join) Flush(t *Trigger, out Emit) error {
	if err := j.begin(); err != nil {
		return err
	}
	if j.deferred {
		return j.settle(t, out)
	}
	if j.twice {
		return j.errTwice()
	}
	return j.settleStream(out)
}

// Advance implements Operator.
func (j *join) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	j.begun = false
	for _, s := range j.sides {
		if s.Late != nil {
			front := fronts[s.port][s.Late.Front]
			invariant.Assert(front >= s.bound, "frontiers never retreat")
			s.bound = max(s.bound, front)
		}
		if s.Keep != nil && s.closed != EndOfInput {
			s.closed = max(s.closed, fronts[1-s.port][s.Keep.Front])
			if s.ended() && s.port == 1 && j.counted {
				j.endCounts()
			}
		}
	}
	if j.cfg.Unlogged {
		if err := j.LogState(discard{}); err != nil {
			return err
		}
	}
	for _, s := range j.sides {
		if err := j.forget(s, fronts[s.port], out); err != nil {
			return err
		}
	}
	j.dropIdle()
	return nil
}

// forget takes out the rows of an input that can meet no new row of the other. Those
// that may be retracted wait until they are below their own frontier.
func (j *join) forget(s *joinSide, own []int64, out Emit) error {
	if s.Keep == nil || s.closed == NoFrontier {
		return nil
	}
	var err error
	s.expire.below(s.bounded(s.closed), func(x expiry) {
		switch {
		case err != nil:
		case s.port == 1 && j.counted:
			if j.counts.at(x.id, false) != 0 {
				j.idle = append(j.idle, x.id)
			}
		case !s.holds(x):
		case j.cfg.EmitOnExpiry:
			err = j.showLast(s, x.id, out)
		default:
			j.leave(s, x.id, own)
		}
	})
	if err != nil {
		return err
	}
	return j.dropShown(s, own, out)
}

// bounded is the bound below which rows expire.
func (s *joinSide) bounded(front int64) int64 {
	if mutant.On("rows are kept too short a time") {
		return later(front, 1)
	}
	return front
}

// holds tells whether a row that was to expire is still there.
func (s *joinSide) holds(x expiry) bool {
	return s.store.exists(x.id) && int64(s.store.row(x.id)[s.at.until]) == x.at
}

// expiredRow is the time of a row that is about to be taken out.
const expiredRow = 1 << 63

// showLast emits a row that will never have a match. It is taken out by dropShown.
func (j *join) showLast(s *joinSide, slot uint32, out Emit) error {
	s.leaving = append(s.leaving, slot)
	s.store.row(slot)[s.at.until] = expiredRow // should it be listed twice
	m := isFalse
	switch {
	case j.deferred:
		m = j.truthNow(s, slot)
	case s.at.degree >= 0 && s.store.row(slot)[s.at.degree] != 0:
		m = isTrue
	}
	if m == isTrue || !j.isShown(s, m) {
		return nil
	}
	w := int64(1)
	if s.at.weight >= 0 {
		w = int64(s.store.row(slot)[s.at.weight])
	}
	return j.show(s, slot, w, m, out)
}

// dropShown emits the last of what showLast was given, and takes rows out.
func (j *join) dropShown(s *joinSide, own []int64, out Emit) error {
	if err := j.shown(s, out); err != nil {
		return err
	}
	for _, slot := range s.leaving {
		j.remove(s, slot)
	}
	s.leaving = trim(s.leaving)
	if !s.Retract {
		return nil
	}
	front := s.ownFront(own)
	if s.ended() {
		front = EndOfInput
	}
	s.retire.below(front, func(x expiry) {
		if s.store.exists(x.id) && s.retiresAt(x.id) == x.at && int64(s.store.row(x.id)[s.at.until]) < s.closed {
			j.remove(s, x.id)
		}
	})
	return nil
}

// leave takes a row out, or lets it wait until it cannot be retracted any more.
func (j *join) leave(s *joinSide, slot uint32, own []int64) {
	if !s.Retract || s.ended() || mutant.On("rows that may be retracted are forgotten") {
		j.remove(s, slot)
		return
	}
	if at := s.retiresAt(slot); at >= s.ownFront(own) {
		s.retire.add(at, slot)
		return
	}
	j.remove(s, slot)
}

// retiresAt is the time of a row by which it may be late, and so come again.
func (s *joinSide) retiresAt(slot uint32) int64 {
	if s.Late == nil {
		return EndOfInput - 1
	}
	n := &s.store.nodes[s.stored[s.Late.Col]]
	row := s.store.row(slot)
	if s.store.isNull(row, n.null) {
		return EndOfInput - 1
	}
	return int64(row[n.word])
}

// ownFront is the frontier below which the rows of an input are late from now on.
func (s *joinSide) ownFront(own []int64) int64 {
	if s.Late == nil {
		return own[len(own)-1]
	}
	return own[s.Late.Front]
}
