package stateful

// cursor is a place in a sequence: a row, or past either end. It is valid until the
// sequence changes. It holds no memory of its own beyond itself.
type cursor struct {
	s     *sequences
	rows  []uint32 // of the leaf
	i     int      // in rows; outside = past an end
	depth uint8
	path  [maxDepth]step // from the root
}

type step struct {
	node uint32
	i    int
}

// valid tells whether the cursor is at a row.
func (c *cursor) valid() bool { return c.i >= 0 && c.i < len(c.rows) }

// row is the row at the cursor, which must be valid.
func (c *cursor) row() uint32 { return c.rows[c.i] }

// next moves to the row after, or past the end.
func (c *cursor) next() {
	if c.i = min(c.i+1, len(c.rows)); c.i < len(c.rows) {
		return
	}
	for d := int(c.depth) - 1; d >= 0; d-- {
		if p := &c.path[d]; p.i+1 < c.s.inner[p.node].n {
			p.i++
			c.descend(d, false)
			return
		}
	}
}

// prev moves to the row before, or past the beginning.
func (c *cursor) prev() {
	if c.i = max(c.i-1, -1); c.i >= 0 {
		return
	}
	for d := int(c.depth) - 1; d >= 0; d-- {
		if p := &c.path[d]; p.i > 0 {
			p.i--
			c.descend(d, true)
			return
		}
	}
}

// descend goes from step d of the path to the first or last row below.
func (c *cursor) descend(d int, last bool) {
	for ; ; d++ {
		nd := &c.s.inner[c.path[d].node]
		i := c.path[d].i
		if d == int(c.depth)-1 {
			c.rows, c.i = c.s.rowsAt(nd.kid[i], int(nd.rows[i]), blockMax), 0
			if last {
				c.i = len(c.rows) - 1
			}
			return
		}
		kid := nd.kid[i]
		c.path[d+1] = step{node: kid}
		if last {
			c.path[d+1].i = c.s.inner[kid].n - 1
		}
	}
}

// first moves the cursor to the first row of a sequence; past the end if there is none.
func (s *sequences) first(q *sequence, c *cursor) { s.edge(q, c, false) }

// last moves the cursor to the last row of a sequence; past the beginning if there is none.
func (s *sequences) last(q *sequence, c *cursor) { s.edge(q, c, true) }

func (s *sequences) edge(q *sequence, c *cursor, last bool) {
	c.s, c.depth = s, q.depth
	if q.depth == 0 {
		c.rows, c.i = s.leaf(q), 0
		if last {
			c.i = len(c.rows) - 1
		}
		return
	}
	c.path[0] = step{node: q.root}
	if last {
		c.path[0].i = s.inner[q.root].n - 1
	}
	c.descend(0, last)
}

// seek moves the cursor to the first row for which below is false, past the end if there
// is none. below must be true for a prefix of the sequence.
func (s *sequences) seek(q *sequence, c *cursor, below func(row uint32) bool) {
	c.s, c.depth = s, q.depth
	if q.depth == 0 {
		c.rows = s.leaf(q)
		c.i = firstNot(c.rows, below)
		return
	}
	at := q.root
	for d := 0; ; d++ {
		nd := &s.inner[at]
		i := max(firstNot(nd.first[:nd.n], below)-1, 0)
		c.path[d] = step{at, i}
		if d == int(q.depth)-1 {
			c.rows = s.rowsAt(nd.kid[i], int(nd.rows[i]), blockMax)
			c.i = firstNot(c.rows, below)
			if c.i == len(c.rows) {
				c.i--
				c.next()
			}
			return
		}
		at = nd.kid[i]
	}
}

func firstNot(rows []uint32, below func(row uint32) bool) int {
	low, high := 0, len(rows)
	for low < high {
		mid := (low + high) >> 1
		if below(rows[mid]) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// find moves the cursor to a row of the sequence, or, if it is not there, to the first
// row above it.
func (s *sequences) find(q *sequence, c *cursor, row uint32) {
	s.seek(q, c, func(r uint32) bool { return s.compare(r, row) < 0 })
}

// at moves the cursor to the row that holds position k, counted from 0 by weight, and
// returns how many copies of that row come before k; past the end if k is too great.
func (s *sequences) at(q *sequence, c *cursor, k int64) int64 {
	c.s, c.depth = s, q.depth
	if k < 0 || k >= q.weight {
		s.last(q, c)
		c.i = len(c.rows)
		return 0
	}
	at := q.root
	for d := 0; d < int(q.depth); d++ {
		nd, i := &s.inner[at], 0
		for k >= nd.weight[i] {
			k -= nd.weight[i]
			i++
		}
		c.path[d] = step{at, i}
		at = nd.kid[i]
		if d == int(q.depth)-1 {
			c.rows = s.rowsAt(at, int(nd.rows[i]), blockMax)
		}
	}
	if q.depth == 0 {
		c.rows = s.leaf(q)
	}
	for c.i = 0; k >= s.weight[c.rows[c.i]]; c.i++ {
		k -= s.weight[c.rows[c.i]]
	}
	return k
}

// before is the weight of the rows before the cursor: the position of its first copy.
func (c *cursor) before() int64 {
	w := c.s.sum(c.rows[:max(c.i, 0)])
	for d := range int(c.depth) {
		p := c.path[d]
		for _, x := range c.s.inner[p.node].weight[:p.i] {
			w += x
		}
	}
	return w
}
