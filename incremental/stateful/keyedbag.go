package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// keyedBag is a multiset of rows that are found by some of their columns.
type keyedBag struct {
	*rowBag
	cols   []int // the columns of the key
	keys   *hash.Table
	lists  [][]uint32 // by key: its rows
	home   []uint32   // by row: its key + 1, 0 = it is in no list
	listed bool       // the rows of a restart are in the lists
	groups []uint32
}

func newKeyedBag(ts []types.Type, cols []int) *keyedBag {
	k := &keyedBag{rowBag: newRowBag(ts), cols: cols}
	k.keys = hash.New(k.keyTypes())
	return k
}

func (k *keyedBag) keyTypes() []types.Type {
	ts := make([]types.Type, len(k.cols))
	for i, c := range k.cols {
		ts[i] = k.types[c]
	}
	return ts
}

// begin lists the rows that a restart has loaded, once.
func (k *keyedBag) begin() {
	if k.listed {
		return
	}
	k.listed = true
	var rows []uint32
	k.table.Each(func(row uint32) { rows = append(rows, row) })
	k.list(rows)
}

// settle applies what is pending; rows that are there, and no others, are in the lists.
func (k *keyedBag) settle() error {
	k.news(false)
	k.home = growZero(k.home, k.table.Cap())
	var come []uint32
	for _, row := range k.touched { // those since the last logState: most often of this trigger
		switch {
		case k.w[row] < 0:
			return errNotThere
		case k.w[row] > 0 && k.home[row] == 0:
			come = append(come, row)
		case k.w[row] == 0 && k.home[row] != 0:
			k.unlist(row)
		}
	}
	k.list(come)
	return nil
}

// list puts rows into the lists of their keys.
func (k *keyedBag) list(rows []uint32) {
	k.home = growZero(k.home, k.table.Cap())
	for from := 0; from < len(rows); from += vec.BatchSize {
		part := rows[from:min(from+vec.BatchSize, len(rows))]
		k.groups = growZero(k.groups, len(part))[:len(part)]
		k.keys.FindOrInsert(k.keyColumns(part), nil, nil, k.groups)
		k.lists = growZero(k.lists, k.keys.Cap())
		for i, g := range k.groups {
			k.lists[g] = append(k.lists[g], part[i])
			k.home[part[i]] = g + 1
		}
	}
}

// keyColumns are the keys of rows.
func (k *keyedBag) keyColumns(rows []uint32) []*vec.Vector {
	if len(k.cols) == 0 {
		return nil
	}
	out := make([]*vec.Vector, len(k.cols))
	for i, c := range k.cols {
		b := vec.NewBuilder(k.types[c])
		k.table.Key(rows, c, b)
		out[i] = b.Take()
	}
	return out
}

func (k *keyedBag) unlist(row uint32) {
	g := k.home[row] - 1
	at := slices.Index(k.lists[g], row)
	k.lists[g] = slices.Delete(k.lists[g], at, at+1)
	k.home[row] = 0
	if len(k.lists[g]) == 0 {
		k.lists[g] = nil
		k.keys.Delete(g)
	}
}

// find gives the list of each row of b that counts, by its columns cols. It is valid until
// the next change.
func (k *keyedBag) find(b *vec.Batch, cols []int) [][]uint32 {
	n := b.Rows()
	out := make([][]uint32, n)
	if k.keys.Len() == 0 {
		return out
	}
	k.groups = growZero(k.groups, n)[:n]
	if len(cols) == 0 {
		clear(k.groups)
	} else {
		keys := make([]*vec.Vector, len(cols))
		for i, c := range cols {
			keys[i] = b.Cols[c]
		}
		k.keys.Find(keys, b.Sel, nil, k.groups)
	}
	for i, g := range k.groups {
		if g != hash.Missing {
			out[i] = k.lists[g]
		}
	}
	return out
}

// change adds to the weight of a row, pending.
func (k *keyedBag) change(row uint32, w int64) {
	k.pending[row] += w
	if k.flags[row]&bagFresh == 0 {
		k.flags[row] |= bagFresh
		k.fresh = append(k.fresh, row)
	}
}

// logState writes what changed, under a prefix.
func (k *keyedBag) logState(log Log, prefix byte) {
	empty := k.table.Cap() > 0
	k.rowBag.logState(log, prefix)
	if empty && k.table.Cap() == 0 {
		k.keys, k.lists, k.home = hash.New(k.keyTypes()), nil, nil
	}
}

func (k *keyedBag) bytes() int64 {
	n := k.rowBag.bytes() + k.keys.Bytes() + int64(24*cap(k.lists)+4*cap(k.home))
	return n + 4*int64(k.table.Len())
}
