package stateful

import (
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// emitGroups emits the rows of sessions with weight 1.
func (s *sessionAggregate) emitGroups(groups []uint32, out Emit) error {
	for from := 0; from < len(groups); from += vec.BatchSize {
		chunk := groups[from:min(from+vec.BatchSize, len(groups))]
		cols, err := s.rowsOf(chunk)
		if err != nil {
			return err
		}
		if err := out(&vec.Batch{Cols: cols, N: len(chunk)}); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf makes the output rows of sessions, valid until the next call.
func (s *sessionAggregate) rowsOf(groups []uint32) ([]*vec.Vector, error) {
	for _, b := range s.builders {
		b.Reset()
	}
	nk := len(s.cfg.Keys)
	if err := s.agg.results(s.accs, groups, s.builders[nk:]); err != nil {
		return nil, err
	}
	owners := make([]uint32, len(groups))
	for i, g := range groups {
		owners[i] = s.all[g].part
	}
	cols, part := make([]*vec.Vector, len(s.builders)), 0
	for k, b := range s.builders {
		switch {
		case k >= nk:
		case k == s.cfg.Start:
			for _, g := range groups {
				b.AppendInt(s.all[g].start)
			}
		case k == s.cfg.End:
			for _, g := range groups {
				b.AppendInt(s.all[g].end)
			}
		default:
			s.parts.Key(owners, part, b)
			part++
		}
		cols[k] = b.Finish()
	}
	return cols, nil
}

// emitChanged emits the old and new rows of the sessions that were there before: all
// retractions first.
func (s *sessionAggregate) emitChanged(out Emit) error {
	if len(s.changed) == 0 {
		return nil
	}
	old := make([]*vec.Vector, len(s.old))
	for i, b := range s.old {
		old[i] = b.Finish()
	}
	var come []uint32
	for from := 0; from < len(s.changed); from += vec.BatchSize {
		to := min(from+vec.BatchSize, len(s.changed))
		next, err := s.retract(s.changed[from:to], sliceAll(old, from, to), out)
		if err != nil {
			return err
		}
		come = append(come, next...)
	}
	return s.emitGroups(come, out)
}

// retract takes back the old rows of sessions that have changed, and returns those that
// have a new one.
func (s *sessionAggregate) retract(groups []uint32, old []*vec.Vector, out Emit) ([]uint32, error) {
	cols, err := s.rowsOf(groups)
	if err != nil {
		return nil, err
	}
	nk := len(s.cfg.Keys)
	now := append([]*vec.Vector{cols[s.cfg.Start], cols[s.cfg.End]}, cols[nk:]...)
	var come []uint32
	sel := []int32{}
	for i, g := range groups {
		gone := s.all[g].flags&sessionGone != 0
		if !gone && vec.EqualRows(old, i, now, i) {
			continue
		}
		if !gone {
			come = append(come, g)
		}
		if gone && mutant.On("joined sessions are not retracted") {
			continue
		}
		sel = append(sel, int32(i))
	}
	if len(sel) == 0 {
		return come, nil
	}
	minus := append(append([]*vec.Vector{}, cols[:nk]...), old[2:]...)
	minus[s.cfg.Start], minus[s.cfg.End] = old[0], old[1]
	return come, out(&vec.Batch{Cols: minus, N: len(groups), Sel: sel, W: s.agg.tmp.minus[:len(groups)]})
}
