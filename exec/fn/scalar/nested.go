package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func structsAndMaps() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "struct", Aliases: []string{"row", "$row"}, Group: "Structs", Nulls: fn.Custom, Syntax: []string{"struct(a, b, ...)"},
			Doc:      "Makes a struct of its arguments, with the fields col1, col2 ... or the names of the columns.",
			Examples: []fn.Example{{SQL: "struct(1, NULL)", Want: `{"col1":1,"col2":null}`}}, Resolve: resolveStruct,
		},
		{
			Name: "named_struct", Aliases: []string{"$struct", "struct_pack"}, Group: "Structs", Nulls: fn.Custom, Syntax: []string{"named_struct('name', a, ...)"},
			Doc:      "Makes a struct of constant names and values.",
			Examples: []fn.Example{{SQL: "named_struct('a', 1, 'b', NULL)", Want: `{"a":1,"b":null}`}}, Resolve: resolveNamedStruct,
		},
		{
			Name: "$field", Aliases: []string{"struct_extract"}, Group: "Structs", Hidden: true, Syntax: []string{"s.field"}, Doc: "Is a field of a struct, found exactly or without regard to case.",
			Examples: []fn.Example{{SQL: "struct_extract(named_struct('a', 1), 'A')", Want: "1"}, {SQL: "struct_extract(named_struct('a', CAST(NULL AS INT)), 'a')", Want: "NULL"}}, Resolve: structAt,
		},
		{
			Name: "map", Aliases: []string{"$map"}, Group: "Maps", Nulls: fn.Custom, Syntax: []string{"map(key, value, ...)"}, Doc: "Makes a map; a NULL or repeated key is an error.",
			Examples: []fn.Example{{SQL: "map('a', 1, 'b', NULL)", Want: `{"a":1,"b":null}`}}, Resolve: resolveMap,
		},
		{
			Name: "map_from_arrays", Group: "Maps", Syntax: []string{"map_from_arrays(keys, values)"}, Doc: "Makes a map of two arrays of the same length.",
			Examples: []fn.Example{{SQL: "map_from_arrays(array('a'), array(1))", Want: `{"a":1}`}, {SQL: "map_from_arrays(NULL, array(1))", Want: "NULL"}}, Resolve: resolveMapFromArrays,
		},
		mapPart("map_keys", 0, "Lists the keys.", "map_keys(map('a', 1))", `["a"]`),
		mapPart("map_values", 1, "Lists the values.", "map_values(map('a', 1))", "[1]"),
		{
			Name: "map_entries", Group: "Maps", Syntax: []string{"map_entries(map)"}, Doc: "Lists the entries as structs of key and value.",
			Examples: []fn.Example{{SQL: "map_entries(map('a', 1))", Want: `[{"key":"a","value":1}]`}, {SQL: "map_entries(NULL)", Want: "NULL"}}, Resolve: resolveMapEntries,
		},
		{
			Name: "map_contains_key", Aliases: []string{"map_contains"}, Group: "Maps", Syntax: []string{"map_contains_key(map, key)"}, Doc: "Is true where the map has the key.",
			Examples: []fn.Example{{SQL: "map_contains_key(map('a', 1), 'b')", Want: "false"}, {SQL: "map_contains_key(map('a', 1), NULL)", Want: "NULL"}}, Resolve: resolveContainsKey,
		},
		{
			Name: "map_concat", Group: "Maps", Syntax: []string{"map_concat(a, b, ...)"}, Doc: "Joins maps; a key that occurs twice is an error.",
			Examples: []fn.Example{{SQL: "map_concat(map('a', 1), map('b', 2))", Want: `{"a":1,"b":2}`}, {SQL: "map_concat(map('a', 1), NULL)", Want: "NULL"}}, Resolve: resolveMapConcat,
		},
	}
}

func resolveStruct(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	fields := make([]types.Field, len(args))
	for i, a := range args {
		name := a.Name
		if name == "" {
			name = fmt.Sprintf("col%d", i+1)
		}
		fields[i] = types.Field{Name: name, Type: a.Type}
	}
	return structImpl(fields, argTypes(args), 0, 1), nil
}

// structImpl builds a struct of every step-th argument from first on. The fields are
// the argument columns themselves.
func structImpl(fields []types.Field, want []types.Type, first, step int) fn.Impl {
	t := types.StructOf(fields...)
	eval := func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := &vec.Vector{Type: t, N: rows.N}
		for i := first; i < len(args); i += step {
			out.Child = append(out.Child, vec.Flatten(args[i]))
		}
		return out, nil
	}
	return fn.Impl{Args: want, Result: t, Eval: eval}
}

func resolveNamedStruct(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return fn.Impl{}, fmt.Errorf("takes pairs of a name and a value, got %d arguments", len(args))
	}
	var fields []types.Field
	for i := 0; i < len(args); i += 2 {
		name, ok := constText(args, i)
		if !ok {
			return fn.Impl{}, mismatch(args, i, "constant STRING")
		}
		fields = append(fields, types.Field{Name: strings.Clone(name), Type: args[i+1].Type})
	}
	return structImpl(fields, argTypes(args), 1, 2), nil
}

// fieldAt is the field that a constant names, or counts from 1.
func fieldAt(t types.Type, args []fn.Arg) (int, error) {
	if name, ok := constText(args, 1); ok {
		return FieldIndex(t, name)
	}
	if c := args[1].Const; c == nil || !args[1].Type.IsInteger() || c.IsNull(0) {
		return 0, mismatch(args, 1, "constant field name or number")
	}
	n := args[1].Const.Int(0)
	if n < 1 || n > int64(len(t.Fields)) {
		return 0, fmt.Errorf("finds no field %d in %s", n, t)
	}
	return int(n) - 1, nil
}

// structAt resolves access to a field by constant name or number.
func structAt(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	if t.Kind != types.Struct {
		return fn.Impl{}, mismatch(args, 0, "STRUCT")
	}
	i, err := fieldAt(t, args)
	if err != nil {
		return fn.Impl{}, err
	}
	result := t.Fields[i].Type
	eval := built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
		if args[0].IsNull(r) {
			b.AppendNull()
			return
		}
		f, k := args[0].At(r)
		b.AppendFrom(f.Child[i], k)
	})
	return fn.Impl{Args: []types.Type{t, args[1].Type}, Result: result, Eval: eval}, nil
}

// FieldIndex finds a field: an exact match wins, otherwise one without regard to case
// must be the only one.
func FieldIndex(t types.Type, name string) (int, error) {
	found := -1
	for i, f := range t.Fields {
		switch {
		case f.Name == name:
			return i, nil
		case strings.EqualFold(f.Name, name) && found >= 0:
			return 0, fmt.Errorf("finds both %q and %q for the field %q", t.Fields[found].Name, f.Name, name)
		case strings.EqualFold(f.Name, name):
			found = i
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("finds no field %q in %s", name, t)
	}
	return found, nil
}

func resolveMap(args []fn.Arg) (fn.Impl, error) {
	if len(args)%2 != 0 {
		return fn.Impl{}, fmt.Errorf("takes pairs of a key and a value, got %d arguments", len(args))
	}
	key, value := null, null
	for i := 0; i < len(args); i += 2 {
		k, ok := types.CommonType(key, args[i].Type)
		if !ok {
			return fn.Impl{}, mismatch(args, i, key.String())
		}
		v, ok := types.CommonType(value, args[i+1].Type)
		if !ok {
			return fn.Impl{}, mismatch(args, i+1, value.String())
		}
		key, value = k, v
	}
	t := types.MapOf(key, value)
	want := make([]types.Type, len(args))
	for i := range want {
		want[i] = []types.Type{key, value}[i%2]
	}
	return fn.Impl{Args: want, Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		for i := 0; i < len(args); i += 2 {
			if args[i].IsNull(r) {
				return &fn.DataError{Func: "map", Row: r, Msg: "a key is NULL"}
			}
			for k := 0; k < i; k += 2 {
				if vec.Same(args[k], r, args[i], r) {
					return &fn.DataError{Func: "map", Value: vec.RowString(args[i], r, nil), Row: r, Msg: "the key occurs twice"}
				}
			}
		}
		for i := 0; i < len(args); i += 2 {
			b.Child(0).AppendFrom(args[i], r)
			b.Child(1).AppendFrom(args[i+1], r)
		}
		b.EndList()
		return nil
	})}, nil
}

func resolveMapFromArrays(args []fn.Arg) (fn.Impl, error) {
	keys, err := firstArg(args, 2, 2, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	values, err := arrayArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	t := types.MapOf(*keys.Elem, *values.Elem)
	return fn.Impl{Args: []types.Type{keys, values}, Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		k, fromK, toK := list(args[0], r)
		v, fromV, toV := list(args[1], r)
		if toK-fromK != toV-fromV {
			return &fn.DataError{Func: "map_from_arrays", Row: r, Msg: fmt.Sprintf("%d keys but %d values", toK-fromK, toV-fromV)}
		}
		if err := checkKeys("map_from_arrays", k.Child[0], fromK, toK, r); err != nil {
			return err
		}
		for i := range toK - fromK {
			b.Child(0).AppendFrom(k.Child[0], fromK+i)
			b.Child(1).AppendFrom(v.Child[0], fromV+i)
		}
		b.EndList()
		return nil
	})}, nil
}

// checkKeys refuses NULL and repeated keys.
func checkKeys(name string, in *vec.Vector, from, to, r int) error {
	for e := from; e < to; e++ {
		if in.IsNull(e) {
			return &fn.DataError{Func: name, Row: r, Msg: "a key is NULL"}
		}
		for k := from; k < e; k++ {
			if vec.Same(in, k, in, e) {
				return &fn.DataError{Func: name, Value: vec.RowString(in, e, nil), Row: r, Msg: "the key occurs twice"}
			}
		}
	}
	return nil
}

// mapArg checks that argument i is a map.
func mapArg(args []fn.Arg, i int) (types.Type, error) {
	switch t := args[i].Type; t.Kind {
	case types.Map:
		return t, nil
	case types.Null:
		return types.MapOf(text, null), nil
	}
	return null, mismatch(args, i, "MAP")
}

func mapPart(name string, child int, doc, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Maps", Syntax: []string{name + "(map)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			t, err := firstArg(args, 1, 1, mapArg)
			if err != nil {
				return fn.Impl{}, err
			}
			result := types.ArrayOf(*[]*types.Type{t.Key, t.Elem}[child])
			return fn.Impl{Args: []types.Type{t}, Result: result, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				in := args[0]
				return &vec.Vector{Type: result, N: rows.N, Valid: in.Valid, Off: in.Off, Child: in.Child[child : child+1]}, nil
			}}, nil
		},
	}
}

func resolveMapEntries(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, 1, mapArg)
	if err != nil {
		return fn.Impl{}, err
	}
	entry := types.StructOf(types.Field{Name: "key", Type: *t.Key}, types.Field{Name: "value", Type: *t.Elem})
	result := types.ArrayOf(entry)
	return fn.Impl{Args: []types.Type{t}, Result: result, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		entries := &vec.Vector{Type: entry, N: in.Child[0].N, Child: in.Child}
		return &vec.Vector{Type: result, N: rows.N, Valid: in.Valid, Off: in.Off, Child: []*vec.Vector{entries}}, nil
	}}, nil
}

func resolveContainsKey(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 2, mapArg)
	if err != nil {
		return fn.Impl{}, err
	}
	return fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
		f, from, to := list(args[0], r)
		return find(f.Child[0], from, to, args[1], r) == found
	}), t, *t.Key)(args)
}

func resolveMapConcat(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, -1, common)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind != types.Map {
		return fn.Impl{}, mismatch(args, 0, "MAP")
	}
	return fn.Impl{Args: same(t, len(args)), Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		all := vec.NewBuilder(*t.Key)
		values := vec.NewBuilder(*t.Elem)
		for _, a := range args {
			f, from, to := list(a, r)
			for e := from; e < to; e++ {
				all.AppendFrom(f.Child[0], e)
				values.AppendFrom(f.Child[1], e)
			}
		}
		keys := all.Finish()
		if err := checkKeys("map_concat", keys, 0, keys.N, r); err != nil {
			return err
		}
		b.Child(0).AppendRows(keys, nil)
		b.Child(1).AppendRows(values.Finish(), nil)
		b.EndList()
		return nil
	})}, nil
}
