package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// justifications carry the parts of intervals into each other, and measure ages.
func justifications() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "justify_hours", Group: "Time", Syntax: []string{"justify_hours(interval)"}, Doc: "Makes days of each 24 hours, as PostgreSQL.",
			Examples: []fn.Example{{SQL: "justify_hours(INTERVAL '50' HOUR)", Want: "2 days 02:00:00"}, {SQL: "justify_hours(NULL)", Want: "NULL"}},
			Resolve:  changed("justify_hours", justifyHours),
		},
		{
			Name: "justify_days", Group: "Time", Syntax: []string{"justify_days(interval)"}, Doc: "Makes months of each 30 days, as PostgreSQL.",
			Examples: []fn.Example{{SQL: "justify_days(INTERVAL '40' DAY)", Want: "1 month 10 days"}, {SQL: "justify_days(NULL)", Want: "NULL"}},
			Resolve:  changed("justify_days", justifyDays),
		},
		{
			Name: "justify_interval", Group: "Time", Syntax: []string{"justify_interval(interval)"}, Doc: "Makes days of each 24 hours and months of each 30 days, all with the same sign, as PostgreSQL.",
			Examples: []fn.Example{{SQL: "justify_interval(INTERVAL '1 month -1 hour')", Want: "29 days 23:00:00"}, {SQL: "justify_interval(NULL)", Want: "NULL"}},
			Resolve:  changed("justify_interval", justifyInterval),
		},
		{
			Name: "normalized_interval", Group: "Time", Syntax: []string{"normalized_interval(interval)"}, Doc: "Makes days of each 24 hours and months of each 30 days, rounded down, so that equal spans look the same, as DuckDB.",
			Examples: []fn.Example{{SQL: "normalized_interval(INTERVAL '-50' HOUR)", Want: "-1 month 27 days 22:00:00"}, {SQL: "normalized_interval(NULL)", Want: "NULL"}},
			Resolve:  changed("normalized_interval", normalizedInterval),
		},
		{
			Name: "age", Group: "Time", Syntax: []string{"age(end, start)", "age(start)"}, Doc: "Is the time from start to end in years, months, days and time, as PostgreSQL counts it; with one argument up to the beginning of today.",
			Examples: []fn.Example{{SQL: "age(TIMESTAMP '2001-04-10 00:00:00', TIMESTAMP '1957-06-13 00:00:00')", Want: "43 years 9 months 27 days"}, {SQL: "age(NULL, DATE '2024-01-01')", Want: "NULL"}},
			Resolve:  resolveAge,
		},
	}
}

// changed resolves a function from interval to interval that may overflow.
func changed(name string, f func(x types.IntervalValue) (types.IntervalValue, bool)) resolver {
	return fixed(interval, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		m := mask(args[0])
		err := try(rows, func(r int) error {
			x, ok := f(args[0].Iv[r&m])
			out.Iv[r] = x
			if !ok {
				return c.Fail(out, r, name, args[0].Iv[r&m].String(), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}, interval)
}

// partsOf puts an interval together; false if months or days overflow.
func partsOf(months, days, us int64) (types.IntervalValue, bool) {
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us},
		months == int64(int32(months)) && days == int64(int32(days))
}

// carry moves whole units of small into big, so that both have the same sign.
func carry(big, small, unit int64) (int64, int64) {
	big, small = big+small/unit, small%unit
	switch {
	case big > 0 && small < 0:
		return big - 1, small + unit
	case big < 0 && small > 0:
		return big + 1, small - unit
	}
	return big, small
}

func justifyHours(x types.IntervalValue) (types.IntervalValue, bool) {
	days, us := carry(int64(x.Days), x.Micros, types.MicrosPerDay)
	return partsOf(int64(x.Months), days, us)
}

func justifyDays(x types.IntervalValue) (types.IntervalValue, bool) {
	months, days := carry(int64(x.Months), int64(x.Days), 30)
	return partsOf(months, days, x.Micros)
}

func justifyInterval(x types.IntervalValue) (types.IntervalValue, bool) {
	days, us := int64(x.Days)+x.Micros/types.MicrosPerDay, x.Micros%types.MicrosPerDay
	months, days := int64(x.Months)+days/30, days%30
	switch {
	case months > 0 && (days < 0 || days == 0 && us < 0):
		months, days = months-1, days+30
	case months < 0 && (days > 0 || days == 0 && us > 0):
		months, days = months+1, days-30
	}
	switch {
	case days > 0 && us < 0:
		days, us = days-1, us+types.MicrosPerDay
	case days < 0 && us > 0:
		days, us = days+1, us-types.MicrosPerDay
	}
	return partsOf(months, days, us)
}

func normalizedInterval(x types.IntervalValue) (types.IntervalValue, bool) {
	days := int64(x.Days) + types.FloorDiv(x.Micros, types.MicrosPerDay)
	return partsOf(int64(x.Months)+types.FloorDiv(days, 30), types.FloorMod(days, 30), types.FloorMod(x.Micros, types.MicrosPerDay))
}

// resolveAge measures on the wall clock.
func resolveAge(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Result: interval}
	for i := range args {
		t, err := timeArg(args, i)
		if err != nil {
			return impl, err
		}
		impl.Args = append(impl.Args, t)
	}
	if len(args) == 1 {
		impl.Volatility = fn.Stable
	}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		each(rows, func(r int) {
			end := dayOf(types.ToLocal(c.Now, c.Zone)) * types.MicrosPerDay
			start := args[len(args)-1]
			if len(args) == 2 {
				end = local(args[0], args[0].Index(r), c.Zone)
			}
			out.Iv[r] = age(end, local(start, start.Index(r), c.Zone))
		})
		return out, nil
	}
	return impl, nil
}

// age is the difference of two wall clock times field by field; a day is borrowed from
// the month of the earlier one.
func age(end, start int64) types.IntervalValue {
	if end < start {
		x, _ := age(start, end).Neg()
		return x
	}
	ya, ma, da := civil(start)
	months, days := int64(0), int64(0)
	yb, mb, db := civil(end)
	months, days = int64(yb-ya)*12+int64(mb-ma), int64(db-da)
	us := clockOf(end) - clockOf(start)
	if us < 0 {
		days, us = days-1, us+types.MicrosPerDay
	}
	if days < 0 {
		months, days = months-1, days+int64(types.DaysInMonth(ya, ma))
	}
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
}

// truncInterval drops the parts of an interval below a unit.
func truncInterval(u timeUnit) func(x types.IntervalValue) (types.IntervalValue, bool) {
	return func(x types.IntervalValue) (types.IntervalValue, bool) {
		switch {
		case u.months > 0:
			return types.IntervalValue{Months: x.Months - x.Months%int32(u.months)}, true
		case u.micros >= types.MicrosPerDay:
			return types.IntervalValue{Months: x.Months, Days: x.Days - x.Days%int32(u.micros/types.MicrosPerDay)}, true
		}
		x.Micros -= x.Micros % u.micros
		return x, true
	}
}

// resolveTruncInterval is date_trunc of an interval.
func resolveTruncInterval(name string, given bool) (fn.Impl, error) {
	if !given {
		return fn.Impl{Args: []types.Type{text, interval}, Result: interval, Eval: func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return vec.Nulls(interval, rows.N), nil
		}}, nil
	}
	unit, ok := findUnit(name)
	if !ok || unit.iso {
		return fn.Impl{}, fmt.Errorf("has no unit %s of an INTERVAL", fn.Quote(name))
	}
	impl, err := changed("date_trunc", truncInterval(unit))([]fn.Arg{{Type: interval}})
	one := impl.Eval
	impl.Args = []types.Type{text, interval}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) { return one(c, args[1:], rows) }
	return impl, err
}
