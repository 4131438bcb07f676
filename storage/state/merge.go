package state

import (
	"bytes"
	"slices"
)

// source gives entries in ascending key order. Sources are ranked: one of a
// higher rank is newer.
type source interface {
	// seek moves to the first entry at or after start, next to the following
	// one; both report whether there is one.
	seek(start []byte) (bool, error)
	next() (bool, error)
	// entry returns the current entry, valid until the next move.
	entry() (key, value []byte, deleted bool)
	close() error
}

// sectionSource reads a section of the log.
type sectionSource struct{ cursor }

func (c *sectionSource) seek(start []byte) (bool, error) {
	c.pos = 0
	for {
		ok, err := c.next()
		if !ok || err != nil || bytes.Compare(c.key, start) >= 0 {
			return ok, err
		}
	}
}

func (c *sectionSource) next() (bool, error) {
	ok := c.cursor.next()
	return ok, c.err
}

func (c *sectionSource) entry() (key, value []byte, deleted bool) {
	return c.key, c.value, c.deleted
}

func (c *sectionSource) close() error { return nil }

// merger reads several sources as one: of equal keys the newest entry, and
// none that a newer range delete covers.
type merger struct {
	heap   []ranked
	cover  cover
	key    []byte // a copy of the key that was given last
	primed bool
}

type ranked struct {
	source
	rank int
	k    []byte // its current key
}

// newMerger merges sources, the oldest first, from start on. ranges[i] are
// the range deletes of sources[i].
func newMerger(sources []source, ranges [][]keyRange, start []byte) (*merger, error) {
	m := &merger{cover: newCover(ranges)}
	for rank, src := range sources {
		ok, err := src.seek(start)
		if err != nil {
			return nil, err
		}
		if ok {
			m.push(src, rank)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

func (m *merger) push(src source, rank int) {
	key, _, _ := src.entry()
	m.heap = append(m.heap, ranked{src, rank, key})
}

// next moves to the next entry and returns it, valid until the next call. A
// deletion is given too; the caller knows whether older data lies below.
func (m *merger) next() (key, value []byte, deleted, ok bool, err error) {
	for len(m.heap) > 0 {
		if m.primed {
			if err := m.advance(); err != nil || len(m.heap) == 0 {
				return nil, nil, false, false, err
			}
		}
		m.primed = true
		top := &m.heap[0]
		if m.key != nil && bytes.Equal(m.key, top.k) {
			continue // an older entry of the key just given
		}
		m.key = append(m.key[:0], top.k...)
		if m.key == nil {
			m.key = []byte{}
		}
		if m.cover.rank(top.k) > top.rank {
			continue
		}
		_, value, deleted = top.entry()
		return m.key, value, deleted, true, nil
	}
	return nil, nil, false, false, nil
}

// advance moves the source on top and restores the heap.
func (m *merger) advance() error {
	top := &m.heap[0]
	ok, err := top.next()
	if err != nil {
		return err
	}
	if ok {
		top.k, _, _ = top.entry()
	} else {
		n := len(m.heap) - 1
		m.heap[0] = m.heap[n]
		m.heap = m.heap[:n]
	}
	m.down(0)
	return nil
}

func (m *merger) less(a, b *ranked) bool {
	if c := bytes.Compare(a.k, b.k); c != 0 {
		return c < 0
	}
	return a.rank > b.rank
}

func (m *merger) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if child+1 < len(m.heap) && m.less(&m.heap[child+1], &m.heap[child]) {
			child++
		}
		if !m.less(&m.heap[child], &m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

// cover answers, for ascending keys, the highest rank whose range deletes
// contain a key. Its pieces are disjoint and ascending.
type cover struct {
	pieces []piece
	at     int
}

type piece struct {
	keyRange
	rank int
}

func newCover(ranges [][]keyRange) cover {
	var c cover
	for rank := len(ranges) - 1; rank >= 0; rank-- {
		for _, r := range ranges[rank] {
			c.paint(piece{r, rank})
		}
	}
	return c
}

// paint adds those parts of p that no piece covers yet: newer ones came first.
func (c *cover) paint(p piece) {
	if !p.open && bytes.Compare(p.start, p.end) >= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(c.pieces, p.start, func(q piece, start []byte) int {
		if !q.open && bytes.Compare(q.end, start) <= 0 {
			return -1
		}
		return 1
	})
	for i < len(c.pieces) {
		q := c.pieces[i]
		if !p.open && bytes.Compare(p.end, q.start) <= 0 {
			break
		}
		if bytes.Compare(p.start, q.start) < 0 {
			c.pieces = slices.Insert(c.pieces, i, piece{keyRange{start: p.start, end: q.start}, p.rank})
			i++
		}
		if q.open || !p.open && bytes.Compare(p.end, q.end) <= 0 {
			return
		}
		p.start = q.end
		i++
	}
	c.pieces = slices.Insert(c.pieces, i, p)
}

// rank returns the rank that covers key, or -1. Keys must ascend.
func (c *cover) rank(key []byte) int {
	for c.at < len(c.pieces) {
		p := &c.pieces[c.at]
		if p.open || bytes.Compare(key, p.end) < 0 {
			if bytes.Compare(key, p.start) >= 0 {
				return p.rank
			}
			return -1
		}
		c.at++
	}
	return -1
}

// encode writes the covered ranges as those of a run.
func (c *cover) encode() []byte {
	var out []byte
	for i := 0; i < len(c.pieces); i++ {
		p := c.pieces[i].keyRange
		for i+1 < len(c.pieces) && !p.open && bytes.Equal(p.end, c.pieces[i+1].start) {
			i++
			p.end, p.open = c.pieces[i].end, c.pieces[i].open
		}
		end := p.end
		if p.open {
			end = nil
		}
		out = appendRange(out, p.start, end)
	}
	return out
}
