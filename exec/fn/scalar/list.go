package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// lists are the array functions of DuckDB and PostgreSQL that treat NULLs, or places
// that do not exist, in another way than the functions of Spark.
func lists() []*fn.Scalar {
	return append(append(listSearches(), listEdges()...), listParts()...)
}

func listSearches() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		{
			Name: "list_contains", Aliases: []string{"list_has", "array_has"}, Group: group, Syntax: []string{"list_contains(array, a)"},
			Doc:      "Is true where an element equals a, else false; NULLs among the elements do not count, as they do for array_contains.",
			Examples: []fn.Example{{SQL: "list_contains(array(1, NULL), 2)", Want: "false"}, {SQL: "list_contains(array(1), NULL)", Want: "NULL"}},
			Resolve: withElement(boolean, bools(func(args []*vec.Vector, r int) bool {
				f, from, to := list(args[0], r)
				return find(f.Child[0], from, to, args[1], r) == found
			})),
		},
		{
			Name: "list_position", Aliases: []string{"list_indexof", "array_indexof"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_position(array, a)"},
			Doc:      "Is the place of the first element that equals a, from 1; NULL if there is none, as it is 0 for array_position. A NULL is found like a value.",
			Examples: []fn.Example{{SQL: "list_position(array(5, NULL), NULL)", Want: "2"}, {SQL: "list_position(array(5), 6)", Want: "NULL"}},
			Resolve: withElement(integer, built(integer, func(b *vec.Builder, args []*vec.Vector, r int) {
				var room [1]int64
				if at := places(args, r, 1, room[:0]); len(at) > 0 {
					b.AppendInt(at[0])
					return
				}
				b.AppendNull()
			})),
		},
		{
			Name: "array_positions", Group: group, Nulls: fn.Custom, Syntax: []string{"array_positions(array, a)"}, Doc: "Lists the places of all elements that equal a, from 1. A NULL is found like a value.",
			Examples: []fn.Example{{SQL: "array_positions(array(5, 6, 5), 5)", Want: "[1,3]"}, {SQL: "array_positions(NULL, 5)", Want: "NULL"}},
			Resolve: withElement(types.ArrayOf(integer), built(types.ArrayOf(integer), func(b *vec.Builder, args []*vec.Vector, r int) {
				if args[0].IsNull(r) {
					b.AppendNull()
					return
				}
				for _, at := range places(args, r, -1, nil) {
					b.Child(0).AppendInt(at)
				}
				b.EndList()
			})),
		},
		hasSome("list_has_all", "array_has_all", "Is true where every element of the second array that is not NULL is in the first.",
			"list_has_all(array(1, 2), array(2, NULL))", "true", func(all, _ bool) bool { return all }),
		hasSome("list_has_any", "array_has_any", "Is true where the arrays share an element that is not NULL, else false.",
			"list_has_any(array(1, NULL), array(2, NULL))", "false", func(_, some bool) bool { return some }),
		{
			Name: "list_distinct", Group: group, Syntax: []string{"list_distinct(array)"}, Doc: "Drops NULLs and the elements that occurred before.",
			Examples: []fn.Example{{SQL: "list_distinct(array(3, 1, NULL, 3))", Want: "[3,1]"}, {SQL: "list_distinct(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) {
					for _, e := range firsts(in, from, to) {
						b.Child(0).AppendFrom(in, e)
					}
					b.EndList()
				})
			},
		},
		{
			Name: "list_unique", Aliases: []string{"array_unique"}, Group: group, Syntax: []string{"list_unique(array)"}, Doc: "Counts the different elements that are not NULL.",
			Examples: []fn.Example{{SQL: "list_unique(array(3, 1, NULL, 3))", Want: "2"}, {SQL: "list_unique(NULL)", Want: "NULL"}},
			Resolve: oneArray(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 {
				f, from, to := list(args[0], r)
				return int64(len(firsts(f.Child[0], from, to)))
			})),
		},
		{
			Name: "list_intersect", Group: group, Syntax: []string{"list_intersect(a, b)"}, Doc: "Lists the elements of both arrays that are not NULL, each once, in the order of the first.",
			Examples: []fn.Example{{SQL: "list_intersect(array(3, 1, NULL), array(1, NULL, 3))", Want: "[3,1]"}, {SQL: "list_intersect(NULL, array(1))", Want: "NULL"}},
			Resolve: twoArrays(func(t types.Type) fn.Impl {
				return fn.Impl{Args: []types.Type{t, t}, Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
					f, from, to := list(args[0], r)
					g, low, high := list(args[1], r)
					for _, e := range firsts(f.Child[0], from, to) {
						if find(g.Child[0], low, high, f.Child[0], e) == found {
							b.Child(0).AppendFrom(f.Child[0], e)
						}
					}
					b.EndList()
				})}
			}),
		},
	}
}

// oneArray resolves a function of one array of any type.
func oneArray(result types.Type, eval fn.Kernel) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		t, err := arrayArg(args, 0)
		return fn.Impl{Args: []types.Type{t}, Result: result, Eval: eval}, err
	}
}

// twoArrays resolves a function of two arrays, which are brought to one type.
func twoArrays(impl func(t types.Type) fn.Impl) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		t, err := common(args, 0)
		if err == nil && t.Kind == types.Null {
			t = types.ArrayOf(null)
		}
		if err != nil || t.Kind != types.Array {
			return fn.Impl{}, mismatch(args, 0, "ARRAY of the same type as the other")
		}
		return impl(t), nil
	}
}

// places lists the places from 1 of elements that equal the argument, at most most if
// that is not negative, behind those of a list.
func places(args []*vec.Vector, r, most int, at []int64) []int64 {
	if args[0].IsNull(r) {
		return nil
	}
	f, from, to := list(args[0], r)
	for e := from; e < to && len(at) != most; e++ {
		if vec.Same(f.Child[0], e, args[1], r) {
			at = append(at, int64(e-from+1))
		}
	}
	return at
}

// firsts lists the elements that are not NULL and did not occur before.
func firsts(in *vec.Vector, from, to int) []int {
	var out []int
	for e := from; e < to; e++ {
		seen := in.IsNull(e)
		for k := 0; k < len(out) && !seen; k++ {
			seen = vec.Same(in, out[k], in, e)
		}
		if !seen {
			out = append(out, e)
		}
	}
	return out
}

func hasSome(name, alias, doc, example, want string, decide func(all, some bool) bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: []string{alias}, Group: "Arrays", Syntax: []string{name + "(a, b)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(array(1), NULL)", Want: "NULL"}},
		Resolve: twoArrays(func(t types.Type) fn.Impl {
			return fn.Impl{Args: []types.Type{t, t}, Result: boolean, Eval: bools(func(args []*vec.Vector, r int) bool {
				f, from, to := list(args[0], r)
				g, low, high := list(args[1], r)
				all, some := true, false
				for e := low; e < high; e++ {
					if !g.Child[0].IsNull(e) {
						in := find(f.Child[0], from, to, g.Child[0], e) == found
						all, some = all && in, some || in
					}
				}
				return decide(all, some)
			})}
		}),
	}
}

// listEdges add, take away and join at the ends.
func listEdges() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		pusher("list_append", []string{"array_push_back"}, "array, a", "Adds an element at the end; to a NULL array as to an empty one, unlike array_append.", "list_append(NULL, 1)", "[1]", 0, false),
		pusher("list_prepend", nil, "a, array", "Adds an element at the start; to a NULL array as to an empty one. The array is the second argument.", "list_prepend(1, array(2, NULL))", "[1,2,null]", 1, true),
		pusher("array_push_front", nil, "array, a", "Adds an element at the start; to a NULL array as to an empty one.", "array_push_front(array(2, NULL), 1)", "[1,2,null]", 0, true),
		{
			Name: "array_pop_back", Group: group, Syntax: []string{"array_pop_back(array)"}, Doc: "Drops the last element.",
			Examples: []fn.Example{{SQL: "array_pop_back(array(1, 2))", Want: "[1]"}, {SQL: "array_pop_back(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) { appendPart(b, in, from, to-1) })
			},
		},
		{
			Name: "array_pop_front", Group: group, Syntax: []string{"array_pop_front(array)"}, Doc: "Drops the first element.",
			Examples: []fn.Example{{SQL: "array_pop_front(array(1, 2))", Want: "[2]"}, {SQL: "array_pop_front(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) { appendPart(b, in, from+1, to) })
			},
		},
		{
			Name: "list_concat", Aliases: []string{"list_cat", "array_cat"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_concat(a, b, ...)"},
			Doc:      "Joins arrays and skips NULL ones, unlike array_concat; NULL if all are NULL.",
			Examples: []fn.Example{{SQL: "list_concat(array(1), NULL, array(2))", Want: "[1,2]"}, {SQL: "list_concat(NULL, CAST(NULL AS ARRAY<INT>))", Want: "NULL"}},
			Resolve:  resolveListConcat,
		},
		{
			Name: "list_resize", Aliases: []string{"array_resize"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_resize(array, length [, a])"},
			Doc:      "Brings an array to a length: cuts it, or fills it with a or NULL. A NULL length is 0.",
			Examples: []fn.Example{{SQL: "list_resize(array(1, 2), 3, 9)", Want: "[1,2,9]"}, {SQL: "list_resize(array(1, 2), 1)", Want: "[1]"}, {SQL: "list_resize(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveListResize,
		},
		{
			Name: "array_replace", Group: group, Nulls: fn.Custom, Syntax: []string{"array_replace(array, from, to)"}, Doc: "Replaces the elements that equal one value by another. NULL is replaced like a value.",
			Examples: []fn.Example{{SQL: "array_replace(array(1, 2, 1), 1, 9)", Want: "[9,2,9]"}, {SQL: "array_replace(array(1, NULL), NULL, 0)", Want: "[1,0]"}, {SQL: "array_replace(NULL, 1, 2)", Want: "NULL"}},
			Resolve:  resolveArrayReplace,
		},
		{
			Name: "list_reverse", Aliases: []string{"array_reverse"}, Group: group, Syntax: []string{"list_reverse(array)"}, Doc: "Reverses the elements.",
			Examples: []fn.Example{{SQL: "list_reverse(array(1, 2, NULL))", Want: "[null,2,1]"}, {SQL: "list_reverse(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) {
					for e := to - 1; e >= from; e-- {
						b.Child(0).AppendFrom(in, e)
					}
					b.EndList()
				})
			},
		},
	}
}

// appendPart appends an array of elements from one up to another; none if they cross.
func appendPart(b *vec.Builder, in *vec.Vector, from, to int) {
	for e := from; e < to; e++ {
		b.Child(0).AppendFrom(in, e)
	}
	b.EndList()
}

// pusher adds an element to the array at argument at.
func pusher(name string, aliases []string, params, doc, example, want string, at int, front bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{name + "(" + params + ")"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 2, 2); err != nil {
				return fn.Impl{}, err
			}
			want, err := elementTypes([]fn.Arg{args[at], args[1-at]})
			if err != nil {
				return fn.Impl{}, err
			}
			t := want[0]
			if at == 1 {
				want[0], want[1] = want[1], want[0]
			}
			return fn.Impl{Args: want, Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
				if front {
					b.Child(0).AppendFrom(args[1-at], r)
				}
				if !args[at].IsNull(r) {
					appendElements(b.Child(0), args[at], r)
				}
				if !front {
					b.Child(0).AppendFrom(args[1-at], r)
				}
				b.EndList()
			})}, nil
		},
	}
}

func resolveListConcat(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, -1, common)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind == types.Null {
		t = types.ArrayOf(null)
	}
	if t.Kind != types.Array {
		return fn.Impl{}, mismatch(args, 0, "ARRAY")
	}
	return fn.Impl{Args: same(t, len(args)), Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		some := false
		for _, a := range args {
			if !a.IsNull(r) {
				some = true
				appendElements(b.Child(0), a, r)
			}
		}
		if !some {
			b.AppendNull()
			return
		}
		b.EndList()
	})}, nil
}

func resolveListResize(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	if !types.CanCoerce(args[1].Type, bigint) {
		return fn.Impl{}, mismatch(args, 1, "BIGINT")
	}
	want := []types.Type{t, bigint}
	if len(args) == 3 {
		elem, ok := types.CommonType(*t.Elem, args[2].Type)
		if !ok {
			return fn.Impl{}, mismatch(args, 2, t.Elem.String())
		}
		t = types.ArrayOf(elem)
		want = []types.Type{t, bigint, elem}
	}
	return fn.Impl{Args: want, Result: t, Eval: tryBuilt(t, resized)}, nil
}

func resized(b *vec.Builder, args []*vec.Vector, r int) error {
	if args[0].IsNull(r) {
		b.AppendNull()
		return nil
	}
	n := int64(0)
	if !args[1].IsNull(r) {
		n = args[1].Int(r)
	}
	if n < 0 {
		return &fn.DataError{Func: "list_resize", Value: fmt.Sprint(n), Row: r, Msg: "the length is negative"}
	}
	if msg := tooBig(args[len(args)-1], r, 1, n); msg != "" { // without a filling, the length: as wide as a NULL
		return &fn.DataError{Func: "list_resize", Value: fmt.Sprint(n), Row: r, Msg: msg}
	}
	f, from, to := list(args[0], r)
	for e := from; e < to && int64(e-from) < n; e++ {
		b.Child(0).AppendFrom(f.Child[0], e)
	}
	for k := int64(to - from); k < n; k++ {
		if len(args) == 3 {
			b.Child(0).AppendFrom(args[2], r)
			continue
		}
		b.Child(0).AppendNull()
	}
	b.EndList()
	return nil
}

func resolveArrayReplace(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 3, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	elem := *t.Elem
	for i := 1; i < 3; i++ {
		wider, ok := types.CommonType(elem, args[i].Type)
		if !ok {
			return fn.Impl{}, mismatch(args, i, elem.String())
		}
		elem = wider
	}
	t = types.ArrayOf(elem)
	return fn.Impl{Args: []types.Type{t, elem, elem}, Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
		if args[0].IsNull(r) {
			b.AppendNull()
			return
		}
		f, from, to := list(args[0], r)
		for e := from; e < to; e++ {
			if vec.Same(f.Child[0], e, args[1], r) {
				b.Child(0).AppendFrom(args[2], r)
				continue
			}
			b.Child(0).AppendFrom(f.Child[0], e)
		}
		b.EndList()
	})}, nil
}
