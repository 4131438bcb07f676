package agg

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// valueMap keeps a weight for each pair of a group and a tuple of values: the store of
// DISTINCT. Like a bag, but without order and at constant cost. It is a hash table over
// the group number and the values; its groups are the map's entries. An entry whose
// weight becomes 0 is kept until the change has been logged, so that values which
// come and go within a trigger cost one entry.
type valueMap struct {
	types   []types.Type // group number, then the values
	table   *hash.Table  // nil while the map is empty
	entries []mapEntry
	heads   cells[listEnds] // by group: its entries, in the order in which they came
	dirty   []uint32        // changed entries since the last call of dirtyEntries

	groups []int64 // scratch: the group column
	found  []uint32
	cols   []*vec.Vector
}

// listEnds are the ends of a group's list of entries.
type listEnds struct {
	first, last int32 // 1 + entry
}

type mapEntry struct {
	weight     int64
	group      uint32
	next, prev int32 // 1 + entry, of the same group
	dirty      bool
}

func newValueMap(values []types.Type) valueMap {
	return valueMap{types: append([]types.Type{types.Of(types.Int64)}, values...)}
}

// find gives the entry of each row that counts, making those that are missing. groups[i]
// belongs to the i-th row; the columns have n rows. The result is valid until the next
// call.
func (m *valueMap) find(values []*vec.Vector, n int, sel []int32, groups []uint32) []uint32 {
	m.begin(n, sel, groups)
	m.cols = append(append(m.cols[:0], vec.FromInts(m.types[0], m.groups)), values...)
	m.table.FindOrInsert(m.cols, sel, nil, m.found)
	m.linkAdded(groups)
	return m.found
}

// findFrom is find for entries of another map.
func (m *valueMap) findFrom(src *valueMap, entries, groups []uint32) []uint32 {
	m.begin(len(groups), nil, groups)
	m.table.InsertFromAs(src.table, entries, m.groups, m.found)
	m.linkAdded(groups)
	return m.found
}

// begin makes the group column of n rows, and room for what is found.
func (m *valueMap) begin(n int, sel []int32, groups []uint32) {
	if m.table == nil {
		m.table = hash.New(m.types)
	}
	if cap(m.groups) < n {
		m.groups = make([]int64, n)
	}
	m.groups = m.groups[:n]
	for i, g := range groups {
		m.groups[rowAt(sel, i)] = int64(g)
	}
	if cap(m.found) < len(groups) {
		m.found = make([]uint32, len(groups))
	}
	m.found = m.found[:len(groups)]
}

// linkAdded puts new entries into the lists of their groups.
func (m *valueMap) linkAdded(groups []uint32) {
	added := m.table.Added()
	m.room()
	for i := 0; len(added) > 0; i++ {
		if m.found[i] == added[0] {
			m.link(added[0], groups[i])
			added = added[1:]
		}
	}
}

// room makes room for all entries of the table.
func (m *valueMap) room() {
	n := m.table.Cap()
	switch {
	case n <= len(m.entries):
	case n <= cap(m.entries):
		m.entries = m.entries[:n]
	default:
		grown := make([]mapEntry, n, max(n, 2*cap(m.entries)))
		copy(grown, m.entries)
		m.entries = grown
	}
}

func (m *valueMap) link(at, group uint32) {
	ends := &m.heads.at[group]
	m.entries[at] = mapEntry{group: group, prev: ends.last}
	if ends.last != 0 {
		m.entries[ends.last-1].next = int32(at) + 1
	} else {
		ends.first = int32(at) + 1
	}
	ends.last = int32(at) + 1
}

// add adds w to the weight of an entry and returns the old and new ones.
func (m *valueMap) add(at uint32, w int64) (before, after int64) {
	e := &m.entries[at]
	before = e.weight
	e.weight += w
	if !e.dirty {
		e.dirty = true
		m.dirty = append(m.dirty, at)
	}
	return before, e.weight
}

// remove drops an entry.
func (m *valueMap) remove(at uint32) {
	e := &m.entries[at]
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
	*e = mapEntry{}
	m.table.Delete(at)
}

// of lists the entries of a group that have a weight.
func (m *valueMap) of(group uint32, into []uint32) []uint32 {
	for at := m.heads.at[group].first; at != 0; at = m.entries[at-1].next {
		if m.entries[at-1].weight != 0 {
			into = append(into, uint32(at-1))
		}
	}
	return into
}

// dirtyEntries reports what changed since the last call: a weight as varint, nil for
// an entry that is gone. Keys are the key encodings of the values.
func (m *valueMap) dirtyEntries(put func(group uint32, key, val []byte)) {
	var num [binary.MaxVarintLen64]byte
	var buf []byte
	for _, at := range m.dirty {
		e := &m.entries[at]
		if !e.dirty { // it was reset
			continue
		}
		e.dirty = false
		head := len(vec.AppendIntKey(buf[:0], int64(e.group)))
		buf = m.table.KeyBytes(at, buf[:0])
		if e.weight != 0 {
			put(e.group, buf[head:], binary.AppendVarint(num[:0], e.weight))
			continue
		}
		put(e.group, buf[head:], nil)
		m.remove(at)
	}
	m.dirty = m.dirty[:0]
	m.tidy()
}

// tidy gives memory back that an idle map does not need.
func (m *valueMap) tidy() {
	m.groups, m.found = nil, nil
	if m.table == nil {
		return
	}
	m.table.Rest()
	if m.table.Len() == 0 {
		m.table, m.entries, m.dirty = nil, nil, nil
	}
}

// reset drops the entries of a group: who resets a group logs the end of them all.
func (m *valueMap) reset(group uint32) {
	for at := m.heads.at[group].first; at != 0; at = m.heads.at[group].first {
		m.remove(uint32(at - 1))
	}
	if m.table != nil && m.table.Len() == 0 {
		m.tidy()
	}
}

// load sets the weight of an entry, which is not dirty afterwards.
func (m *valueMap) load(group uint32, key, val []byte) error {
	w, _, err := cutVarint(val)
	if err != nil {
		return err
	}
	if m.table == nil {
		m.table = hash.New(m.types)
	}
	at, err := m.table.InsertKey(append(vec.AppendIntKey(nil, int64(group)), key...))
	if err != nil {
		return err
	}
	if len(m.table.Added()) > 0 {
		m.room()
		m.link(at, group)
	}
	m.entries[at].weight = w
	return nil
}

func (m *valueMap) bytes() int64 {
	n := m.heads.Bytes() + int64(40*cap(m.entries)+4*cap(m.dirty)+8*cap(m.groups)+4*cap(m.found))
	if m.table != nil {
		n += m.table.Bytes()
	}
	return n
}
