package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// CollectSet is collect_set(x).
var CollectSet = fn.Aggregate{
	Name: "collect_set", Group: "Aggregate",
	Syntax: []string{"collect_set(x)"},
	Doc:    "An array of the different values that are not NULL, ascending; empty if there are none.",
	Examples: []fn.Example{
		{SQL: "collect_set(x) FROM (VALUES (2), (1), (2), (NULL)) AS t(x)", Want: "[1,2]"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: []types.Type{t}, Result: types.ArrayOf(t),
			New: func(bool) fn.Accumulator { return &bagResult{t: t, append: appendSet} }}, nil
	},
}

// bagResult is an aggregate that is computed from the ordered values of a group when the
// result is asked for.
type bagResult struct {
	valueBag
	t      types.Type
	append func(a *bagResult, g uint32, out *vec.Builder) error
	// keys, unless it is nil, makes the entries of a row instead of its first argument.
	keys func(key []byte, args []*vec.Vector, r int, put func(key []byte, times int64)) error
}

// Add implements fn.Accumulator.
func (a *bagResult) Add(rows fn.AggRows) (failed error) {
	if a.keys == nil {
		return a.valueBag.Add(rows)
	}
	each(rows, nil, func(g uint32, r int, w int64) {
		err := a.keys(a.buf[:0], rows.Args, r, func(key []byte, times int64) {
			a.buf = key[:0]
			if times != 0 {
				a.add(g, key, w*times)
			}
		})
		if failed == nil {
			failed = err
		}
	})
	return failed
}

// Merge implements fn.Accumulator.
func (a *bagResult) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeBag(&sameKind[bagResult](src).valueBag, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *bagResult) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		if err := a.append(a, g, out); err != nil {
			return err
		}
	}
	return nil
}

func appendSet(a *bagResult, g uint32, out *vec.Builder) (failed error) {
	a.walk(g, func(key []byte, _ int64) bool {
		failed = appendKeyed(out.Child(0), a.t, key)
		return failed == nil
	})
	out.EndList()
	return failed
}

// MinBy is min_by(x, y).
var MinBy = fn.Aggregate{
	Name: "min_by", Aliases: []string{"arg_min_null"}, Group: "Aggregate",
	Syntax: []string{"min_by(x, y [, n] [ORDER BY z])"},
	Doc: "The x of the row with the least y that is not NULL, and of several such rows the least x, or the first by ORDER BY; NULL without rows. With a " +
		"constant n an array of the x of the n rows with the least y, ascending by y. A NULL as x counts like a value: arg_min skips it.",
	Examples: []fn.Example{
		{SQL: "min_by(x, y, 2) FROM (VALUES ('a', 3), ('b', 1), (NULL, 2)) AS t(x, y)", Want: `["b",null]`},
		{SQL: "min_by(x, y) FROM (VALUES ('a', 2), ('b', 1), ('c', NULL)) AS t(x, y)", Want: "b"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBy(args, false, false) },
}

// MaxBy is max_by(x, y).
var MaxBy = fn.Aggregate{
	Name: "max_by", Aliases: []string{"arg_max_null"}, Group: "Aggregate",
	Syntax: []string{"max_by(x, y [, n] [ORDER BY z])"},
	Doc: "The x of the row with the greatest y that is not NULL, and of several such rows the greatest x, or the first by ORDER BY; NULL without rows. With a " +
		"constant n an array of the x of the n rows with the greatest y, descending by y. A NULL as x counts like a value: arg_max skips it.",
	Examples: []fn.Example{
		{SQL: "max_by(x, y, 2) FROM (VALUES ('a', 3), ('b', 1), (NULL, 2)) AS t(x, y)", Want: `["a",null]`},
		{SQL: "max_by(x, y) FROM (VALUES ('a', 2), ('b', 1), ('c', NULL)) AS t(x, y)", Want: "a"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBy(args, true, false) },
}

func resolveBy(args []fn.Arg, greatest, some bool) (fn.AggImpl, error) {
	if err := wantArgs(args, 2, 3); err != nil {
		return fn.AggImpl{}, err
	}
	if err := wantOrder(args, 1); err != nil {
		return fn.AggImpl{}, err
	}
	if len(args) == 3 {
		return resolveManyBy(args, greatest, byAny)
	}
	ts := argTypes(args)
	return fn.AggImpl{Args: ts, Result: ts[0], New: func(retract bool) fn.Accumulator {
		if retract {
			return &byBag{max: greatest, pairKeys: pairKeys{x: ts[0], y: ts[1], some: some}}
		}
		return &byOne{extremeBytes: extremeBytes{max: greatest}, pairKeys: pairKeys{x: ts[0], y: ts[1], some: some}}
	}}, nil
}

// pairKeys encodes (y, x) so that the order of bytes is that of y, then x.
type pairKeys struct {
	x, y types.Type
	some bool // rows whose x is NULL are left out
	key  []byte
}

// each calls f with the encoded pair of every row that counts: y is not NULL.
func (p *pairKeys) each(rows fn.AggRows, f func(g uint32, key []byte, w int64)) {
	x, y := rows.Args[0], rows.Args[1]
	each(rows, y, func(g uint32, r int, w int64) {
		if p.some && x.IsNull(r) {
			return
		}
		p.key = vec.AppendKey(vec.AppendKey(p.key[:0], y, r), x, r)
		f(g, p.key, w)
	})
}

// appendX appends the x of an encoded pair, NULL for nil.
func (p *pairKeys) appendX(key []byte, out *vec.Builder) error {
	if key == nil {
		out.AppendNull()
		return nil
	}
	rest, err := vec.DecodeKey(key, p.y, vec.NewBuilder(p.y))
	if err != nil {
		return err
	}
	return appendKeyed(out, p.x, rest)
}

// byOne is min_by or max_by over append-only input.
type byOne struct {
	extremeBytes
	pairKeys
}

// Add implements fn.Accumulator.
func (a *byOne) Add(rows fn.AggRows) error {
	a.pairKeys.each(rows, func(g uint32, key []byte, _ int64) { a.keep(g, key) })
	return nil
}

// Merge implements fn.Accumulator.
func (a *byOne) Merge(src fn.Accumulator, from, into []uint32) error {
	return a.extremeBytes.Merge(&sameKind[byOne](src).extremeBytes, from, into)
}

// Result implements fn.Accumulator.
func (a *byOne) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		var key []byte
		if c := a.at[g]; c.some {
			key = a.keys.get(c.ref)
		}
		if err := a.appendX(key, out); err != nil {
			return err
		}
	}
	return nil
}

// byBag is min_by or max_by over any input.
type byBag struct {
	valueBag
	pairKeys
	max bool
}

// Add implements fn.Accumulator.
func (a *byBag) Add(rows fn.AggRows) error {
	a.pairKeys.each(rows, func(g uint32, key []byte, w int64) { a.add(g, key, w) })
	return nil
}

// Merge implements fn.Accumulator.
func (a *byBag) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeBag(&sameKind[byBag](src).valueBag, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *byBag) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		key := a.bag.min(g)
		if a.max {
			key = a.bag.max(g)
		}
		if err := a.appendX(key, out); err != nil {
			return err
		}
	}
	return nil
}
