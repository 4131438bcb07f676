package scalar

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// movements are the functions that move times and measure between them.
func movements() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "date_add", Aliases: []string{"dateadd", "adddate"}, Group: "Time", Syntax: []string{"date_add(date, days)", "date_add(time, interval)", "date_add('unit', n, time)"},
			Doc:      "Moves a date by days, a time by an interval, or a time by n units.",
			Examples: []fn.Example{{SQL: "date_add(DATE '2024-02-28', 2)", Want: "2024-03-01"}, {SQL: "date_add('MONTH', 1, TIMESTAMP '2024-01-31 10:00:00')", Want: "2024-02-29 10:00:00"}, {SQL: "date_add(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveDateAdd(opAdd),
		},
		{
			Name: "date_sub", Aliases: []string{"subdate"}, Group: "Time", Syntax: []string{"date_sub(date, days)", "date_sub(time, interval)"},
			Doc:      "Moves a date back by days, or a time by an interval.",
			Examples: []fn.Example{{SQL: "date_sub(DATE '2024-03-01', 1)", Want: "2024-02-29"}, {SQL: "date_sub(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveDateAdd(opSub),
		},
		{
			Name: "timestampadd", Group: "Time", Syntax: []string{"timestampadd(unit, n, time)"}, Doc: "Moves a time by n units.",
			Examples: []fn.Example{{SQL: "timestampadd('HOUR', 2, TIMESTAMP '2024-01-01 23:00:00')", Want: "2024-01-02 01:00:00"}, {SQL: "timestampadd('HOUR', NULL, NULL)", Want: "NULL"}},
			Resolve:  resolveUnitAdd,
		},
		{
			Name: "add_months", Group: "Time", Syntax: []string{"add_months(date, n)"}, Doc: "Moves a date by months; the day is clipped to the end of the month.",
			Examples: []fn.Example{{SQL: "add_months(DATE '2024-01-31', 1)", Want: "2024-02-29"}, {SQL: "add_months(NULL, 1)", Want: "NULL"}},
			Resolve:  fixed(date, addMonthsKernel, date, integer),
		},
		{
			Name: "months_between", Group: "Time", Syntax: []string{"months_between(end, start [, rounded])"}, Doc: "Is the number of months from start to end, with days as 1/31 of a month unless both are the same day of the month or the last.",
			Examples: []fn.Example{{SQL: "months_between(TIMESTAMP '2024-02-29 00:00:00', TIMESTAMP '2024-01-31 00:00:00')", Want: "1.0"}, {SQL: "months_between(NULL, NULL)", Want: "NULL"}},
			Resolve:  resolveMonthsBetween,
		},
	}
}

// zoneFor is the zone that a time type is seen in.
func zoneFor(t types.Type, session *time.Location) *time.Location {
	if t.Kind == types.TimestampNTZ {
		return time.UTC
	}
	return session
}

// unitInterval is one unit as an interval.
func unitInterval(name string) (types.IntervalValue, bool) {
	u, ok := findUnit(name)
	switch {
	case !ok:
		return types.IntervalValue{}, false
	case u.iso:
		return types.IntervalValue{}, false
	case u.months > 0:
		return types.IntervalValue{Months: int32(u.months)}, true
	case u.micros >= types.MicrosPerDay:
		return types.IntervalValue{Days: int32(u.micros / types.MicrosPerDay)}, true
	}
	return types.IntervalValue{Micros: u.micros}, true
}

// times multiplies an interval; false if that overflows.
func times(x types.IntervalValue, n int64) (types.IntervalValue, bool) {
	months, days := int64(x.Months)*n, int64(x.Days)*n
	us, ok := intOne(opMul, x.Micros, n)
	small := n == int64(int32(n)) || x.Months == 0 && x.Days == 0
	ok = ok && small && months == int64(int32(months)) && days == int64(int32(days))
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}, ok
}

func resolveDateAdd(op arithOp) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 3 && op == opSub {
			return resolveUnitDiff(timeUnit.betweenEnds)(args)
		}
		if len(args) == 3 {
			return resolveUnitAdd(args)
		}
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		if args[1].Type.Kind == types.Interval {
			t, err := timeArg(args, 0)
			if err != nil {
				return fn.Impl{}, err
			}
			return resolveArith(op, []fn.Arg{{Type: t}, args[1]})
		}
		if err := matches(args, []types.Type{date, bigint}); err != nil {
			return fn.Impl{}, err
		}
		impl := shiftDays(op)
		impl.Monotone = []int{0}
		return impl, nil
	}
}

func resolveUnitAdd(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 3, 3); err != nil {
		return fn.Impl{}, err
	}
	name, _ := constText(args, 0)
	unit, ok := unitInterval(name)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a unit such as DAY as argument 1")
	}
	t, err := timeArg(args, 2)
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind == types.Date { // as in Spark
		t = timestamp
	}
	impl := fn.Impl{Args: []types.Type{text, bigint, t}, Result: t}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		mn, mt := mask(args[1]), mask(args[2])
		err := try(rows, func(r int) error {
			n := args[1].I64[r&mn]
			x, ok := times(unit, n)
			if ok {
				out.I64[r], ok = Shift(t.Kind, args[2].I64[r&mt], x, 1, c.Zone)
			}
			if !ok {
				return c.Fail(out, r, "timestampadd", fmt.Sprint(n, " ", strings.ToLower(name)), t.String()+" "+overflows)
			}
			return nil
		})
		return out, err
	}
	return impl, nil
}

func addMonthsKernel(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(date, rows.N)
	err := try(rows, func(r int) error {
		out.I64[r] = addMonths(args[0].Int(r), args[1].Int(r))
		if !inCalendar(out.I64[r]) {
			return c.Fail(out, r, "add_months", vec.RowString(args[1], r, c.Zone), "DATE "+overflows)
		}
		return nil
	})
	return out, err
}

func resolveMonthsBetween(args []fn.Arg) (fn.Impl, error) {
	t := timestamp
	if len(args) > 1 && args[0].Type.Kind == types.TimestampNTZ && args[1].Type.Kind == types.TimestampNTZ {
		t = ntz
	}
	return optional(2, double, monthsBetween, t, t, boolean)(args)
}

// monthsBetween is Spark's: rounded to eight digits.
func monthsBetween(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(double, rows.N)
	each(rows, func(r int) {
		a, b := local(args[0], args[0].Index(r), c.Zone), local(args[1], args[1].Index(r), c.Zone)
		ya, ma, da := civil(a)
		yb, mb, db := civil(b)
		months := float64((ya-yb)*12 + ma - mb)
		if da == db || da == types.DaysInMonth(ya, ma) && db == types.DaysInMonth(yb, mb) {
			out.F64[r] = months
			return
		}
		sec := func(t int64) int64 { // since midnight, by the clock that runs through changes of time
			if args[0].Type.Kind == types.TimestampNTZ {
				return clockOf(t) / types.MicrosPerSecond
			}
			midnight := types.FromLocal(t-clockOf(t), c.Zone)
			return (types.FromLocal(t, c.Zone) - midnight) / types.MicrosPerSecond
		}
		diff := float64(int64(da-db)*86400+sec(a)-sec(b)) / (31 * 86400)
		out.F64[r] = months + diff
		if len(args) < 3 || args[2].IsTrue(r) {
			out.F64[r] = math.Round((months+diff)*1e8) / 1e8
		}
	})
	return out, nil
}
