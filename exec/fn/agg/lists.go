package agg

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// First is first(x).
var First = fn.Aggregate{
	Name: "first", Aliases: []string{"first_value"}, Group: "Aggregate", Ordered: true,
	Syntax: []string{"first(x [, ignore_nulls])"},
	Doc: "The value of the row that arrived first, NULL included; with true as second argument the first that is not " +
		"NULL. With ORDER BY the first in that order.",
	Examples: []fn.Example{
		{SQL: "first(x) FROM (VALUES (2), (1), (NULL)) AS t(x)", Want: "2"},
		{SQL: "first(x) FROM (VALUES (NULL), (1)) AS t(x)", Want: "NULL"},
		{SQL: "first(x, true) FROM (VALUES (NULL), (1)) AS t(x)", Want: "1"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveEnd(args, false, false) },
}

// Last is last(x).
var Last = fn.Aggregate{
	Name: "last", Aliases: []string{"last_value"}, Group: "Aggregate", Ordered: true,
	Syntax: []string{"last(x [, ignore_nulls])"},
	Doc: "The value of the row that arrived last, NULL included; with true as second argument the last that is not " +
		"NULL. With ORDER BY the last in that order.",
	Examples: []fn.Example{
		{SQL: "last(x) FROM (VALUES (2), (1)) AS t(x)", Want: "1"},
		{SQL: "last(x, true) FROM (VALUES (2), (NULL)) AS t(x)", Want: "2"},
		{SQL: "last(x) FROM (VALUES (2), (NULL)) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveEnd(args, true, false) },
}

// AnyValue is any_value(x).
var AnyValue = fn.Aggregate{
	Name: "any_value", Aliases: []string{"arbitrary"}, Group: "Aggregate", Ordered: true,
	Syntax: []string{"any_value(x)"},
	Doc:    "A value of the group that is not NULL, if there is one: the first that arrived.",
	Examples: []fn.Example{
		{SQL: "any_value(x) FROM (VALUES (NULL), (1)) AS t(x)", Want: "1"},
		{SQL: "any_value(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveEnd(args, false, true) },
}

// ArrayAgg is array_agg(x).
var ArrayAgg = fn.Aggregate{
	Name: "array_agg", Aliases: []string{"collect_list"}, Group: "Aggregate", Ordered: true,
	Syntax: []string{"array_agg([DISTINCT] x [ORDER BY …])"},
	Doc: "An array of the values that are not NULL, in order of arrival or as ORDER BY says; empty if there are none. " +
		"A deletion removes the newest value that equals it.",
	Examples: []fn.Example{
		{SQL: "array_agg(x) FROM (VALUES (2), (1), (NULL), (2)) AS t(x)", Want: "[2,1,2]"},
		{SQL: "array_agg(x ORDER BY x DESC) FROM (VALUES (2), (1)) AS t(x)", Want: "[2,1]"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: []types.Type{t}, Result: types.ArrayOf(t), New: func(retract bool) fn.Accumulator {
			return &arrivalList{arrivals: arrivals{skipNulls: true, retract: retract}, t: t}
		}}, nil
	},
}

// List is list(x).
var List = fn.Aggregate{
	Name: "list", Group: "Aggregate", Ordered: true,
	Syntax: []string{"list([DISTINCT] x [ORDER BY …])"},
	Doc: "An array of all values, NULLs among them, in order of arrival or as ORDER BY says; NULL without rows. It is " +
		"PostgreSQL's and DuckDB's array_agg: array_agg itself leaves NULLs out, as in Spark.",
	Examples: []fn.Example{
		{SQL: "list(x) FROM (VALUES (2), (1), (NULL), (2)) AS t(x)", Want: "[2,1,null,2]"},
		{SQL: "list(x ORDER BY x) FROM (VALUES (2), (1)) AS t(x)", Want: "[1,2]"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		impl, err := ArrayAgg.Resolve(args)
		impl.New = func(retract bool) fn.Accumulator {
			return &arrivalList{arrivals: arrivals{retract: retract}, t: args[0].Type, orNull: true}
		}
		return impl, err
	},
}

// JSONArrayAgg is json_arrayagg(x).
var JSONArrayAgg = fn.Aggregate{
	Name: "json_arrayagg", Aliases: []string{"json_agg", "jsonb_agg", "json_group_array"}, Group: "Aggregate", Ordered: true, Then: "to_json",
	Syntax: []string{"json_arrayagg([DISTINCT] x [ORDER BY …])"},
	Doc:    "The JSON text of array_agg(x): the values that are not NULL, in order of arrival or as ORDER BY says.",
	Examples: []fn.Example{
		{SQL: "json_arrayagg(x) FROM (VALUES ('b'), ('a'), (NULL)) AS t(x)", Want: `["b","a"]`},
		{SQL: "json_arrayagg(x ORDER BY x DESC) FROM (VALUES (1), (2)) AS t(x)", Want: "[2,1]"},
	},
	Resolve: ArrayAgg.Resolve,
}

// StringAgg is string_agg(x, separator).
var StringAgg = stringAgg("string_agg", []string{"listagg"}, "", "nothing", "ba")

// GroupConcat is group_concat(x, separator).
var GroupConcat = stringAgg("group_concat", nil, ",", "a comma", "b,a")

func stringAgg(name string, aliases []string, sep, without, joined string) fn.Aggregate {
	return fn.Aggregate{
		Name: name, Aliases: aliases, Group: "Aggregate", Ordered: true,
		Syntax: []string{name + "([DISTINCT] text [, separator] [ORDER BY …])"},
		Doc: "Joins the texts that are not NULL, with the separator between them, in order of arrival or as ORDER BY says; " +
			"NULL if there are none. The separator is a constant, without one " + without + ".",
		Examples: []fn.Example{
			{SQL: name + "(x, '-') FROM (VALUES ('b'), ('a'), (NULL)) AS t(x)", Want: "b-a"},
			{SQL: name + "(x, '-' ORDER BY x) FROM (VALUES ('b'), ('a')) AS t(x)", Want: "a-b"},
			{SQL: name + "(x) FROM (VALUES ('b'), ('a')) AS t(x)", Want: joined},
			{SQL: name + "(x, '-') FROM (VALUES (CAST(NULL AS STRING))) AS t(x)", Want: "NULL"},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveStringAgg(args, sep) },
	}
}

func resolveEnd(args []fn.Arg, last, skipNulls bool) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 2); err != nil {
		return fn.AggImpl{}, err
	}
	impl := fn.AggImpl{Args: argTypes(args), Result: args[0].Type}
	if len(args) == 2 {
		if args[1].Const == nil || args[1].Type.Kind != types.Bool || args[1].Const.IsNull(0) {
			return fn.AggImpl{}, errors.New("needs true or false as argument 2")
		}
		skipNulls = args[1].Const.IsTrue(0)
	}
	impl.New = func(retract bool) fn.Accumulator {
		if retract {
			return &arrivalEnd{arrivals: arrivals{skipNulls: skipNulls, retract: true}, t: impl.Result, last: last}
		}
		return &oneEnd{last: last, skipNulls: skipNulls, t: impl.Result}
	}
	return impl, nil
}

func resolveStringAgg(args []fn.Arg, sep string) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 2); err != nil {
		return fn.AggImpl{}, err
	}
	if len(args) == 2 {
		c := args[1].Const
		if c == nil || c.Type.Kind != types.String || c.IsNull(0) {
			return fn.AggImpl{}, errors.New("needs a constant STRING as argument 2")
		}
		sep = string(c.Bytes(0))
	}
	impl := fn.AggImpl{Args: argTypes(args), Result: text}
	impl.Args[0] = text
	impl.New = func(retract bool) fn.Accumulator {
		return &arrivalText{arrivals: arrivals{skipNulls: true, retract: retract}, sep: sep}
	}
	return impl, nil
}

// oneEnd is first, last or any_value over append-only input: one value. State: a byte 1
// and its key encoding, or a byte 0.
type oneEnd struct {
	extremeBytes
	last, skipNulls bool
	t               types.Type
}

// Add implements fn.Accumulator.
func (a *oneEnd) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	if !a.skipNulls {
		v = nil
	}
	each(rows, v, func(g uint32, r int, _ int64) {
		if a.last || !a.at[g].some {
			a.buf = vec.AppendKey(a.buf[:0], rows.Args[0], r)
			a.set(g, a.buf)
		}
	})
	return nil
}

func (a *oneEnd) set(g uint32, key []byte) {
	a.keys.drop(a.at[g].ref)
	a.at[g] = maybeBytes{a.keys.put(key), true}
	a.tidy()
}

// Merge implements fn.Accumulator: the rows of src came later.
func (a *oneEnd) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[oneEnd](src)
	for i, f := range from {
		if c := o.at[f]; c.some && (a.last || !a.at[into[i]].some) {
			a.set(into[i], o.keys.get(c.ref))
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *oneEnd) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		var key []byte
		if c := a.at[g]; c.some {
			key = a.keys.get(c.ref)
		}
		if err := appendKeyed(out, a.t, key); err != nil {
			return err
		}
	}
	return nil
}

// arrivalEnd is first, last or any_value over any input.
type arrivalEnd struct {
	arrivals
	last bool
	t    types.Type
}

// Merge implements fn.Accumulator.
func (a *arrivalEnd) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeLists(&sameKind[arrivalEnd](src).arrivals, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *arrivalEnd) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		at := a.heads.at[g].first
		if a.last {
			at = a.heads.at[g].last
		}
		var key []byte
		if at != 0 {
			key = a.keys.get(a.nodes[at-1].key)
		}
		if err := appendKeyed(out, a.t, key); err != nil {
			return err
		}
	}
	return nil
}

// arrivalList is array_agg.
type arrivalList struct {
	arrivals
	t      types.Type
	orNull bool // without values it is NULL, not empty
}

// Merge implements fn.Accumulator.
func (a *arrivalList) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeLists(&sameKind[arrivalList](src).arrivals, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *arrivalList) Result(groups []uint32, out *vec.Builder) error {
	var failed error
	for _, g := range groups {
		if a.orNull && a.heads.at[g].first == 0 {
			out.AppendNull()
			continue
		}
		a.walk(g, func(key []byte, w int64) {
			for ; w > 0 && failed == nil; w-- {
				_, failed = vec.DecodeKey(key, a.t, out.Child(0))
			}
		})
		out.EndList()
	}
	return failed
}

// arrivalText is string_agg.
type arrivalText struct {
	arrivals
	sep string
}

// Merge implements fn.Accumulator.
func (a *arrivalText) Merge(src fn.Accumulator, from, into []uint32) error {
	a.mergeLists(&sameKind[arrivalText](src).arrivals, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *arrivalText) Result(groups []uint32, out *vec.Builder) error {
	one := vec.NewBuilder(text)
	var failed error
	for _, g := range groups {
		if a.heads.at[g].first == 0 {
			out.AppendNull()
			continue
		}
		out.AppendFunc(func(dst []byte) []byte {
			more := false
			a.walk(g, func(key []byte, w int64) {
				one.Reset()
				if _, err := vec.DecodeKey(key, text, one); err != nil {
					failed = err
					return
				}
				for ; w > 0; w-- {
					if more {
						dst = append(dst, a.sep...)
					}
					more = true
					dst = append(dst, one.Finish().Bytes(0)...)
				}
			})
			return dst
		})
	}
	return failed
}
