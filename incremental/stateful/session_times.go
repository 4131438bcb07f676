package stateful

import "math"

// sessionTimes knows, of the partitions of a session operator, which have a session that
// is final, and the least start of an open one: by two heaps, with an entry for the first
// session of each partition and some that are stale.
type sessionTimes struct {
	starts, ends           timeHeap
	filedStart, filedEnd   []int64 // by partition: its valid entry; nothing = none
	partitions             int     // with a session
	trackStarts, trackEnds bool
}

const nothing = math.MaxInt64

// note tells the bounds of the first session of a partition, nothing if there is none.
func (s *sessionTimes) note(p uint32, start, end int64) {
	for int(p) >= len(s.filedStart) {
		s.filedStart, s.filedEnd = append(s.filedStart, nothing), append(s.filedEnd, nothing)
	}
	if (s.filedStart[p] == nothing) != (start == nothing) {
		s.partitions++
		if start == nothing {
			s.partitions -= 2
		}
	}
	if s.filedStart[p] != start {
		s.filedStart[p] = start
		if start != nothing && s.trackStarts {
			s.starts.push(start, p)
			s.starts.limit(s.partitions, s.filedStart)
		}
	}
	// A later end is filed when the one that is filed has come.
	if end == nothing {
		s.filedEnd[p] = nothing
	}
	if end < s.filedEnd[p] && s.trackEnds {
		s.filedEnd[p] = end
		s.ends.push(end, p)
		s.ends.limit(s.partitions, s.filedEnd)
	}
}

// ended returns a partition whose first session may end at or before front; ok = there is
// one. It must be noted again.
func (s *sessionTimes) ended(front int64) (p uint32, ok bool) {
	for len(s.ends) > 0 && s.ends[0].at <= front {
		e := s.ends.pop()
		if s.filedEnd[e.id] == e.at {
			s.filedEnd[e.id] = nothing
			return e.id, true
		}
	}
	return 0, false
}

// oldest is the least start of a session, EndOfInput if there is none.
func (s *sessionTimes) oldest() int64 {
	for len(s.starts) > 0 {
		if e := s.starts[0]; s.filedStart[e.id] == e.at {
			return e.at
		}
		s.starts.pop()
	}
	return EndOfInput
}

func (s *sessionTimes) bytes() int64 {
	return int64(16*(cap(s.starts)+cap(s.ends)) + 8*(cap(s.filedStart)+cap(s.filedEnd)))
}

// timeHeap is a binary heap of times, the least on top.
type timeHeap []timeEntry

type timeEntry struct {
	at int64
	id uint32
}

func (h *timeHeap) push(at int64, id uint32) {
	*h = append(*h, timeEntry{at, id})
	for i := len(*h) - 1; i > 0; {
		up := (i - 1) / 2
		if (*h)[up].at <= (*h)[i].at {
			break
		}
		(*h)[up], (*h)[i] = (*h)[i], (*h)[up]
		i = up
	}
}

func (h *timeHeap) pop() timeEntry {
	top, n := (*h)[0], len(*h)-1
	(*h)[0] = (*h)[n]
	*h = (*h)[:n]
	h.sink(0)
	return top
}

func (h timeHeap) sink(i int) {
	for {
		least := i
		for _, kid := range [2]int{2*i + 1, 2*i + 2} {
			if kid < len(h) && h[kid].at < h[least].at {
				least = kid
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// limit drops stale entries when they are the greater part.
func (h *timeHeap) limit(live int, filed []int64) {
	if len(*h) <= 2*live+64 {
		return
	}
	kept := (*h)[:0]
	for _, e := range *h {
		if filed[e.id] == e.at {
			kept = append(kept, e)
		}
	}
	*h = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		kept.sink(i)
	}
}
