package stateful

import "slices"

// expiries tell which of many things have a time below a bound, in the order of time.
// Those of the future lie in stretches; those of the stretch that the bound has reached
// lie in a heap. Things that are gone may stay listed until their time comes: who takes
// them looks.
type expiries struct {
	width   int64
	future  map[int64][]expiry
	order   []int64 // starts of the stretches, ascending unless unsorted
	jumbled bool
	due     []expiry // heap, least first: times below horizon
	horizon int64
	places  int // capacity of all stretches
}

type expiry struct {
	at int64
	id uint32
}

func newExpiries() expiries {
	return expiries{width: timeWidth, future: map[int64][]expiry{}, horizon: NoFrontier}
}

func (e *expiries) add(at int64, id uint32) {
	if at < e.horizon {
		e.push(expiry{at, id})
		return
	}
	start := floorTo(at, e.width)
	list, ok := e.future[start]
	if !ok {
		e.jumbled = e.jumbled || len(e.order) > 0 && start < e.order[len(e.order)-1]
		e.order = append(e.order, start)
	}
	e.places -= cap(list)
	list = append(list, expiry{at, id})
	e.places += cap(list)
	e.future[start] = list
}

// next takes the least time below bound.
func (e *expiries) next(bound int64) (expiry, bool) {
	if e.jumbled {
		slices.Sort(e.order)
		e.jumbled = false
	}
	for len(e.due) == 0 && len(e.order) > 0 && e.order[0] < bound {
		e.open()
	}
	if len(e.due) == 0 || e.due[0].at >= bound {
		return expiry{}, false
	}
	return e.pop(), true
}

// open moves the first stretch to the heap.
func (e *expiries) open() {
	start := e.order[0]
	e.order = e.order[1:]
	for _, x := range e.future[start] {
		e.push(x)
	}
	e.places -= cap(e.future[start])
	delete(e.future, start)
	e.horizon = max(e.horizon, later(start, e.width))
}

// later is x + d, EndOfInput if there is no such time.
func later(x, d int64) int64 {
	switch s := x + d; {
	case d > 0 && s < x:
		return EndOfInput
	case d < 0 && s > x:
		return NoFrontier
	default:
		return s
	}
}

func (x expiry) before(o expiry) bool { return x.at < o.at || x.at == o.at && x.id < o.id }

func (e *expiries) push(x expiry) {
	h := append(e.due, x)
	i := len(h) - 1
	for i > 0 && x.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = x
	e.due = h
}

func (e *expiries) pop() expiry {
	h := e.due
	first, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	i := 0
	for k := 1; k < len(h); k = 2*i + 1 {
		if k+1 < len(h) && h[k+1].before(h[k]) {
			k++
		}
		if !h[k].before(last) {
			break
		}
		h[i] = h[k]
		i = k
	}
	if len(h) > 0 {
		h[i] = last
	}
	e.due = h
	return first
}

// reset forgets everything.
func (e *expiries) reset() {
	horizon := e.horizon
	*e = newExpiries()
	e.horizon = horizon
}

func (e *expiries) bytes() int64 {
	return int64(16*(e.places+cap(e.due)) + 48*len(e.future) + 8*cap(e.order))
}
