package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// raises are the functions that fail on purpose, and those that count NULLs.
func raises() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "raise_error", Aliases: []string{"error"}, Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"raise_error(message)"}, Doc: "Fails with a message, on the rows for which it is computed; with eval_error = 'null' it is NULL and counted.",
			Examples: []fn.Example{{SQL: "if(1 < 2, 'fine', raise_error('never'))", Want: "fine"}, {SQL: "coalesce(NULL, 1, raise_error(NULL))", Want: "1"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				return fixed(null, raise(func(args []*vec.Vector, r int) (string, bool) { return message(args[0], r), true }), text)(args)
			},
		},
		{
			Name: "assert_true", Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"assert_true(condition [, message])"}, Doc: "Is NULL where a condition is true, and fails with a message where it is false or NULL.",
			Examples: []fn.Example{{SQL: "assert_true(1 < 2)", Want: "NULL"}},
			Resolve: optional(1, null, raise(func(args []*vec.Vector, r int) (string, bool) {
				if len(args) > 1 {
					return message(args[1], r), !args[0].IsTrue(r)
				}
				return "the condition is not true", !args[0].IsTrue(r)
			}), boolean, text),
		},
		{
			Name: "try", Group: "Conditional", Form: fn.FormTry, Nulls: fn.Custom, Syntax: []string{"try(a)"}, Doc: "Is a, and NULL where it cannot be computed: for an overflow, a text that is no number, a division by zero. Such rows do not count as errors.",
			Examples: []fn.Example{{SQL: "try(1 / 0)", Want: "NULL"}, {SQL: "try(CAST('x' AS INT))", Want: "NULL"}, {SQL: "try(coalesce(CAST('x' AS INT), 2))", Want: "NULL"}, {SQL: "try(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, 1); err != nil {
					return fn.Impl{}, err
				}
				if args[0].Body != nil {
					return fn.Impl{}, mismatch(args, 0, "value")
				}
				return fn.Impl{Args: argTypes(args), Result: args[0].Type}, nil
			},
		},
		nullCounter("num_nulls", "Counts the arguments that are NULL.", "num_nulls(1, NULL, 'a')", "1", true),
		nullCounter("num_nonnulls", "Counts the arguments that are not NULL.", "num_nonnulls(1, NULL, 'a')", "2", false),
		{
			Name: "constant_or_null", Group: "Conditional", Syntax: []string{"constant_or_null(a, b, ...)"}, Doc: "Is a where no other argument is NULL, otherwise NULL.",
			Examples: []fn.Example{{SQL: "constant_or_null(42, 1)", Want: "42"}, {SQL: "constant_or_null(42, NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 2, -1); err != nil {
					return fn.Impl{}, err
				}
				return fn.Impl{Args: argTypes(args), Result: args[0].Type, Eval: first, Safe: true}, nil
			},
		},
	}
}

func message(v *vec.Vector, r int) string {
	if v.IsNull(r) {
		return "null"
	}
	return v.Text(r)
}

// raise makes a kernel of NULLs that fails where f says so.
func raise(f func(args []*vec.Vector, r int) (msg string, fail bool)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		b := vec.NewBuilder(null)
		for range rows.N {
			b.AppendNull()
		}
		out := b.Take()
		return out, try(rows, func(r int) error {
			msg, fail := f(args, r)
			switch {
			case !fail:
				return nil
			case c.NullOnError:
				c.Errors++
				return nil
			}
			return &fn.DataError{Func: "raised", Row: r, Msg: msg}
		})
	}
}

func nullCounter(name, doc, example, want string, nulls bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Conditional", Nulls: fn.Custom, Syntax: []string{name + "(a, b, ...)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			for i, a := range args {
				if a.Body != nil {
					return fn.Impl{}, mismatch(args, i, "value")
				}
			}
			return fn.Impl{Args: argTypes(args), Result: integer, Safe: true, Eval: ints(integer, func(args []*vec.Vector, r int) int64 {
				n := int64(0)
				for _, a := range args {
					if a.IsNull(r) == nulls {
						n++
					}
				}
				return n
			})}, arity(args, 1, -1)
		},
	}
}
