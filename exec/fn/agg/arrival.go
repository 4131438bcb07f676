package agg

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// arrivals keeps the values of each group in order of arrival. A retraction takes back
// the newest equal value. One that is not there yet (a worker's local list sees the
// retraction of a row that only the state has) waits in the list with a negative weight,
// until the list is merged. Where rows are retracted, an index finds the newest of equal
// values: a retraction costs the logarithm of the group.
type arrivals struct {
	retract   bool
	index     bag // value and arrival number → 1 + node of a positive weight; not logged
	heads     cells[listEnds]
	nodes     []arrival
	keys      arena
	free      int32
	used      int
	seq       uint64 // of the next arrival
	dirty     []int32
	buf       []byte
	place     []byte // scratch: a key of the index
	skipNulls bool
}

type arrival struct {
	key        ref
	weight     int64
	seq        uint64
	next, prev int32
	group      uint32
	state      nodeState
}

// Grow implements fn.Accumulator.
func (a *arrivals) Grow(n int) {
	a.heads.Grow(n)
	if a.retract {
		a.index.root.Grow(n)
	}
}

// Bytes implements fn.Accumulator.
func (a *arrivals) Bytes() int64 {
	return a.heads.Bytes() + a.index.bytes() + int64(cap(a.nodes))*int64(unsafe.Sizeof(arrival{})) + int64(cap(a.keys.buf)+4*cap(a.dirty))
}

// Add implements fn.Accumulator.
func (a *arrivals) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	if !a.skipNulls {
		v = nil
	}
	each(rows, v, func(g uint32, r int, w int64) {
		a.buf = vec.AppendKey(a.buf[:0], rows.Args[0], r)
		a.come(g, a.buf, w)
	})
	return nil
}

// come adds w copies of a value to the end of a group, or takes −w back.
func (a *arrivals) come(g uint32, key []byte, w int64) {
	for w < 0 {
		at := a.newest(g, key)
		if at == 0 {
			break
		}
		n := &a.nodes[at-1]
		take := min(n.weight, -w)
		n.weight -= take
		w += take
		a.touch(at)
		if n.weight == 0 {
			a.unlink(at)
		}
	}
	if w != 0 {
		a.touch(a.push(arrival{key: a.keys.put(key), weight: w, seq: a.seq, group: g}))
		a.seq++
	}
}

// newest is the node of the newest of equal values that are there; 0 = none.
func (a *arrivals) newest(g uint32, key []byte) int32 {
	if !a.retract {
		return 0
	}
	a.place = binary.BigEndian.AppendUint64(append(a.place[:0], key...), math.MaxUint64)
	found, at := a.index.floor(g, a.place)
	if len(found) != len(a.place) || string(found[:len(key)]) != string(key) {
		return 0
	}
	return int32(at)
}

// note puts a node into the index (sign 1), or takes it out (−1).
func (a *arrivals) note(at int32, sign int64) {
	n := &a.nodes[at-1]
	if a.retract {
		a.place = binary.BigEndian.AppendUint64(append(a.place[:0], a.keys.get(n.key)...), n.seq)
		a.index.add(n.group, a.place, sign*int64(at))
	}
}

func (a *arrivals) touch(at int32) {
	if n := &a.nodes[at-1]; n.state&nodeDirty == 0 {
		n.state |= nodeDirty
		a.dirty = append(a.dirty, at)
	}
}

// push puts a node at its place by seq, which is the end unless it is loaded.
func (a *arrivals) push(n arrival) int32 {
	at := a.free
	a.used++
	if at != 0 {
		a.free = a.nodes[at-1].next
	} else {
		a.nodes = append(a.nodes, arrival{})
		at = int32(len(a.nodes))
	}
	ends := &a.heads.at[n.group]
	before := ends.last
	for before != 0 && a.nodes[before-1].seq > n.seq {
		before = a.nodes[before-1].prev
	}
	n.prev, n.next = before, ends.first
	if before != 0 {
		n.next = a.nodes[before-1].next
	}
	a.nodes[at-1] = n
	*a.nextOf(ends, n.prev) = at
	*a.prevOf(ends, n.next) = at
	if n.weight > 0 {
		a.note(at, 1)
	}
	return at
}

func (a *arrivals) nextOf(ends *listEnds, at int32) *int32 {
	if at == 0 {
		return &ends.first
	}
	return &a.nodes[at-1].next
}

func (a *arrivals) prevOf(ends *listEnds, at int32) *int32 {
	if at == 0 {
		return &ends.last
	}
	return &a.nodes[at-1].prev
}

// unlink takes a dirty node out of its list; it is freed once logged.
func (a *arrivals) unlink(at int32) {
	a.note(at, -1)
	n := &a.nodes[at-1]
	ends := &a.heads.at[n.group]
	*a.nextOf(ends, n.prev) = n.next
	*a.prevOf(ends, n.next) = n.prev
	n.state |= nodeGone
}

func (a *arrivals) release(at int32) {
	a.keys.drop(a.nodes[at-1].key)
	a.nodes[at-1] = arrival{next: a.free}
	a.free = at
	a.used--
}

// walk visits a group's values in order of arrival.
func (a *arrivals) walk(g uint32, visit func(key []byte, w int64)) {
	for at := a.heads.at[g].first; at != 0; {
		n := &a.nodes[at-1]
		at = n.next
		visit(a.keys.get(n.key), n.weight)
	}
}

func (a *arrivals) mergeLists(src *arrivals, from, into []uint32) {
	for i, f := range from {
		src.walk(f, func(key []byte, w int64) { a.come(into[i], key, w) })
	}
}

// Reset implements fn.Accumulator.
func (a *arrivals) Reset(g uint32) {
	for at := a.heads.at[g].first; at != 0; {
		n := &a.nodes[at-1]
		next := n.next
		if n.state&nodeDirty != 0 {
			n.state |= nodeGone
		} else {
			a.release(at)
		}
		at = next
	}
	a.heads.Reset(g)
	if a.retract {
		a.index.reset(g)
	}
	a.tidy()
}

func (a *arrivals) tidy() {
	if a.used == 0 {
		a.nodes, a.free, a.dirty, a.keys = nil, 0, nil, arena{}
		return
	}
	if a.keys.wasteful() {
		a.keys.compact(func(visit func(*ref)) {
			for i := range a.nodes {
				visit(&a.nodes[i].key)
			}
		})
	}
}

// AppendState implements fn.Accumulator.
func (a *arrivals) AppendState(dst []byte, _ uint32) []byte { return dst }

// LoadState implements fn.Accumulator.
func (a *arrivals) LoadState(src []byte, _ uint32) ([]byte, error) { return src, nil }

// DirtyEntries implements fn.EntryAccumulator: arrival number → weight and value.
func (a *arrivals) DirtyEntries(put func(group uint32, sub, val []byte)) {
	var sub, val []byte
	for _, at := range a.dirty {
		n := &a.nodes[at-1]
		sub = binary.BigEndian.AppendUint64(sub[:0], n.seq)
		if n.state&nodeGone != 0 {
			put(n.group, sub, nil)
			a.release(at)
			continue
		}
		n.state = 0
		val = append(binary.AppendVarint(val[:0], n.weight), a.keys.get(n.key)...)
		put(n.group, sub, val)
	}
	a.dirty = a.dirty[:0]
	a.index.dirtyEntries(func(uint32, []byte, []byte) {})
	a.tidy()
}

// LoadEntry implements fn.EntryAccumulator.
func (a *arrivals) LoadEntry(g uint32, sub, val []byte) error {
	w, key, err := cutVarint(val)
	if err != nil || len(sub) != 8 {
		return errState
	}
	n := arrival{key: a.keys.put(key), weight: w, seq: binary.BigEndian.Uint64(sub), group: g}
	a.seq = max(a.seq, n.seq+1)
	a.push(n)
	a.index.dirtyEntries(func(uint32, []byte, []byte) {})
	return nil
}
