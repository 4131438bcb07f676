package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func arrays() []*fn.Scalar {
	group := "Arrays"
	all := []*fn.Scalar{
		{
			Name: "array", Aliases: []string{"$array", "make_array", "list_value", "list_pack", "array_value"}, Group: group, Nulls: fn.Custom, Syntax: []string{"array(a, b, ...)", "ARRAY[a, b]"},
			Doc:      "Makes an array of its arguments, which take their common type.",
			Examples: []fn.Example{{SQL: "array(1, 2, NULL)", Want: "[1,2,null]"}}, Resolve: resolveArray,
		},
		{
			Name: "size", Aliases: []string{"cardinality", "array_size"}, Group: group, Syntax: []string{"size(a)"}, Doc: "Counts the elements of an array or the entries of a map.",
			Examples: []fn.Example{{SQL: "size(array(1, 2))", Want: "2"}, {SQL: "size(NULL)", Want: "NULL"}}, Resolve: resolveSize,
		},
		{
			Name: "array_length", Group: group, Syntax: []string{"array_length(array)", "array_length(array, 1)"}, Doc: "Counts the elements of an array. PostgreSQL's second argument, the dimension, must be 1; arrays in arrays are elements.",
			Examples: []fn.Example{{SQL: "array_length(array(1, 2), 1)", Want: "2"}, {SQL: "array_length(array())", Want: "0"}, {SQL: "array_length(NULL)", Want: "NULL"}},
			Resolve:  resolveArrayLength,
		},
		{
			Name: "$at", Group: group, Hidden: true, Nulls: fn.Custom, Syntax: []string{"a[i]"}, Doc: "Is an element of an array, from 1, negative from the end; or the value of a map's key, or a member of a JSON object, or an element of a JSON array from 0; NULL if there is none. Of a text it is a character, '' if there is none.",
			Examples: []fn.Example{{SQL: "array(7, 8)[1]", Want: "7"}, {SQL: "array(7, 8)[3]", Want: "NULL"}, {SQL: "map('a', 1)['a']", Want: "1"}, {SQL: "'abc'[2]", Want: "b"}},
			Resolve:  ofText(resolveListExtract, resolveAt(atSubscript)),
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
			Name: "array_contains", Group: group, Nulls: fn.Custom, Syntax: []string{"array_contains(array, a)"}, Doc: "Is true where an element equals a; NULL where none does but one is NULL.",
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
			Name: "array_join", Aliases: []string{"array_to_string"}, Group: group, Syntax: []string{"array_join(array, separator [, null_text])"}, Doc: "Joins the elements as text; NULLs are skipped, or replaced.",
			Examples: []fn.Example{{SQL: "array_join(array('a', NULL, 'b'), '-')", Want: "a-b"}, {SQL: "array_join(array('a', NULL), '-', '?')", Want: "a-?"}, {SQL: "array_join(NULL, '-')", Want: "NULL"}},
			Resolve:  optional(2, text, tryTexts(text, "array_join", arrayJoin), types.ArrayOf(text), text, text),
		},
		{
			Name: "slice", Aliases: []string{"array_slice_from"}, Group: group, Syntax: []string{"slice(array, start, length)"}, Doc: "Is a part of an array from a place, from 1 or negative from the end.",
			Examples: []fn.Example{{SQL: "slice(array(1, 2, 3), 2, 2)", Want: "[2,3]"}, {SQL: "slice(NULL, 1, 1)", Want: "NULL"}}, Resolve: resolveSlice(false),
		},
		{
			Name: "$slice", Group: group, Hidden: true, Syntax: []string{"a[from:to]"}, Doc: "Is a part of an array, or of the characters of a text, from one place to another, both from 1 and included; a bound that is left out is the array's.",
			Examples: []fn.Example{{SQL: "$slice(array(1, 2, 3), 1, 2)", Want: "[1,2]"}, {SQL: "$slice('stream', -3, -1)", Want: "eam"}, {SQL: "$slice(NULL, 1, 2)", Want: "NULL"}}, Resolve: ofText(resolveTextSlice, resolveSlice(true)),
		},
		{
			Name: "array_concat", Group: group, Syntax: []string{"array_concat(a, b, ...)"}, Doc: "Joins arrays; NULL if one is NULL.",
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

func resolveArrayLength(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	if len(args) == 2 {
		if c := args[1].Const; c == nil || !args[1].Type.IsInteger() || c.IsNull(0) || c.Int(0) != 1 {
			return fn.Impl{}, fmt.Errorf("takes only 1 as the dimension; write array_length(a[1]) for that of an element")
		}
	}
	if args[0].Type.Kind == types.Map {
		return fn.Impl{}, mismatch(args, 0, "ARRAY")
	}
	impl, err := resolveSize(args[:1])
	impl.Args = append(impl.Args, argTypes(args[1:])...)
	return impl, err
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
		case vec.Same(in, e, v, r):
			return found
		}
	}
	return res
}

func arrayPosition(args []*vec.Vector, r int) int64 {
	f, from, to := list(args[0], r)
	for e := from; e < to; e++ {
		if !f.Child[0].IsNull(e) && vec.Same(f.Child[0], e, args[1], r) {
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
			if f.Child[0].IsNull(e) || !vec.Same(f.Child[0], e, args[1], r) {
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
			if front && len(args) == 2 && levels(args[1].Type) == levels(args[0].Type)+1 { // PostgreSQL's order
				return addElement(args, 1, true)
			}
			return addElement(args, 0, front)
		},
	}
}

// addElement adds one of two arguments to the other, which is the array.
func addElement(args []fn.Arg, array int, front bool) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	one := 1 - array
	want, err := elementTypes([]fn.Arg{args[array], args[one]})
	if err != nil {
		return fn.Impl{}, err
	}
	if array == 1 {
		want[0], want[1] = want[1], want[0]
	}
	return fn.Impl{Args: want, Result: want[array], Eval: built(want[array], func(b *vec.Builder, args []*vec.Vector, r int) {
		if args[array].IsNull(r) {
			b.AppendNull()
			return
		}
		if front {
			b.Child(0).AppendFrom(args[one], r)
		}
		appendElements(b.Child(0), args[array], r)
		if !front {
			b.Child(0).AppendFrom(args[one], r)
		}
		b.EndList()
	})}, nil
}

// levels counts the arrays around the elements of a type.
func levels(t types.Type) int {
	n := 0
	for ; t.Kind == types.Array; t = *t.Elem {
		n++
	}
	return n
}

// appendElements appends all elements of an array.
func appendElements(b *vec.Builder, v *vec.Vector, r int) {
	f, from, to := list(v, r)
	for e := from; e < to; e++ {
		b.AppendFrom(f.Child[0], e)
	}
}

func arrayJoin(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	sep, first, begin := args[1].Bytes(r), true, len(dst)
	f, from, to := list(args[0], r)
	for e := from; e < to && len(dst)-begin <= maxText; e++ {
		null := f.Child[0].IsNull(e)
		if null && len(args) < 3 {
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
	if len(dst)-begin > maxText {
		return nil, "", tooLong
	}
	return dst, "", ""
}

func resolveArrayConcat(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 2 && args[0].Type.Kind != types.Null && args[1].Type.Kind != types.Null {
		switch levels(args[0].Type) - levels(args[1].Type) { // an element, as in PostgreSQL
		case 1:
			return addElement(args, 0, false)
		case -1:
			return addElement(args, 1, true)
		}
	}
	t, err := firstArg(args, 1, -1, common)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY")
	}
	return fn.Impl{Args: same(t, len(args)), Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		size := int64(0)
		for _, a := range args {
			size += bytesIn(a, r)
		}
		if size > maxArray {
			return &fn.DataError{Func: "array_concat", Row: r, Msg: manyBytes}
		}
		for _, a := range args {
			appendElements(b.Child(0), a, r)
		}
		b.EndList()
		return nil
	})}, nil
}

func resolveFlatten(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	if t.Kind == types.Null || t.Kind == types.Array && t.Elem.Kind == types.Null {
		t = types.ArrayOf(types.ArrayOf(null))
	}
	if t.Kind != types.Array || t.Elem.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY of arrays")
	}
	result := *t.Elem
	return fn.Impl{Args: []types.Type{t}, Result: result, Eval: tryBuilt(result, func(b *vec.Builder, args []*vec.Vector, r int) error {
		f, from, to := list(args[0], r)
		for e := from; e < to; e++ {
			if f.Child[0].IsNull(e) {
				b.AppendNull()
				return nil
			}
		}
		if bytesIn(args[0], r) > maxArray {
			return &fn.DataError{Func: "flatten", Row: r, Msg: manyBytes}
		}
		for e := from; e < to; e++ {
			appendElements(b.Child(0), f.Child[0], e)
		}
		b.EndList()
		return nil
	})}, nil
}

func resolveRepeatArray(args []fn.Arg) (fn.Impl, error) {
	return fixed(args[0].Type, tryBuilt(args[0].Type, func(b *vec.Builder, args []*vec.Vector, r int) error {
		_, from, to := list(args[0], r)
		n := max(args[1].Int(r), 0)
		if from == to {
			n = 0
		}
		if msg := tooBig(args[0], r, int64(to-from), n); msg != "" {
			return &fn.DataError{Func: "repeat", Value: fmt.Sprint(n), Row: r, Msg: msg}
		}
		for range n {
			appendElements(b.Child(0), args[0], r)
		}
		b.EndList()
		return nil
	}), args[0].Type, bigint)(args)
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
		if msg := tooBig(args[0], r, 1, n); msg != "" {
			return &fn.DataError{Func: "array_repeat", Value: fmt.Sprint(n), Row: r, Msg: msg}
		}
		for ; n > 0; n-- {
			b.Child(0).AppendFrom(args[0], r)
		}
		b.EndList()
		return nil
	})}, nil
}

func extremeOf(name string, want int, doc, example, result string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Arrays", Syntax: []string{name + "(array)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: result}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			t, err := firstArg(args, 1, 1, arrayArg)
			if err == nil {
				err = ordered(t)
			}
			if err != nil {
				return fn.Impl{}, err
			}
			return fn.Impl{Args: []types.Type{t}, Result: *t.Elem, Eval: built(*t.Elem, func(b *vec.Builder, args []*vec.Vector, r int) {
				f, from, to := list(args[0], r)
				best := -1
				for e := from; e < to; e++ {
					if !f.Child[0].IsNull(e) && (best < 0 || vec.Rank(f.Child[0], e, f.Child[0], best) == want) {
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
