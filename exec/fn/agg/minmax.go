package agg

import (
	"encoding/binary"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Min is min(x).
var Min = fn.Aggregate{
	Name: "min", Group: "Aggregate",
	Syntax: []string{"min(x [, n])"},
	Doc: "The least value that is not NULL; NULL if there is none. All types but MAP and JSON have an order: text by bytes, " +
		"false before true, NaN above every number, arrays and structs element by element. With a constant n an array of the n least values, ascending.",
	Examples: []fn.Example{
		{SQL: "min(x) FROM (VALUES (2), (1), (NULL)) AS t(x)", Want: "1"},
		{SQL: "min(x) FROM (VALUES ('b'), ('a')) AS t(x)", Want: "a"},
		{SQL: "min(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveExtreme(args, false) },
}

// Max is max(x).
var Max = fn.Aggregate{
	Name: "max", Group: "Aggregate",
	Syntax: []string{"max(x [, n])"},
	Doc:    "The greatest value that is not NULL, in the order that min uses; NULL if there is none. With a constant n an array of the n greatest values, descending.",
	Examples: []fn.Example{
		{SQL: "max(x) FROM (VALUES (2), (1), (NULL)) AS t(x)", Want: "2"},
		{SQL: "max(x, 2) FROM (VALUES (2), (1), (3), (NULL)) AS t(x)", Want: "[3,2]"},
		{SQL: "max(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveExtreme(args, true) },
}

func resolveExtreme(args []fn.Arg, greatest bool) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 2); err != nil {
		return fn.AggImpl{}, err
	}
	if err := wantOrder(args, 0); err != nil {
		return fn.AggImpl{}, err
	}
	if len(args) == 2 {
		return resolveMany(args, greatest)
	}
	return extremeOf(args[0].Type, greatest), nil
}

// Least is min of any type: values without an order in SQL, maps, in that of their keys.
func Least(t types.Type) fn.AggImpl { return extremeOf(t, false) }

func extremeOf(t types.Type, greatest bool) fn.AggImpl {
	return fn.AggImpl{Args: []types.Type{t}, Result: t, New: func(retract bool) fn.Accumulator {
		switch {
		case retract:
			return &extremeOfBag{max: greatest, t: t}
		case asInt(t):
			flip := int64(0)
			if greatest {
				flip = -1
			}
			return &extremeInt{flip: flip, phys: t.Phys()}
		}
		return &extremeBytes{max: greatest, t: t}
	}}
}

// asInt tells that orderedInt represents the values of a type.
func asInt(t types.Type) bool {
	p := t.Phys()
	return p == types.PhysInt64 || p == types.PhysFloat64 || p == types.PhysBool
}

// orderedInt maps the value of a row to an integer of the same order.
func orderedInt(v *vec.Vector, row int) int64 {
	f, i := v.At(row)
	switch {
	case f.I64 != nil:
		return f.I64[i]
	case f.F64 != nil:
		return orderedFloat(f.F64[i])
	}
	return int64(f.Bool[i] & 1)
}

// orderedFloat maps doubles to integers of the same order: −0.0 is 0.0, NaN greatest.
func orderedFloat(x float64) int64 {
	switch {
	case x == 0:
		return 0
	case x != x:
		return math.MaxInt64
	}
	b := int64(math.Float64bits(x))
	return b ^ b>>63&math.MaxInt64
}

func appendOrderedInt(out *vec.Builder, phys types.Phys, x int64) {
	switch phys {
	case types.PhysInt64:
		out.AppendInt(x)
	case types.PhysBool:
		out.AppendBool(x != 0)
	default:
		if x == math.MaxInt64 {
			out.AppendFloat(math.NaN())
			return
		}
		out.AppendFloat(math.Float64frombits(uint64(x ^ x>>63&math.MaxInt64)))
	}
}

type maybeInt struct {
	v    int64 // flipped: the least is the one to keep
	some bool
}

// extremeInt is min or max of what orderedInt can represent, over append-only input.
// State: a byte 1 and a varint, or a byte 0.
type extremeInt struct {
	cells[maybeInt]
	flip int64 // −1 = greatest: ^x reverses the order
	phys types.Phys
}

// Add implements fn.Accumulator.
func (a *extremeInt) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	if a.phys == types.PhysInt64 && plain(rows, v) {
		xs := v.I64[:len(rows.Groups)]
		for i, g := range rows.Groups {
			a.keep(g, xs[i]^a.flip)
		}
		return nil
	}
	each(rows, v, func(g uint32, r int, _ int64) { a.keep(g, orderedInt(v, r)^a.flip) })
	return nil
}

func (a *extremeInt) keep(g uint32, x int64) {
	if c := &a.at[g]; !c.some || x < c.v {
		*c = maybeInt{x, true}
	}
}

// Merge implements fn.Accumulator.
func (a *extremeInt) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[extremeInt](src)
	for i, f := range from {
		if c := o.at[f]; c.some {
			a.keep(into[i], c.v)
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *extremeInt) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		if c := a.at[g]; c.some {
			appendOrderedInt(out, a.phys, c.v^a.flip)
			continue
		}
		out.AppendNull()
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *extremeInt) AppendState(dst []byte, g uint32) []byte {
	if c := a.at[g]; c.some {
		return binary.AppendVarint(append(dst, 1), c.v^a.flip)
	}
	return append(dst, 0)
}

// LoadState implements fn.Accumulator.
func (a *extremeInt) LoadState(src []byte, g uint32) ([]byte, error) {
	a.Reset(g)
	if len(src) == 0 || src[0] == 0 {
		return cutFlag(src)
	}
	x, rest, err := cutVarint(src[1:])
	a.at[g] = maybeInt{x ^ a.flip, true}
	return rest, err
}

// cutFlag reads one byte.
func cutFlag(src []byte) ([]byte, error) {
	if len(src) == 0 {
		return nil, errState
	}
	return src[1:], nil
}

type maybeBytes struct {
	ref  ref
	some bool
}

// extremeBytes is min or max of any type over append-only input, by key encodings.
// State: a byte 1 and the key, or a byte 0.
type extremeBytes struct {
	cells[maybeBytes]
	max  bool
	t    types.Type
	keys arena
	buf  []byte
}

// Bytes implements fn.Accumulator.
func (a *extremeBytes) Bytes() int64 { return a.cells.Bytes() + int64(cap(a.keys.buf)) }

// Add implements fn.Accumulator.
func (a *extremeBytes) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, _ int64) {
		a.buf = vec.AppendKey(a.buf[:0], v, r)
		a.keep(g, a.buf)
	})
	return nil
}

func (a *extremeBytes) keep(g uint32, key []byte) {
	c := &a.at[g]
	if c.some {
		if old := a.keys.get(c.ref); (string(key) < string(old)) == a.max || string(key) == string(old) {
			return
		}
		a.keys.drop(c.ref)
	}
	*c = maybeBytes{a.keys.put(key), true}
	a.tidy()
}

func (a *extremeBytes) tidy() {
	if a.keys.wasteful() {
		a.keys.compact(func(visit func(*ref)) {
			for i := range a.at {
				visit(&a.at[i].ref)
			}
		})
	}
}

// Reset implements fn.Accumulator.
func (a *extremeBytes) Reset(g uint32) {
	a.keys.drop(a.at[g].ref)
	a.at[g] = maybeBytes{}
	a.tidy()
}

// Merge implements fn.Accumulator.
func (a *extremeBytes) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[extremeBytes](src)
	for i, f := range from {
		if c := o.at[f]; c.some {
			a.keep(into[i], o.keys.get(c.ref))
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *extremeBytes) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		c := a.at[g]
		if !c.some {
			out.AppendNull()
			continue
		}
		if _, err := vec.DecodeKey(a.keys.get(c.ref), a.t, out); err != nil {
			return err
		}
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *extremeBytes) AppendState(dst []byte, g uint32) []byte {
	if c := a.at[g]; c.some {
		return appendBytes(append(dst, 1), a.keys.get(c.ref))
	}
	return append(dst, 0)
}

// LoadState implements fn.Accumulator.
func (a *extremeBytes) LoadState(src []byte, g uint32) ([]byte, error) {
	a.Reset(g)
	if len(src) == 0 || src[0] == 0 {
		return cutFlag(src)
	}
	key, rest, err := cutBytes(src[1:])
	if err == nil {
		a.keep(g, key)
	}
	return rest, err
}

// valueBag is what accumulators over an ordered multiset of values share. Its state is
// entries alone: key encoding → weight.
type valueBag struct {
	bag
	buf []byte
}

// Grow implements fn.Accumulator.
func (a *valueBag) Grow(n int) { a.root.Grow(n) }

// Reset implements fn.Accumulator.
func (a *valueBag) Reset(g uint32) { a.reset(g) }

// Bytes implements fn.Accumulator.
func (a *valueBag) Bytes() int64 { return a.bytes() }

// Add implements fn.Accumulator.
func (a *valueBag) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		a.buf = vec.AppendKey(a.buf[:0], v, r)
		a.add(g, a.buf, w)
	})
	return nil
}

func (a *valueBag) mergeBag(src *valueBag, from, into []uint32) {
	for i, f := range from {
		a.merge(into[i], &src.bag, f)
	}
}

// AppendState implements fn.Accumulator.
func (a *valueBag) AppendState(dst []byte, _ uint32) []byte { return dst }

// LoadState implements fn.Accumulator.
func (a *valueBag) LoadState(src []byte, _ uint32) ([]byte, error) { return src, nil }

// DirtyEntries implements fn.EntryAccumulator.
func (a *valueBag) DirtyEntries(put func(group uint32, sub, val []byte)) { a.dirtyEntries(put) }

// LoadEntry implements fn.EntryAccumulator.
func (a *valueBag) LoadEntry(g uint32, sub, val []byte) error { return a.load(g, sub, val) }

// extremeOfBag is min or max over any input.
type extremeOfBag struct {
	valueBag
	max bool
	t   types.Type
}

// Merge implements fn.Accumulator.
func (a *extremeOfBag) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeBag(&sameKind[extremeOfBag](src).valueBag, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *extremeOfBag) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		key := a.min(g)
		if a.max {
			key = a.bag.max(g)
		}
		if err := appendKeyed(out, a.t, key); err != nil {
			return err
		}
	}
	return nil
}

// appendKeyed appends an encoded value, NULL for nil.
func appendKeyed(out *vec.Builder, t types.Type, key []byte) error {
	if key == nil {
		out.AppendNull()
		return nil
	}
	_, err := vec.DecodeKey(key, t, out)
	return err
}
