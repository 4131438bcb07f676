package scalar

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// intervals make and change intervals.
func intervals() []*fn.Scalar {
	seconds := types.DecimalOf(18, 6)
	parts := []types.Type{integer, integer, integer, integer, integer, integer, seconds}
	all := []*fn.Scalar{
		{
			Name: "make_interval", Group: "Time", Syntax: []string{"make_interval(years, months, weeks, days, hours, minutes, seconds)"}, Doc: "Makes an interval; parts from the right may be left out.",
			Examples: []fn.Example{{SQL: "make_interval(0, 1, 1, 2)", Want: "1 month 9 days"}, {SQL: "make_interval(NULL)", Want: "NULL"}},
			Resolve:  optional(0, interval, makeInterval("make_interval", [7]int{0, 1, 2, 3, 4, 5, 6}), parts...),
		},
		{
			Name: "try_make_interval", Group: "Time", Syntax: []string{"try_make_interval(years, months, weeks, days, hours, minutes, seconds)"}, Doc: "Is make_interval, but NULL where a part overflows.",
			Examples: []fn.Example{{SQL: "try_make_interval(178956971)", Want: "NULL"}, {SQL: "try_make_interval(1, 2)", Want: "1 year 2 months"}, {SQL: "try_make_interval(NULL)", Want: "NULL"}},
			Resolve:  optional(0, interval, lenient(makeInterval("try_make_interval", [7]int{0, 1, 2, 3, 4, 5, 6})), parts...),
		},
		{
			Name: "make_dt_interval", Group: "Time", Syntax: []string{"make_dt_interval(days, hours, minutes, seconds)"}, Doc: "Makes an interval of days and time; parts from the right may be left out.",
			Examples: []fn.Example{{SQL: "make_dt_interval(1, 12, 30, 1.5)", Want: "1 day 12:30:01.5"}, {SQL: "make_dt_interval(NULL)", Want: "NULL"}},
			Resolve:  optional(0, interval, makeInterval("make_dt_interval", [7]int{3, 4, 5, 6}), integer, integer, integer, seconds),
		},
		{
			Name: "make_ym_interval", Group: "Time", Syntax: []string{"make_ym_interval(years, months)"}, Doc: "Makes an interval of years and months; parts from the right may be left out.",
			Examples: []fn.Example{{SQL: "make_ym_interval(1, 2)", Want: "1 year 2 months"}, {SQL: "make_ym_interval(NULL, 1)", Want: "NULL"}},
			Resolve:  optional(0, interval, makeInterval("make_ym_interval", [7]int{0, 1}), integer, integer),
		},
		{
			Name: "$interval", Group: "Time", Hidden: true, Syntax: []string{"$interval(n, 'unit')"}, Doc: "Is n units as an INTERVAL: INTERVAL (n) UNIT.",
			Examples: []fn.Example{{SQL: "$interval(3, 'DAY')", Want: "3 days"}, {SQL: "$interval(NULL, 'DAY')", Want: "NULL"}},
			Resolve:  resolveIntervalOf,
		},
	}
	all = append(all, intervalUnits()...)
	return append(all, justifications()...)
}

// intervalUnits are DuckDB's to_days(n) and its like.
func intervalUnits() []*fn.Scalar {
	var all []*fn.Scalar
	for _, x := range []struct{ name, unit, want string }{
		{"to_millennia", "millennium", "2000 years"}, {"to_centuries", "century", "200 years"}, {"to_decades", "decade", "20 years"},
		{"to_years", "year", "2 years"}, {"to_quarters", "quarter", "6 months"}, {"to_months", "month", "2 months"}, {"to_weeks", "week", "14 days"},
		{"to_days", "day", "2 days"}, {"to_hours", "hour", "02:00:00"}, {"to_minutes", "minute", "00:02:00"}, {"to_microseconds", "microsecond", "00:00:00.000002"},
	} {
		unit, _ := unitInterval(x.unit)
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Time", Syntax: []string{x.name + "(n)"}, Doc: "Is an interval of n " + x.name[3:] + ".",
			Examples: []fn.Example{{SQL: x.name + "(2)", Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  fixed(interval, unitsKernel(x.name, unit), bigint),
		})
	}
	for _, x := range []struct {
		name, want string
		unit       float64
	}{{"to_seconds", "00:00:01.5", types.MicrosPerSecond}, {"to_milliseconds", "00:00:00.0015", 1000}} {
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Time", Syntax: []string{x.name + "(n)"}, Doc: "Is an interval of n " + x.name[3:] + ", with their fraction.",
			Examples: []fn.Example{{SQL: x.name + "(1.5)", Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  fixed(interval, fractionsKernel(x.name, x.unit), double),
		})
	}
	return all
}

// makeInterval makes intervals of arguments whose places among years, months, weeks,
// days, hours, minutes and seconds are given.
func makeInterval(name string, places [7]int) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		err := try(rows, func(r int) error {
			var p [7]int64
			for i, a := range args {
				p[places[i]] = a.Int(r)
			}
			months, days := p[0]*12+p[1], p[2]*7+p[3]
			us, ok := intOne(opAdd, p[4]*types.MicrosPerHour+p[5]*types.MicrosPerMinute, p[6])
			out.Iv[r] = types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
			if !ok || months != int64(int32(months)) || days != int64(int32(days)) {
				return c.Fail(out, r, name, fmt.Sprint(p), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}
}

func resolveIntervalOf(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	name, _ := constText(args, 1)
	unit, ok := unitInterval(name)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a unit such as DAY as argument 2")
	}
	return fixed(interval, unitsKernel("interval", unit), bigint, text)(args)
}

// unitsKernel is so many times a unit.
func unitsKernel(name string, unit types.IntervalValue) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		m := mask(args[0])
		err := try(rows, func(r int) error {
			x, ok := times(unit, args[0].I64[r&m])
			out.Iv[r] = x
			if !ok {
				return c.Fail(out, r, name, fmt.Sprint(args[0].I64[r&m]), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// fractionsKernel is so many times a unit of µs, cut to µs.
func fractionsKernel(name string, unit float64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		m := mask(args[0])
		err := try(rows, func(r int) error {
			us := math.RoundToEven(args[0].F64[r&m] * unit)
			if !(math.Abs(us) < 0x1p63) {
				return c.Fail(out, r, name, showFloat(args[0].F64[r&m]), "INTERVAL "+overflows)
			}
			out.Iv[r] = types.IntervalValue{Micros: int64(us)}
			return nil
		})
		return out, err
	}
}
