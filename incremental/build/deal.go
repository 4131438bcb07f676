package build

import "sync"

// dealer gives the splits of a scan to its readers, each to the one that is free.
type dealer struct {
	mu    sync.Mutex
	piles []pile // by reader; one for all if splits go out in their order
}

// pile is a run of splits: from ≤ i < to.
type pile struct{ from, to int }

// newDealer deals n splits. Where their order does not matter, each reader begins with a
// stretch of its own: neighbours tend to have keys and times in common, and what several
// readers have of a key must be brought together later.
func newDealer(n, readers int, inOrder bool) *dealer {
	if inOrder {
		return &dealer{piles: []pile{{0, n}}}
	}
	d := &dealer{}
	for i := range readers {
		d.piles = append(d.piles, pile{i * n / readers, (i + 1) * n / readers})
	}
	return d
}

// next is the next split for a reader: the first of its own pile, then the last of the
// highest; −1 = there is none.
func (d *dealer) next(reader int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &d.piles[min(reader, len(d.piles)-1)]
	if p.from < p.to {
		p.from++
		return p.from - 1
	}
	for i := range d.piles {
		if o := &d.piles[i]; o.to-o.from > p.to-p.from {
			p = o
		}
	}
	if p.from == p.to {
		return -1
	}
	p.to--
	return p.to
}
