package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
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
			Examples: []fn.Example{{SQL: "struct_position(row(5, 6), 6)", Want: "2"}, {SQL: "struct_position(row(5), 7)", Want: "NULL"}, {SQL: "struct_position(row(5, NULL), NULL)", Want: "2"}},
			Resolve:  resolveStructPosition(false),
		},
		{
			Name: "struct_contains", Aliases: []string{"struct_has"}, Group: group, Syntax: []string{"struct_contains(struct, a)"}, Doc: "Is true where a field equals a; a field of another sort (a text beside a number) does not.",
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
// resolveStructPosition compares the fields that a can be compared with; others are not a.
func resolveStructPosition(has bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		result := integer
		if has {
			result = boolean
		}
		if len(args) == 2 && args[0].Type.Kind == types.Null {
			return fn.Impl{Args: argTypes(args), Result: result, Eval: func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return vec.Nulls(result, rows.N), nil
			}}, nil
		}
		t, err := firstArg(args, 2, 2, structArg)
		if err != nil {
			return fn.Impl{}, err
		}
		in := make([]*types.Type, len(t.Fields)) // what each field is compared in; nil = it is not
		for i, f := range t.Fields {
			c, same, ok := alike(f.Type, args[1].Type)
			if same {
				in[i] = &c
			}
			if !ok {
				return fn.Impl{}, fmt.Errorf("cannot compare the field %q, %s, with %s", f.Name, f.Type, args[1].Type)
			}
		}
		return fn.Impl{Args: []types.Type{t, args[1].Type}, Result: result, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			places, err := fieldPlaces(c, args, in, rows)
			if err != nil {
				return nil, err
			}
			return built(result, func(b *vec.Builder, args []*vec.Vector, r int) {
				switch at := places[r]; {
				case args[0].IsNull(r):
					b.AppendNull()
				case has:
					b.AppendBool(at > 0)
				case at == 0:
					b.AppendNull()
				default:
					b.AppendInt(int64(at))
				}
			})(c, args, rows)
		}}, nil
	}
}

// alike is the type in which values of two types that are of one sort are compared: numbers,
// times, or the same kind; same false if they are not. BOOLEAN and numbers are refused.
func alike(a, b types.Type) (t types.Type, same, ok bool) {
	if a.Kind == types.Bool && b.IsNumeric() || a.IsNumeric() && b.Kind == types.Bool {
		return null, false, false
	}
	if a.Kind == b.Kind || a.Kind == types.Null || b.Kind == types.Null || a.IsNumeric() && b.IsNumeric() || a.IsTime() && b.IsTime() {
		if t, ok := types.CommonType(a, b); ok {
			return t, true, true
		}
	}
	if a.Kind != types.Struct || b.Kind != types.Struct || len(a.Fields) != len(b.Fields) {
		return null, false, true
	}
	fields := make([]types.Field, len(a.Fields)) // place by place, whatever their names
	for i, f := range a.Fields {
		t, same, ok := alike(f.Type, b.Fields[i].Type)
		if !same {
			return null, false, ok
		}
		fields[i] = types.Field{Name: f.Name, Type: t}
	}
	return types.StructOf(fields...), true, true
}

// fieldPlaces is, by row, the place of the first field that equals the second argument, 0 if
// none does.
func fieldPlaces(c *fn.Ctx, args []*vec.Vector, in []*types.Type, rows fn.Rows) ([]int, error) {
	places := make([]int, rows.N)
	for i, t := range in {
		if t == nil {
			continue
		}
		field := fieldOf(args[0], i, rows.N)
		a, err := cast.Kernel(field.Type, *t, true)(c, []*vec.Vector{field}, rows)
		if err != nil {
			return nil, err
		}
		b, err := cast.Kernel(args[1].Type, *t, true)(c, args[1:], rows)
		if err != nil {
			return nil, err
		}
		each(rows, func(r int) {
			null := field.IsNull(r)
			if places[r] == 0 && null == args[1].IsNull(r) && (null || !a.IsNull(r) && vec.Same(a, r, b, r)) {
				places[r] = i + 1
			}
		})
	}
	return places, nil
}
