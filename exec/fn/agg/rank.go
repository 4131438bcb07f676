package agg

import (
	"fmt"
	"math"

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

// Mode is mode(x).
var Mode = fn.Aggregate{
	Name: "mode", Group: "Aggregate",
	Syntax: []string{"mode(x)"},
	Doc:    "The value that occurs most often, the least of several; NULL if all are NULL.",
	Examples: []fn.Example{
		{SQL: "mode(x) FROM (VALUES (2), (1), (2), (NULL)) AS t(x)", Want: "2"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: []types.Type{t}, Result: t,
			New: func(bool) fn.Accumulator { return &bagResult{t: t, append: appendMode} }}, nil
	},
}

// Median is median(x).
var Median = fn.Aggregate{
	Name: "median", Group: "Aggregate",
	Syntax: []string{"median(x)"},
	Doc:    "The middle of the ordered values that are not NULL, as DOUBLE: the mean of two if their number is even.",
	Examples: []fn.Example{
		{SQL: "median(x) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "6.0"},
		{SQL: "median(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		return percentileCont(args, 0.5)
	},
}

// Percentile is percentile(x, p).
var Percentile = fn.Aggregate{
	Name: "percentile", Aliases: []string{"percentile_cont", "quantile_cont"}, Group: "Aggregate",
	Syntax: []string{"percentile(x, p)"},
	Doc: "The value below which the share p (a constant from 0 to 1) of the values lies, interpolated between " +
		"neighbours, as DOUBLE. Exact.",
	Examples: []fn.Example{
		{SQL: "percentile(x, 0.25) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "1.75"},
		{SQL: "percentile(x, 0.5) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		p, err := share(args, 2)
		if err != nil {
			return fn.AggImpl{}, err
		}
		return percentileCont(args, p)
	},
}

// PercentileDisc is percentile_disc(x, p).
var PercentileDisc = fn.Aggregate{
	Name: "percentile_disc", Aliases: []string{"percentile_approx", "approx_percentile", "quantile_disc"}, Group: "Aggregate",
	Syntax: []string{"percentile_disc(x, p [, accuracy])"},
	Doc: "The least value at which at least the share p (a constant from 0 to 1) of the values has been reached. Under " +
		"each of its names it is exact; an accuracy changes nothing.",
	Examples: []fn.Example{
		{SQL: "percentile_disc(x, 0.5) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "2"},
		{SQL: "percentile_disc(x, 0.5) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		p, err := share(args, 3)
		if err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: argTypes(args), Result: t, New: func(bool) fn.Accumulator {
			return &bagResult{t: t, append: func(a *bagResult, g uint32, out *vec.Builder) error {
				rank := max(int64(math.Ceil(p*float64(a.total(g)))), 1)
				return appendKeyed(out, t, a.ranked(g, rank))
			}}
		}}, nil
	},
}

// share reads the constant p of (x, p).
func share(args []fn.Arg, most int) (float64, error) {
	if err := wantArgs(args, 2, most); err != nil {
		return 0, err
	}
	p, err := constNumber(args[1], 2)
	if err == nil && !(p >= 0 && p <= 1) {
		err = fmt.Errorf("needs a share from 0 to 1 as argument 2, got %v", p)
	}
	return p, err
}

func percentileCont(args []fn.Arg, p float64) (fn.AggImpl, error) {
	if err := wantNumber(args[0].Type, 1); err != nil {
		return fn.AggImpl{}, err
	}
	impl := fn.AggImpl{Args: argTypes(args), Result: double}
	impl.Args[0] = double
	impl.New = func(bool) fn.Accumulator {
		return &bagResult{t: double, append: func(a *bagResult, g uint32, out *vec.Builder) error {
			return a.appendBetween(g, p, out)
		}}
	}
	return impl, nil
}

// bagResult is an aggregate that is computed from the ordered values of a group when the
// result is asked for, in one pass over its different values.
type bagResult struct {
	valueBag
	t      types.Type
	append func(a *bagResult, g uint32, out *vec.Builder) error
	pair   *vec.Builder
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

// total is the number of values of a group.
func (a *bagResult) total(g uint32) (n int64) {
	a.walk(g, func(_ []byte, w int64) bool {
		n += w
		return true
	})
	return n
}

// ranked is the key of the value at a rank from 1; nil without values.
func (a *bagResult) ranked(g uint32, rank int64) (key []byte) {
	a.walk(g, func(k []byte, w int64) bool {
		key = k
		rank -= w
		return rank > 0
	})
	return key
}

// appendBetween appends the interpolated value at the share p.
func (a *bagResult) appendBetween(g uint32, p float64, out *vec.Builder) error {
	n := a.total(g)
	if n == 0 {
		out.AppendNull()
		return nil
	}
	at := p * float64(n-1)
	low := math.Floor(at)
	if a.pair == nil {
		a.pair = vec.NewBuilder(double)
	}
	a.pair.Reset()
	for _, rank := range [2]int64{int64(low) + 1, min(int64(low)+2, n)} {
		if err := appendKeyed(a.pair, double, a.ranked(g, rank)); err != nil {
			return err
		}
	}
	v := a.pair.Finish().F64
	if at == low {
		out.AppendFloat(v[0])
		return nil
	}
	out.AppendFloat(v[0] + (v[1]-v[0])*(at-low))
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

func appendMode(a *bagResult, g uint32, out *vec.Builder) error {
	var best []byte
	most := int64(0)
	a.walk(g, func(key []byte, w int64) bool {
		if w > most {
			best, most = key, w
		}
		return true
	})
	return appendKeyed(out, a.t, best)
}

// MinBy is min_by(x, y).
var MinBy = fn.Aggregate{
	Name: "min_by", Aliases: []string{"arg_min", "argmin"}, Group: "Aggregate",
	Syntax: []string{"min_by(x, y)"},
	Doc:    "The x of the row with the least y that is not NULL, and of several such rows the least x; NULL without rows.",
	Examples: []fn.Example{
		{SQL: "min_by(x, y) FROM (VALUES ('a', 2), ('b', 1), ('c', NULL)) AS t(x, y)", Want: "b"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBy(args, false) },
}

// MaxBy is max_by(x, y).
var MaxBy = fn.Aggregate{
	Name: "max_by", Aliases: []string{"arg_max", "argmax"}, Group: "Aggregate",
	Syntax: []string{"max_by(x, y)"},
	Doc:    "The x of the row with the greatest y that is not NULL, and of several such rows the greatest x; NULL without rows.",
	Examples: []fn.Example{
		{SQL: "max_by(x, y) FROM (VALUES ('a', 2), ('b', 1), ('c', NULL)) AS t(x, y)", Want: "a"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBy(args, true) },
}

func resolveBy(args []fn.Arg, greatest bool) (fn.AggImpl, error) {
	if err := wantArgs(args, 2, 2); err != nil {
		return fn.AggImpl{}, err
	}
	ts := argTypes(args)
	return fn.AggImpl{Args: ts, Result: ts[0], New: func(retract bool) fn.Accumulator {
		if retract {
			return &byBag{max: greatest, pairKeys: newPairKeys(ts)}
		}
		return &byOne{extremeBytes: extremeBytes{max: greatest}, pairKeys: newPairKeys(ts)}
	}}, nil
}

// pairKeys encodes (y, x) so that the order of bytes is that of y, then x.
type pairKeys struct {
	x, y types.Type
	skip *vec.Builder
	key  []byte
}

func newPairKeys(ts []types.Type) pairKeys {
	return pairKeys{x: ts[0], y: ts[1], skip: vec.NewBuilder(ts[1])}
}

// each calls f with the encoded pair of every row whose y is not NULL.
func (p *pairKeys) each(rows fn.AggRows, f func(g uint32, key []byte, w int64)) {
	x, y := rows.Args[0], rows.Args[1]
	each(rows, y, func(g uint32, r int, w int64) {
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
	p.skip.Reset()
	rest, err := vec.DecodeKey(key, p.y, p.skip)
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
