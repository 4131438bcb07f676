// Package hash owns the table that gives each distinct key of some columns a small
// number, its group: the heart of aggregation, joins, DISTINCT and keyed state. It
// knows vectors and key encodings, but nothing of what is kept per group, of weights
// or of SQL. Open this file first; layout.go says how keys lie in memory, keys.go how
// they come back out.
package hash

import (
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Missing is what Find gives for a key without a group.
const Missing = math.MaxUint32

// Table maps keys to groups. A group is a number below Cap, stays the same while it
// exists, and may be given to another key after Delete. Keys are one group by
// vec.Equal: NULL is a key like others.
//
// The index is open addressing over slots of 64 bits, a 32-bit tag and the group + 1.
// The place of a slot is the top bits of its tag, so growing reads no keys. Nothing
// in a table is a pointer, and nothing refers to a batch after a call. It is used by
// one goroutine at a time.
type Table struct {
	*layout
	*work
	slots []uint64
	shift uint // tag >> shift is the home of a slot

	keys  []uint64 // words of each group
	nulls []uint64 // masks of each group; nil while there is no NULL
	arena []byte   // bytes that keys refer to
	waste int      // bytes of the arena that no group refers to

	groups int      // groups in use or free
	free   []uint32 // deleted groups
	added  []uint32 // groups of the last FindOrInsert that were not there before

	seen  *vec.Vector // the dictionary of the last batch
	dict  *vec.Vector // the dictionary that codes belongs to
	codes []uint32    // group + 1 of each entry, 0 = not looked up yet
}

// work is the memory of a call, shared by siblings.
type work struct {
	probe  probe
	hashes []uint64
	row    *rowBuilders // for single keys
}

const minSlots = 16

// New returns an empty table over key columns of the given types; there may be none.
func New(keys []types.Type) *Table {
	return (&Table{layout: newLayout(keys), work: &work{}}).Sibling()
}

// Sibling returns an empty table over the same key columns. It shares the working
// memory of t, some hundred KiB at worst: siblings are used by the same goroutine.
// Keep many small tables, one a window say, as siblings.
func (t *Table) Sibling() *Table {
	s := &Table{layout: t.layout, work: t.work}
	s.resize(minSlots)
	return s
}

// Reader returns a table with the groups of t and working memory of its own. Readers
// may be asked at the same time, each by one goroutine, as long as neither they nor t
// are changed.
func (t *Table) Reader() *Table {
	r := *t
	r.work = &work{}
	r.added, r.seen, r.dict, r.codes = nil, nil, nil, nil
	return &r
}

// Rest gives the working memory back that calls have left behind; the next call makes
// new. A table that rests no longer shares memory with its siblings.
func (t *Table) Rest() { t.work = &work{} }

// Len is the number of groups that exist.
func (t *Table) Len() int { return t.groups - len(t.free) }

// Cap is one more than the greatest group ever given out since Reset: what is kept
// per group needs that many places.
func (t *Table) Cap() int { return t.groups }

// Added lists the groups that the last FindOrInsert or InsertKey made, in the order
// of their first rows. It is valid until the next call.
func (t *Table) Added() []uint32 { return t.added }

// Bytes is the memory held, without what siblings share.
func (t *Table) Bytes() int64 {
	words := cap(t.slots) + cap(t.keys) + cap(t.nulls)
	return int64(8*words + cap(t.arena) + 4*(cap(t.free)+cap(t.added)+cap(t.codes)))
}

// Reset removes all groups and keeps the memory.
func (t *Table) Reset() {
	clear(t.slots)
	t.keys, t.nulls, t.arena = t.keys[:0], nil, t.arena[:0]
	t.groups, t.waste, t.free, t.added = 0, 0, t.free[:0], t.added[:0]
	t.seen = nil
	t.forgetDict()
}

func (t *Table) forgetDict() { t.dict, t.codes = nil, t.codes[:0] }

// FindOrInsert finds the group of each row that counts, making those that are missing:
// groups[i] belongs to the i-th row of sel (nil = all rows), of which there are
// len(groups). hashes are what vec.Hash gives for the same rows, or nil. It returns the
// number of new groups, which Added lists.
func (t *Table) FindOrInsert(cols []*vec.Vector, sel []int32, hashes []uint64, groups []uint32) int {
	t.added = t.added[:0]
	t.look(cols, sel, hashes, groups, true)
	return len(t.added)
}

// Find is FindOrInsert without making groups: a key that is not there gets Missing.
func (t *Table) Find(cols []*vec.Vector, sel []int32, hashes []uint64, groups []uint32) {
	t.look(cols, sel, hashes, groups, false)
}

func (t *Table) look(cols []*vec.Vector, sel []int32, hashes []uint64, groups []uint32, insert bool) {
	invariant.Assert(len(cols) == len(t.nodes), "a table is asked with its key columns")
	if len(groups) == 0 {
		return
	}
	if t.cached(cols, len(groups)) {
		t.lookDict(cols[0], sel, hashes, groups, insert)
		return
	}
	if hashes == nil {
		t.hashes = vec.Hash(cols, len(groups), sel, t.hashes)
		hashes = t.hashes
	}
	t.load(&t.probe, cols, sel, len(groups))
	t.find(hashes[:len(groups)], groups, insert)
}

// find probes for the loaded keys, with the loop that fits the layout.
func (t *Table) find(hashes []uint64, groups []uint32, insert bool) {
	plain := t.probe.nulls == nil && t.mask == 1
	switch {
	case plain && t.words == 1 && t.fixed == 1:
		t.findOne(hashes, groups, insert)
	case plain && t.words == 2 && t.fixed == 2:
		t.findTwo(hashes, groups, insert)
	default:
		t.findAny(hashes, groups, insert)
	}
}

// findOne is the loop for one word.
func (t *Table) findOne(hashes []uint64, groups []uint32, insert bool) {
	words := t.probe.words[:len(groups)]
	hashes = hashes[:len(groups)]
	slots, keys, shift := t.slots, t.keys, t.shift
	for i, key := range words {
		tag := uint32(hashes[i])
		p := tag >> shift
		for {
			s := slots[p]
			if s == 0 {
				groups[i] = Missing
				if insert {
					groups[i] = t.insert(i, p, tag)
					slots, keys, shift = t.slots, t.keys, t.shift
				}
				break
			}
			if uint32(s>>32) == tag && keys[uint32(s)-1] == key && maskAt(t.nulls, int(uint32(s)-1)) == 0 {
				groups[i] = uint32(s) - 1
				break
			}
			p = (p + 1) & uint32(len(slots)-1)
		}
	}
}

// findTwo is the loop for two words.
func (t *Table) findTwo(hashes []uint64, groups []uint32, insert bool) {
	words := t.probe.words[:2*len(groups)]
	hashes = hashes[:len(groups)]
	slots, keys, shift := t.slots, t.keys, t.shift
	for i := range groups {
		a, b := words[2*i], words[2*i+1]
		tag := uint32(hashes[i])
		p := tag >> shift
		for {
			s := slots[p]
			if s == 0 {
				groups[i] = Missing
				if insert {
					groups[i] = t.insert(i, p, tag)
					slots, keys, shift = t.slots, t.keys, t.shift
				}
				break
			}
			g := 2 * (int(uint32(s)) - 1)
			if uint32(s>>32) == tag && keys[g] == a && keys[g+1] == b && maskAt(t.nulls, g>>1) == 0 {
				groups[i] = uint32(s) - 1
				break
			}
			p = (p + 1) & uint32(len(slots)-1)
		}
	}
}

// findAny is the loop for any layout.
func (t *Table) findAny(hashes []uint64, groups []uint32, insert bool) {
	for i := range groups {
		groups[i] = t.findRow(i, uint32(hashes[i]), insert)
	}
}

// findRow finds the i-th loaded key.
func (t *Table) findRow(i int, tag uint32, insert bool) uint32 {
	p := tag >> t.shift
	for {
		s := t.slots[p]
		if s == 0 {
			break
		}
		if uint32(s>>32) == tag && t.same(uint32(s)-1, i) {
			return uint32(s) - 1
		}
		p = (p + 1) & uint32(len(t.slots)-1)
	}
	if !insert {
		return Missing
	}
	return t.insert(i, p, tag)
}

// same compares a group's key with the i-th loaded one.
func (t *Table) same(g uint32, i int) bool {
	key := t.keys[int(g)*t.words:][:t.words]
	row := t.probe.words[i*t.words:][:t.words]
	for k, w := range key[:t.fixed] {
		if row[k] != w {
			return false
		}
	}
	for k := t.fixed; k < len(key); k++ {
		a, b := key[k], row[k]
		if a&lenMask != b&lenMask || string(deref(t.arena, a)) != string(deref(t.probe.bufs[k-t.fixed], b)) {
			return false
		}
	}
	return t.nulls == nil && t.probe.nulls == nil || t.sameNulls(g, i)
}

func (t *Table) sameNulls(g uint32, i int) bool {
	for m := range t.mask {
		if maskAt(t.nulls, int(g)*t.mask+m) != maskAt(t.probe.nulls, i*t.mask+m) {
			return false
		}
	}
	return true
}

// maskAt reads a null mask; nil has no NULL.
func maskAt(masks []uint64, i int) uint64 {
	if masks == nil {
		return 0
	}
	return masks[i]
}

// insert makes a group of the i-th loaded key in the empty slot p.
func (t *Table) insert(i int, p, tag uint32) uint32 {
	g := t.newGroup()
	t.store(g, i)
	t.slots[p] = uint64(tag)<<32 | uint64(g+1)
	t.added = append(t.added, g)
	if 2*t.Len() > len(t.slots) {
		t.resize(2 * len(t.slots))
	}
	return g
}

func (t *Table) newGroup() uint32 {
	if n := len(t.free); n > 0 {
		g := t.free[n-1]
		t.free = t.free[:n-1]
		return g
	}
	if t.groups == math.MaxInt32 {
		panic(invariant.Limit("one table has more than 2 billion keys"))
	}
	g := uint32(t.groups)
	t.groups++
	if len(t.keys)+t.words > cap(t.keys) { // twice as much: append gives large slices a quarter more
		t.keys = slices.Grow(t.keys, max(len(t.keys), t.words))
	}
	for range t.words {
		t.keys = append(t.keys, 0)
	}
	if t.nulls != nil {
		for range t.mask {
			t.nulls = append(t.nulls, 0)
		}
	}
	return g
}

// store copies the i-th loaded key into group g.
func (t *Table) store(g uint32, i int) {
	key := t.keys[int(g)*t.words:][:t.words]
	row := t.probe.words[i*t.words:][:t.words]
	copy(key, row)
	for k := t.fixed; k < len(key); k++ {
		b := deref(t.probe.bufs[k-t.fixed], row[k])
		key[k] = ref(len(t.arena), len(b))
		t.arena = append(t.arena, b...)
	}
	if t.probe.nulls != nil && t.nulls == nil {
		t.nulls = make([]uint64, t.groups*t.mask, max(t.groups, 64)*t.mask)
	}
	if t.nulls != nil {
		for m := range t.mask {
			t.nulls[int(g)*t.mask+m] = maskAt(t.probe.nulls, i*t.mask+m)
		}
	}
}

// resize moves the slots to an index of n places, a power of two.
func (t *Table) resize(n int) {
	old := t.slots
	t.slots = make([]uint64, n)
	t.shift = 32 - log2(n)
	for _, s := range old {
		if s != 0 {
			t.place(s)
		}
	}
}

func (t *Table) place(s uint64) {
	p := uint32(s>>32) >> t.shift
	for t.slots[p] != 0 {
		p = (p + 1) & uint32(len(t.slots)-1)
	}
	t.slots[p] = s
}

func log2(n int) uint {
	k := uint(0)
	for 1<<k < n {
		k++
	}
	return k
}

// Delete removes a group that exists; its number may be given out again.
func (t *Table) Delete(group uint32) {
	t.unslot(group)
	t.release(group)
}

// release frees the number and the bytes of a group.
func (t *Table) release(group uint32) {
	for k := t.fixed; k < t.words; k++ {
		t.waste += int(t.keys[int(group)*t.words+k] & lenMask)
		t.keys[int(group)*t.words+k] = 0
	}
	t.free = append(t.free, group)
	t.forgetDict()
	if t.waste > 1<<16 && t.waste > len(t.arena)/2 {
		t.compact()
	}
}

// unslot empties the slot of a group, and moves back the slots after it that would
// otherwise no longer be found.
func (t *Table) unslot(group uint32) {
	mask := uint32(len(t.slots) - 1)
	p := uint32(t.Hash(group)) >> t.shift
	for uint32(t.slots[p]) != group+1 {
		invariant.Assert(t.slots[p] != 0, "a deleted group exists")
		p = (p + 1) & mask
	}
	for j := (p + 1) & mask; t.slots[j] != 0; j = (j + 1) & mask {
		home := uint32(t.slots[j]>>32) >> t.shift
		if (j-home)&mask >= (j-p)&mask {
			t.slots[p] = t.slots[j]
			p = j
		}
	}
	t.slots[p] = 0
}

// compact copies the bytes in use to a new arena.
func (t *Table) compact() {
	arena := make([]byte, 0, len(t.arena)-t.waste+len(t.arena)/8)
	for g := range t.groups {
		for k := t.fixed; k < t.words; k++ {
			w := &t.keys[g*t.words+k]
			b := deref(t.arena, *w)
			*w = ref(len(arena), len(b))
			arena = append(arena, b...)
		}
	}
	t.arena, t.waste = arena, 0
}
