package hash

import (
	"bytes"
	"cmp"
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rowBuilders hold single keys on their way in and out of the table.
type rowBuilders struct {
	bs   []*vec.Builder
	cols []*vec.Vector
	one  [1]uint32
}

// builders returns empty builders for the key columns.
func (w *work) builders(l *layout) *rowBuilders {
	if w.row == nil {
		r := &rowBuilders{cols: make([]*vec.Vector, len(l.nodes))}
		for _, n := range l.nodes {
			r.bs = append(r.bs, vec.NewBuilder(n.typ))
		}
		w.row = r
	}
	for _, b := range w.row.bs {
		b.Reset()
	}
	return w.row
}

func (r *rowBuilders) finish() []*vec.Vector {
	for i, b := range r.bs {
		r.cols[i] = b.Finish()
	}
	return r.cols
}

// Hash is what vec.Hash gives for the key of a group.
func (t *Table) Hash(group uint32) uint64 { return t.hashWith(t.work, group) }

// hashWith is Hash in the working memory of w: other goroutines may read t.
func (t *Table) hashWith(w *work, group uint32) uint64 {
	if t.lists {
		r := w.builders(t.layout)
		r.one[0] = group
		t.Keys(r.one[:], r.bs)
		return vec.HashRow(r.finish(), 0)
	}
	if len(t.nodes) == 0 {
		return vec.HashNull
	}
	h := t.hashNode(&t.nodes[0], group)
	for i := 1; i < len(t.nodes); i++ {
		h = vec.CombineHash(h, t.hashNode(&t.nodes[i], group))
	}
	return h
}

func (t *Table) hashNode(n *node, g uint32) uint64 {
	if t.isNull(g, n) {
		return vec.HashNull
	}
	w := int(g)*t.words + n.word
	switch n.phys {
	case types.PhysString:
		return vec.HashBytes(deref(t.arena, t.keys[w]))
	case types.PhysInt128:
		return vec.HashInt128(types.Int128{Lo: t.keys[w], Hi: int64(t.keys[w+1])})
	case types.PhysInterval:
		return vec.HashInterval(interval(t.keys[w:]))
	case types.PhysStruct:
		h := uint64(vec.HashStruct)
		for i := range n.kids {
			h = vec.CombineHash(h, t.hashNode(&n.kids[i], g))
		}
		return h
	}
	return vec.HashInt(int64(t.keys[w]))
}

// InsertFrom finds or makes the groups of keys of src, a table over the same key
// columns: into[i] belongs to groups[i] of src. It returns the number of new groups,
// which Added lists. src is only read: several tables may take from it at once.
func (t *Table) InsertFrom(src *Table, groups, into []uint32) int {
	t.loadFrom(src, groups)
	for i, g := range groups {
		into[i] = t.findRow(i, uint32(src.hashWith(t.work, g)), true)
	}
	return len(t.added)
}

// loadFrom is load for keys of src.
func (t *Table) loadFrom(src *Table, groups []uint32) {
	t.added = t.added[:0]
	p := &t.probe
	t.layout.room(p, len(groups))
	for k := range p.bufs {
		p.bufs[k] = src.arena
	}
	if src.nulls != nil {
		p.nulls = p.cleared(len(groups) * t.mask)
	}
	for i, g := range groups {
		copy(p.words[i*t.words:], src.keys[int(g)*t.words:][:t.words])
		if src.nulls != nil {
			copy(p.nulls[i*t.mask:], src.nulls[int(g)*t.mask:][:t.mask])
		}
	}
}

// InsertFromAs is InsertFrom for keys whose first column, a BIGINT, is first[i] instead.
func (t *Table) InsertFromAs(src *Table, groups []uint32, first []int64, into []uint32) int {
	if t.lists {
		return t.insertBuilt(src, groups, first, into)
	}
	t.loadFrom(src, groups)
	if cap(t.hashes) < len(groups) {
		t.hashes = make([]uint64, len(groups))
	}
	hashes, word := t.hashes[:len(groups)], t.nodes[0].word
	for i, g := range groups {
		t.probe.words[i*t.words+word] = uint64(first[i])
		if t.probe.nulls != nil {
			t.probe.nulls[i*t.mask] &^= 1 // the first column's bit
		}
		h := vec.HashInt(first[i])
		for k := 1; k < len(t.nodes); k++ {
			h = vec.CombineHash(h, src.hashNode(&t.nodes[k], g))
		}
		hashes[i] = h
	}
	t.find(hashes, into, true)
	return len(t.added)
}

// insertBuilt is InsertFromAs by way of columns.
func (t *Table) insertBuilt(src *Table, groups []uint32, first []int64, into []uint32) int {
	cols := []*vec.Vector{vec.FromInts(t.nodes[0].typ, first)}
	for i := 1; i < len(t.nodes); i++ {
		b := vec.NewBuilder(t.nodes[i].typ)
		src.Key(groups, i, b)
		cols = append(cols, b.Finish())
	}
	return t.FindOrInsert(cols, nil, nil, into)
}

// Keys appends the key of each group to the builders, one for each key column.
func (t *Table) Keys(groups []uint32, out []*vec.Builder) {
	for i := range t.nodes {
		t.Key(groups, i, out[i])
	}
}

// Key appends one column of the keys of groups.
func (t *Table) Key(groups []uint32, column int, out *vec.Builder) {
	n := &t.nodes[column]
	for _, g := range groups {
		t.appendNode(out, n, g)
	}
}

func (t *Table) isNull(g uint32, n *node) bool {
	return maskAt(t.nulls, int(g)*t.mask+n.bit>>6)>>(uint(n.bit)&63)&1 != 0
}

func (t *Table) appendNode(out *vec.Builder, n *node, g uint32) {
	if t.isNull(g, n) {
		out.AppendNull()
		return
	}
	key := t.keys[int(g)*t.words:][:t.words]
	switch n.phys {
	case types.PhysInt64:
		out.AppendInt(int64(key[n.word]))
	case types.PhysBool:
		out.AppendBool(key[n.word] != 0)
	case types.PhysFloat64:
		out.AppendFloat(math.Float64frombits(key[n.word]))
	case types.PhysInt128:
		out.AppendInt128(types.Int128{Lo: key[n.word], Hi: int64(key[n.word+1])})
	case types.PhysInterval:
		out.AppendInterval(interval(key[n.word:]))
	case types.PhysString:
		out.AppendBytes(deref(t.arena, key[n.word]))
	case types.PhysList:
		if _, err := vec.DecodeKey(deref(t.arena, key[n.word]), n.typ, out); err != nil {
			panic("hash: key that was encoded here cannot be decoded: " + err.Error())
		}
	case types.PhysStruct:
		for i := range n.kids {
			t.appendNode(out.Child(i), &n.kids[i], g)
		}
		out.EndStruct()
	}
}

func interval(w []uint64) types.IntervalValue {
	return types.IntervalValue{Months: int32(w[0] >> 32), Days: int32(w[0]), Micros: int64(w[1])}
}

// KeyBytes appends the key encoding (vec.AppendRowKey) of a group's key.
func (t *Table) KeyBytes(group uint32, dst []byte) []byte {
	for i := range t.nodes {
		dst = t.nodeBytes(dst, &t.nodes[i], group)
	}
	return dst
}

func (t *Table) nodeBytes(dst []byte, n *node, g uint32) []byte {
	if t.isNull(g, n) {
		return vec.AppendNullKey(dst)
	}
	key := t.keys[int(g)*t.words:][:t.words]
	switch n.phys {
	case types.PhysInt64:
		return vec.AppendIntKey(dst, int64(key[n.word]))
	case types.PhysBool:
		return vec.AppendBoolKey(dst, key[n.word] != 0)
	case types.PhysFloat64:
		return vec.AppendFloatKey(dst, math.Float64frombits(key[n.word]))
	case types.PhysInt128:
		return vec.AppendInt128Key(dst, types.Int128{Lo: key[n.word], Hi: int64(key[n.word+1])})
	case types.PhysInterval:
		return vec.AppendIntervalKey(dst, interval(key[n.word:]))
	case types.PhysString:
		return vec.AppendBytesKey(dst, deref(t.arena, key[n.word]))
	case types.PhysList:
		return append(dst, deref(t.arena, key[n.word])...)
	}
	dst = vec.AppendStructKey(dst)
	for i := range n.kids {
		dst = t.nodeBytes(dst, &n.kids[i], g)
	}
	return dst
}

// InsertKey finds or makes the group of an encoded key: what KeyBytes or
// vec.AppendRowKey wrote. Added lists the group if it is new.
func (t *Table) InsertKey(key []byte) (uint32, error) {
	t.added = t.added[:0]
	r := t.builders(t.layout)
	if err := vec.DecodeRowKey(key, r.bs); err != nil {
		return Missing, err
	}
	cols := r.finish()
	t.look(cols, nil, nil, r.one[:], true)
	return r.one[0], nil
}

// FindKey is InsertKey without making a group: Missing if there is none.
func (t *Table) FindKey(key []byte) (uint32, error) {
	r := t.builders(t.layout)
	if err := vec.DecodeRowKey(key, r.bs); err != nil {
		return Missing, err
	}
	t.look(r.finish(), nil, nil, r.one[:], false)
	return r.one[0], nil
}

// InsertKeys is InsertKey for many keys at once, the way to restore a table: groups
// has a place for each. It returns the number of new groups.
func (t *Table) InsertKeys(keys [][]byte, groups []uint32) (int, error) {
	t.added = t.added[:0]
	r := t.builders(t.layout)
	for _, k := range keys {
		if err := vec.DecodeRowKey(k, r.bs); err != nil {
			return 0, err
		}
	}
	t.look(r.finish(), nil, nil, groups[:len(keys)], true)
	return len(t.added), nil
}

// Each calls do with every group that exists, in ascending order.
func (t *Table) Each(do func(group uint32)) {
	gone := make([]bool, t.groups)
	for _, g := range t.free {
		gone[g] = true
	}
	for g := range uint32(t.groups) {
		if !gone[g] {
			do(g)
		}
	}
}

// Compare is what vec.Compare gives for one column of the keys of two groups.
func (t *Table) Compare(a, b uint32, column int) int { return t.compareNode(a, b, &t.nodes[column]) }

func (t *Table) compareNode(a, b uint32, n *node) int {
	if x, y := t.isNull(a, n), t.isNull(b, n); x || y {
		switch {
		case x && y:
			return 0
		case x:
			return -1
		}
		return 1
	}
	x, y := t.keys[int(a)*t.words:][:t.words], t.keys[int(b)*t.words:][:t.words]
	switch n.phys {
	case types.PhysInt64:
		return cmp.Compare(int64(x[n.word]), int64(y[n.word]))
	case types.PhysBool:
		return cmp.Compare(x[n.word], y[n.word])
	case types.PhysFloat64:
		return vec.CompareFloat(math.Float64frombits(x[n.word]), math.Float64frombits(y[n.word]))
	case types.PhysInt128:
		return types.Int128{Lo: x[n.word], Hi: int64(x[n.word+1])}.Cmp(types.Int128{Lo: y[n.word], Hi: int64(y[n.word+1])})
	case types.PhysInterval:
		return interval(x[n.word:]).Cmp(interval(y[n.word:]))
	case types.PhysString, types.PhysList:
		return bytes.Compare(deref(t.arena, x[n.word]), deref(t.arena, y[n.word]))
	}
	for i := range n.kids {
		if c := t.compareNode(a, b, &n.kids[i]); c != 0 {
			return c
		}
	}
	return 0
}
