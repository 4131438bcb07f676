package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Most functions here are forms: exec/expr computes their arguments only on the rows
// that need them.

func conditionals() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "coalesce", Aliases: []string{"nvl", "ifnull"}, Group: "Conditional", Form: fn.FormCoalesce, Nulls: fn.Custom,
			Syntax:   []string{"coalesce(a, b, ...)", "nvl(a, b)", "ifnull(a, b)"},
			Doc:      "Is the first argument that is not NULL. Later ones are computed only where they are needed.",
			Examples: []fn.Example{{SQL: "coalesce(NULL, 2, 3)", Want: "2"}, {SQL: "coalesce(NULL, NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, -1); err != nil {
					return fn.Impl{}, err
				}
				t, err := common(args, 0)
				return fn.Impl{Args: same(t, len(args)), Result: t}, err
			},
		},
		{
			Name: "if", Aliases: []string{"iff", "iif"}, Group: "Conditional", Form: fn.FormIf, Nulls: fn.Custom,
			Syntax:   []string{"if(condition, then, else)"},
			Doc:      "Is then where the condition is true, else where it is false or NULL. Only the one that is needed is computed.",
			Examples: []fn.Example{{SQL: "if(1 < 2, 'a', 'b')", Want: "a"}, {SQL: "if(NULL, 'a', 'b')", Want: "b"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 3, 3); err != nil {
					return fn.Impl{}, err
				}
				if err := matches(args[:1], []types.Type{boolean}); err != nil {
					return fn.Impl{}, err
				}
				t, err := common(args, 1)
				return fn.Impl{Args: []types.Type{boolean, t, t}, Result: t}, err
			},
		},
		{
			Name: "nvl2", Group: "Conditional", Form: fn.FormNvl2, Nulls: fn.Custom, Syntax: []string{"nvl2(test, then, else)"},
			Doc:      "Is then where test is not NULL, else where it is.",
			Examples: []fn.Example{{SQL: "nvl2(1, 'y', 'n')", Want: "y"}, {SQL: "nvl2(NULL, 'y', 'n')", Want: "n"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 3, 3); err != nil {
					return fn.Impl{}, err
				}
				t, err := common(args, 1)
				return fn.Impl{Args: []types.Type{args[0].Type, t, t}, Result: t}, err
			},
		},
		{
			Name: "nullif", Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"nullif(a, b)"},
			Doc:      "Is NULL where a equals b, otherwise a.",
			Examples: []fn.Example{{SQL: "nullif(1, 1)", Want: "NULL"}, {SQL: "nullif(1, 2)", Want: "1"}, {SQL: "nullif(1, NULL)", Want: "1"}, {SQL: "nullif(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveNullif,
		},
		logic("and", fn.FormAnd, "a AND b", "Is false where a side is false, NULL where no side is false and one is NULL.", "TRUE AND NULL", "NULL"),
		logic("or", fn.FormOr, "a OR b", "Is true where a side is true, NULL where no side is true and one is NULL.", "TRUE OR NULL", "true"),
		logic("not", fn.FormNot, "NOT a", "Negates; NOT NULL is NULL.", "NOT NULL", "NULL"),
		nullTest("isnull", fn.FormIsNull, "a IS NULL", "Tests for NULL.", "isnull(NULL)", "true"),
		nullTest("isnotnull", fn.FormIsNotNull, "a IS NOT NULL", "Tests for a value that is not NULL.", "isnotnull(NULL)", "false"),
		{
			Name: "in", Group: "Operators", Form: fn.FormIn, Nulls: fn.Custom, Syntax: []string{"a IN (b, c, ...)"},
			Doc:      "Is true where a equals an element, NULL where none does and a or an element is NULL.",
			Examples: []fn.Example{{SQL: "1 IN (1, 2)", Want: "true"}, {SQL: "3 IN (1, 2)", Want: "false"}, {SQL: "3 IN (1, NULL)", Want: "NULL"}},
			Resolve:  resolveIn,
		},
		{
			Name: "$is_true", Aliases: []string{"is_true"}, Hidden: true, Group: "Operators", Nulls: fn.Custom, Syntax: []string{"a IS TRUE"},
			Doc:      "Is true where a is, false where a is false or NULL.",
			Examples: []fn.Example{{SQL: "is_true(NULL)", Want: "false"}},
			Resolve:  fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return args[0].IsTrue(r) }), boolean),
		},
		{
			Name: "$is_false", Aliases: []string{"is_false"}, Hidden: true, Group: "Operators", Nulls: fn.Custom, Syntax: []string{"a IS FALSE"},
			Doc:      "Is true where a is false, false where a is true or NULL.",
			Examples: []fn.Example{{SQL: "is_false(NULL)", Want: "false"}},
			Resolve: fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
				return !args[0].IsNull(r) && !args[0].IsTrue(r)
			}), boolean),
		},
	}
}

func logic(name string, form fn.Form, syntax, doc, sql, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Operators", Form: form, Nulls: fn.Custom, Syntax: []string{syntax}, Doc: doc,
		Examples: []fn.Example{{SQL: sql, Want: want}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			least, most := 2, -1
			if form == fn.FormNot {
				least, most = 1, 1
			}
			if err := arity(args, least, most); err != nil {
				return fn.Impl{}, err
			}
			for i, a := range args {
				if a.Type.Kind != types.Bool && a.Type.Kind != types.Null {
					return fn.Impl{}, mismatch(args, i, "BOOLEAN")
				}
			}
			return fn.Impl{Args: same(boolean, len(args)), Result: boolean}, nil
		},
	}
}

func nullTest(name string, form fn.Form, syntax, doc, sql, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Operators", Form: form, Nulls: fn.Custom, Syntax: []string{syntax, name + "(a)"}, Doc: doc,
		Examples: []fn.Example{{SQL: sql, Want: want}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			return fn.Impl{Args: argTypes(args), Result: boolean}, arity(args, 1, 1)
		},
	}
}

// resolveNullif compares in the common type and keeps a's own type; text beside another
// type is compared as text.
func resolveNullif(args []fn.Arg) (fn.Impl, error) {
	t, err := comparable(args)
	if err != nil {
		return fn.Impl{}, err
	}
	a := args[0].Type
	if a.Kind == types.String || a.Kind == types.Null {
		t, a = text, text
	}
	if args[0].Type.Kind == types.Null {
		t, a = args[1].Type, args[1].Type
	}
	return fn.Impl{Args: []types.Type{a, t}, Result: a, Eval: nullif(a, t)}, nil
}

func nullif(a, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := vec.Flatten(args[0]) // a cast takes no constants
		same := in
		if !a.Equal(t) {
			var err error
			if same, err = cast.Kernel(a, t, false)(c, []*vec.Vector{in}, presentRows(in, rows)); err != nil {
				return nil, err
			}
		}
		out := *in
		if out.Valid != nil {
			out.Valid = append([]uint64(nil), out.Valid...)
		}
		equals := sameAs(same, args[1])
		each(rows, func(r int) {
			if equals(r) && !in.IsNull(r) {
				out.SetNull(r)
			}
		})
		return &out, nil
	}
}

// sameAs tells whether a and b are equal and not NULL in a row; of numbers and text in flat
// storage it compares values before it looks for NULL, which decides more rarely.
func sameAs(a, b *vec.Vector) func(r int) bool {
	phys := a.Type.Phys()
	if a.Const || a.Dict != nil || b.Dict != nil || b.Type.Phys() != phys {
		return func(r int) bool { return !a.IsNull(r) && vec.Same(a, r, b, r) }
	}
	m := mask(b)
	switch phys {
	case types.PhysInt64:
		return func(r int) bool { return a.I64[r] == b.I64[r&m] && !a.IsNull(r) && !b.IsNull(r) }
	case types.PhysString:
		return func(r int) bool {
			return a.Str[r].Len == b.Str[r&m].Len && !a.IsNull(r) && vec.Same(a, r, b, r)
		}
	}
	return func(r int) bool { return !a.IsNull(r) && vec.Same(a, r, b, r) }
}

func resolveIn(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, -1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	for _, a := range args[1:] {
		pair, ok := types.ComparisonType(t, a.Type)
		if !ok {
			return fn.Impl{}, fmt.Errorf("cannot compare %s with %s", t, a.Type)
		}
		t = pair
	}
	return fn.Impl{Args: same(t, len(args)), Result: boolean}, nil
}
