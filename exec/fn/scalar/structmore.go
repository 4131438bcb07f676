package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// structExtras are DuckDB's functions of structs. Fields are given as pairs of a
// constant name and a value; the binder makes them of named arguments.
func structExtras() []*fn.Scalar {
	group := "Structs"
	return []*fn.Scalar{
		{
			Name: "struct_insert", Group: group, Nulls: fn.Custom, Syntax: []string{"struct_insert(struct, name := a, ...)"}, Doc: "Adds fields at the end of a struct, whose names must be new. A NULL struct counts as one of NULLs.",
			Examples: []fn.Example{{SQL: "struct_insert(named_struct('a', 1), 'b', NULL)", Want: `{"a":1,"b":null}`}},
			Resolve:  resolveStructUpdate(false),
		},
		{
			Name: "struct_update", Group: group, Nulls: fn.Custom, Syntax: []string{"struct_update(struct, name := a, ...)"}, Doc: "Replaces fields of a struct, and adds those that it does not have at the end. A NULL struct counts as one of NULLs.",
			Examples: []fn.Example{{SQL: "struct_update(named_struct('a', 1, 'b', 2), 'a', 'x', 'c', NULL)", Want: `{"a":"x","b":2,"c":null}`}},
			Resolve:  resolveStructUpdate(true),
		},
		{
			Name: "struct_concat", Group: group, Nulls: fn.Custom, Syntax: []string{"struct_concat(a, b, ...)"}, Doc: "Makes one struct of the fields of several, whose names must differ. A NULL struct counts as one of NULLs.",
			Examples: []fn.Example{{SQL: "struct_concat(named_struct('a', 1), named_struct('b', NULL))", Want: `{"a":1,"b":null}`}},
			Resolve:  resolveStructConcat,
		},
		{
			Name: "struct_extract_at", Group: group, Syntax: []string{"struct_extract_at(struct, i)"}, Doc: "Is the i-th field of a struct, a constant from 1.",
			Examples: []fn.Example{{SQL: "struct_extract_at(named_struct('a', 5, 'b', 6), 2)", Want: "6"}, {SQL: "struct_extract_at(named_struct('a', CAST(NULL AS INT)), 1)", Want: "NULL"}},
			Resolve:  resolveStructAt,
		},
		{
			Name: "struct_keys", Group: group, Syntax: []string{"struct_keys(struct)"}, Doc: "Lists the names of the fields.",
			Examples: []fn.Example{{SQL: "struct_keys(named_struct('a', 1, 'b', NULL))", Want: `["a","b"]`}},
			Resolve:  resolveStructKeys,
		},
		{
			Name: "struct_values", Group: group, Syntax: []string{"struct_values(struct)"}, Doc: "Is the struct of the same values with the fields col1, col2 ...",
			Examples: []fn.Example{{SQL: "struct_values(named_struct('a', 1, 'b', NULL))", Want: `{"col1":1,"col2":null}`}},
			Resolve:  resolveStructValues,
		},
		{
			Name: "struct_position", Aliases: []string{"struct_indexof"}, Group: group, Nulls: fn.Custom, Syntax: []string{"struct_position(struct, a)"}, Doc: "Is the place, from 1, of the first field that equals a; NULL if there is none. A NULL is found like a value.",
			Examples: []fn.Example{{SQL: "struct_position(row(5, 6), 6)", Want: "2"}, {SQL: "struct_position(row(5), 7)", Want: "NULL"}},
			Resolve:  resolveStructPosition(false),
		},
		{
			Name: "struct_contains", Aliases: []string{"struct_has"}, Group: group, Syntax: []string{"struct_contains(struct, a)"}, Doc: "Is true where a field equals a.",
			Examples: []fn.Example{{SQL: "struct_contains(row(5, 6), 6)", Want: "true"}, {SQL: "struct_contains(row(5, NULL), NULL)", Want: "NULL"}},
			Resolve:  resolveStructPosition(true),
		},
	}
}

func structArg(args []fn.Arg, i int) (types.Type, error) {
	if t := args[i].Type; t.Kind == types.Struct {
		return t, nil
	}
	return null, mismatch(args, i, "STRUCT")
}

// fieldOf is field k of a struct column as a column of the same rows, NULL where the
// struct is.
func fieldOf(v *vec.Vector, k, n int) *vec.Vector {
	flat := vec.Flatten(v)
	out := *flat.Child[k]
	out.Valid = vec.AndValid(out.Valid, flat.Valid, n)
	return &out
}

// part is where a field of a struct that is put together comes from.
type part struct{ arg, field int } // field < 0: the argument itself

// assembled makes a struct of fields of its arguments and arguments.
func assembled(fields []types.Field, want []types.Type, parts []part) fn.Impl {
	t := types.StructOf(fields...)
	return fn.Impl{Args: want, Result: t, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := &vec.Vector{Type: t, N: rows.N}
		for _, p := range parts {
			if p.field < 0 {
				out.Child = append(out.Child, vec.Flatten(args[p.arg]))
				continue
			}
			out.Child = append(out.Child, fieldOf(args[p.arg], p.field, rows.N))
		}
		return out, nil
	}}
}

func resolveStructUpdate(replace bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) < 3 || len(args)%2 == 0 {
			return fn.Impl{}, fmt.Errorf("takes a struct and fields such as name := 1")
		}
		t, err := structArg(args, 0)
		if err != nil {
			return fn.Impl{}, err
		}
		fields := append([]types.Field(nil), t.Fields...)
		parts := make([]part, len(fields))
		for k := range parts {
			parts[k] = part{0, k}
		}
		for i := 1; i < len(args); i += 2 {
			name, ok := constText(args, i)
			if !ok {
				return fn.Impl{}, mismatch(args, i, "constant STRING")
			}
			field := types.Field{Name: strings.Clone(name), Type: args[i+1].Type}
			k := fieldNamed(fields, name)
			switch {
			case k < 0:
				fields, parts = append(fields, field), append(parts, part{i + 1, -1})
			case replace:
				field.Name = fields[k].Name
				fields[k], parts[k] = field, part{i + 1, -1}
			default:
				return fn.Impl{}, fmt.Errorf("finds the field %q in the struct already; struct_update replaces it", name)
			}
		}
		return assembled(fields, argTypes(args), parts), nil
	}
}

func fieldNamed(fields []types.Field, name string) int {
	for k, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return k
		}
	}
	return -1
}

func resolveStructConcat(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	var fields []types.Field
	var parts []part
	for i := range args {
		t, err := structArg(args, i)
		if err != nil {
			return fn.Impl{}, err
		}
		for k, f := range t.Fields {
			if fieldNamed(fields, f.Name) >= 0 {
				return fn.Impl{}, fmt.Errorf("finds the field %q twice", f.Name)
			}
			fields, parts = append(fields, f), append(parts, part{i, k})
		}
	}
	return assembled(fields, argTypes(args), parts), nil
}

func resolveStructAt(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 2, structArg)
	if err != nil {
		return fn.Impl{}, err
	}
	c := args[1].Const
	if c == nil || !args[1].Type.IsInteger() || c.IsNull(0) {
		return fn.Impl{}, mismatch(args, 1, "constant whole number")
	}
	i := c.Int(0)
	if i < 1 || i > int64(len(t.Fields)) {
		return fn.Impl{}, fmt.Errorf("finds no field %d: the struct has %d", i, len(t.Fields))
	}
	return fn.Impl{Args: argTypes(args), Result: t.Fields[i-1].Type, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return fieldOf(args[0], int(i-1), rows.N), nil
	}}, nil
}

func resolveStructKeys(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t, err := structArg(args, 0)
	result := types.ArrayOf(text)
	return fn.Impl{Args: argTypes(args), Result: result, Eval: built(result, func(b *vec.Builder, _ []*vec.Vector, _ int) {
		for _, f := range t.Fields {
			b.Child(0).AppendString(f.Name)
		}
		b.EndList()
	})}, err
}

func resolveStructValues(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 1, 1, structArg)
	if err != nil {
		return fn.Impl{}, err
	}
	fields := make([]types.Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = types.Field{Name: fmt.Sprintf("col%d", i+1), Type: f.Type}
	}
	result := types.StructOf(fields...)
	return fn.Impl{Args: argTypes(args), Result: result, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		flat := vec.Flatten(args[0])
		return &vec.Vector{Type: result, N: rows.N, Valid: flat.Valid, Child: flat.Child}, nil
	}}, nil
}

// resolveStructPosition looks for a value among the fields that have a common type
// with it.
func resolveStructPosition(has bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := firstArg(args, 2, 2, structArg)
		if err != nil {
			return fn.Impl{}, err
		}
		fields := make([]fn.Arg, 0, len(t.Fields)+1)
		for _, f := range t.Fields {
			fields = append(fields, fn.Arg{Type: f.Type})
		}
		elem, err := common(append(fields, args[1]), 0)
		if err != nil {
			return fn.Impl{}, err
		}
		same := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			same[i] = types.Field{Name: f.Name, Type: elem}
		}
		result := integer
		if has {
			result = boolean
		}
		return fn.Impl{Args: []types.Type{types.StructOf(same...), elem}, Result: result, Eval: built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
			at := fieldPlace(args[0], args[1], r)
			switch {
			case args[0].IsNull(r), at == 0 && !has:
				b.AppendNull()
			case has:
				b.AppendBool(at > 0)
			default:
				b.AppendInt(int64(at))
			}
		})}, nil
	}
}

// fieldPlace is the place from 1 of the first field that equals v[r], 0 if there is none.
func fieldPlace(s, v *vec.Vector, r int) int {
	if s.IsNull(r) {
		return 0
	}
	f, i := s.At(r)
	for k, c := range f.Child {
		if vec.Same(c, i, v, r) {
			return k + 1
		}
	}
	return 0
}
