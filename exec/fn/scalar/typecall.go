package scalar

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
)

// typeCalls are the types that can be called to convert a value: int('5') is
// CAST('5' AS INT).
func typeCalls() []*fn.Scalar {
	list := []struct {
		t             types.Type
		example, want string
		aliases       []string
	}{
		{boolean, "boolean('true')", "true", nil},
		{tinyint, "tinyint('5')", "5", nil},
		{types.Of(types.Int16), "smallint('5')", "5", nil},
		{integer, "int('5')", "5", nil},
		{bigint, "bigint('5')", "5", nil},
		{float, "float('1.5')", "1.5", nil},
		{double, "double('1.5')", "1.5", nil},
		{text, "string(5)", "5", nil},
		{timestamp, "timestamp('2024-02-29')", "2024-02-29 00:00:00", nil},
	}
	var all []*fn.Scalar
	for _, x := range list {
		name, _, _ := strings.Cut(strings.ToLower(x.t.String()), "(")
		all = append(all, &fn.Scalar{
			Name: name, Aliases: x.aliases, Group: "Conversion", Syntax: []string{name + "(a)"}, Doc: "Is CAST(a AS " + x.t.String() + ").",
			Examples: []fn.Example{{SQL: x.example, Want: x.want}, {SQL: name + "(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, 1); err != nil {
					return fn.Impl{}, err
				}
				if !types.CanCast(args[0].Type, x.t) || args[0].Body != nil {
					return fn.Impl{}, mismatch(args, 0, "value that CAST takes")
				}
				impl := fn.Impl{Args: argTypes(args), Result: x.t, Eval: cast.Kernel(args[0].Type, x.t, false)}
				if cast.Monotone(args[0].Type, x.t, true) {
					impl.MonotoneFixed = []int{0}
				}
				if cast.Monotone(args[0].Type, x.t, false) {
					impl.Monotone = []int{0}
				}
				return impl, nil
			},
		})
	}
	return all
}
