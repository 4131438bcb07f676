package stateful

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// settle forms the sessions of a partition again that its changed rows touch.
func (s *session) settle(p uint32) error {
	part := &s.part[p]
	s.sort(part.pending)
	s.stats.Updated += int64(len(part.pending))
	for i := 0; i < len(part.pending); {
		next, err := s.cluster(part, i)
		if err != nil {
			return err
		}
		i = next
	}
	part.pending = trim(part.pending)
	s.noteFirst(p)
	return nil
}

func (s *session) sort(rows []uint32) {
	slices.SortFunc(rows, func(a, b uint32) int { return s.compare(a, b) })
}

func (s *session) compare(a, b uint32) int {
	return cmp.Or(cmp.Compare(s.row[a].at, s.row[b].at), cmp.Compare(s.row[a].till, s.row[b].till), cmp.Compare(a, b))
}

// cluster forms the sessions that the changed rows from the i-th on touch together, and
// returns the number of the next one that is apart from them.
func (s *session) cluster(part *sessionPart, i int) (next int, err error) {
	lo, hi := s.reach(part.pending[i])
	from, to := s.within(part.rows, lo, hi)
	for next = i; next < len(part.pending); next++ {
		l, h := s.reach(part.pending[next])
		if from < to {
			lo, hi = min(lo, s.row[part.rows[from]].start), max(hi, s.row[part.rows[to-1]].end)
		}
		if next > i && l >= hi {
			break
		}
		lo, hi = min(lo, l), max(hi, h)
		from, to = s.within(part.rows, lo, hi)
	}
	s.merged = s.merge(s.merged[:0], part.rows[from:to], part.pending[i:next])
	kept, err := s.form(s.merged)
	if err != nil {
		return 0, err
	}
	part.rows = slices.Replace(part.rows, from, to, kept...)
	return next, nil
}

// reach is the time within which a changed row may join or split sessions.
func (s *session) reach(g uint32) (lo, hi int64) {
	r := &s.row[g]
	if r.out > 0 {
		return min(r.at, r.start), max(r.till, r.end)
	}
	return r.at, r.till
}

// within finds the settled rows whose sessions overlap [lo, hi).
func (s *session) within(rows []uint32, lo, hi int64) (from, to int) {
	from, _ = slices.BinarySearchFunc(rows, lo, func(g uint32, lo int64) int {
		if s.row[g].end > lo {
			return 1
		}
		return -1
	})
	to, _ = slices.BinarySearchFunc(rows, hi, func(g uint32, hi int64) int {
		if s.row[g].start >= hi {
			return 1
		}
		return -1
	})
	return from, max(from, to)
}

// merge appends settled and changed rows in order, each once.
func (s *session) merge(dst, settled, changed []uint32) []uint32 {
	for _, g := range changed {
		if s.row[g].out > 0 { // among the settled ones
			continue
		}
		for len(settled) > 0 && s.compare(settled[0], g) < 0 {
			dst, settled = append(dst, settled[0]), settled[1:]
		}
		dst = append(dst, g)
	}
	return append(dst, settled...)
}

// form brings rows in order of time into sessions, notes what changes, and keeps the rows
// that are there.
func (s *session) form(rows []uint32) (kept []uint32, err error) {
	kept = rows[:0]
	first := 0 // of the session under way
	var start, end int64
	for _, g := range rows {
		r := &s.row[g]
		r.pending = false
		if r.weight < 0 {
			return nil, fmt.Errorf("%s: a row was deleted that is not there", s.cfg.Name)
		}
		if r.weight == 0 {
			s.change(g, 0, 0)
			continue
		}
		if len(kept) > first && r.at >= end && !(r.at == end && mutant.On("sessions that touch are one")) {
			s.bounds(kept[first:], start, end)
			first = len(kept)
		}
		if len(kept) == first {
			start, end = r.at, r.till
		}
		end = max(end, r.till)
		kept = append(kept, g)
	}
	if len(kept) > first {
		s.bounds(kept[first:], start, end)
	}
	return kept, nil
}

func (s *session) bounds(rows []uint32, start, end int64) {
	for _, g := range rows {
		s.change(g, start, end)
	}
}

// change gives a row its bounds, and notes what is to be emitted.
func (s *session) change(g uint32, start, end int64) {
	r := &s.row[g]
	moved := r.start != start || r.end != end
	switch {
	case s.cfg.EmitOnClose:
	case r.out > 0 && (moved || r.weight == 0):
		s.minus = append(s.minus, sessionChange{g, -r.out, r.start, r.end})
		if r.weight > 0 {
			s.plus = append(s.plus, sessionChange{g, r.weight, start, end})
		}
	case r.weight > r.out:
		s.plus = append(s.plus, sessionChange{g, r.weight - r.out, start, end})
	case r.weight < r.out:
		s.minus = append(s.minus, sessionChange{g, r.weight - r.out, start, end})
	}
	r.start, r.end, r.out = start, end, r.weight
}

// noteFirst files the first session of a partition.
func (s *session) noteFirst(p uint32) {
	rows := s.part[p].rows
	if len(rows) == 0 {
		if !s.part[p].empty {
			s.part[p].empty = true
			s.emptied = append(s.emptied, p)
		}
		s.times.note(p, nothing, nothing)
		return
	}
	first := &s.row[rows[0]]
	s.times.note(p, first.start, first.end)
}
