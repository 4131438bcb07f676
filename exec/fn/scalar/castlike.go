package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// castsLike are casts to the type of a value: for macros, which are written for any type.
func castsLike() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "cast_to_type", Group: "Conversion", Nulls: fn.Custom, Syntax: []string{"cast_to_type(a, like)"}, Doc: "Casts a to the type of another value, whatever that is.",
			Examples: []fn.Example{{SQL: "cast_to_type('42', 0) + 1", Want: "43"}, {SQL: "cast_to_type(NULL, 1)", Want: "NULL"}, {SQL: "cast_to_type(CAST(NULL AS INT), 1.5)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 2, 2); err != nil {
					return fn.Impl{}, err
				}
				return castTo(args, args[1].Type)
			},
		},
		{
			Name: "replace_type", Group: "Conversion", Nulls: fn.Custom, Syntax: []string{"replace_type(a, from, to)"}, Doc: "Casts a so that every value in it of the type of from gets the type of to, in arrays, maps and structs as well.",
			Examples: []fn.Example{{SQL: "replace_type(array(1.5e0, 2e0), 0e0, 0)", Want: "[1,2]"}, {SQL: "replace_type(NULL, 1, 2)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 3, 3); err != nil {
					return fn.Impl{}, err
				}
				return castTo(args, replaceType(args[0].Type, args[1].Type, args[2].Type))
			},
		},
		{
			Name: "can_cast_implicitly", Group: "Conversion", Nulls: fn.Custom, Syntax: []string{"can_cast_implicitly(a, like)"}, Doc: "Tells whether a can stand without a cast where a value of the other's type is wanted.",
			Examples: []fn.Example{{SQL: "can_cast_implicitly(1, 2.5e0)", Want: "true"}, {SQL: "can_cast_implicitly(date '2024-01-01', 1)", Want: "false"}, {SQL: "can_cast_implicitly(NULL, 1)", Want: "true"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 2, 2); err != nil {
					return fn.Impl{}, err
				}
				can := types.CanCoerce(args[0].Type, args[1].Type)
				return fn.Impl{Args: argTypes(args), Result: boolean, Total: true, Eval: func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
					return vec.NewConst(boolean, can, rows.N), nil
				}}, nil
			},
		},
	}
}

// castTo casts the first argument.
func castTo(args []fn.Arg, to types.Type) (fn.Impl, error) {
	from := args[0].Type
	if to.Kind == types.Null && from.Kind != types.Null {
		return fn.Impl{}, fmt.Errorf("needs a value with a type as argument %d: a NULL alone has none", len(args))
	}
	if args[0].Body != nil || !types.CanCast(from, to) {
		return fn.Impl{}, fmt.Errorf("cannot cast %s to %s", from, to)
	}
	one := cast.Kernel(from, to, false)
	return fn.Impl{Args: argTypes(args), Result: to, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := vec.Flatten(args[0]) // a cast takes no constants, and no NULLs
		v, err := one(c, []*vec.Vector{in}, presentRows(in, rows))
		if err != nil || v == in {
			return v, err
		}
		each(rows, func(r int) {
			if in.IsNull(r) {
				v.SetNull(r)
			}
		})
		return v, nil
	}}, nil
}

// replaceType is t with each from in it replaced.
func replaceType(t, from, to types.Type) types.Type {
	switch {
	case t.Equal(from):
		return to
	case t.Kind == types.Array:
		return types.ArrayOf(replaceType(*t.Elem, from, to))
	case t.Kind == types.Map:
		return types.MapOf(replaceType(*t.Key, from, to), replaceType(*t.Elem, from, to))
	case t.Kind == types.Struct:
		fields := make([]types.Field, len(t.Fields))
		for i, f := range t.Fields {
			f.Type = replaceType(f.Type, from, to)
			fields[i] = f
		}
		return types.StructOf(fields...)
	}
	return t
}
