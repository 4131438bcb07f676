package hash

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// cached tells whether the keys are a dictionary of text that is worth a cache: one
// whose entries are not many more than the rows of a batch, or that comes again.
func (t *Table) cached(cols []*vec.Vector, rows int) bool {
	if len(cols) != 1 || cols[0].Dict == nil || cols[0].Const || t.nodes[0].phys != types.PhysString {
		return false
	}
	again := cols[0].Dict == t.seen
	t.seen = cols[0].Dict
	return again || cols[0].Dict.N <= 16*rows
}

// lookDict finds groups of a dictionary column: each entry is looked up once, and
// remembered for the batches that share the dictionary.
func (t *Table) lookDict(v *vec.Vector, sel []int32, hashes []uint64, groups []uint32, insert bool) {
	if t.dict != v.Dict || len(t.codes) != v.Dict.N {
		t.useDict(v.Dict)
	}
	codes := t.codes
	null := uint32(0) // group + 1 of NULL, 0 = not looked up
	for i := range groups {
		r := at(sel, i)
		slot := &null
		if vec.BitGet(v.Valid, r) {
			slot = &codes[v.Codes[r]]
		}
		if *slot == 0 {
			g := t.lookRow(v, r, hashes, i, insert)
			groups[i] = g
			*slot = g + 1 // 0 for Missing
			continue
		}
		groups[i] = *slot - 1
	}
}

func (t *Table) useDict(d *vec.Vector) {
	t.dict = d
	if cap(t.codes) < d.N {
		t.codes = make([]uint32, d.N)
	}
	t.codes = t.codes[:d.N]
	clear(t.codes)
}

// lookRow finds the group of one row of a single key column; i is its position in
// hashes, which may be nil.
func (t *Table) lookRow(v *vec.Vector, row int, hashes []uint64, i int, insert bool) uint32 {
	cols := [1]*vec.Vector{v}
	var h uint64
	if hashes != nil {
		h = hashes[i]
	} else {
		h = vec.HashRow(cols[:], row)
	}
	one := [1]int32{int32(row)}
	t.load(&t.probe, cols[:], one[:], 1)
	return t.findRow(0, uint32(h), insert)
}
