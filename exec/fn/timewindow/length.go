package timewindow

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Length is interval_length(i): the µs that an interval is compared by. Intervals that
// are written in different parts, 1 day and 24:00:00, have one length, so it is the
// length that keys are made of. Of a nested value with intervals it is bytes that are the
// same where the values are.
var Length = fn.Scalar{
	Name: "interval_length", Group: "Time", Hidden: true, Syntax: []string{"interval_length(i)"},
	Doc: "The length of an interval in µs, a month as 30 days, a day as 24 hours.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 1 || !args[0].Type.HasInterval() {
			return fn.Impl{}, fmt.Errorf("takes an INTERVAL")
		}
		impl := fn.Impl{Args: []types.Type{args[0].Type}, Result: types.DecimalOf(38, 0), Eval: lengths}
		if args[0].Type.IsNested() {
			impl.Result, impl.Eval = types.Of(types.Bytes), nestedLengths
		}
		return impl, nil
	},
}

func lengths(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := vec.Flatten(args[0])
	out := &vec.Vector{Type: types.DecimalOf(38, 0), N: rows.N, Valid: in.Valid, I128: make([]types.Int128, rows.N)}
	for i := range out.I128 {
		out.I128[i] = in.Iv[i].Span()
	}
	return out, nil
}

func nestedLengths(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	b := vec.NewBuilder(types.Of(types.Bytes))
	var key []byte
	asked := rows.Sel
	for r := range rows.N {
		if rows.Sel != nil && (len(asked) == 0 || int(asked[0]) != r) {
			b.AppendNull()
			continue
		}
		if rows.Sel != nil {
			asked = asked[1:]
		}
		if args[0].IsNull(r) {
			b.AppendNull()
			continue
		}
		key = vec.AppendSameKey(key[:0], args[0], r)
		b.AppendBytes(key)
	}
	return b.Take(), nil
}
