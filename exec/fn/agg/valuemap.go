package agg

import (
	"encoding/binary"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// valueMap keeps a weight for each (group, byte string), pointer-free: the store of
// DISTINCT. Like a bag, but without order and at constant cost. An entry whose
// weight becomes 0 is kept until the change has been logged, so that values which
// come and go within a trigger cost one entry.
type valueMap struct {
	slots   []uint64        // hash tag in the high half, 1 + entry in the low half; 0 = free
	entries []mapEntry      // by number; free ones are linked by next
	heads   cells[listEnds] // by group: its entries, in the order in which they came
	keys    arena
	free    int32
	used    int
	dirty   []int32 // 1 + entry
	buf     []byte
}

type mapEntry struct {
	key        ref
	weight     int64
	group      uint32
	tag        uint32
	next, prev int32 // 1 + entry, of the same group
	dirty      bool
}

// tagOf is the part of the hash that slots keep; the home of an entry follows from it.
func tagOf(group uint32, key []byte) uint32 {
	h := vec.HashBytes(key) + uint64(group)*0x9e3779b97f4a7c15
	return uint32(h>>32) ^ uint32(h)
}

// add adds w to a weight and returns the old and new ones.
func (m *valueMap) add(group uint32, key []byte, w int64) (before, after int64) {
	at := m.findOrMake(group, key)
	e := &m.entries[at-1]
	before = e.weight
	e.weight += w
	if !e.dirty {
		e.dirty = true
		m.dirty = append(m.dirty, at)
	}
	return before, e.weight
}

func (m *valueMap) findOrMake(group uint32, key []byte) int32 {
	if 2*(m.used+1) > len(m.slots) {
		m.rehash(max(16, 2*len(m.slots)))
	}
	tag := tagOf(group, key)
	mask := uint32(len(m.slots) - 1)
	i := tag & mask
	for ; m.slots[i] != 0; i = (i + 1) & mask {
		if s := m.slots[i]; uint32(s>>32) == tag {
			at := int32(uint32(s))
			if e := &m.entries[at-1]; e.group == group && string(m.keys.get(e.key)) == string(key) {
				return at
			}
		}
	}
	at := m.newEntry(mapEntry{key: m.keys.put(key), group: group, tag: tag})
	m.slots[i] = uint64(tag)<<32 | uint64(uint32(at))
	return at
}

func (m *valueMap) newEntry(e mapEntry) int32 {
	m.used++
	at := m.free
	ends := &m.heads.at[e.group]
	e.prev = ends.last
	if at != 0 {
		m.free = m.entries[at-1].next
		m.entries[at-1] = e
	} else {
		m.entries = append(m.entries, e)
		at = int32(len(m.entries))
	}
	if e.prev != 0 {
		m.entries[e.prev-1].next = at
	} else {
		ends.first = at
	}
	ends.last = at
	return at
}

func (m *valueMap) rehash(size int) {
	old := m.slots
	m.slots = make([]uint64, size)
	mask := uint32(size - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := uint32(s>>32) & mask
		for m.slots[i] != 0 {
			i = (i + 1) & mask
		}
		m.slots[i] = s
	}
}

// remove drops an entry.
func (m *valueMap) remove(at int32) {
	e := &m.entries[at-1]
	mask := uint32(len(m.slots) - 1)
	i := e.tag & mask
	for uint32(m.slots[i]) != uint32(at) {
		i = (i + 1) & mask
	}
	m.closeGap(i, mask)
	ends := &m.heads.at[e.group]
	if e.prev != 0 {
		m.entries[e.prev-1].next = e.next
	} else {
		ends.first = e.next
	}
	if e.next != 0 {
		m.entries[e.next-1].prev = e.prev
	} else {
		ends.last = e.prev
	}
	m.keys.drop(e.key)
	*e = mapEntry{next: m.free}
	m.free = at
	m.used--
}

// closeGap moves entries back so that none is behind a free slot of its run.
func (m *valueMap) closeGap(gap, mask uint32) {
	for i := (gap + 1) & mask; m.slots[i] != 0; i = (i + 1) & mask {
		home := uint32(m.slots[i]>>32) & mask
		if (i-home)&mask >= (i-gap)&mask {
			m.slots[gap] = m.slots[i]
			gap = i
		}
	}
	m.slots[gap] = 0
}

// eachOf visits the entries of a group.
func (m *valueMap) eachOf(group uint32, visit func(key []byte, w int64)) {
	for at := m.heads.at[group].first; at != 0; {
		e := &m.entries[at-1]
		at = e.next
		visit(m.keys.get(e.key), e.weight)
	}
}

// dirtyEntries reports what changed since the last call: a weight as varint, nil for
// an entry that is gone.
func (m *valueMap) dirtyEntries(put func(group uint32, key, val []byte)) {
	var buf [binary.MaxVarintLen64]byte
	for _, at := range m.dirty {
		e := &m.entries[at-1]
		if !e.dirty { // it was reset
			continue
		}
		e.dirty = false
		if e.weight != 0 {
			put(e.group, m.keys.get(e.key), binary.AppendVarint(buf[:0], e.weight))
			continue
		}
		put(e.group, m.keys.get(e.key), nil)
		m.remove(at)
	}
	m.dirty = m.dirty[:0]
	m.tidy()
}

func (m *valueMap) tidy() {
	if m.used == 0 {
		*m = valueMap{heads: m.heads, buf: m.buf}
		return
	}
	if m.keys.wasteful() {
		m.keys.compact(func(visit func(*ref)) {
			for i := range m.entries {
				visit(&m.entries[i].key)
			}
		})
	}
}

// reset drops the entries of a group: who resets a group logs the end of them all.
func (m *valueMap) reset(group uint32) {
	for at := m.heads.at[group].first; at != 0; at = m.heads.at[group].first {
		m.remove(at)
	}
	if m.used == 0 {
		m.tidy()
	}
}

// load sets the weight of an entry, which is not dirty afterwards.
func (m *valueMap) load(group uint32, key, val []byte) (err error) {
	w, _, err := cutVarint(val)
	if err == nil {
		m.entries[m.findOrMake(group, key)-1].weight = w
	}
	return err
}

func (m *valueMap) bytes() int64 {
	return m.heads.Bytes() + int64(8*cap(m.slots)+cap(m.keys.buf)+4*cap(m.dirty)) +
		int64(cap(m.entries))*int64(unsafe.Sizeof(mapEntry{}))
}
