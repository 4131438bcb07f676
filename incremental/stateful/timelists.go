package stateful

import "slices"

// timeLists hold groups by a time, in lists of a stretch of time each, so that those of
// the past are found without looking at the others.
type timeLists struct {
	width    int64
	lists    map[int64][]uint32
	order    []int64 // starts of the lists, ascending unless unsorted
	unsorted bool
	places   int // capacity of all lists
}

func newTimeLists(width int64) timeLists {
	return timeLists{width: width, lists: map[int64][]uint32{}}
}

func (t *timeLists) add(x int64, g uint32) {
	at := floorTo(x, t.width)
	list, ok := t.lists[at]
	if !ok {
		if n := len(t.order); n > 0 && at < t.order[n-1] {
			t.unsorted = true
		}
		t.order = append(t.order, at)
	}
	t.places -= cap(list)
	list = append(list, g)
	t.places += cap(list)
	t.lists[at] = list
}

// below calls drop with the groups whose time may be less than bound, and with the start of
// the stretch that they are in; it forgets those for which drop returns true.
func (t *timeLists) below(bound int64, drop func(at int64, g uint32) bool) {
	if t.unsorted {
		slices.Sort(t.order)
		t.unsorted = false
	}
	for len(t.order) > 0 && t.order[0] < bound {
		at := t.order[0]
		kept := slices.DeleteFunc(t.lists[at], func(g uint32) bool { return drop(at, g) })
		if len(kept) > 0 { // the bound is within this stretch, or at its end
			t.lists[at] = kept
			return
		}
		t.places -= cap(t.lists[at])
		delete(t.lists, at)
		t.order = t.order[1:]
	}
}

func (t *timeLists) bytes() int64 { return int64(4*t.places + 48*len(t.lists)) }
