package stateful

import "slices"

// sequences keep the rows of many partitions in order. A partition's sequence is a sorted
// block of up to blockMax rows, in the smallest of the sizes that fits; beyond that a
// B+tree whose leaves are such blocks and whose inner nodes know the weight below each
// child. Blocks and nodes lie in arenas: nothing here is a pointer, and nothing is
// allocated a row.
type sequences struct {
	compare func(a, b uint32) int // total order of rows
	weight  []int64               // by row; shared with the owner

	blocks []uint32                   // rows of blocks
	free   [blockClasses + 1][]uint32 // places in blocks, by size class
	inner  []innerNode
	spare  []uint32 // unused inner nodes

	// spoiled are the partial aggregates (innerNode.agg − 1) of what has changed since the
	// owner has looked here. Only OVER makes any.
	spoiled []uint32
}

const (
	blockClasses = 6
	blockMax     = 1 << blockClasses
	fanout       = 32
	maxDepth     = 8
)

// sequence is one partition's. The zero value is empty.
type sequence struct {
	weight int64  // of all rows
	root   uint32 // depth 0: the place of the block; else an inner node
	n      uint8  // depth 0: rows
	class  uint8  // depth 0: the block has room for 1<<class rows
	depth  uint8  // levels of inner nodes
}

// innerNode has n children: blocks of the greatest class if it is on level 1, else
// inner nodes.
type innerNode struct {
	n      int
	first  [fanout]uint32 // the least row below each child
	kid    [fanout]uint32
	rows   [fanout]uint8 // of blocks
	weight [fanout]int64
	agg    [fanout]uint32 // number of the partial aggregate of what is below + 1; 0 = none
}

// spoil drops the partial aggregate of a child whose rows change.
func (s *sequences) spoil(nd *innerNode, i int) {
	if a := nd.agg[i]; a > 0 {
		s.spoiled = append(s.spoiled, a-1)
		nd.agg[i] = 0
	}
}

func (q *sequence) empty() bool { return q.depth == 0 && q.n == 0 }

// block takes room for 1<<class rows.
func (s *sequences) block(class uint8) uint32 {
	if list := s.free[class]; len(list) > 0 {
		s.free[class] = list[:len(list)-1]
		return list[len(list)-1]
	}
	at := len(s.blocks)
	s.blocks = growZero(s.blocks, at+1<<class)
	return uint32(at)
}

func (s *sequences) release(class uint8, at uint32) { s.free[class] = append(s.free[class], at) }

// rowsAt are n rows of a block, with room to its end.
func (s *sequences) rowsAt(at uint32, n, room int) []uint32 {
	return s.blocks[at : int(at)+n : int(at)+room]
}

// leaf are the rows of a sequence without inner nodes.
func (s *sequences) leaf(q *sequence) []uint32 {
	if q.n == 0 {
		return nil
	}
	return s.rowsAt(q.root, int(q.n), 1<<q.class)
}

func (s *sequences) node() uint32 {
	if n := len(s.spare); n > 0 {
		at := s.spare[n-1]
		s.spare = s.spare[:n-1]
		s.inner[at] = innerNode{}
		return at
	}
	s.inner = append(s.inner, innerNode{})
	return uint32(len(s.inner) - 1)
}

// search finds the place of a row in a sorted block: the first row that is not below.
func (s *sequences) search(rows []uint32, row uint32) int {
	low, high := 0, len(rows)
	for low < high {
		mid := (low + high) >> 1
		if s.compare(rows[mid], row) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// child is the last child that may hold a row.
func (s *sequences) child(at, row uint32) int {
	nd := &s.inner[at]
	low, high := 1, nd.n
	for low < high {
		mid := (low + high) >> 1
		if s.compare(nd.first[mid], row) <= 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1
}

// insert adds a row that is not there, with its weight.
func (s *sequences) insert(q *sequence, row uint32) {
	q.weight += s.weight[row]
	if q.depth == 0 {
		if s.insertFlat(q, row) {
			return
		}
		s.plant(q)
	}
	if split, ok := s.insertBelow(q.root, q.depth, row); ok {
		s.raise(q, split)
	}
}

// insertFlat adds a row to a sequence without inner nodes, if there can be room.
func (s *sequences) insertFlat(q *sequence, row uint32) bool {
	n := int(q.n)
	if n == blockMax {
		return false
	}
	switch {
	case n == 0:
		q.root, q.class = s.block(0), 0
	case n == 1<<q.class:
		s.resize(q, q.class+1)
	}
	rows := s.rowsAt(q.root, n, 1<<q.class)
	q.n = uint8(len(slices.Insert(rows, s.search(rows, row), row)))
	return true
}

// resize moves the rows of a sequence without inner nodes to a block of another class.
func (s *sequences) resize(q *sequence, class uint8) {
	to := s.block(class)
	copy(s.blocks[to:], s.leaf(q))
	s.release(q.class, q.root)
	q.root, q.class = to, class
}

// plant makes a full block the only leaf of a tree.
func (s *sequences) plant(q *sequence) {
	at := s.node()
	nd := &s.inner[at]
	nd.n, nd.kid[0], nd.rows[0], nd.first[0] = 1, q.root, q.n, s.blocks[q.root]
	nd.weight[0] = s.sum(s.rowsAt(q.root, int(q.n), blockMax))
	*q = sequence{weight: q.weight, root: at, depth: 1}
}

func (s *sequences) sum(rows []uint32) int64 {
	w := int64(0)
	for _, r := range rows {
		w += s.weight[r]
	}
	return w
}

// entry is a child on its way to a node.
type entry struct {
	first, kid uint32
	rows       uint8
	weight     int64
	agg        uint32
}

func (nd *innerNode) entry(i int) entry {
	return entry{nd.first[i], nd.kid[i], nd.rows[i], nd.weight[i], nd.agg[i]}
}

func (nd *innerNode) set(i int, e entry) {
	nd.first[i], nd.kid[i], nd.rows[i], nd.weight[i], nd.agg[i] = e.first, e.kid, e.rows, e.weight, e.agg
}

func (nd *innerNode) put(i int, e entry) {
	n := nd.n
	copy(nd.first[i+1:n+1], nd.first[i:n])
	copy(nd.kid[i+1:n+1], nd.kid[i:n])
	copy(nd.rows[i+1:n+1], nd.rows[i:n])
	copy(nd.weight[i+1:n+1], nd.weight[i:n])
	copy(nd.agg[i+1:n+1], nd.agg[i:n])
	nd.set(i, e)
	nd.n++
}

func (nd *innerNode) remove(i int) {
	n := nd.n
	copy(nd.first[i:], nd.first[i+1:n])
	copy(nd.kid[i:], nd.kid[i+1:n])
	copy(nd.rows[i:], nd.rows[i+1:n])
	copy(nd.weight[i:], nd.weight[i+1:n])
	copy(nd.agg[i:], nd.agg[i+1:n])
	nd.n--
}

func (nd *innerNode) total() int64 {
	w := int64(0)
	for _, x := range nd.weight[:nd.n] {
		w += x
	}
	return w
}

// raise gives a tree whose root was split a new root.
func (s *sequences) raise(q *sequence, right entry) {
	at := s.node()
	nd, old := &s.inner[at], &s.inner[q.root]
	nd.put(0, entry{first: old.first[0], kid: q.root, weight: old.total()})
	nd.put(1, right)
	q.root = at
	q.depth++
}

// insertBelow adds a row below an inner node; if the node had to be split, it returns
// the new one to its right.
func (s *sequences) insertBelow(at uint32, level uint8, row uint32) (entry, bool) {
	i := s.child(at, row)
	var right entry
	var split bool
	if level == 1 {
		right, split = s.insertLeaf(at, i, row)
	} else {
		right, split = s.insertBelow(s.inner[at].kid[i], level-1, row)
	}
	nd := &s.inner[at]
	s.spoil(nd, i)
	nd.weight[i] += s.weight[row]
	if level > 1 {
		nd.first[i] = s.inner[nd.kid[i]].first[0]
	}
	if !split {
		return entry{}, false
	}
	nd.weight[i] -= right.weight
	if nd.n < fanout {
		nd.put(i+1, right)
		return entry{}, false
	}
	return s.splitNode(at, i+1, right), true
}

// insertLeaf adds a row to leaf i of a node; if the leaf is full, it returns the new leaf
// to its right. At either end of the sequence a full leaf stays full, so that rows
// that come in order fill theirs.
func (s *sequences) insertLeaf(at uint32, i int, row uint32) (entry, bool) {
	nd := &s.inner[at]
	rows := s.rowsAt(nd.kid[i], int(nd.rows[i]), blockMax)
	place := s.search(rows, row)
	if len(rows) < blockMax {
		rows = slices.Insert(rows, place, row)
		nd.rows[i], nd.first[i] = uint8(len(rows)), rows[0]
		return entry{}, false
	}
	cut := blockMax / 2
	switch {
	case place == blockMax && i == nd.n-1:
		cut = blockMax
	case place == 0 && i == 0:
		cut = 0
	}
	to := s.block(blockClasses)
	nd = &s.inner[at]
	rows = s.rowsAt(nd.kid[i], blockMax, blockMax)
	moved := s.rowsAt(to, copy(s.blocks[to:int(to)+blockMax], rows[cut:]), blockMax)
	rows = rows[:cut]
	if place < cut || cut == 0 {
		rows = slices.Insert(rows, place, row)
	} else {
		moved = slices.Insert(moved, place-cut, row)
	}
	nd.rows[i], nd.first[i] = uint8(len(rows)), rows[0]
	return entry{first: moved[0], kid: to, rows: uint8(len(moved)), weight: s.sum(moved)}, true
}

// splitNode splits a full node, adding a child at place i, and returns the right half.
func (s *sequences) splitNode(at uint32, i int, add entry) entry {
	to := s.node()
	nd, right := &s.inner[at], &s.inner[to]
	cut := fanout / 2
	switch i {
	case fanout: // appended
		cut = fanout
	case 1: // before all others, if rows come in descending order
		cut = 1
	}
	for k := cut; k < fanout; k++ {
		right.put(k-cut, nd.entry(k))
	}
	nd.n = cut
	if i <= cut && cut < fanout {
		nd.put(i, add)
	} else {
		right.put(i-cut, add)
	}
	return entry{first: right.first[0], kid: to, weight: right.total()}
}

// adjust changes the weight of a row that is there by dw.
func (s *sequences) adjust(q *sequence, row uint32, dw int64) {
	q.weight += dw
	at := q.root
	for level := q.depth; level > 0; level-- {
		i := s.child(at, row)
		s.spoil(&s.inner[at], i)
		s.inner[at].weight[i] += dw
		at = s.inner[at].kid[i]
	}
}

// remove takes away a row that is there, and has the weight w in the sequence.
func (s *sequences) remove(q *sequence, row uint32, w int64) {
	q.weight -= w
	if q.depth == 0 {
		s.removeFlat(q, row)
		return
	}
	s.removeBelow(q.root, q.depth, row, w)
	for q.depth > 0 && s.inner[q.root].n <= 1 {
		s.lower(q)
	}
}

func (s *sequences) removeFlat(q *sequence, row uint32) {
	if q.n == 1 {
		s.release(q.class, q.root)
		*q = sequence{}
		return
	}
	rows := s.leaf(q)
	i := s.search(rows, row)
	copy(rows[i:], rows[i+1:])
	q.n--
	if q.class > 0 && (q.n == 1 || int(q.n)*4 <= 1<<q.class) {
		s.resize(q, q.class-1)
	}
}

// lower takes a root with one child away, or none.
func (s *sequences) lower(q *sequence) {
	nd := &s.inner[q.root]
	s.spoil(nd, 0)
	s.spare = append(s.spare, q.root)
	if nd.n == 0 {
		*q = sequence{}
		return
	}
	q.root = nd.kid[0]
	if q.depth--; q.depth == 0 {
		q.n, q.class = nd.rows[0], blockClasses
	}
}

func (s *sequences) removeBelow(at uint32, level uint8, row uint32, w int64) {
	i := s.child(at, row)
	nd := &s.inner[at]
	s.spoil(nd, i)
	nd.weight[i] -= w
	left := 0
	if level == 1 {
		rows := s.rowsAt(nd.kid[i], int(nd.rows[i]), blockMax)
		k := s.search(rows, row)
		copy(rows[k:], rows[k+1:])
		nd.rows[i]--
		if left = int(nd.rows[i]); left > 0 {
			nd.first[i] = rows[0]
		}
	} else {
		s.removeBelow(nd.kid[i], level-1, row, w)
		kid := &s.inner[nd.kid[i]]
		if left = kid.n; left > 0 {
			nd.first[i] = kid.first[0]
		}
	}
	s.thin(at, level, i, left)
}

// thin frees child i of a node if nothing is left in it, and joins it with a neighbour if
// both are small.
func (s *sequences) thin(at uint32, level uint8, i, left int) {
	nd := &s.inner[at]
	size := fanout
	if level == 1 {
		size = blockMax
	}
	switch {
	case left == 0:
		s.freeKid(nd.kid[i], level)
		nd.remove(i)
	case left > size/4:
	case i+1 < nd.n && left+s.kids(nd, level, i+1) <= size*3/4:
		s.join(nd, level, i)
	case i > 0 && left+s.kids(nd, level, i-1) <= size*3/4:
		s.join(nd, level, i-1)
	}
}

func (s *sequences) kids(nd *innerNode, level uint8, i int) int {
	if level == 1 {
		return int(nd.rows[i])
	}
	return s.inner[nd.kid[i]].n
}

func (s *sequences) freeKid(kid uint32, level uint8) {
	if level == 1 {
		s.release(blockClasses, kid)
	} else {
		s.spare = append(s.spare, kid)
	}
}

// join moves what is in child i+1 to child i.
func (s *sequences) join(nd *innerNode, level uint8, i int) {
	if level == 1 {
		n, more := int(nd.rows[i]), int(nd.rows[i+1])
		copy(s.blocks[int(nd.kid[i])+n:], s.blocks[nd.kid[i+1]:int(nd.kid[i+1])+more])
		nd.rows[i] += uint8(more)
	} else {
		a, b := &s.inner[nd.kid[i]], &s.inner[nd.kid[i+1]]
		for k := range b.n {
			a.put(a.n, b.entry(k))
		}
	}
	s.spoil(nd, i)
	s.spoil(nd, i+1)
	nd.weight[i] += nd.weight[i+1]
	s.freeKid(nd.kid[i+1], level)
	nd.remove(i + 1)
}

// clear takes all rows away, calling do with each.
func (s *sequences) clear(q *sequence, do func(row uint32)) {
	if q.depth == 0 {
		for _, r := range s.leaf(q) {
			do(r)
		}
		if q.n > 0 {
			s.release(q.class, q.root)
		}
	} else {
		s.clearBelow(q.root, q.depth, do)
	}
	*q = sequence{}
}

func (s *sequences) clearBelow(at uint32, level uint8, do func(row uint32)) {
	for i := range s.inner[at].n {
		s.spoil(&s.inner[at], i)
		kid := s.inner[at].kid[i]
		if level == 1 {
			for _, r := range s.rowsAt(kid, int(s.inner[at].rows[i]), blockMax) {
				do(r)
			}
			s.release(blockClasses, kid)
		} else {
			s.clearBelow(kid, level-1, do)
		}
	}
	s.spare = append(s.spare, at)
}

func (s *sequences) bytes() int64 {
	n := 4*cap(s.blocks) + cap(s.inner)*innerBytes + 4*(cap(s.spare)+cap(s.spoiled))
	for _, f := range s.free {
		n += 4 * cap(f)
	}
	return int64(n)
}

const innerBytes = 8 + fanout*(4+4+1+8+4)
