package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// zips put arrays and maps together from others.
func zips() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "arrays_zip", Group: "Arrays", Syntax: []string{"arrays_zip(a, b, ...)"},
			Doc:      "Lists, place by place, a struct of the elements of all arrays; shorter ones are filled with NULL.",
			Examples: []fn.Example{{SQL: "arrays_zip(array(1, 2), array('a'))", Want: `[{"0":1,"1":"a"},{"0":2,"1":null}]`}, {SQL: "arrays_zip(array(1), NULL)", Want: "NULL"}},
			Resolve:  resolveArraysZip,
		},
		{
			Name: "array_insert", Group: "Arrays", Nulls: fn.Custom, Syntax: []string{"array_insert(array, place, a)"},
			Doc:      "Puts an element at a place, counted from 1, or from −1 at the end; gaps are filled with NULL.",
			Examples: []fn.Example{{SQL: "array_insert(array(1, 2), 2, 9)", Want: "[1,9,2]"}, {SQL: "array_insert(array(1), -1, 9)", Want: "[1,9]"}, {SQL: "array_insert(array(1), 4, 9)", Want: "[1,null,null,9]"}, {SQL: "array_insert(NULL, 1, 9)", Want: "NULL"}},
			Resolve:  resolveArrayInsert,
		},
		{
			Name: "map_from_entries", Group: "Maps", Syntax: []string{"map_from_entries(array)"}, Doc: "Makes a map of an array of structs of a key and a value.",
			Examples: []fn.Example{{SQL: "map_from_entries(array(struct('a', 1)))", Want: `{"a":1}`}, {SQL: "map_from_entries(NULL)", Want: "NULL"}},
			Resolve:  resolveMapFromEntries,
		},
		{
			Name: "str_to_map", Group: "Maps", Syntax: []string{"str_to_map(a [, pairs [, values]])"},
			Doc:      "Splits a text into pairs (at a comma) and these into key and value (at a colon), or at other separators.",
			Examples: []fn.Example{{SQL: "str_to_map('a:1,b')", Want: `{"a":"1","b":null}`}, {SQL: "str_to_map('a=1;b=2', ';', '=')", Want: `{"a":"1","b":"2"}`}, {SQL: "str_to_map(NULL)", Want: "NULL"}},
			Resolve:  optional(1, types.MapOf(text, text), tryBuilt(types.MapOf(text, text), strToMap), text, text, text),
		},
	}
}

func resolveArraysZip(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	var want []types.Type
	var fields []types.Field
	for i := range args {
		t, err := arrayArg(args, i)
		if err != nil {
			return fn.Impl{}, err
		}
		name := args[i].Name
		if name == "" {
			name = fmt.Sprint(i)
		}
		want, fields = append(want, t), append(fields, types.Field{Name: name, Type: *t.Elem})
	}
	t := types.ArrayOf(types.StructOf(fields...))
	return fn.Impl{Args: want, Result: t, Eval: built(t, zipped)}, nil
}

func zipped(b *vec.Builder, args []*vec.Vector, r int) {
	longest := 0
	for _, a := range args {
		_, from, to := list(a, r)
		longest = max(longest, to-from)
	}
	for k := range longest {
		for i, a := range args {
			f, from, to := list(a, r)
			if from+k < to {
				b.Child(0).Child(i).AppendFrom(f.Child[0], from+k)
			} else {
				b.Child(0).Child(i).AppendNull()
			}
		}
		b.Child(0).EndStruct()
	}
	b.EndList()
}

func resolveArrayInsert(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 3, 3, arrayArg)
	if err != nil {
		return fn.Impl{}, err
	}
	if !types.CanCoerce(args[1].Type, bigint) {
		return fn.Impl{}, mismatch(args, 1, "INT")
	}
	elem, ok := types.CommonType(*t.Elem, args[2].Type)
	if !ok {
		return fn.Impl{}, fmt.Errorf("has no common type for %s and %s", t.Elem, args[2].Type)
	}
	t = types.ArrayOf(elem)
	return fn.Impl{Args: []types.Type{t, bigint, elem}, Result: t, Eval: tryBuilt(t, arrayInsert)}, nil
}

// maxInserted bounds the length of what array_insert makes.
const maxInserted = 1 << 20

func arrayInsert(b *vec.Builder, args []*vec.Vector, r int) error {
	if args[0].IsNull(r) || args[1].IsNull(r) {
		b.AppendNull()
		return nil
	}
	f, from, to := list(args[0], r)
	at, n := args[1].Int(r), int64(to-from)
	if at == 0 || at > maxInserted || at < -maxInserted {
		return &fn.DataError{Func: "array_insert", Value: fmt.Sprint(at), Row: r, Msg: "no place in an array"}
	}
	before := at - 1 // elements before the new one
	lead := int64(0) // NULLs before the first
	if at < 0 {
		if before = n + at + 1; before < 0 {
			before, lead = 0, -before
		}
	}
	put := func(i int64) {
		if i < n {
			b.Child(0).AppendFrom(f.Child[0], from+int(i))
		} else {
			b.Child(0).AppendNull()
		}
	}
	for i := range before {
		put(i)
	}
	b.Child(0).AppendFrom(args[2], r)
	for range lead {
		b.Child(0).AppendNull()
	}
	for i := before; i < n; i++ {
		put(i)
	}
	b.EndList()
	return nil
}

func resolveMapFromEntries(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	in := args[0].Type
	if in.Kind == types.Null {
		in = types.ArrayOf(types.StructOf(types.Field{Name: "key", Type: text}, types.Field{Name: "value", Type: null}))
	}
	if in.Kind != types.Array || in.Elem.Kind != types.Struct || len(in.Elem.Fields) != 2 {
		return fn.Impl{}, mismatch(args, 0, "ARRAY of STRUCTs with two fields")
	}
	t := types.MapOf(in.Elem.Fields[0].Type, in.Elem.Fields[1].Type)
	return fn.Impl{Args: []types.Type{in}, Result: t, Eval: tryBuilt(t, mapFromEntries)}, nil
}

func mapFromEntries(b *vec.Builder, args []*vec.Vector, r int) error {
	f, from, to := list(args[0], r)
	for e := from; e < to; e++ {
		if f.Child[0].IsNull(e) {
			b.AppendNull()
			return nil
		}
	}
	entries := vec.Flatten(f.Child[0])
	if err := checkKeys("map_from_entries", entries.Child[0], from, to, r); err != nil {
		return err
	}
	for e := from; e < to; e++ {
		b.Child(0).AppendFrom(entries.Child[0], e)
		b.Child(1).AppendFrom(entries.Child[1], e)
	}
	b.EndList()
	return nil
}

func strToMap(b *vec.Builder, args []*vec.Vector, r int) error {
	seps := [2]string{",", ":"}
	for i := 1; i < len(args); i++ {
		seps[i-1] = args[i].Text(r)
	}
	pairs := strings.Split(args[0].Text(r), seps[0])
	seen := map[string]bool{}
	for _, p := range pairs {
		k, _, _ := strings.Cut(p, seps[1])
		if seen[k] {
			return &fn.DataError{Func: "str_to_map", Value: fn.Quote(k), Row: r, Msg: "the key occurs twice"}
		}
		seen[k] = true
	}
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, seps[1])
		b.Child(0).AppendString(k)
		if ok {
			b.Child(1).AppendString(v)
		} else {
			b.Child(1).AppendNull()
		}
	}
	b.EndList()
	return nil
}
