package stateful

import "slices"

// expiries tell which of many things have a time below a bound. Those of the future lie in
// stretches of time, which are taken as a whole; those of the stretch that the bound is
// within lie in a heap. Things that are gone may stay listed until their time comes: who
// takes them looks.
type expiries struct {
	width     int64
	future    map[int64]*stretch
	order     []int64 // starts of the stretches, ascending unless jumbled
	jumbled   bool
	last      *stretch // that of the last add
	lastStart int64
	due       []expiry // heap, least first: times below horizon
	horizon   int64
	places    int // capacity of all stretches
}

type expiry struct {
	at int64
	id uint32
}

type stretch struct{ list []expiry }

func newExpiries() expiries {
	return expiries{width: timeWidth, future: map[int64]*stretch{}, horizon: NoFrontier}
}

func (e *expiries) add(at int64, id uint32) {
	if at < e.horizon {
		e.push(expiry{at, id})
		return
	}
	if start := floorTo(at, e.width); e.last == nil || start != e.lastStart {
		e.last, e.lastStart = e.find(start), start
	}
	l := &e.last.list
	e.places -= cap(*l)
	*l = append(*l, expiry{at, id})
	e.places += cap(*l)
}

// find returns the stretch that begins at start, making it if it is missing.
func (e *expiries) find(start int64) *stretch {
	if s := e.future[start]; s != nil {
		return s
	}
	e.jumbled = e.jumbled || len(e.order) > 0 && start < e.order[len(e.order)-1]
	e.order = append(e.order, start)
	s := &stretch{}
	e.future[start] = s
	return s
}

// below takes all times below bound. take may call reset.
func (e *expiries) below(bound int64, take func(x expiry)) {
	if e.jumbled {
		slices.Sort(e.order)
		e.jumbled = false
	}
	if bound >= e.horizon {
		due := e.due
		e.due = nil
		for _, x := range due {
			take(x)
		}
	}
	for len(e.order) > 0 && e.order[0] < bound {
		end := later(e.order[0], e.width)
		put := take
		if end > bound {
			put = e.push
		}
		e.open(end, put)
	}
	for len(e.due) > 0 && e.due[0].at < bound {
		take(e.pop())
	}
}

// open gives the times of the first stretch, which ends at end, to put.
func (e *expiries) open(end int64, put func(x expiry)) {
	start := e.order[0]
	s := e.future[start]
	e.order = e.order[1:]
	delete(e.future, start)
	e.places -= cap(s.list)
	e.last, e.horizon = nil, max(e.horizon, end)
	for _, x := range s.list {
		put(x)
	}
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
