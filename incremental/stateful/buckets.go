package stateful

import "slices"

// slot names a bucket: the least bound value in it, or NULL. Operators without a
// bound have the zero slot alone.
type slot struct {
	at   int64
	null bool
}

func (s slot) compare(o slot) int {
	switch {
	case s.null != o.null && s.null, s.null == o.null && s.at < o.at:
		return -1
	case s == o:
		return 0
	}
	return 1
}

func sortedSlots[V any](m map[slot]V) []slot {
	out := make([]slot, 0, len(m))
	for s := range m {
		out = append(out, s)
	}
	slices.SortFunc(out, slot.compare)
	return out
}

// buckets are the buckets of a state or of a worker, with a small cache in front. A
// trigger's work on them is proportional to those it touches.
type buckets struct {
	all     map[slot]*bucket
	order   []slot // those without NULL, ascending unless unsorted; removed ones may be there
	dirty   map[slot]bool
	cacheAt [cacheSize]slot
	cached  [cacheSize]*bucket

	ordered  bool // keep order: a state does, a worker need not
	unsorted bool
}

const cacheSize = 16

func cachePlace(s slot) uint64 { return uint64(s.at) * 0x9e3779b97f4a7c15 >> 60 }

// find returns the bucket of a slot, nil if there is none.
func (m *buckets) find(s slot) *bucket {
	c := cachePlace(s)
	if m.cached[c] != nil && m.cacheAt[c] == s {
		return m.cached[c]
	}
	b := m.all[s]
	if b != nil {
		m.cacheAt[c], m.cached[c] = s, b
	}
	return b
}

func (m *buckets) put(s slot, b *bucket) {
	if m.all == nil {
		m.all, m.dirty = map[slot]*bucket{}, map[slot]bool{}
	}
	m.all[s] = b
	if s.null || !m.ordered {
		return
	}
	if n := len(m.order); n > 0 && s.at <= m.order[n-1].at {
		m.unsorted = true
	}
	m.order = append(m.order, s)
}

func (m *buckets) remove(s slot) {
	delete(m.all, s)
	delete(m.dirty, s)
	m.cached[cachePlace(s)] = nil
	if len(m.order) > 0 && m.order[0] == s {
		m.order = m.order[1:]
		return
	}
	m.unsorted = m.unsorted || !s.null && m.ordered
}

// ascending lists the slots without NULL. The list is valid until the next put.
func (m *buckets) ascending() []slot {
	if m.unsorted {
		slices.SortFunc(m.order, slot.compare)
		m.order = slices.Compact(m.order)
		m.order = slices.DeleteFunc(m.order, func(s slot) bool { return m.all[s] == nil })
		m.unsorted = false
	}
	return m.order
}
