package agg

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Histogram is histogram(x).
var Histogram = fn.Aggregate{
	Name: "histogram", Group: "Aggregate",
	Syntax: []string{"histogram(x [, bounds])"},
	Doc: "A map from each different value that is not NULL to how often it occurs, ascending; empty if there are none. With a constant " +
		"array of bounds a map from each bound to how many values are above the bound before and not above it; those above the last one are under the other bin (is_histogram_other_bin), if there are any.",
	Examples: []fn.Example{
		{SQL: "histogram(x) FROM (VALUES ('b'), ('a'), ('b'), (NULL)) AS t(x)", Want: `{"a":1,"b":2}`},
		{SQL: "histogram(x, array(2, 5)) FROM (VALUES (1), (3), (4), (10), (NULL)) AS t(x)", Want: `{"2":1,"5":2,"2147483647":1}`},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if len(args) == 2 {
			return resolveBins(args, false)
		}
		if err := wantArgs(args, 1, 2); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: []types.Type{t}, Result: types.MapOf(t, bigint),
			New: func(bool) fn.Accumulator { return &bagResult{t: t, append: appendHistogram} }}, nil
	},
}

func appendHistogram(a *bagResult, g uint32, out *vec.Builder) (failed error) {
	a.walk(g, func(key []byte, w int64) bool {
		failed = appendKeyed(out.Child(0), a.t, key)
		out.Child(1).AppendInt(w)
		return failed == nil
	})
	out.EndList()
	return failed
}

// Product is product(x).
var Product = fn.Aggregate{
	Name: "product", Group: "Aggregate",
	Syntax: []string{"product([DISTINCT] x)"},
	Doc: "Multiplies the values that are not NULL, as DOUBLE, in ascending order; NULL if there are none. A result costs the " +
		"number of different values.",
	Examples: []fn.Example{
		{SQL: "product(x) FROM (VALUES (2), (3), (2), (NULL)) AS t(x)", Want: "12.0"},
		{SQL: "product(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		if err := wantNumber(args[0].Type, 1); err != nil {
			return fn.AggImpl{}, err
		}
		return fn.AggImpl{Args: []types.Type{double}, Result: double,
			New: func(bool) fn.Accumulator { return &bagResult{t: double, append: appendProduct} }}, nil
	},
}

func appendProduct(a *bagResult, g uint32, out *vec.Builder) (failed error) {
	product, some := 1.0, false
	one := vec.NewBuilder(double)
	a.walk(g, func(key []byte, w int64) bool {
		one.Reset()
		failed = appendKeyed(one, double, key)
		product *= math.Pow(one.Finish().F64[0], float64(w))
		some = true
		return failed == nil
	})
	if !some {
		out.AppendNull()
		return failed
	}
	out.AppendFloat(product)
	return failed
}

// MapAgg is map_agg(key, value).
var MapAgg = fn.Aggregate{
	Name: "map_agg", Aliases: []string{"object_agg"}, Group: "Aggregate",
	Syntax: []string{"map_agg(key, value)"},
	Doc: "A map of the keys that are not NULL with their values, ascending; of several values of one key the greatest, where " +
		"NULL is the smallest. Empty if there are no keys.",
	Examples: []fn.Example{
		{SQL: "map_agg(k, v) FROM (VALUES ('b', 1), ('a', 2), ('b', 3), (NULL, 4)) AS t(k, v)", Want: `{"a":2,"b":3}`},
		{SQL: "map_agg(k, v) FROM (VALUES ('a', CAST(NULL AS INT))) AS t(k, v)", Want: `{"a":null}`},
	},
	Resolve: resolveMap,
}

// JSONObjectAgg is json_objectagg(key, value).
var JSONObjectAgg = fn.Aggregate{
	Name: "json_objectagg", Aliases: []string{"json_object_agg", "json_group_object"}, Group: "Aggregate", Then: "to_json",
	Syntax: []string{"json_objectagg(key, value)"},
	Doc:    "The JSON text of map_agg(key, value), with the keys as texts.",
	Examples: []fn.Example{
		{SQL: "json_objectagg(k, v) FROM (VALUES (2, 'x'), (1, 'y'), (NULL, 'z')) AS t(k, v)", Want: `{"1":"y","2":"x"}`},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if len(args) > 0 {
			args = append([]fn.Arg{{Type: text}}, args[1:]...)
		}
		return resolveMap(args)
	},
}

func resolveMap(args []fn.Arg) (fn.AggImpl, error) {
	if err := wantArgs(args, 2, 2); err != nil {
		return fn.AggImpl{}, err
	}
	ts := argTypes(args)
	return fn.AggImpl{Args: ts, Result: types.MapOf(ts[0], ts[1]),
		New: func(bool) fn.Accumulator { return &pairBag{key: ts[0], value: ts[1]} }}, nil
}

// pairBag is the accumulator of map_agg. State: entries, the key encodings of key and
// value → weight.
type pairBag struct {
	valueBag
	key, value types.Type
}

// Add implements fn.Accumulator.
func (a *pairBag) Add(rows fn.AggRows) error {
	k, v := rows.Args[0], rows.Args[1]
	each(rows, k, func(g uint32, r int, w int64) {
		a.buf = vec.AppendKey(vec.AppendKey(a.buf[:0], k, r), v, r)
		a.add(g, a.buf, w)
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *pairBag) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeBag(&sameKind[pairBag](src).valueBag, from, into)
	return nil
}

// Result implements fn.Accumulator: of the pairs of a key the last one counts.
func (a *pairBag) Result(groups []uint32, out *vec.Builder) error {
	scratch := vec.NewBuilder(a.key)
	for _, g := range groups {
		var pair, value []byte
		var failed error
		a.walk(g, func(next []byte, _ int64) bool {
			scratch.Reset()
			rest, err := vec.DecodeKey(next, a.key, scratch)
			if err != nil {
				failed = err
				return false
			}
			k := next[:len(next)-len(rest)]
			if pair != nil && string(pair[:len(pair)-len(value)]) != string(k) {
				failed = a.appendPair(out, pair, value)
			}
			pair, value = next, rest
			return failed == nil
		})
		if pair != nil && failed == nil {
			failed = a.appendPair(out, pair, value)
		}
		if failed != nil {
			return failed
		}
		out.EndList()
	}
	return nil
}

func (a *pairBag) appendPair(out *vec.Builder, pair, value []byte) error {
	if _, err := vec.DecodeKey(pair, a.key, out.Child(0)); err != nil {
		return err
	}
	return appendKeyed(out.Child(1), a.value, value)
}
