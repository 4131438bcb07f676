package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

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
			if vec.Same(v, k, w, e) {
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

// appendDistinct appends elements that differ from those before, from first on.
func appendDistinct(b *vec.Builder, in *vec.Vector, from, to, first int) {
	for e := from; e < to; e++ {
		seen := false
		for k := first; k < e && !seen; k++ {
			seen = vec.Same(in, k, in, e)
		}
		if !seen {
			b.Child(0).AppendFrom(in, e)
		}
	}
}

// resolveSort sorts upward with NULLs first or downward with NULLs last.
func resolveSort(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, 2, arrayArg)
	if err == nil {
		err = ordered(t)
	}
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
	for _, e := range sortedElements(in, from, to, order) {
		b.Child(0).AppendFrom(in, e)
	}
	b.EndList()
}

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
