package stateful

import (
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// emitChanges emits the net change of the touched rows: retractions, then insertions.
func (s *setOp) emitChanges(out Emit) error {
	for _, minus := range []bool{true, false} {
		var groups []uint32
		var weights []int64
		for i, g := range s.touched {
			d := s.result(g) - s.old[i]
			if d != 0 && d < 0 == minus && !(minus && mutant.On("EXCEPT never takes rows back")) {
				groups, weights = append(groups, g), append(weights, d)
			}
		}
		if err := s.emit(groups, weights, out); err != nil {
			return err
		}
	}
	return nil
}

// emit gives the rows of groups on.
func (s *setOp) emit(groups []uint32, weights []int64, out Emit) error {
	for from := 0; from < len(groups); from += vec.BatchSize {
		to := min(from+vec.BatchSize, len(groups))
		for _, k := range s.keys {
			k.Reset()
		}
		s.rows.table.Keys(groups[from:to], s.keys)
		b := &vec.Batch{N: to - from, W: weights[from:to], Cols: make([]*vec.Vector, len(s.keys))}
		for i, k := range s.keys {
			b.Cols[i] = k.Finish()
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// settle ends a trigger's changes.
func (s *setOp) settle() {
	for _, g := range s.touched {
		s.flags[g] &^= flagTouched
		if s.flags[g]&flagDirty == 0 {
			s.flags[g] |= flagDirty
			s.dirty = append(s.dirty, g)
		}
	}
	s.touched, s.old = trim(s.touched), trim(s.old)
}

// Advance implements Operator.
func (s *setOp) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	if s.cfg.Bound >= 0 {
		front := fronts[0][s.cfg.Front]
		invariant.Assert(front >= s.bound, "frontiers never retreat")
		if front > s.bound {
			s.bound = front
			if err := s.closeTo(front, out); err != nil {
				return err
			}
		}
	}
	if s.cfg.Unlogged {
		return s.LogState(discard{})
	}
	return nil
}

// closeTo emits and forgets what is final below front.
func (s *setOp) closeTo(front int64, out Emit) error {
	var final []uint32
	s.lists.below(front, func(at int64, g uint32) bool {
		stale := s.flags[g]&flagHeld == 0 || floorTo(s.at[g], s.lists.width) != at
		if !stale && s.at[g] >= front && front != EndOfInput {
			return false
		}
		if !stale {
			s.flags[g] &^= flagHeld
			final = append(final, g)
		}
		return true
	})
	if front == EndOfInput {
		s.rows.table.Each(func(g uint32) {
			if s.flags[g]&flagHeld != 0 {
				s.flags[g] &^= flagHeld
				final = append(final, g)
			}
		})
	}
	s.closedTo = front
	if err := s.emitFinal(final, out); err != nil {
		return err
	}
	for _, g := range final {
		s.forget(g)
	}
	return nil
}

func (s *setOp) emitFinal(final []uint32, out Emit) error {
	if !s.cfg.EmitOnClose {
		return nil
	}
	var groups []uint32
	var weights []int64
	for _, g := range final {
		if n := s.result(g); n > 0 {
			groups, weights = append(groups, g), append(weights, n)
		}
	}
	return s.emit(groups, weights, out)
}

// forget drops a group.
func (s *setOp) forget(g uint32) {
	s.rows.w[0][g], s.rows.w[1][g] = 0, 0
	s.flags[g] &= flagDirty
	s.rows.table.Delete(g)
	s.stats.Removed++
}
