package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// mapExtras are the map functions of DuckDB and Flink.
func mapExtras() []*fn.Scalar {
	group := "Maps"
	return []*fn.Scalar{
		{
			Name: "map_contains_value", Group: group, Syntax: []string{"map_contains_value(map, value)"}, Doc: "Is true where the map has the value under some key.",
			Examples: []fn.Example{{SQL: "map_contains_value(map('a', 1), 1)", Want: "true"}, {SQL: "map_contains_value(map('a', 1), NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				t, err := mapAnd(args, 2)
				if err != nil {
					return fn.Impl{}, err
				}
				return fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
					f, from, to := list(args[0], r)
					return find(f.Child[1], from, to, args[1], r) == found
				}), t, *t.Elem)(args)
			},
		},
		{
			Name: "map_contains_entry", Group: group, Syntax: []string{"map_contains_entry(map, key, value)"}, Doc: "Is true where the map has the value under the key.",
			Examples: []fn.Example{{SQL: "map_contains_entry(map('a', 1), 'a', 2)", Want: "false"}, {SQL: "map_contains_entry(map('a', 1), 'a', NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				t, err := mapAnd(args, 3)
				if err != nil {
					return fn.Impl{}, err
				}
				return fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
					f, from, to := list(args[0], r)
					e := keyPlace(f.Child[0], from, to, args[1], r)
					return e >= 0 && vec.Same(f.Child[1], int(e), args[2], r)
				}), t, *t.Key, *t.Elem)(args)
			},
		},
		{
			Name: "map_extract", Group: group, Nulls: fn.Custom, Syntax: []string{"map_extract(map, key)"}, Doc: "Is an array of the value of a key, empty if the map does not have it; NULL for a NULL map.",
			Examples: []fn.Example{{SQL: "map_extract(map('a', 1), 'a')", Want: "[1]"}, {SQL: "map_extract(map('a', 1), 'b')", Want: "[]"}, {SQL: "map_extract(NULL, 'a')", Want: "NULL"}},
			Resolve:  resolveMapExtract(true),
		},
		{
			Name: "map_extract_value", Group: group, Nulls: fn.Custom, Syntax: []string{"map_extract_value(map, key)"}, Doc: "Is the value of a key, NULL if the map does not have it.",
			Examples: []fn.Example{{SQL: "map_extract_value(map('a', 1), 'a')", Want: "1"}, {SQL: "map_extract_value(map('a', 1), 'b')", Want: "NULL"}},
			Resolve:  resolveMapExtract(false),
		},
		{
			Name: "map_union", Group: group, Syntax: []string{"map_union(a, b, ...)"}, Doc: "Joins maps; of a key that occurs twice the last value counts, which is an error for map_concat.",
			Examples: []fn.Example{{SQL: "map_union(map('a', 1), map('b', 2, 'a', 3))", Want: `{"a":3,"b":2}`}, {SQL: "map_union(map('a', 1), NULL)", Want: "NULL"}},
			Resolve:  resolveMapUnion,
		},
	}
}

// mapAnd checks the number of arguments and that the first is a map.
func mapAnd(args []fn.Arg, n int) (types.Type, error) {
	if err := arity(args, n, n); err != nil {
		return null, err
	}
	return mapArg(args, 0)
}

func resolveMapExtract(asList bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := mapAnd(args, 2)
		if err != nil {
			return fn.Impl{}, err
		}
		if !types.CanCoerce(args[1].Type, *t.Key) {
			return fn.Impl{}, mismatch(args, 1, t.Key.String())
		}
		if !asList {
			return fn.Impl{Args: []types.Type{t, *t.Key}, Result: *t.Elem, Eval: built(*t.Elem, mapAt)}, nil
		}
		result := types.ArrayOf(*t.Elem)
		return fn.Impl{Args: []types.Type{t, *t.Key}, Result: result, Eval: built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
			if args[0].IsNull(r) {
				b.AppendNull()
				return
			}
			f, from, to := list(args[0], r)
			if e := keyPlace(f.Child[0], from, to, args[1], r); e >= 0 {
				b.Child(0).AppendFrom(f.Child[1], int(e))
			}
			b.EndList()
		})}, nil
	}
}

func resolveMapUnion(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, -1, common)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind == types.Null {
		t = types.MapOf(text, null)
	}
	if t.Kind != types.Map {
		return fn.Impl{}, fmt.Errorf("needs maps, got %s", t)
	}
	return fn.Impl{Args: same(t, len(args)), Result: t, Eval: built(t, unionOfMaps)}, nil
}

// unionOfMaps keeps the place of a key's first entry and takes the value of its last.
func unionOfMaps(b *vec.Builder, args []*vec.Vector, r int) {
	for i, a := range args {
		f, from, to := list(a, r)
		for e := from; e < to; e++ {
			if earlier(args[:i], f.Child[0], e, r) {
				continue
			}
			v, at := latest(args[i:], f.Child[0], e, r)
			b.Child(0).AppendFrom(f.Child[0], e)
			b.Child(1).AppendFrom(v, at)
		}
	}
	b.EndList()
}

// earlier tells whether one of the maps has a key.
func earlier(maps []*vec.Vector, key *vec.Vector, e, r int) bool {
	for _, m := range maps {
		f, from, to := list(m, r)
		if keyPlace(f.Child[0], from, to, key, e) >= 0 {
			return true
		}
	}
	return false
}

// latest is where the last of the maps that have a key has its value.
func latest(maps []*vec.Vector, key *vec.Vector, e, r int) (*vec.Vector, int) {
	for i := len(maps) - 1; ; i-- {
		f, from, to := list(maps[i], r)
		if at := keyPlace(f.Child[0], from, to, key, e); at >= 0 {
			return f.Child[1], int(at)
		}
	}
}
