package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func invocations() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "invoke", Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"invoke(x -> f(x), a)", "invoke((x, y, ...) -> f(x, y, ...), a, b, ...)"},
		Doc:      "Computes a lambda with the values behind it, as many as it has parameters: it gives a value a name, and computes it once.",
		Examples: []fn.Example{{SQL: "invoke(x -> x * x, 3)", Want: "9"}, {SQL: "invoke((x, y) -> x || y, 'a', 'b')", Want: "ab"}, {SQL: "invoke(x -> x + 1, NULL)", Want: "NULL"}},
		Resolve:  resolveInvoke,
	}}
}

func resolveInvoke(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, -1); err != nil {
		return fn.Impl{}, err
	}
	values := argTypes(args[1:])
	if args[0].Body != nil && args[0].Params != len(values) {
		return fn.Impl{}, fmt.Errorf("has %d values for a lambda of %d parameters", len(values), args[0].Params)
	}
	for i := range values {
		if args[i+1].Body != nil {
			return fn.Impl{}, mismatch(args, i+1, "value")
		}
	}
	result, err := body(args, 0, values...)
	if err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: append([]types.Type{result}, values...), Result: result, EvalLambda: func(c *fn.Ctx, args []*vec.Vector, bodies []fn.Lambda, rows fn.Rows) (*vec.Vector, error) {
		outer := make([]int32, 0, rows.Len())
		each(rows, func(r int) { outer = append(outer, int32(r)) })
		params := make([]*vec.Vector, len(args))
		for i, a := range args {
			params[i] = vec.Gather(a, outer)
		}
		v, err := bodies[0].Apply(c, params, outer)
		if err != nil {
			return nil, err
		}
		b := vec.NewBuilder(result)
		for i, r := range outer {
			for b.Len() < int(r) {
				b.AppendNull()
			}
			b.AppendFrom(v, i)
		}
		for b.Len() < rows.N {
			b.AppendNull()
		}
		return b.Take(), nil
	}}, nil
}
