package expr

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
)

// MonotoneIn reports that an expression is a non-decreasing function of exactly one
// column, everything else in it being constant: a frontier on the column is one on
// the expression. fixed says that the session zone has a fixed offset from UTC.
func MonotoneIn(n Node, fixed bool) (col int, ok bool) {
	cols := ColumnsOf(n)
	if len(cols) != 1 || Volatility(n) != fn.Immutable {
		return 0, false
	}
	return cols[0], monotone(n, fixed)
}

// monotone holds for expressions that read one column.
func monotone(n Node, fixed bool) bool {
	switch x := n.(type) {
	case *Column:
		return true
	case *Cast:
		return !x.Try && cast.Monotone(x.X.Type(), x.To, fixed) && monotone(x.X, fixed)
	case *Call:
		for i, a := range x.Args {
			if IsConst(a) {
				continue
			}
			if !slices.Contains(x.Impl.Monotone, i) && !(fixed && slices.Contains(x.Impl.MonotoneFixed, i)) || !monotone(a, fixed) {
				return false
			}
		}
		return true
	}
	return false
}
