package stateful

import "github.com/sqlstream/sqlstream/exec/vec"

// chains are lists of stored rows, one a group and side. A row's link word has the next
// row + 1 in its low half and, in its high half, the row before + 1 or, for the first row
// of a list, firstOf and the group.
type chains struct {
	heads [][2]uint32 // first row + 1, by group
}

const firstOf = 1 << 31

func (c *chains) grow(n int) {
	if n > len(c.heads) {
		c.heads = growZero(c.heads, n)
	}
}

// first is the first row + 1 of a list.
func (c *chains) first(side int, group uint32) uint32 { return c.heads[group][side] }

// empty tells that no list of a group has a row; a group that is only counted has no lists.
func (c *chains) empty(group uint32) bool {
	return int(group) >= len(c.heads) || c.heads[group] == [2]uint32{}
}

// add puts a row in front of its list.
func (c *chains) add(s *joinSide, word int, group, slot uint32) {
	head := &c.heads[group][s.port]
	old := *head
	*head = slot + 1
	s.store.row(slot)[word] = uint64(firstOf|group)<<32 | uint64(old)
	if old != 0 {
		w := &s.store.row(old - 1)[word]
		*w = *w&(1<<32-1) | uint64(slot+1)<<32
	}
}

// addLast is add for rows that are never taken out one by one.
func (c *chains) addLast(s *joinSide, word int, group, slot uint32) {
	head := &c.heads[group][s.port]
	s.store.row(slot)[word] = uint64(*head)
	*head = slot + 1
}

// remove takes a row out of its list, and names the group if the list is empty now.
func (c *chains) remove(s *joinSide, word int, slot uint32) (group uint32, last bool) {
	w := s.store.row(slot)[word]
	next, before := uint32(w), uint32(w>>32)
	if before&firstOf != 0 {
		c.heads[before&^firstOf][s.port] = next
	} else {
		b := &s.store.row(before - 1)[word]
		*b = *b&^(1<<32-1) | uint64(next)
	}
	if next != 0 {
		n := &s.store.row(next - 1)[word]
		*n = *n&(1<<32-1) | uint64(before)<<32
	}
	return before &^ firstOf, next == 0 && before&firstOf != 0
}

func (c *chains) bytes() int64 { return int64(8 * cap(c.heads)) }

// rowIndex finds stored rows by their values: open addressing over a tag and the slot + 1,
// as in exec/hash. The mark word of a row has the tag in its high half.
type rowIndex struct {
	store *rowStore
	mark  int
	slots []uint64
	shift uint
	n     int
}

// find returns the slot of a row of columns that hashes to h, noRow if there is none.
func (x *rowIndex) find(h uint64, cols []*vec.Vector, row int) uint32 {
	if x.n == 0 {
		return noRow
	}
	tag := uint32(h)
	for p := tag >> x.shift; x.slots[p] != 0; p = (p + 1) & uint32(len(x.slots)-1) {
		if e := x.slots[p]; uint32(e>>32) == tag && x.store.same(uint32(e)-1, cols, row) {
			return uint32(e) - 1
		}
	}
	return noRow
}

// add lists a row.
func (x *rowIndex) add(h uint64, slot uint32) {
	if 2*(x.n+1) > len(x.slots) {
		x.resize(max(16, 2*len(x.slots)))
	}
	w := &x.store.row(slot)[x.mark]
	*w = *w&(1<<32-1) | h<<32
	x.place(h<<32 | uint64(slot+1))
	x.n++
}

func (x *rowIndex) place(e uint64) {
	p := uint32(e>>32) >> x.shift
	for x.slots[p] != 0 {
		p = (p + 1) & uint32(len(x.slots)-1)
	}
	x.slots[p] = e
}

func (x *rowIndex) resize(n int) {
	old := x.slots
	x.slots, x.shift = make([]uint64, n), 32
	for k := n; k > 1; k >>= 1 {
		x.shift--
	}
	for _, e := range old {
		if e != 0 {
			x.place(e)
		}
	}
}

// remove forgets a row, and moves back the entries that would no longer be found.
func (x *rowIndex) remove(slot uint32) {
	mask := uint32(len(x.slots) - 1)
	p := uint32(x.store.row(slot)[x.mark]>>32) >> x.shift
	for uint32(x.slots[p]) != slot+1 {
		p = (p + 1) & mask
	}
	for k := (p + 1) & mask; x.slots[k] != 0; k = (k + 1) & mask {
		home := uint32(x.slots[k]>>32) >> x.shift
		if (k-home)&mask >= (k-p)&mask {
			x.slots[p] = x.slots[k]
			p = k
		}
	}
	x.slots[p] = 0
	if x.n--; x.n == 0 {
		x.slots = nil
	}
}

func (x *rowIndex) bytes() int64 { return int64(8 * cap(x.slots)) }

// push is append, for lists that become long: their memory doubles.
func push[T any](s []T, x T) []T {
	if len(s) == cap(s) {
		s = append(make([]T, 0, max(32, 2*cap(s))), s...)
	}
	return append(s, x)
}
