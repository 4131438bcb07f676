package timewindow

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Length is interval_length(i): the µs that an interval is compared by. Intervals that
// are written in different parts, 1 day and 24:00:00, have one length, so it is the
// length that keys are made of.
var Length = fn.Scalar{
	Name: "interval_length", Group: "Time", Hidden: true, Syntax: []string{"interval_length(i)"},
	Doc: "The length of an interval in µs, a month as 30 days, a day as 24 hours.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 1 || args[0].Type.Kind != types.Interval {
			return fn.Impl{}, fmt.Errorf("takes an INTERVAL")
		}
		result := types.DecimalOf(38, 0)
		return fn.Impl{Args: []types.Type{args[0].Type}, Result: result, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			in := vec.Flatten(args[0])
			out := &vec.Vector{Type: result, N: rows.N, Valid: in.Valid, I128: make([]types.Int128, rows.N)}
			for i := range out.I128 {
				out.I128[i] = in.Iv[i].Span()
			}
			return out, nil
		}}, nil
	},
}
