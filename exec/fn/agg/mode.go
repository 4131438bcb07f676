package agg

import (
	"encoding/binary"
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Mode is mode(x).
var Mode = fn.Aggregate{
	Name: "mode", Group: "Aggregate",
	Syntax: []string{"mode(x [, 'desc' | true])", "mode() WITHIN GROUP (ORDER BY x [DESC])"},
	Doc:    "The value that occurs most often, of several the least, or the greatest with 'desc'; NULL if all are NULL.",
	Examples: []fn.Example{
		{SQL: "mode(x) FROM (VALUES (2), (1), (2), (NULL)) AS t(x)", Want: "2"},
		{SQL: "mode(x, 'desc') FROM (VALUES (2), (1)) AS t(x)", Want: "2"},
		{SQL: "mode(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 2); err != nil {
			return fn.AggImpl{}, err
		}
		all := argTypes(args)
		if len(args) == 2 {
			if c := args[1].Const; c != nil && args[1].Type.Kind == types.Bool { // Spark's: true asks for the least, which it is anyway
				args = args[:1]
			} else if args[1].Type.Kind != types.String || c == nil || c.IsNull(0) || string(c.Bytes(0)) != "desc" {
				return fn.AggImpl{}, errors.New("needs 'desc' as argument 2")
			}
		}
		t := args[0].Type
		return fn.AggImpl{Args: all, Result: t,
			New: func(bool) fn.Accumulator { return &modeBag{t: t, last: len(args) == 2} }}, nil
	},
}

// modeBag is the accumulator of mode. State: entries, the key encoding of a value → its
// weight. Beside them it keeps, not logged, the values ordered by how often they
// occur, then by value, so that a change and the result cost the logarithm of the group.
type modeBag struct {
	valueBag
	often bag
	t     types.Type
	last  bool // of several values the greatest
	key   []byte
}

// Grow implements fn.Accumulator.
func (a *modeBag) Grow(n int) {
	a.valueBag.Grow(n)
	a.often.root.Grow(n)
}

// Reset implements fn.Accumulator.
func (a *modeBag) Reset(g uint32) {
	a.valueBag.Reset(g)
	a.often.reset(g)
}

// Bytes implements fn.Accumulator.
func (a *modeBag) Bytes() int64 { return a.valueBag.Bytes() + a.often.bytes() }

// Add implements fn.Accumulator.
func (a *modeBag) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		a.buf = vec.AppendKey(a.buf[:0], v, r)
		a.come(g, a.buf, w)
	})
	return nil
}

func (a *modeBag) come(g uint32, key []byte, w int64) {
	before, after := a.add(g, key, w)
	a.reorder(g, key, before, after)
}

// reorder moves a value whose weight has changed.
func (a *modeBag) reorder(g uint32, key []byte, before, after int64) {
	if before > 0 {
		a.often.add(g, a.oftenKey(key, before), -1)
	}
	if after > 0 {
		a.often.add(g, a.oftenKey(key, after), 1)
	}
}

// oftenKey orders by weight, then by value, so that the mode is the first, or the last
// where the greatest value is wanted.
func (a *modeBag) oftenKey(key []byte, w int64) []byte {
	if !a.last {
		w = ^w
	}
	a.key = append(binary.BigEndian.AppendUint64(a.key[:0], uint64(w)), key...)
	return a.key
}

// Merge implements fn.Accumulator.
func (a *modeBag) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[modeBag](src)
	for i, f := range from {
		o.walkFrom(o.root.at[f], func(n *bagNode) bool {
			a.come(into[i], o.keys.get(n.key), n.weight)
			return true
		})
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *modeBag) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		key := a.often.min(g)
		if a.last {
			key = a.often.max(g)
		}
		if key != nil {
			key = key[8:]
		}
		if err := appendKeyed(out, a.t, key); err != nil {
			return err
		}
	}
	return nil
}

// DirtyEntries implements fn.EntryAccumulator.
func (a *modeBag) DirtyEntries(put func(group uint32, sub, val []byte)) {
	a.valueBag.DirtyEntries(put)
	a.often.dirtyEntries(func(uint32, []byte, []byte) {})
}

// LoadEntry implements fn.EntryAccumulator.
func (a *modeBag) LoadEntry(g uint32, sub, val []byte) error {
	w, _, err := cutVarint(val)
	if err != nil {
		return err
	}
	before := int64(0)
	if at := a.find(g, prefixOf(sub), sub); at != 0 {
		before = a.nodes[at-1].weight
	}
	a.reorder(g, sub, before, w)
	a.often.dirtyEntries(func(uint32, []byte, []byte) {})
	return a.load(g, sub, val)
}
