package lower

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

func joinTexts(list []string) string { return strings.Join(list, ", ") }

// interval is a constant of so many µs, whole days as days.
func interval(micros int64) expr.Node {
	const day = 86_400_000_000
	if micros%day == 0 {
		return expr.Interval(types.IntervalValue{Days: int32(micros / day)})
	}
	return expr.Interval(types.IntervalValue{Micros: micros})
}

// call applies a function of the planner itself, whose arguments have the right types.
func call(f *fn.Scalar, args ...expr.Node) expr.Node {
	impl, err := f.Resolve(expr.Args(args))
	if err != nil {
		panic("lower: " + f.Name + ": " + err.Error())
	}
	return expr.NewCall(f, impl, args)
}

// longer is the greater of two delays, a month taken as 31 days.
func longer(a, b types.IntervalValue) types.IntervalValue {
	if rough(b) > rough(a) {
		return b
	}
	return a
}

func rough(v types.IntervalValue) int64 {
	return (int64(v.Months)*31+int64(v.Days))*86_400_000_000 + v.Micros
}
