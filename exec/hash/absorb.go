package hash

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/invariant"
)

// Share runs work(0) … work(n−1), at the same time if it can, and returns when all are
// done.
type Share func(n int, work func(i int)) error

// Absorb finds or makes the groups of all keys of src, a table over the same key columns:
// into[g] belongs to group g of src, and has a place for each up to src.Cap. The work is
// cut into parts by hash, which share runs; src is only read. Which numbers new groups
// get does not depend on who runs the parts.
func (t *Table) Absorb(src *Table, into []uint32, parts int, share Share) error {
	t.added = t.added[:0]
	a := absorption{t: t, src: src, into: into, free: t.free}
	for 2<<a.bits <= parts && leastRange<<(a.bits+1) <= min(len(t.slots), len(src.slots)) {
		a.bits++
	}
	n := 1 << a.bits
	a.parts = make([]absorbed, n)
	if err := share(n, a.find); err != nil {
		return err
	}
	a.room()
	if err := share(n, a.store); err != nil {
		return err
	}
	for i := range a.parts {
		for _, s := range a.parts[i].over {
			t.place(s)
		}
	}
	return nil
}

// leastRange is the least number of slots that are worth a part.
const leastRange = 64

// absorption is an Absorb under way. A part is a range of tags: in both tables, its slots
// lie in a range, except those that were pushed over its end.
type absorption struct {
	t, src *Table
	into   []uint32
	bits   uint // of the number of parts
	parts  []absorbed
	free   []uint32 // numbers that new groups get first, from the end
	base   int      // the number of the first group after these
}

// absorbed is what a part has found.
type absorbed struct {
	fresh []uint64 // slots of src whose keys t does not have
	text  int      // bytes that these refer to
	first int      // how many groups other parts make before
	off   int      // where the bytes go
	over  []uint64 // new slots that found no place in the range
}

// in is the part of a slot.
func (a *absorption) in(slot uint64) int { return int(slot >> 32 >> (32 - a.bits)) }

// bounds is the range of part i in a table's slots.
func (a *absorption) bounds(slots []uint64, i int) (from, to int) {
	return i * len(slots) >> a.bits, (i + 1) * len(slots) >> a.bits
}

// find looks the keys of a part up. Both tables are only read.
func (a *absorption) find(i int) {
	slots := a.src.slots
	from, to := a.bounds(slots, i)
	p := &a.parts[i]
	for at := from; at < from+len(slots); at++ {
		s := slots[at&(len(slots)-1)]
		switch {
		case s == 0 && at >= to:
			return
		case s == 0 || a.in(s) != i:
			continue
		}
		g := uint32(s) - 1
		if a.into[g] = a.t.findOf(a.src, g, uint32(s>>32)); a.into[g] == Missing {
			p.fresh = append(p.fresh, s)
			p.text += a.src.textLen(g)
		}
	}
}

// findOf finds the group of a key of src.
func (t *Table) findOf(src *Table, group, tag uint32) uint32 {
	p := tag >> t.shift
	for {
		s := t.slots[p]
		if s == 0 {
			return Missing
		}
		if uint32(s>>32) == tag && t.sameOf(uint32(s)-1, src, group) {
			return uint32(s) - 1
		}
		p = (p + 1) & uint32(len(t.slots)-1)
	}
}

// sameOf compares a group's key with one of src.
func (t *Table) sameOf(g uint32, src *Table, from uint32) bool {
	key := t.keys[int(g)*t.words:][:t.words]
	row := src.keys[int(from)*t.words:][:t.words]
	for k, w := range key[:t.fixed] {
		if row[k] != w {
			return false
		}
	}
	for k := t.fixed; k < len(key); k++ {
		if key[k]&lenMask != row[k]&lenMask || string(deref(t.arena, key[k])) != string(deref(src.arena, row[k])) {
			return false
		}
	}
	if t.nulls == nil && src.nulls == nil {
		return true
	}
	for m := range t.mask {
		if maskAt(t.nulls, int(g)*t.mask+m) != maskAt(src.nulls, int(from)*t.mask+m) {
			return false
		}
	}
	return true
}

// textLen is the number of bytes that a key refers to.
func (t *Table) textLen(g uint32) (n int) {
	for k := t.fixed; k < t.words; k++ {
		n += int(t.keys[int(g)*t.words+k] & lenMask)
	}
	return n
}

// room makes room for the new groups of all parts, and tells each where its own begin.
func (a *absorption) room() {
	t, n, text := a.t, 0, len(a.t.arena)
	for i := range a.parts {
		p := &a.parts[i]
		p.first, p.off = n, text
		n += len(p.fresh)
		text += p.text
	}
	slots := len(t.slots)
	for 2*(t.Len()+n) > slots {
		slots *= 2
	}
	if slots > len(t.slots) {
		t.resize(slots)
	}
	a.base = t.groups
	reused := min(n, len(t.free))
	a.free, t.free = t.free, t.free[:len(t.free)-reused]
	if t.groups+n-reused > math.MaxInt32 {
		panic(invariant.Limit("one table has more than 2 billion keys"))
	}
	t.groups += n - reused
	t.keys = extend(t.keys, t.groups*t.words)
	if t.nulls != nil || a.src.nulls != nil {
		t.nulls = extend(t.nulls, t.groups*t.mask)
	}
	t.arena = extend(t.arena, text)
}

// extend makes s longer, with room for more; what is new is zero or will be overwritten.
func extend[T any](s []T, n int) []T {
	if n <= cap(s) {
		old := len(s)
		s = s[:n]
		clear(s[old:])
		return s
	}
	grown := make([]T, n, max(n, 2*cap(s)))
	copy(grown, s)
	return grown
}

// number is the number of the i-th new group.
func (a *absorption) number(i int) uint32 {
	if i < len(a.free) {
		return a.free[len(a.free)-1-i]
	}
	return uint32(a.base + i - len(a.free))
}

// store makes the new groups of a part. It touches nothing of other parts.
func (a *absorption) store(i int) {
	p := &a.parts[i]
	from, to := a.bounds(a.t.slots, i)
	mine := a.t.slots[from:to]
	for k, s := range p.fresh {
		g := a.number(p.first + k)
		a.into[uint32(s)-1] = g
		a.copyKey(g, uint32(s)-1, &p.off)
		s = s>>32<<32 | uint64(g+1)
		at := int(uint32(s>>32)>>a.t.shift) - from
		for at < len(mine) && mine[at] != 0 {
			at++
		}
		if at == len(mine) {
			p.over = append(p.over, s)
			continue
		}
		mine[at] = s
	}
}

// copyKey copies a key of src into group g, its bytes to *off.
func (a *absorption) copyKey(g, from uint32, off *int) {
	t, src := a.t, a.src
	key := t.keys[int(g)*t.words:][:t.words]
	copy(key, src.keys[int(from)*t.words:][:t.words])
	for k := t.fixed; k < len(key); k++ {
		b := deref(src.arena, key[k])
		key[k] = ref(*off, len(b))
		*off += copy(t.arena[*off:], b)
	}
	for m := range t.mask {
		if t.nulls != nil {
			t.nulls[int(g)*t.mask+m] = maskAt(src.nulls, int(from)*t.mask+m)
		}
	}
}
