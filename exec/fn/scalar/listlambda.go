package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// listLambdas are DuckDB's functions with lambdas, whose indexes count from 1, and
// those of maps that make new keys.
func listLambdas() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		{
			Name: "list_transform", Aliases: []string{"list_apply", "array_apply", "apply", "array_transform"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_transform(array, x -> f(x))", "list_transform(array, (x, i) -> f(x, i))"},
			Doc:      "Applies a lambda to each element, like transform; but a second parameter is the element's index from 1.",
			Examples: []fn.Example{{SQL: "list_transform(array(1, NULL), x -> x * 10)", Want: "[10,null]"}, {SQL: "list_transform(array(5, 6), (x, i) -> i)", Want: "[1,2]"}}, Resolve: resolveTransform(1),
		},
		{
			Name: "list_filter", Aliases: []string{"array_filter"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_filter(array, x -> condition)", "list_filter(array, (x, i) -> condition)"},
			Doc:      "Keeps the elements for which the lambda is true, like filter; but a second parameter is the element's index from 1.",
			Examples: []fn.Example{{SQL: "list_filter(array(1, 2, NULL), x -> x > 1)", Want: "[2]"}, {SQL: "list_filter(array(5, 6), (x, i) -> i > 1)", Want: "[6]"}}, Resolve: resolveFilter(1),
		},
		{
			Name: "none_match", Group: group, Nulls: fn.Custom, Syntax: []string{"none_match(array, x -> condition)"}, Doc: "Is true where the lambda is true for no element; NULL where it is true for none but NULL for one.",
			Examples: []fn.Example{{SQL: "none_match(array(1, 2), x -> x > 2)", Want: "true"}, {SQL: "none_match(array(1, NULL), x -> x > 2)", Want: "NULL"}}, Resolve: resolveNone,
		},
		{
			Name: "list_reduce", Aliases: []string{"array_reduce"}, Group: group, Nulls: fn.Custom, Syntax: []string{"list_reduce(array, (state, x) -> next [, start])", "list_reduce(array, (state, x, i) -> next [, start])"},
			Doc:      "Folds the elements from the first to the last into a state. Without a start the first element is the state; of an empty array that is an error. A third parameter is the element's index from 1.",
			Examples: []fn.Example{{SQL: "list_reduce(array(1, 2, 3), (s, x) -> s + x)", Want: "6"}, {SQL: "list_reduce(array(1, 2), (s, x, i) -> s * 10 + i, 0)", Want: "12"}, {SQL: "list_reduce(CAST(NULL AS ARRAY<INT>), (s, x) -> s + x)", Want: "NULL"}}, Resolve: resolveReduce,
		},
		{
			Name: "transform_keys", Group: "Maps", Nulls: fn.Custom, Syntax: []string{"transform_keys(map, (key, value) -> f(key, value))"}, Doc: "Replaces each key by what the lambda makes of key and value. A NULL or repeated new key is an error.",
			Examples: []fn.Example{{SQL: "transform_keys(map('a', 1, 'b', NULL), (k, v) -> upper(k))", Want: `{"A":1,"B":null}`}}, Resolve: resolveTransformKeys,
		},
		{
			Name: "map_zip_with", Group: "Maps", Nulls: fn.Custom, Syntax: []string{"map_zip_with(a, b, (key, x, y) -> f(key, x, y))"}, Doc: "Makes a map of the keys of both maps, whose values a lambda makes of the key and the values in each; NULL where a map does not have the key.",
			Examples: []fn.Example{{SQL: "map_zip_with(map('a', 1), map('a', 2, 'b', 3), (k, x, y) -> coalesce(x, 0) + y)", Want: `{"a":3,"b":3}`}, {SQL: "map_zip_with(map('a', 1), NULL, (k, x, y) -> x)", Want: "NULL"}}, Resolve: resolveMapZip,
		},
	}
}

// resolveNone is the opposite of exists.
func resolveNone(args []fn.Arg) (fn.Impl, error) {
	impl, err := resolveQuantifier(true)(args)
	exists := impl.EvalLambda
	impl.EvalLambda = func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		v, err := exists(c, args, bodies, rows)
		if err != nil {
			return nil, err
		}
		out := *v
		out.Bool = make([]uint8, v.N)
		for r := range out.Bool {
			out.Bool[r] = 1 - v.Bool[r]&1
		}
		return &out, nil
	}
	return impl, err
}

// resolveReduce is DuckDB's order of the arguments, with the start last or none.
func resolveReduce(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	if args[1].Body != nil && args[1].Params < 2 {
		return fn.Impl{}, fmt.Errorf("needs a lambda of 2 or 3 parameters as argument 2, got %d", args[1].Params)
	}
	state, elem := *t.Elem, *t.Elem
	if len(args) == 3 {
		state = args[2].Type
	}
	next, err := body(args, 1, state, elem, bigint)
	if err != nil {
		return fn.Impl{}, err
	}
	if wider, ok := types.CommonType(state, next); ok && !wider.Equal(state) {
		if state = wider; len(args) == 2 {
			elem = wider // the first element is the first state
		}
		if next, err = body(args, 1, state, elem, bigint); err != nil {
			return fn.Impl{}, err
		}
	}
	if !types.CanCast(next, state) {
		return fn.Impl{}, fmt.Errorf("needs a lambda with the type of the start, %s, got %s", state, next)
	}
	indexed := args[1].Params > 2
	impl := fn.Impl{Args: []types.Type{types.ArrayOf(elem), state}, Result: state}
	if len(args) == 3 {
		impl.Args = append(impl.Args, state)
	}
	impl.EvalLambda = func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		return reduced(c, args, bodies[0], rows, indexed)
	}
	return impl, nil
}

// reduced folds with a start (the second argument) or from the first element on.
func reduced(c *fn.Ctx, args []*vec.Vector, f fn.Lambda, rows fn.Rows, indexed bool) (*vec.Vector, error) {
	in, skip := args[0], 0
	live := liveRows(in, rows)
	var state *vec.Vector
	if len(args) == 2 {
		state = args[1]
	} else {
		var err error
		if state, live, err = firstStates(c, in, live); err != nil {
			return nil, err
		}
		skip = 1
	}
	state, err := foldFrom(c, in, state, live, skip, func(k, n int) []*vec.Vector {
		if !indexed {
			return nil
		}
		return []*vec.Vector{vec.Flatten(vec.NewConst(bigint, int64(k+1), n))}
	}, f)
	if err != nil {
		return nil, err
	}
	out := *state
	out.Valid = vec.AndValid(state.Valid, in.Valid, rows.N)
	return &out, nil
}

// firstStates takes the first element of each row, and the rows that have one.
func firstStates(c *fn.Ctx, in *vec.Vector, live []int32) (*vec.Vector, []int32, error) {
	first := make([]int32, in.N)
	for r := range first {
		first[r] = -1
	}
	var some []int32
	for _, r := range live {
		if in.Off[r] < in.Off[r+1] {
			first[r], some = int32(in.Off[r]), append(some, r)
			continue
		}
		if !c.NullOnError {
			return nil, nil, &fn.DataError{Func: "list_reduce", Row: int(r), Msg: "the array is empty and there is no start"}
		}
		c.Errors++
	}
	return vec.Flatten(vec.GatherOuter(in.Child[0], first)), some, nil
}

func resolveTransformKeys(args []fn.Arg) (fn.Impl, error) {
	t, err := lambdaMap(args)
	if err != nil {
		return fn.Impl{}, err
	}
	result, err := body(args, 1, *t.Key, *t.Elem)
	if err != nil {
		return fn.Impl{}, err
	}
	to := types.MapOf(result, *t.Elem)
	return fn.Impl{Args: []types.Type{t, result}, Result: to, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		e := elementsOf(args[0], rows)
		values := e.child(1)
		keys, err := bodies[0].Apply(c, []*vec.Vector{e.child(0), values}, e.outer)
		if err != nil {
			return nil, err
		}
		var failed error
		out := e.regroup(to, rows, func(b *vec.Builder, from, to int) {
			if err := checkKeys("transform_keys", keys, from, to, b.Len()); err != nil {
				if c.NullOnError {
					c.Errors++
				} else if failed == nil {
					failed = err
				}
				b.AppendNull()
				return
			}
			for k := from; k < to; k++ {
				b.Child(0).AppendFrom(keys, k)
				b.Child(1).AppendFrom(values, k)
			}
			b.EndList()
		})
		return out, failed
	}}, nil
}

func resolveMapZip(args []fn.Arg) (fn.Impl, error) {
	a, err := firstArg(args, 3, 3, mapArg)
	if err != nil {
		return fn.Impl{}, err
	}
	b, err := mapArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	key, ok := types.CommonType(*a.Key, *b.Key)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs maps with the same type of key, got %s and %s", a.Key, b.Key)
	}
	a, b = types.MapOf(key, *a.Elem), types.MapOf(key, *b.Elem)
	result, err := body(args, 2, key, *a.Elem, *b.Elem)
	if err != nil {
		return fn.Impl{}, err
	}
	t := types.MapOf(key, result)
	return fn.Impl{Args: []types.Type{a, b, result}, Result: t, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		return zipMaps(c, t, args[0], args[1], bodies[0], rows)
	}}, nil
}

// zipMaps lists the keys of both maps, those of the first map first, and computes all
// values at once.
func zipMaps(c *fn.Ctx, t types.Type, a, b *vec.Vector, f fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
	keys := vec.NewBuilder(*t.Key)
	var left, right, outer []int32
	counts := make([]int, rows.N)
	each(rows, func(r int) {
		if a.IsNull(r) || b.IsNull(r) {
			return
		}
		from, to, low, high := int(a.Off[r]), int(a.Off[r+1]), int(b.Off[r]), int(b.Off[r+1])
		for e := from; e < to; e++ {
			keys.AppendFrom(a.Child[0], e)
			left, right, outer = append(left, int32(e)), append(right, keyPlace(b.Child[0], low, high, a.Child[0], e)), append(outer, int32(r))
		}
		for e := low; e < high; e++ {
			if keyPlace(a.Child[0], from, to, b.Child[0], e) < 0 {
				keys.AppendFrom(b.Child[0], e)
				left, right, outer = append(left, -1), append(right, int32(e)), append(outer, int32(r))
			}
		}
		counts[r] = keys.Len()
	})
	all := keys.Finish()
	v, err := f.Apply(c, []*vec.Vector{all, vec.GatherOuter(a.Child[1], left), vec.GatherOuter(b.Child[1], right)}, outer)
	if err != nil {
		return nil, err
	}
	out := vec.NewBuilder(t)
	at := 0
	for r := range rows.N {
		if a.IsNull(r) || b.IsNull(r) {
			out.AppendNull()
			continue
		}
		for ; at < counts[r]; at++ {
			out.Child(0).AppendFrom(all, at)
			out.Child(1).AppendFrom(v, at)
		}
		out.EndList()
	}
	return out.Take(), nil
}

// keyPlace is the element that equals v[r], −1 if there is none.
func keyPlace(in *vec.Vector, from, to int, v *vec.Vector, r int) int32 {
	for e := from; e < to; e++ {
		if vec.Same(in, e, v, r) {
			return int32(e)
		}
	}
	return -1
}
