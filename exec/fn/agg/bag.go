package agg

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"unsafe"
)

// bag is an ordered multiset of byte strings for each group: key encodings, so that
// the order of bytes is the order of values. It keeps weights and logs touched
// entries. Each group is a treap; nodes of all groups lie in one pointer-free slice.
// The expected cost of an operation is the logarithm of the group's size.
//
// A weight may be negative for a while: a worker's local bag sees retractions of
// rows that only the state has. An entry of weight 0 leaves the tree at once, and its
// node when the change has been logged.
type bag struct {
	root  cells[int32] // 1 + node, 0 = empty
	nodes []bagNode
	keys  arena
	free  int32   // 1 + first node of the free list, linked by left
	used  int     // nodes in use
	dirty []int32 // nodes changed since the last call of dirtyEntries
	rnd   rand.PCG
	// ranked: nodes know the weight of their subtrees, for at and total.
	ranked bool
	path   []int32 // scratch: the nodes of which an insertion or a removal changes the subtree
}

type bagNode struct {
	prefix      uint64 // first 8 bytes of the key, big-endian, zero padded
	key         ref
	weight      int64
	below       int64 // positive weights of the subtree, if the bag is ranked
	left, right int32 // 1 + node
	prio        uint32
	group       uint32
	state       nodeState
}

type nodeState uint8

const (
	nodeDirty nodeState = 1 << iota // in bag.dirty
	nodeGone                        // out of the tree; freed once logged
)

func prefixOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// compare orders key against node n.
func (b *bag) compare(prefix uint64, key []byte, n *bagNode) int {
	switch {
	case prefix < n.prefix:
		return -1
	case prefix > n.prefix:
		return 1
	}
	return bytes.Compare(key, b.keys.get(n.key))
}

// add adds w to the weight of key in a group and returns the old and new weights.
func (b *bag) add(group uint32, key []byte, w int64) (before, after int64) {
	prefix := prefixOf(key)
	at := b.find(group, prefix, key)
	if at == 0 {
		if w == 0 {
			return 0, 0
		}
		at = b.newNode(group, prefix, key)
		b.insert(group, at, key)
	}
	n := &b.nodes[at-1]
	before = n.weight
	n.weight += w
	after = n.weight
	b.bump(group, prefix, key, max(after, 0)-max(before, 0))
	b.touch(at)
	if after == 0 {
		b.remove(group, prefix, key)
		b.nodes[at-1].state |= nodeGone
	}
	return before, after
}

func (b *bag) find(group uint32, prefix uint64, key []byte) int32 {
	at := b.root.at[group]
	for at != 0 {
		n := &b.nodes[at-1]
		c := b.compare(prefix, key, n)
		switch {
		case c == 0:
			return at
		case c < 0:
			at = n.left
		default:
			at = n.right
		}
	}
	return 0
}

func (b *bag) newNode(group uint32, prefix uint64, key []byte) int32 {
	n := bagNode{prefix: prefix, key: b.keys.put(key), group: group, prio: uint32(b.rnd.Uint64())}
	b.used++
	if b.free != 0 {
		at := b.free
		b.free = b.nodes[at-1].left
		b.nodes[at-1] = n
		return at
	}
	b.nodes = append(b.nodes, n)
	return int32(len(b.nodes))
}

func (b *bag) touch(at int32) {
	if n := &b.nodes[at-1]; n.state&nodeDirty == 0 {
		n.state |= nodeDirty
		b.dirty = append(b.dirty, at)
	}
}

// insert puts a new node at the place where its priority belongs, and splits the
// tree below it.
func (b *bag) insert(group uint32, at int32, key []byte) {
	fresh := &b.nodes[at-1]
	link := &b.root.at[group]
	for *link != 0 && b.nodes[*link-1].prio >= fresh.prio {
		n := &b.nodes[*link-1]
		if b.compare(fresh.prefix, key, n) < 0 {
			link = &n.left
		} else {
			link = &n.right
		}
	}
	below := *link
	*link = at
	less, more := &fresh.left, &fresh.right
	b.path = b.path[:0]
	for below != 0 {
		b.path = append(b.path, below)
		n := &b.nodes[below-1]
		if b.compare(fresh.prefix, key, n) < 0 {
			*more, more, below = below, &n.left, n.left
		} else {
			*less, less, below = below, &n.right, n.right
		}
	}
	*less, *more = 0, 0
	b.resum(at)
}

// remove takes a node out of its tree.
func (b *bag) remove(group uint32, prefix uint64, key []byte) {
	link := &b.root.at[group]
	for {
		n := &b.nodes[*link-1]
		c := b.compare(prefix, key, n)
		if c == 0 {
			*link = b.join(n.left, n.right)
			return
		}
		if c < 0 {
			link = &n.left
		} else {
			link = &n.right
		}
	}
}

// join makes one tree of two of which all keys of l are less than those of r.
func (b *bag) join(l, r int32) (root int32) {
	link := &root
	b.path = b.path[:0]
	for l != 0 && r != 0 {
		nl, nr := &b.nodes[l-1], &b.nodes[r-1]
		if nl.prio >= nr.prio {
			b.path = append(b.path, l)
			*link, link, l = l, &nl.right, nl.right
		} else {
			b.path = append(b.path, r)
			*link, link, r = r, &nr.left, nr.left
		}
	}
	*link = l | r
	b.resum(0)
	return root
}

// resum computes the subtrees of the nodes of path anew, the lowest first, then that of
// root.
func (b *bag) resum(root int32) {
	if !b.ranked {
		return
	}
	for i := len(b.path) - 1; i >= 0; i-- {
		b.sumOf(b.path[i])
	}
	if root != 0 {
		b.sumOf(root)
	}
}

func (b *bag) sumOf(at int32) {
	n := &b.nodes[at-1]
	n.below = max(n.weight, 0) + b.weightOf(n.left) + b.weightOf(n.right)
}

// weightOf is the weight of a subtree.
func (b *bag) weightOf(at int32) int64 {
	if at == 0 {
		return 0
	}
	return b.nodes[at-1].below
}

// bump adds to the subtrees that hold a key.
func (b *bag) bump(group uint32, prefix uint64, key []byte, by int64) {
	if !b.ranked || by == 0 {
		return
	}
	for at := b.root.at[group]; at != 0; {
		n := &b.nodes[at-1]
		n.below += by
		switch c := b.compare(prefix, key, n); {
		case c == 0:
			return
		case c < 0:
			at = n.left
		default:
			at = n.right
		}
	}
}

// total is the number of values of a group of a ranked bag.
func (b *bag) total(group uint32) int64 { return b.weightOf(b.root.at[group]) }

// at is the key of the value at a rank from 1; nil beyond the last.
func (b *bag) at(group uint32, rank int64) []byte {
	for at := b.root.at[group]; at != 0; {
		n := &b.nodes[at-1]
		less := b.weightOf(n.left)
		switch own := max(n.weight, 0); {
		case rank <= less:
			at = n.left
		case rank <= less+own:
			return b.keys.get(n.key)
		default:
			rank -= less + own
			at = n.right
		}
	}
	return nil
}

// floor returns the greatest entry that is not above a key, with its weight; nil if
// there is none.
func (b *bag) floor(group uint32, key []byte) (found []byte, weight int64) {
	prefix := prefixOf(key)
	for at := b.root.at[group]; at != 0; {
		n := &b.nodes[at-1]
		if b.compare(prefix, key, n) < 0 {
			at = n.left
			continue
		}
		found, weight = b.keys.get(n.key), n.weight
		at = n.right
	}
	return found, weight
}

// min and max return the least and greatest key of positive weight, nil if none.
func (b *bag) min(group uint32) (key []byte) {
	b.walk(group, func(k []byte, w int64) bool {
		key = k
		return false
	})
	return key
}

func (b *bag) max(group uint32) (key []byte) {
	b.walkBack(b.root.at[group], func(n *bagNode) bool {
		if n.weight > 0 {
			key = b.keys.get(n.key)
		}
		return n.weight <= 0
	})
	return key
}

// walkBack visits the nodes of a tree in descending order, until visit returns false.
func (b *bag) walkBack(at int32, visit func(*bagNode) bool) bool {
	for at != 0 {
		n := &b.nodes[at-1]
		if n.right != 0 && !b.walkBack(n.right, visit) || !visit(n) {
			return false
		}
		at = n.left
	}
	return true
}

// walk visits the entries of positive weight of a group in ascending order, until
// visit returns false.
func (b *bag) walk(group uint32, visit func(key []byte, w int64) bool) {
	b.walkFrom(b.root.at[group], func(n *bagNode) bool {
		return n.weight <= 0 || visit(b.keys.get(n.key), n.weight)
	})
}

func (b *bag) walkFrom(at int32, visit func(*bagNode) bool) bool {
	for at != 0 {
		n := &b.nodes[at-1]
		if n.left != 0 && !b.walkFrom(n.left, visit) || !visit(n) {
			return false
		}
		at = n.right
	}
	return true
}

// merge adds the entries of a group of another bag.
func (b *bag) merge(group uint32, src *bag, from uint32) {
	src.walkFrom(src.root.at[from], func(n *bagNode) bool {
		b.add(group, src.keys.get(n.key), n.weight)
		return true
	})
}

// dirtyEntries reports what changed since the last call: a weight as varint, nil for
// an entry that is gone.
func (b *bag) dirtyEntries(put func(group uint32, key, val []byte)) {
	var buf [binary.MaxVarintLen64]byte
	for _, at := range b.dirty {
		n := &b.nodes[at-1]
		if n.state&nodeGone == 0 {
			put(n.group, b.keys.get(n.key), binary.AppendVarint(buf[:0], n.weight))
			n.state = 0
			continue
		}
		if key := b.keys.get(n.key); b.find(n.group, n.prefix, key) == 0 { // else it came again
			put(n.group, key, nil)
		}
		b.release(at)
	}
	b.dirty = b.dirty[:0]
	b.tidy()
}

// release returns a node to the free list.
func (b *bag) release(at int32) {
	b.keys.drop(b.nodes[at-1].key)
	b.nodes[at-1] = bagNode{left: b.free}
	b.free = at
	b.used--
}

// tidy gives memory back.
func (b *bag) tidy() {
	if b.used == 0 {
		b.nodes, b.free, b.dirty, b.keys = nil, 0, nil, arena{}
		return
	}
	if b.keys.wasteful() {
		b.keys.compact(func(visit func(*ref)) {
			for i := range b.nodes {
				visit(&b.nodes[i].key)
			}
		})
	}
}

// reset drops the entries of a group without logging them: whoever resets a group
// logs the end of all of its entries.
func (b *bag) reset(group uint32) {
	var drop func(at int32)
	drop = func(at int32) {
		for at != 0 {
			n := b.nodes[at-1]
			drop(n.left)
			b.discard(at)
			at = n.right
		}
	}
	drop(b.root.at[group])
	b.root.at[group] = 0
	if b.used == 0 {
		b.tidy()
	}
}

// discard frees a node that is out of its tree; a dirty one stays until the log has
// been told.
func (b *bag) discard(at int32) {
	if n := &b.nodes[at-1]; n.state&nodeDirty != 0 {
		n.state |= nodeGone
		n.weight = 0
		return
	}
	b.release(at)
}

// load sets the weight of an entry, which is not dirty afterwards.
func (b *bag) load(group uint32, key, val []byte) error {
	w, _, err := cutVarint(val)
	if err != nil {
		return err
	}
	prefix := prefixOf(key)
	at := b.find(group, prefix, key)
	if at == 0 {
		at = b.newNode(group, prefix, key)
		b.insert(group, at, key)
	}
	n := &b.nodes[at-1]
	before := n.weight
	n.weight = w
	b.bump(group, prefix, key, max(w, 0)-max(before, 0))
	return nil
}

func (b *bag) bytes() int64 {
	return b.root.Bytes() + int64(cap(b.nodes))*int64(unsafe.Sizeof(bagNode{})) + int64(cap(b.keys.buf)+4*cap(b.dirty))
}
