package scalar

import (
	"fmt"
	"sort"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Functions with a lambda run its body once over the elements of all arrays of a
// batch. expr has flattened the other arguments.

func lambdas() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "transform", Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"transform(array, x -> f(x))", "transform(array, (x, i) -> f(x, i))"},
			Doc:      "Applies a lambda to each element; a second parameter is the element's index from 0.",
			Examples: []fn.Example{{SQL: "transform(array(1, NULL), x -> x * 10)", Want: "[10,null]"}, {SQL: "transform(array(5, 6), (x, i) -> i)", Want: "[0,1]"}}, Resolve: resolveTransform(0),
		},
		{
			Name: "filter", Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"filter(array, x -> condition)"}, Doc: "Keeps the elements for which the lambda is true.",
			Examples: []fn.Example{{SQL: "filter(array(1, 2, NULL), x -> x > 1)", Want: "[2]"}}, Resolve: resolveFilter(0),
		},
		{
			Name: "exists", Aliases: []string{"any_match", "array_exists"}, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"exists(array, x -> condition)"}, Doc: "Is true where the lambda is true for an element; NULL where it is for none but NULL for one.",
			Examples: []fn.Example{{SQL: "exists(array(1, 2), x -> x > 1)", Want: "true"}, {SQL: "exists(array(1, NULL), x -> x > 1)", Want: "NULL"}}, Resolve: resolveQuantifier(true),
		},
		{
			Name: "forall", Aliases: []string{"all_match"}, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"forall(array, x -> condition)"}, Doc: "Is true where the lambda is true for every element; NULL where it is false for none but NULL for one.",
			Examples: []fn.Example{{SQL: "forall(array(1, 2), x -> x > 0)", Want: "true"}, {SQL: "forall(array(1, NULL), x -> x > 0)", Want: "NULL"}}, Resolve: resolveQuantifier(false),
		},
		{
			Name: "aggregate", Aliases: []string{"reduce"}, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"aggregate(array, start, (state, x) -> next [, state -> result])"}, Doc: "Folds the elements into a state from the first to the last. With the lambda as second argument it is list_reduce.",
			Examples: []fn.Example{{SQL: "aggregate(array(1, 2, 3), 0, (s, x) -> s + x)", Want: "6"}, {SQL: "aggregate(array(1, NULL), 0, (s, x) -> s + x)", Want: "NULL"}}, Resolve: resolveAggregate,
		},
		{
			Name: "zip_with", Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"zip_with(a, b, (x, y) -> f(x, y))"}, Doc: "Applies a lambda to the elements of two arrays side by side; the shorter one is filled with NULL.",
			Examples: []fn.Example{{SQL: "zip_with(array(1, 2), array(10), (x, y) -> x + y)", Want: "[11,null]"}, {SQL: "zip_with(NULL, array(1), (x, y) -> x)", Want: "NULL"}}, Resolve: resolveZip,
		},
		mapLambda("transform_values", "Replaces each value by what the lambda makes of key and value.", "transform_values(map('a', 1, 'b', NULL), (k, v) -> v + 1)", `{"a":2,"b":null}`, resolveTransformValues),
		mapLambda("map_filter", "Keeps the entries for which the lambda is true.", "map_filter(map('a', 1, 'b', NULL), (k, v) -> v > 0)", `{"a":1}`, resolveMapFilter),
		{
			Name: "array_sort", Aliases: []string{"list_sort"}, Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"array_sort(array)", "array_sort(array, (a, b) -> order)", "array_sort(array, 'DESC' [, 'NULLS FIRST'])", "array_sort(array, upward [, nulls_first])"}, Doc: "Sorts the elements, NULLs last; by a lambda that is negative, zero or positive as a comes before, with or after b; or in an order that is said in DuckDB's words, or in Flink's truths, where NULL is the smallest value unless told otherwise.",
			Examples: []fn.Example{{SQL: "array_sort(array(3, NULL, 1))", Want: "[1,3,null]"}, {SQL: "array_sort(array(1, 3, 2), (a, b) -> b - a)", Want: "[3,2,1]"}, {SQL: "array_sort(array(1, NULL, 2), 'DESC', 'NULLS FIRST')", Want: "[null,2,1]"}, {SQL: "array_sort(array(1, NULL, 2), true)", Want: "[null,1,2]"}}, Resolve: resolveArraySort,
		},
	}
}

func mapLambda(name, doc, example, want string, resolve resolver) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Maps", Nulls: fn.Custom, Syntax: []string{name + "(map, (key, value) -> f(key, value))"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}}, Resolve: resolve,
	}
}

// body checks that argument i is a lambda with one of the wanted numbers of
// parameters, and binds it.
func body(args []fn.Arg, i int, params ...types.Type) (types.Type, error) {
	if args[i].Body == nil {
		return null, mismatch(args, i, "lambda")
	}
	if args[i].Params > len(params) {
		return null, fmt.Errorf("needs a lambda of at most %d parameters as argument %d, got %d", len(params), i+1, args[i].Params)
	}
	return args[i].Body(params[:args[i].Params])
}

// elements lays out the elements of an array column of the rows that count: the
// element numbers and the row of each.
type elements struct {
	v     *vec.Vector
	index []int32 // into v.Child
	outer []int32 // row of the batch
	place []int64 // index within the array, from 0
}

func elementsOf(v *vec.Vector, rows fn.Rows) elements {
	e := elements{v: v}
	each(rows, func(r int) {
		if v.IsNull(r) {
			return
		}
		for k := v.Off[r]; k < v.Off[r+1]; k++ {
			e.index = append(e.index, int32(k))
			e.outer = append(e.outer, int32(r))
			e.place = append(e.place, int64(k-v.Off[r]))
		}
	})
	return e
}

// places are the elements' indexes within their arrays, from first on.
func (e elements) places(first int64) []int64 {
	if first != 0 {
		for i := range e.place {
			e.place[i] += first
		}
	}
	return e.place
}

// child gathers a child column for the elements.
func (e elements) child(i int) *vec.Vector { return vec.Gather(e.v.Child[i], e.index) }

// regroup calls do with the range of elements of each row that counts, and appends a
// NULL for NULL arrays and rows that do not count.
func (e elements) regroup(t types.Type, rows fn.Rows, do func(b *vec.Builder, from, to int)) *vec.Vector {
	b := vec.NewBuilder(t)
	at := 0
	each(rows, func(r int) {
		for b.Len() < r {
			b.AppendNull()
		}
		if e.v.IsNull(r) {
			b.AppendNull()
			return
		}
		n := int(e.v.Off[r+1] - e.v.Off[r])
		do(b, at, at+n)
		at += n
	})
	for b.Len() < rows.N {
		b.AppendNull()
	}
	return b.Take()
}

// resolveTransform gives the lambda an index from first on.
func resolveTransform(first int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := lambdaArray(args)
		if err != nil {
			return fn.Impl{}, err
		}
		result, err := body(args, 1, *t.Elem, integer)
		if err != nil {
			return fn.Impl{}, err
		}
		withIndex := args[1].Params > 1
		list := types.ArrayOf(result)
		return fn.Impl{Args: []types.Type{t, result}, Result: list, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
			e := elementsOf(args[0], rows)
			params := []*vec.Vector{e.child(0)}
			if withIndex {
				params = append(params, vec.FromInts(integer, e.places(first)))
			}
			v, err := bodies[0].Apply(c, params, e.outer)
			if err != nil {
				return nil, err
			}
			return e.regroup(list, rows, func(b *vec.Builder, from, to int) {
				for k := from; k < to; k++ {
					b.Child(0).AppendFrom(v, k)
				}
				b.EndList()
			}), nil
		}}, nil
	}
}

// lambdaArray checks the shape f(array, lambda).
func lambdaArray(args []fn.Arg) (types.Type, error) {
	if err := arity(args, 2, 2); err != nil {
		return null, err
	}
	return arrayArg(args, 0)
}

// condition binds a lambda that must be BOOLEAN.
func condition(args []fn.Arg, i int, params ...types.Type) error {
	t, err := body(args, i, params...)
	if err == nil && t.Kind != types.Bool && t.Kind != types.Null {
		err = fmt.Errorf("needs a lambda with a BOOLEAN result as argument %d, got %s", i+1, t)
	}
	return err
}

// resolveFilter gives the lambda an index from first on.
func resolveFilter(first int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := lambdaArray(args)
		if err != nil {
			return fn.Impl{}, err
		}
		if err := condition(args, 1, *t.Elem, integer); err != nil {
			return fn.Impl{}, err
		}
		withIndex := args[1].Params > 1
		return fn.Impl{Args: []types.Type{t, boolean}, Result: t, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
			e := elementsOf(args[0], rows)
			params := []*vec.Vector{e.child(0)}
			if withIndex {
				params = append(params, vec.FromInts(integer, e.places(first)))
			}
			keep, err := bodies[0].Apply(c, params, e.outer)
			if err != nil {
				return nil, err
			}
			return e.regroup(t, rows, func(b *vec.Builder, from, to int) {
				for k := from; k < to; k++ {
					if keep.IsTrue(k) {
						b.Child(0).AppendFrom(params[0], k)
					}
				}
				b.EndList()
			}), nil
		}}, nil
	}
}

// resolveQuantifier is exists (any true) and forall (any false decides).
func resolveQuantifier(any bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := lambdaArray(args)
		if err != nil {
			return fn.Impl{}, err
		}
		if err := condition(args, 1, *t.Elem); err != nil {
			return fn.Impl{}, err
		}
		return fn.Impl{Args: []types.Type{t, boolean}, Result: boolean, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
			e := elementsOf(args[0], rows)
			v, err := bodies[0].Apply(c, []*vec.Vector{e.child(0)}, e.outer)
			if err != nil {
				return nil, err
			}
			return e.regroup(boolean, rows, func(b *vec.Builder, from, to int) {
				unknown := false
				for k := from; k < to; k++ {
					if v.IsNull(k) {
						unknown = true
					} else if v.IsTrue(k) == any {
						b.AppendBool(any)
						return
					}
				}
				if unknown {
					b.AppendNull()
					return
				}
				b.AppendBool(!any)
			}), nil
		}}, nil
	}
}

func resolveAggregate(args []fn.Arg) (fn.Impl, error) {
	if len(args) > 1 && args[1].Body != nil {
		return resolveReduce(args)
	}
	t, err := firstArg(args, 3, 4, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	state := args[1].Type
	next, err := body(args, 2, state, *t.Elem)
	if err != nil {
		return fn.Impl{}, err
	}
	if wider, ok := types.CommonType(state, next); ok && !wider.Equal(state) { // the start takes the wider type
		state = wider
		if next, err = body(args, 2, state, *t.Elem); err != nil {
			return fn.Impl{}, err
		}
	}
	if !types.CanCast(next, state) {
		return fn.Impl{}, fmt.Errorf("needs a lambda with the type of the start, %s, got %s", state, next)
	}
	impl := fn.Impl{Args: []types.Type{t, state, state}, Result: state, EvalLambda: fold}
	if len(args) == 4 {
		if impl.Result, err = body(args, 3, state); err != nil {
			return fn.Impl{}, err
		}
		impl.Args = append(impl.Args, impl.Result)
	}
	return impl, nil
}

// fold computes step k for all rows that have a k-th element at once.
func fold(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
	in := args[0]
	all := liveRows(in, rows)
	state, err := foldFrom(c, in, args[1], all, 0, func(int, int) []*vec.Vector { return nil }, bodies[0])
	if err != nil {
		return nil, err
	}
	if len(bodies) == 2 {
		v, err := bodies[1].Apply(c, []*vec.Vector{vec.Gather(state, all)}, all)
		if err != nil {
			return nil, err
		}
		state = scatter(vec.Flatten(vec.Nulls(v.Type, rows.N)), v, all)
	}
	out := *state
	out.Valid = vec.AndValid(state.Valid, in.Valid, rows.N)
	return &out, nil
}

// liveRows are the rows that count and are not NULL.
func liveRows(in *vec.Vector, rows fn.Rows) []int32 {
	var live []int32
	each(rows, func(r int) {
		if !in.IsNull(r) {
			live = append(live, int32(r))
		}
	})
	return live
}

// foldFrom folds the elements from the skip-th on into state. more gives further
// parameters of the n calls of step k.
func foldFrom(c *fn.Ctx, in, state *vec.Vector, live []int32, skip int, more func(k, n int) []*vec.Vector, f fn.Lambda) (*vec.Vector, error) {
	for k := skip; ; k++ {
		var still, index []int32
		for _, r := range live {
			if at := int(in.Off[r]) + k; at < int(in.Off[r+1]) {
				still, index = append(still, r), append(index, int32(at))
			}
		}
		if live = still; len(live) == 0 {
			return state, nil
		}
		params := append([]*vec.Vector{vec.Gather(state, live), vec.Gather(in.Child[0], index)}, more(k, len(live))...)
		v, err := f.Apply(c, params, live)
		if err != nil {
			return nil, err
		}
		state = scatter(state, v, live)
	}
}

// scatter replaces the listed rows of a column by the rows of v.
func scatter(into, v *vec.Vector, rows []int32) *vec.Vector {
	b := vec.NewBuilder(into.Type)
	k := 0
	for r := range into.N {
		if k < len(rows) && int(rows[k]) == r {
			b.AppendFrom(v, k)
			k++
			continue
		}
		b.AppendFrom(into, r)
	}
	return b.Take()
}

func resolveZip(args []fn.Arg) (fn.Impl, error) {
	a, err := firstArg(args, 3, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	b, err := arrayArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	result, err := body(args, 2, *a.Elem, *b.Elem)
	if err != nil {
		return fn.Impl{}, err
	}
	t := types.ArrayOf(result)
	return fn.Impl{Args: []types.Type{a, b, result}, Result: t, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		return zip(c, t, args[0], args[1], bodies[0], rows)
	}}, nil
}

func zip(c *fn.Ctx, t types.Type, a, b *vec.Vector, f fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
	var left, right, outer []int32
	counts := make([]int, rows.N)
	at := func(v *vec.Vector, r, k int) int32 {
		if i := int(v.Off[r]) + k; i < int(v.Off[r+1]) {
			return int32(i)
		}
		return -1
	}
	each(rows, func(r int) {
		if a.IsNull(r) || b.IsNull(r) {
			return
		}
		counts[r] = int(max(a.Off[r+1]-a.Off[r], b.Off[r+1]-b.Off[r]))
		for k := range counts[r] {
			left, right, outer = append(left, at(a, r, k)), append(right, at(b, r, k)), append(outer, int32(r))
		}
	})
	v, err := f.Apply(c, []*vec.Vector{vec.GatherOuter(a.Child[0], left), vec.GatherOuter(b.Child[0], right)}, outer)
	if err != nil {
		return nil, err
	}
	out := vec.NewBuilder(t)
	next := 0
	for r := range rows.N {
		if a.IsNull(r) || b.IsNull(r) {
			out.AppendNull()
			continue
		}
		for range counts[r] {
			out.Child(0).AppendFrom(v, next)
			next++
		}
		out.EndList()
	}
	return out.Take(), nil
}

func resolveTransformValues(args []fn.Arg) (fn.Impl, error) {
	t, err := lambdaMap(args)
	if err != nil {
		return fn.Impl{}, err
	}
	result, err := body(args, 1, *t.Key, *t.Elem)
	if err != nil {
		return fn.Impl{}, err
	}
	to := types.MapOf(*t.Key, result)
	return fn.Impl{Args: []types.Type{t, result}, Result: to, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		e := elementsOf(args[0], rows)
		keys := e.child(0)
		v, err := bodies[0].Apply(c, []*vec.Vector{keys, e.child(1)}, e.outer)
		if err != nil {
			return nil, err
		}
		return e.regroup(to, rows, func(b *vec.Builder, from, to int) {
			for k := from; k < to; k++ {
				b.Child(0).AppendFrom(keys, k)
				b.Child(1).AppendFrom(v, k)
			}
			b.EndList()
		}), nil
	}}, nil
}

func lambdaMap(args []fn.Arg) (types.Type, error) {
	if err := arity(args, 2, 2); err != nil {
		return null, err
	}
	return mapArg(args, 0)
}

func resolveMapFilter(args []fn.Arg) (fn.Impl, error) {
	t, err := lambdaMap(args)
	if err != nil {
		return fn.Impl{}, err
	}
	if err := condition(args, 1, *t.Key, *t.Elem); err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: []types.Type{t, boolean}, Result: t, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		e := elementsOf(args[0], rows)
		keys, values := e.child(0), e.child(1)
		keep, err := bodies[0].Apply(c, []*vec.Vector{keys, values}, e.outer)
		if err != nil {
			return nil, err
		}
		return e.regroup(t, rows, func(b *vec.Builder, from, to int) {
			for k := from; k < to; k++ {
				if keep.IsTrue(k) {
					b.Child(0).AppendFrom(keys, k)
					b.Child(1).AppendFrom(values, k)
				}
			}
			b.EndList()
		}), nil
	}}, nil
}

func resolveArraySort(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	if len(args) == 1 || args[1].Body == nil {
		order, err := sortOrder(args, vec.Order{Nulls: vec.NullsLast})
		if err == nil {
			err = ordered(t)
		}
		if err != nil {
			return fn.Impl{}, err
		}
		return sortImpl(args, order, func(b *vec.Builder, in *vec.Vector, from, to int) { appendSorted(b, in, from, to, order) })
	}
	if _, err := body(args, 1, *t.Elem, *t.Elem); err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: []types.Type{t, bigint}, Result: t, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		return sortBy(c, t, args[0], bodies[0], rows)
	}}, nil
}

// sortBy asks the lambda about every pair of elements of an array at once, which
// costs the square of the array's length but a single evaluation.
func sortBy(c *fn.Ctx, t types.Type, in *vec.Vector, order fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
	b := vec.NewBuilder(t)
	err := try(rows, func(r int) error {
		for b.Len() < r {
			b.AppendNull()
		}
		if in.IsNull(r) {
			b.AppendNull()
			return nil
		}
		from, n := int(in.Off[r]), int(in.Off[r+1]-in.Off[r])
		var left, right, outer []int32
		for i := range n * n {
			left, right, outer = append(left, int32(from+i/n)), append(right, int32(from+i%n)), append(outer, int32(r))
		}
		v, err := order.Apply(c, []*vec.Vector{vec.Gather(in.Child[0], left), vec.Gather(in.Child[0], right)}, outer)
		if err != nil {
			return err
		}
		idx := make([]int, n)
		for i := range idx {
			idx[i] = i
		}
		sort.SliceStable(idx, func(i, j int) bool {
			k := idx[i]*n + idx[j]
			return !v.IsNull(k) && v.Int(k) < 0
		})
		for _, i := range idx {
			b.Child(0).AppendFrom(in.Child[0], from+i)
		}
		b.EndList()
		return nil
	})
	for b.Len() < rows.N {
		b.AppendNull()
	}
	return b.Take(), err
}
