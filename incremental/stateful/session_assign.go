package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// assign finds the session of each row: mostly the last one of its partition.
func (s *sessionAggregate) assign(at, till *vec.Vector, sel []int32) {
	groups := s.local.groups
	ats, tills := flatInts(at), flatInts(till)
	for i, p := range s.into {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		var t, e int64
		if ats != nil && tills != nil {
			t, e = ats[r], tills[r]
		} else {
			t, e = at.Int(r), till.Int(r)
		}
		list := s.lists[p]
		if n := len(list); n > 0 {
			g := list[n-1]
			x := &s.all[g]
			if t >= x.start && t < x.end {
				s.touch(g, x)
				x.end = max(x.end, e)
				groups[i] = g
				continue
			}
		}
		groups[i] = s.insert(p, t, e)
	}
}

// flatInts are the values of a vector by row, nil where they are not stored so.
func flatInts(v *vec.Vector) []int64 {
	if v.Const || v.Dict != nil {
		return nil
	}
	return v.I64
}

// insert finds or makes the session of a row that covers [t, e), joining those that it
// touches.
func (s *sessionAggregate) insert(p uint32, t, e int64) uint32 {
	list := s.lists[p]
	from, _ := slices.BinarySearchFunc(list, t, func(g uint32, t int64) int {
		if s.all[g].end > t || s.all[g].end == t && mutant.On("sessions that touch are one") {
			return 1
		}
		return -1
	})
	to := from
	for to < len(list) && s.all[list[to]].start < e {
		to++
	}
	if from == to {
		g := s.create(p, t, e)
		s.lists[p] = s.put(list, from, g)
		return g
	}
	g := list[from]
	x := &s.all[g]
	s.touch(g, x)
	x.start, x.end = min(x.start, t), max(x.end, e)
	for _, o := range list[from+1 : to] {
		y := &s.all[o]
		s.touch(o, y)
		x.end = max(x.end, y.end)
		y.joined = g
		y.flags |= sessionJoined | sessionGone
		s.joins = append(s.joins, o)
		s.open--
	}
	s.lists[p] = slices.Delete(list, from+1, to)
	return g
}

// put inserts a session into a list. Short lists share memory.
func (s *sessionAggregate) put(list []uint32, at int, g uint32) []uint32 {
	const short = 4
	if list == nil {
		if len(s.room) < short {
			s.room = make([]uint32, 4096)
		}
		list, s.room = s.room[:0:short], s.room[short:]
	}
	return slices.Insert(list, at, g)
}

// create makes a session of one row.
func (s *sessionAggregate) create(p uint32, t, e int64) uint32 {
	var g uint32
	if n := len(s.free); n > 0 {
		g, s.free = s.free[n-1], s.free[:n-1]
	} else {
		g = uint32(len(s.all))
		s.all = append(s.all, openSession{})
		s.accs.grow(len(s.all))
	}
	s.open++
	s.all[g] = openSession{start: t, end: e, serial: t, part: p, flags: sessionTouched}
	s.touched = append(s.touched, g)
	return g
}

// touch notes that a session is about to change, and its bounds of before the trigger.
func (s *sessionAggregate) touch(g uint32, x *openSession) {
	if x.flags&sessionTouched != 0 {
		return
	}
	x.flags |= sessionTouched
	if x.flags&sessionKnown == 0 || s.cfg.EmitOnClose {
		s.touched = append(s.touched, g)
		return
	}
	s.fresh = append(s.fresh, g)
	s.old[0].AppendInt(x.start)
	s.old[1].AppendInt(x.end)
}

// prepare takes the old results of sessions that the batch touches first, and merges
// those that it joins.
func (s *sessionAggregate) prepare() error {
	if len(s.fresh) > 0 {
		s.changed = append(s.changed, s.fresh...)
		s.accs.old = s.old[2:]
		if err := s.agg.oldResults(s.accs, s.fresh); err != nil {
			return err
		}
		s.fresh = s.fresh[:0]
	}
	if len(s.joins) == 0 {
		return nil
	}
	for i, g := range s.local.groups {
		for s.all[g].flags&sessionJoined != 0 {
			g = s.all[g].joined
		}
		s.local.groups[i] = g
	}
	for _, g := range s.joins {
		if err := s.join(g, s.all[g].joined); err != nil {
			return fmt.Errorf("%s: %w", s.cfg.Name, err)
		}
	}
	s.joins = s.joins[:0]
	return nil
}

// join adds the rows of a session to another one. Accumulators are not merged with
// themselves.
func (s *sessionAggregate) join(g, into uint32) error {
	if s.accs.rows[g] == 0 { // its rows are in the batch under way
		return nil
	}
	if !mutant.On("joined sessions lose their rows") {
		if err := s.one.addGroups(s.accs, []uint32{g}, []uint32{0}); err != nil {
			return err
		}
		if err := s.accs.addGroups(s.one, []uint32{0}, []uint32{into}); err != nil {
			return err
		}
	}
	s.one.empty()
	s.clear(g)
	return nil
}

// clear empties the accumulators of a session.
func (s *sessionAggregate) clear(g uint32) {
	s.accs.rows[g] = 0
	for _, acc := range s.accs.accs {
		if acc != nil {
			acc.Reset(g)
		}
	}
}
