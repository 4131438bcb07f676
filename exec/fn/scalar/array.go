package scalar

import (
	"fmt"
	"sort"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func arrays() []*fn.Scalar {
	group := "Arrays"
	all := []*fn.Scalar{
		{
			Name: "array", Aliases: []string{"$array", "make_array"}, Group: group, Nulls: fn.Custom, Syntax: []string{"array(a, b, ...)", "ARRAY[a, b]"},
			Doc:      "Makes an array of its arguments, which take their common type.",
			Examples: []fn.Example{{SQL: "array(1, 2, NULL)", Want: "[1,2,null]"}}, Resolve: resolveArray,
		},
		{
			Name: "size", Aliases: []string{"cardinality", "array_size", "array_length"}, Group: group, Syntax: []string{"size(a)"}, Doc: "Counts the elements of an array or the entries of a map.",
			Examples: []fn.Example{{SQL: "size(array(1, 2))", Want: "2"}, {SQL: "size(NULL)", Want: "NULL"}}, Resolve: resolveSize,
		},
		{
			Name: "$at", Group: group, Hidden: true, Nulls: fn.Custom, Syntax: []string{"a[i]"}, Doc: "Is an element of an array, from 1, negative from the end; or the value of a map's key; NULL if there is none.",
			Examples: []fn.Example{{SQL: "array(7, 8)[1]", Want: "7"}, {SQL: "array(7, 8)[3]", Want: "NULL"}, {SQL: "map('a', 1)['a']", Want: "1"}},
			Resolve:  resolveAt(atSubscript),
		},
		{
			Name: "element_at", Group: group, Nulls: fn.Custom, Syntax: []string{"element_at(array, i)", "element_at(map, key)"}, Doc: "Is an element of an array, from 1, negative from the end; an error if there is none. For a map, the value of a key, or NULL.",
			Examples: []fn.Example{{SQL: "element_at(array(7, 8), -1)", Want: "8"}, {SQL: "element_at(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveAt(atStrict),
		},
		{
			Name: "try_element_at", Group: group, Nulls: fn.Custom, Syntax: []string{"try_element_at(array, i)"}, Doc: "Is element_at, but NULL if there is no such element.",
			Examples: []fn.Example{{SQL: "try_element_at(array(7, 8), 3)", Want: "NULL"}}, Resolve: resolveAt(atSubscript),
		},
		{
			Name: "get", Group: group, Nulls: fn.Custom, Syntax: []string{"get(array, i)"}, Doc: "Is an element of an array, from 0; NULL if there is none.",
			Examples: []fn.Example{{SQL: "get(array(7, 8), 0)", Want: "7"}, {SQL: "get(array(7, 8), 2)", Want: "NULL"}}, Resolve: resolveAt(atZero),
		},
		{
			Name: "array_contains", Aliases: []string{"list_contains", "array_has"}, Group: group, Nulls: fn.Custom, Syntax: []string{"array_contains(array, a)"}, Doc: "Is true where an element equals a; NULL where none does but one is NULL.",
			Examples: []fn.Example{{SQL: "array_contains(array(1, 2), 2)", Want: "true"}, {SQL: "array_contains(array(1, NULL), 2)", Want: "NULL"}}, Resolve: resolveArrayContains,
		},
		{
			Name: "array_position", Group: group, Syntax: []string{"array_position(array, a)"}, Doc: "Is the place of the first element that equals a, from 1; 0 if there is none.",
			Examples: []fn.Example{{SQL: "array_position(array(5, 6), 6)", Want: "2"}, {SQL: "array_position(NULL, 1)", Want: "NULL"}},
			Resolve:  withElement(bigint, ints(bigint, arrayPosition)),
		},
		{
			Name: "array_remove", Group: group, Syntax: []string{"array_remove(array, a)"}, Doc: "Removes the elements that equal a.",
			Examples: []fn.Example{{SQL: "array_remove(array(1, 2, 1), 1)", Want: "[2]"}, {SQL: "array_remove(NULL, 1)", Want: "NULL"}}, Resolve: resolveArrayRemove,
		},
		appender("array_append", "at the end", "array_append(array(1), 2)", "[1,2]", false),
		appender("array_prepend", "at the start", "array_prepend(array(1), 2)", "[2,1]", true),
		{
			Name: "array_join", Aliases: []string{"array_to_string"}, Group: group, Nulls: fn.Custom, Syntax: []string{"array_join(array, separator [, null_text])"}, Doc: "Joins the elements as text; NULLs are skipped, or replaced.",
			Examples: []fn.Example{{SQL: "array_join(array('a', NULL, 'b'), '-')", Want: "a-b"}, {SQL: "array_join(array('a', NULL), '-', '?')", Want: "a-?"}, {SQL: "array_join(NULL, '-')", Want: "NULL"}},
			Resolve:  optional(2, text, texts(arrayJoin), types.ArrayOf(text), text, text),
		},
		{
			Name: "slice", Aliases: []string{"array_slice_from"}, Group: group, Syntax: []string{"slice(array, start, length)"}, Doc: "Is a part of an array from a place, from 1 or negative from the end.",
			Examples: []fn.Example{{SQL: "slice(array(1, 2, 3), 2, 2)", Want: "[2,3]"}, {SQL: "slice(NULL, 1, 1)", Want: "NULL"}}, Resolve: resolveSlice(false),
		},
		{
			Name: "$slice", Aliases: []string{"array_slice"}, Group: group, Nulls: fn.Custom, Syntax: []string{"a[from:to]", "array_slice(array, from, to)"}, Doc: "Is a part of an array from one place to another, both from 1 and included; a bound that is NULL or left out is the array's.",
			Examples: []fn.Example{{SQL: "array_slice(array(1, 2, 3), 1, 2)", Want: "[1,2]"}, {SQL: "array_slice(NULL, 1, 2)", Want: "NULL"}}, Resolve: resolveSlice(true),
		},
		{
			Name: "array_concat", Aliases: []string{"array_cat", "list_concat"}, Group: group, Syntax: []string{"array_concat(a, b, ...)"}, Doc: "Joins arrays; NULL if one is NULL.",
			Examples: []fn.Example{{SQL: "array_concat(array(1), array(2))", Want: "[1,2]"}, {SQL: "array_concat(array(1), NULL)", Want: "NULL"}}, Resolve: resolveArrayConcat,
		},
		{
			Name: "flatten", Group: group, Syntax: []string{"flatten(array)"}, Doc: "Joins the arrays in an array; NULL if one is NULL.",
			Examples: []fn.Example{{SQL: "flatten(array(array(1), array(2, 3)))", Want: "[1,2,3]"}, {SQL: "flatten(NULL)", Want: "NULL"}}, Resolve: resolveFlatten,
		},
		{
			Name: "array_repeat", Group: group, Nulls: fn.Custom, Syntax: []string{"array_repeat(a, n)"}, Doc: "Is an array of n times a.",
			Examples: []fn.Example{{SQL: "array_repeat('a', 2)", Want: `["a","a"]`}, {SQL: "array_repeat('a', NULL)", Want: "NULL"}}, Resolve: resolveArrayRepeat,
		},
		{
			Name: "sequence", Aliases: []string{"generate_array"}, Group: group, Syntax: []string{"sequence(from, to [, step])"}, Doc: "Is the array of numbers, dates or timestamps from one to another, both included.",
			Examples: []fn.Example{{SQL: "sequence(1, 5, 2)", Want: "[1,3,5]"}, {SQL: "sequence(DATE '2024-01-31', DATE '2024-03-31', INTERVAL '1' MONTH)", Want: `["2024-01-31","2024-02-29","2024-03-31"]`}, {SQL: "sequence(1, NULL)", Want: "NULL"}}, Resolve: resolveSequence,
		},
		{
			Name: "arrays_overlap", Aliases: []string{"array_overlap"}, Group: group, Syntax: []string{"arrays_overlap(a, b)"}, Doc: "Is true where two arrays share an element; NULL where none is shared but one is NULL.",
			Examples: []fn.Example{{SQL: "arrays_overlap(array(1, 2), array(2, 3))", Want: "true"}, {SQL: "arrays_overlap(array(1, NULL), array(2))", Want: "NULL"}}, Resolve: resolveOverlap,
		},
		extremeOf("array_min", -1, "Is the smallest element that is not NULL.", "array_min(array(3, NULL, 1))", "1"),
		extremeOf("array_max", 1, "Is the greatest element that is not NULL.", "array_max(array(3, NULL, 1))", "3"),
	}
	return append(all, arraySets()...)
}

// arraySets rearrange the elements of one array, or combine two as sets.
func arraySets() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		{
			Name: "array_distinct", Group: group, Syntax: []string{"array_distinct(array)"}, Doc: "Drops the elements that occurred before.",
			Examples: []fn.Example{{SQL: "array_distinct(array(3, 1, 3, NULL, NULL))", Want: "[3,1,null]"}, {SQL: "array_distinct(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) {
					appendDistinct(b, in, from, to, from)
					b.EndList()
				})
			},
		},
		{
			Name: "array_compact", Group: group, Syntax: []string{"array_compact(array)"}, Doc: "Drops the NULLs.",
			Examples: []fn.Example{{SQL: "array_compact(array(1, NULL, 2))", Want: "[1,2]"}, {SQL: "array_compact(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) {
					for e := from; e < to; e++ {
						if !in.IsNull(e) {
							b.Child(0).AppendFrom(in, e)
						}
					}
					b.EndList()
				})
			},
		},
		{
			Name: "sort_array", Group: group, Syntax: []string{"sort_array(array [, ascending])"}, Doc: "Sorts the elements; NULLs come first, or last if it sorts downward.",
			Examples: []fn.Example{{SQL: "sort_array(array(3, NULL, 1))", Want: "[null,1,3]"}, {SQL: "sort_array(array(3, NULL, 1), FALSE)", Want: "[3,1,null]"}, {SQL: "sort_array(NULL)", Want: "NULL"}},
			Resolve:  resolveSort,
		},
		setOf("array_union", "Lists the elements of either array, each once.", "array_union(array(1, 2), array(2, 3))", "[1,2,3]", func(inA, inB bool) bool { return inA || inB }),
		setOf("array_intersect", "Lists the elements of both arrays, each once.", "array_intersect(array(1, 2), array(2, 3))", "[2]", func(inA, inB bool) bool { return inA && inB }),
		setOf("array_except", "Lists the elements of the first array that are not in the second, each once.", "array_except(array(1, 2), array(2, 3))", "[1]", func(inA, inB bool) bool { return inA && !inB }),
	}
}

// list is row r of an ARRAY or MAP column: the child columns and the range.
func list(v *vec.Vector, r int) (f *vec.Vector, from, to int) {
	f, i := v.At(r)
	return f, int(f.Off[i]), int(f.Off[i+1])
}

// arrayArg checks that argument i is an array and gives its type.
func arrayArg(args []fn.Arg, i int) (types.Type, error) {
	switch t := args[i].Type; t.Kind {
	case types.Array:
		return t, nil
	case types.Null:
		return types.ArrayOf(null), nil
	}
	return null, mismatch(args, i, "ARRAY")
}

// arraysOf resolves a function of one array that gives an array of the same type.
func arraysOf(args []fn.Arg, f func(b *vec.Builder, in *vec.Vector, from, to int)) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t, err := arrayArg(args, 0)
	eval := built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		v, from, to := list(args[0], r)
		f(b, v.Child[0], from, to)
	})
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: eval}, err
}

func resolveArray(args []fn.Arg) (fn.Impl, error) {
	elem := null
	if len(args) > 0 {
		var err error
		if elem, err = common(args, 0); err != nil {
			return fn.Impl{}, err
		}
	}
	t := types.ArrayOf(elem)
	eval := built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		for _, a := range args {
			b.Child(0).AppendFrom(a, r)
		}
		b.EndList()
	})
	return fn.Impl{Args: same(elem, len(args)), Result: t, Eval: eval}, nil
}

func resolveSize(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	switch t.Kind {
	case types.Array, types.Map:
	case types.Null:
		t = types.ArrayOf(null)
	default:
		return fn.Impl{}, mismatch(args, 0, "ARRAY or MAP")
	}
	eval := ints(integer, func(args []*vec.Vector, r int) int64 { _, from, to := list(args[0], r); return int64(to - from) })
	return fn.Impl{Args: []types.Type{t}, Result: integer, Eval: eval}, nil
}

// atMode is how an index outside the array, and the first index, are treated.
type atMode uint8

const (
	atSubscript atMode = iota // from 1, NULL outside
	atStrict                  // from 1, an error outside
	atZero                    // from 0, NULL outside
)

func resolveAt(mode atMode) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		switch {
		case t.Kind == types.Map && mode != atZero:
			if !types.CanCoerce(args[1].Type, *t.Key) {
				return fn.Impl{}, mismatch(args, 1, t.Key.String())
			}
			return fn.Impl{Args: []types.Type{t, *t.Key}, Result: *t.Elem, Eval: built(*t.Elem, mapAt)}, nil
		case t.Kind == types.Struct && mode == atSubscript:
			return structAt(args)
		}
		t, err := arrayArg(args, 0)
		if err != nil {
			return fn.Impl{}, err
		}
		if !types.CanCoerce(args[1].Type, bigint) {
			return fn.Impl{}, mismatch(args, 1, "BIGINT")
		}
		if k := args[1].Const; mode == atSubscript && k != nil && k.Type.IsInteger() && !k.IsNull(0) && k.Int(0) == 0 {
			return fn.Impl{}, fmt.Errorf("takes no element 0: arrays count from 1; write get(a, 0) for Spark's a[0]")
		}
		return fn.Impl{Args: []types.Type{t, bigint}, Result: *t.Elem, Eval: arrayAt(*t.Elem, mode)}, nil
	}
}

func arrayAt(elem types.Type, mode atMode) fn.Kernel {
	return tryBuilt(elem, func(b *vec.Builder, args []*vec.Vector, r int) error {
		if args[0].IsNull(r) || args[1].IsNull(r) {
			b.AppendNull()
			return nil
		}
		f, from, to := list(args[0], r)
		i := args[1].Int(r)
		at := int64(from) + i
		switch {
		case mode == atZero && i < 0:
			at = -1
		case mode != atZero && i < 0:
			at = int64(to) + i
		case mode != atZero:
			at--
		}
		if at >= int64(from) && at < int64(to) && (i != 0 || mode == atZero) {
			b.AppendFrom(f.Child[0], int(at))
			return nil
		}
		if mode == atStrict {
			return &fn.DataError{Func: "element_at", Value: fmt.Sprint(i), Row: r, Msg: fmt.Sprintf("the array has %d elements; try_element_at gives NULL", to-from)}
		}
		b.AppendNull()
		return nil
	})
}

func mapAt(b *vec.Builder, args []*vec.Vector, r int) {
	if !args[0].IsNull(r) && !args[1].IsNull(r) {
		f, from, to := list(args[0], r)
		for e := to - 1; e >= from; e-- { // a later entry of the same key wins
			if vec.Equal(f.Child[0], e, args[1], r) {
				b.AppendFrom(f.Child[1], e)
				return
			}
		}
	}
	b.AppendNull()
}

// withElement resolves a function of an array and a value that its elements are
// compared with.
func withElement(result types.Type, eval fn.Kernel) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		want, err := elementTypes(args)
		return fn.Impl{Args: want, Result: result, Eval: eval}, err
	}
}

func elementTypes(args []fn.Arg) ([]types.Type, error) {
	if err := arity(args, 2, 2); err != nil {
		return nil, err
	}
	t, err := arrayArg(args, 0)
	if err != nil {
		return nil, err
	}
	elem, ok := types.CommonType(*t.Elem, args[1].Type)
	if !ok {
		return nil, mismatch(args, 1, t.Elem.String())
	}
	return []types.Type{types.ArrayOf(elem), elem}, nil
}

func resolveArrayContains(args []fn.Arg) (fn.Impl, error) {
	return withElement(boolean, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		each(rows, func(r int) {
			out.Bool[r] = 0
			if args[0].IsNull(r) || args[1].IsNull(r) {
				out.SetNull(r)
				return
			}
			f, from, to := list(args[0], r)
			switch find(f.Child[0], from, to, args[1], r) {
			case found:
				out.Bool[r] = 1
			case unknown:
				out.SetNull(r)
			}
		})
		return out, nil
	})(args)
}

type finding uint8

const (
	absent finding = iota
	unknown
	found
)

// find looks for the value v[r] among elements.
func find(in *vec.Vector, from, to int, v *vec.Vector, r int) finding {
	res := absent
	for e := from; e < to; e++ {
		switch {
		case in.IsNull(e):
			res = unknown
		case vec.Equal(in, e, v, r):
			return found
		}
	}
	return res
}

func arrayPosition(args []*vec.Vector, r int) int64 {
	f, from, to := list(args[0], r)
	for e := from; e < to; e++ {
		if !f.Child[0].IsNull(e) && vec.Equal(f.Child[0], e, args[1], r) {
			return int64(e - from + 1)
		}
	}
	return 0
}

func resolveArrayRemove(args []fn.Arg) (fn.Impl, error) {
	want, err := elementTypes(args)
	if err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: want, Result: want[0], Eval: built(want[0], func(b *vec.Builder, args []*vec.Vector, r int) {
		f, from, to := list(args[0], r)
		for e := from; e < to; e++ {
			if f.Child[0].IsNull(e) || !vec.Equal(f.Child[0], e, args[1], r) {
				b.Child(0).AppendFrom(f.Child[0], e)
			}
		}
		b.EndList()
	})}, nil
}

func appender(name, where, example, want string, front bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{name + "(array, a)"}, Doc: "Adds an element " + where + ".",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 1)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			want, err := elementTypes(args)
			if err != nil {
				return fn.Impl{}, err
			}
			return fn.Impl{Args: want, Result: want[0], Eval: built(want[0], func(b *vec.Builder, args []*vec.Vector, r int) {
				if args[0].IsNull(r) {
					b.AppendNull()
					return
				}
				if front {
					b.Child(0).AppendFrom(args[1], r)
				}
				appendElements(b.Child(0), args[0], r)
				if !front {
					b.Child(0).AppendFrom(args[1], r)
				}
				b.EndList()
			})}, nil
		},
	}
}

// appendElements appends all elements of an array.
func appendElements(b *vec.Builder, v *vec.Vector, r int) {
	f, from, to := list(v, r)
	for e := from; e < to; e++ {
		b.AppendFrom(f.Child[0], e)
	}
}

func arrayJoin(dst []byte, args []*vec.Vector, r int) []byte {
	if args[0].IsNull(r) || args[1].IsNull(r) {
		return nil
	}
	sep, first := args[1].Bytes(r), true
	f, from, to := list(args[0], r)
	for e := from; e < to; e++ {
		null := f.Child[0].IsNull(e)
		if null && (len(args) < 3 || args[2].IsNull(r)) {
			continue
		}
		if !first {
			dst = append(dst, sep...)
		}
		first = false
		if null {
			dst = append(dst, args[2].Bytes(r)...)
			continue
		}
		dst = append(dst, f.Child[0].Bytes(e)...)
	}
	return dst
}

// resolveSlice takes a length as last argument, or with end a last place.
func resolveSlice(end bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 3, 3); err != nil {
			return fn.Impl{}, err
		}
		t, err := arrayArg(args, 0)
		if err != nil {
			return fn.Impl{}, err
		}
		return fixed(t, built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
			if args[0].IsNull(r) {
				b.AppendNull()
				return
			}
			f, from, to := list(args[0], r)
			lo, hi := from, to
			if !args[1].IsNull(r) {
				lo = place(args[1].Int(r), from, to)
			}
			switch {
			case args[2].IsNull(r):
			case end:
				hi = place(args[2].Int(r), from, to) + 1
			default:
				hi = lo + int(max(min(args[2].Int(r), int64(to-from)), 0))
			}
			for e := max(lo, from); e < min(hi, to) && lo >= from; e++ {
				b.Child(0).AppendFrom(f.Child[0], e)
			}
			b.EndList()
		}), t, bigint, bigint)(args)
	}
}

// place turns an index from 1, or negative from the end, into an element number.
func place(i int64, from, to int) int {
	if i < 0 {
		return to + int(max(i, -1<<40))
	}
	return from + int(min(i, 1<<40)) - 1
}

func resolveArrayConcat(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	t, err := common(args, 0)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY")
	}
	return fn.Impl{Args: same(t, len(args)), Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		for _, a := range args {
			appendElements(b.Child(0), a, r)
		}
		b.EndList()
	})}, nil
}

func resolveFlatten(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.ArrayOf(types.ArrayOf(null))
	}
	if t.Kind != types.Array || t.Elem.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY of arrays")
	}
	result := *t.Elem
	return fn.Impl{Args: []types.Type{t}, Result: result, Eval: built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
		f, from, to := list(args[0], r)
		for e := from; e < to; e++ {
			if f.Child[0].IsNull(e) {
				b.AppendNull()
				return
			}
		}
		for e := from; e < to; e++ {
			appendElements(b.Child(0), f.Child[0], e)
		}
		b.EndList()
	})}, nil
}

func resolveArrayRepeat(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	if !types.CanCoerce(args[1].Type, bigint) {
		return fn.Impl{}, mismatch(args, 1, "BIGINT")
	}
	t := types.ArrayOf(args[0].Type)
	return fn.Impl{Args: []types.Type{args[0].Type, bigint}, Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		if args[1].IsNull(r) {
			b.AppendNull()
			return nil
		}
		n := args[1].Int(r)
		if n > maxElements {
			return &fn.DataError{Func: "array_repeat", Value: fmt.Sprint(n), Row: r, Msg: tooMany}
		}
		for ; n > 0; n-- {
			b.Child(0).AppendFrom(args[0], r)
		}
		b.EndList()
		return nil
	})}, nil
}

const (
	maxElements = 1 << 24
	tooMany     = "the array would have more than 16 million elements"
)

func resolveOverlap(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	t, err := common(args, 0)
	if err != nil || t.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY of the same type as the other")
	}
	return fn.Impl{Args: []types.Type{t, t}, Result: boolean, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		each(rows, func(r int) {
			out.Bool[r] = 0
			switch overlap(args[0], args[1], r) {
			case found:
				out.Bool[r] = 1
			case unknown:
				out.SetNull(r)
			}
		})
		return out, nil
	}}, nil
}

func overlap(x, y *vec.Vector, r int) finding {
	a, fromA, toA := list(x, r)
	b, fromB, toB := list(y, r)
	res := absent
	for e := fromA; e < toA; e++ {
		if a.Child[0].IsNull(e) {
			if toB > fromB {
				res = max(res, unknown)
			}
			continue
		}
		res = max(res, find(b.Child[0], fromB, toB, a.Child[0], e))
	}
	return res
}

func extremeOf(name string, want int, doc, example, result string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Arrays", Syntax: []string{name + "(array)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: result}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 1, 1); err != nil {
				return fn.Impl{}, err
			}
			t, err := arrayArg(args, 0)
			if err != nil {
				return fn.Impl{}, err
			}
			return fn.Impl{Args: []types.Type{t}, Result: *t.Elem, Eval: built(*t.Elem, func(b *vec.Builder, args []*vec.Vector, r int) {
				f, from, to := list(args[0], r)
				best := -1
				for e := from; e < to; e++ {
					if !f.Child[0].IsNull(e) && (best < 0 || vec.Compare(f.Child[0], e, f.Child[0], best) == want) {
						best = e
					}
				}
				if best < 0 {
					b.AppendNull()
					return
				}
				b.AppendFrom(f.Child[0], best)
			})}, nil
		},
	}
}

// appendDistinct appends elements that differ from those before, from first on.
func appendDistinct(b *vec.Builder, in *vec.Vector, from, to, first int) {
	for e := from; e < to; e++ {
		seen := false
		for k := first; k < e && !seen; k++ {
			seen = vec.Equal(in, k, in, e)
		}
		if !seen {
			b.Child(0).AppendFrom(in, e)
		}
	}
}

// resolveSort sorts upward with NULLs first or downward with NULLs last.
func resolveSort(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	t, err := arrayArg(args, 0)
	if err != nil {
		return fn.Impl{}, err
	}
	return optional(1, t, built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		f, from, to := list(args[0], r)
		order := vec.Order{Desc: len(args) > 1 && !args[1].IsTrue(r)}
		appendSorted(b, f.Child[0], from, to, order)
	}), t, boolean)(args)
}

func appendSorted(b *vec.Builder, in *vec.Vector, from, to int, order vec.Order) {
	idx := make([]int, to-from)
	for i := range idx {
		idx[i] = from + i
	}
	sort.SliceStable(idx, func(i, j int) bool { return vec.CompareOrder(in, idx[i], in, idx[j], order) < 0 })
	for _, e := range idx {
		b.Child(0).AppendFrom(in, e)
	}
	b.EndList()
}

// setOf combines two arrays as sets.
func setOf(name, doc, example, want string, keep func(inA, inB bool) bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Arrays", Syntax: []string{name + "(a, b)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, array(1))", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 2, 2); err != nil {
				return fn.Impl{}, err
			}
			t, err := common(args, 0)
			if err != nil || t.Kind != types.Array {
				return fn.Impl{}, mismatch(args, 0, "ARRAY of the same type as the other")
			}
			return fn.Impl{Args: []types.Type{t, t}, Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
				appendSet(b, args[0], args[1], r, keep)
			})}, nil
		},
	}
}

func appendSet(b *vec.Builder, x, y *vec.Vector, r int, keep func(inA, inB bool) bool) {
	f, fromA, toA := list(x, r)
	g, fromB, toB := list(y, r)
	in := func(v *vec.Vector, from, to int, w *vec.Vector, e int) bool {
		for k := from; k < to; k++ {
			if vec.Equal(v, k, w, e) {
				return true
			}
		}
		return false
	}
	a, c := f.Child[0], g.Child[0]
	for e := fromA; e < toA; e++ {
		if !in(a, fromA, e, a, e) && keep(true, in(c, fromB, toB, a, e)) {
			b.Child(0).AppendFrom(a, e)
		}
	}
	for e := fromB; e < toB; e++ {
		if !in(c, fromB, e, c, e) && !in(a, fromA, toA, c, e) && keep(false, true) {
			b.Child(0).AppendFrom(c, e)
		}
	}
	b.EndList()
}
