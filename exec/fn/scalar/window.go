package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// buckets describe time_bucket, which the planner builds as a window where it stands
// in GROUP BY.
func buckets() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "time_bucket", Aliases: []string{"date_bin"}, Group: "Time", Syntax: []string{"time_bucket(size, time [, origin])"},
		Doc:      "Cuts a time down to a multiple of an interval since 1970-01-01, or since a constant origin.",
		Examples: []fn.Example{{SQL: "time_bucket(INTERVAL '15' MINUTE, TIMESTAMP '2024-01-01 10:22:00')", Want: "2024-01-01 10:15:00"}, {SQL: "time_bucket(INTERVAL '1' HOUR, CAST(NULL AS TIMESTAMP))", Want: "NULL"}},
		Resolve:  resolveBucket,
	}}
}

func resolveBucket(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	t, err := timeArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	inner := []fn.Arg{{Type: t}, args[0]}
	if len(args) == 3 {
		at := args[2].Const
		if at == nil || at.IsNull(0) || !args[2].Type.IsTime() || args[2].Type.Kind == types.Date {
			return fn.Impl{}, mismatch(args, 2, "constant TIMESTAMP")
		}
		offset := &vec.Vector{Type: interval, N: 1, Const: true, Iv: []types.IntervalValue{{Micros: at.Int(0)}}}
		inner = append(inner, fn.Arg{Type: interval, Const: offset})
	}
	impl, err := timewindow.Start.Resolve(inner)
	if err != nil {
		return impl, err
	}
	start := impl.Eval
	impl.Args = append([]types.Type{interval, impl.Args[0]}, argTypes(args[2:])...)
	impl.Monotone, impl.Total = []int{1}, false
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return start(c, args[1:], rows)
	}
	return impl, nil
}
