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
			Name: "datediff", Aliases: []string{"date_diff", "timestampdiff"}, Group: "Time", Syntax: []string{"datediff(end, start)", "timestampdiff(unit, start, end)"},
			Doc:      "Counts the days from start to end, or with a unit the whole units between two times.",
			Examples: []fn.Example{{SQL: "datediff(DATE '2024-03-01', DATE '2024-02-28')", Want: "2"}, {SQL: "timestampdiff('MONTH', DATE '2024-01-31', DATE '2024-02-29')", Want: "0"}, {SQL: "datediff(NULL, DATE '2024-01-01')", Want: "NULL"}},
			Resolve:  resolveDateDiff,
		},
		{
			Name: "months_between", Group: "Time", Syntax: []string{"months_between(end, start)"}, Doc: "Is the number of months from start to end, with days as 1/31 of a month unless both are the same day of the month or the last.",
			Examples: []fn.Example{{SQL: "months_between(TIMESTAMP '2024-02-29 00:00:00', TIMESTAMP '2024-01-31 00:00:00')", Want: "1.0"}, {SQL: "months_between(NULL, NULL)", Want: "NULL"}},
			Resolve:  optional(2, double, monthsBetween, timestamp, timestamp, boolean),
		},
		{
			Name: "make_date", Aliases: []string{"date_from_parts"}, Group: "Time", Syntax: []string{"make_date(year, month, day)"}, Doc: "Makes a date; an error if there is none.",
			Examples: []fn.Example{{SQL: "make_date(2024, 2, 29)", Want: "2024-02-29"}, {SQL: "make_date(NULL, 1, 1)", Want: "NULL"}},
			Resolve:  fixed(date, makeDate, integer, integer, integer),
		},
		{
			Name: "make_timestamp", Group: "Time", Syntax: []string{"make_timestamp(year, month, day, hour, minute, second)"}, Doc: "Makes a timestamp on the wall clock of the session zone; an error if there is none.",
			Examples: []fn.Example{{SQL: "make_timestamp(2024, 2, 29, 13, 45, 56.5)", Want: "2024-02-29 13:45:56.5"}, {SQL: "make_timestamp(NULL, 1, 1, 0, 0, 0)", Want: "NULL"}},
			Resolve:  fixed(timestamp, makeTimestamp, integer, integer, integer, integer, integer, types.DecimalOf(16, 6)),
		},
		{
			Name: "make_interval", Group: "Time", Syntax: []string{"make_interval(years, months, weeks, days, hours, minutes, seconds)"}, Doc: "Makes an interval; parts from the right may be left out.",
			Examples: []fn.Example{{SQL: "make_interval(0, 1, 1, 2)", Want: "1 month 9 days"}, {SQL: "make_interval(NULL)", Want: "NULL"}},
			Resolve:  optional(1, interval, makeInterval, integer, integer, integer, integer, integer, integer, types.DecimalOf(18, 6)),
		},
		{
			Name: "$interval", Group: "Time", Hidden: true, Syntax: []string{"$interval(n, 'unit')"}, Doc: "Is n units as an INTERVAL: INTERVAL (n) UNIT.",
			Examples: []fn.Example{{SQL: "$interval(3, 'DAY')", Want: "3 days"}, {SQL: "$interval(NULL, 'DAY')", Want: "NULL"}},
			Resolve:  resolveIntervalOf,
		},
		{
			Name: "$at_time_zone", Aliases: []string{"at_time_zone"}, Group: "Time", Hidden: true, Syntax: []string{"time AT TIME ZONE 'zone'"},
			Doc:      "Gives the wall clock of a TIMESTAMP in a zone, and the instant of a TIMESTAMP_NTZ that is a wall clock there.",
			Examples: []fn.Example{{SQL: "at_time_zone(TIMESTAMP '2024-07-01 12:00:00', 'Europe/Berlin')", Want: "2024-07-01 14:00:00"}, {SQL: "at_time_zone(NULL, 'UTC')", Want: "NULL"}},
			Resolve:  resolveAtZone,
		},
		zoneShift("from_utc_timestamp", "Takes a timestamp as a wall clock in UTC and gives the wall clock of a zone.", "from_utc_timestamp(TIMESTAMP '2024-07-01 12:00:00', 'Europe/Berlin')", "2024-07-01 14:00:00", types.ToLocal),
		zoneShift("to_utc_timestamp", "Takes a timestamp as a wall clock of a zone and gives the one in UTC.", "to_utc_timestamp(TIMESTAMP '2024-07-01 14:00:00', 'Europe/Berlin')", "2024-07-01 12:00:00", types.FromLocal),
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
	if t.Kind == types.Date && unit.Micros != 0 {
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

func resolveDateDiff(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 3 {
		return resolveUnitDiff(args)
	}
	return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return args[0].Int(r) - args[1].Int(r) }), date, date)(args)
}

func resolveUnitDiff(args []fn.Arg) (fn.Impl, error) {
	name, _ := constText(args, 0)
	unit, ok := findUnit(name)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a unit such as DAY as argument 1")
	}
	for i := 1; i <= 2; i++ {
		if _, err := timeArg(args, i); err != nil {
			return fn.Impl{}, err
		}
	}
	t := timestamp
	if args[1].Type.Kind == types.TimestampNTZ && args[2].Type.Kind != types.Timestamp {
		t = ntz
	}
	impl := fn.Impl{Args: []types.Type{text, t, t}, Result: bigint}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		zone := zoneFor(t, c.Zone)
		out := c.New(bigint, rows.N)
		ma, mb := mask(args[1]), mask(args[2])
		each(rows, func(r int) {
			a, b := args[1].I64[r&ma], args[2].I64[r&mb]
			if !unit.short() {
				a, b = types.ToLocal(a, zone), types.ToLocal(b, zone)
			}
			out.I64[r] = unit.between(a, b)
		})
		return out, nil
	}
	return impl, nil
}

// between counts the whole units from a to b, both wall clock.
func (u timeUnit) between(a, b int64) int64 {
	if u.months == 0 {
		return (b - a) / u.micros
	}
	ya, ma, da := civil(a)
	yb, mb, db := civil(b)
	months := int64(yb-ya)*12 + int64(mb-ma)
	restA := int64(da)*types.MicrosPerDay + types.FloorMod(a, types.MicrosPerDay)
	restB := int64(db)*types.MicrosPerDay + types.FloorMod(b, types.MicrosPerDay)
	switch {
	case months > 0 && restB < restA:
		months--
	case months < 0 && restB > restA:
		months++
	}
	return months / u.months
}

// monthsBetween is Spark's: rounded to eight digits.
func monthsBetween(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(double, rows.N)
	each(rows, func(r int) {
		a, b := types.ToLocal(args[0].Int(r), c.Zone), types.ToLocal(args[1].Int(r), c.Zone)
		ya, ma, da := civil(a)
		yb, mb, db := civil(b)
		months := float64((ya-yb)*12 + ma - mb)
		if da == db || da == types.DaysInMonth(ya, ma) && db == types.DaysInMonth(yb, mb) {
			out.F64[r] = months
			return
		}
		sec := func(t int64) int64 { return types.FloorMod(t, types.MicrosPerDay) / types.MicrosPerSecond }
		diff := float64(int64(da-db)*86400+sec(a)-sec(b)) / (31 * 86400)
		out.F64[r] = months + diff
		if len(args) < 3 || args[2].IsTrue(r) {
			out.F64[r] = math.Round((months+diff)*1e8) / 1e8
		}
	})
	return out, nil
}

// validDay is the day of a civil date; false if there is none.
func validDay(y, m, d int64) (int64, bool) {
	if y < types.MinYear || y > types.MaxYear || m < 1 || m > 12 || d < 1 || d > int64(types.DaysInMonth(int(y), int(m))) {
		return 0, false
	}
	return types.DaysFromCivil(int(y), int(m), int(d)), true
}

func makeDate(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(date, rows.N)
	err := try(rows, func(r int) error {
		y, m, d := args[0].Int(r), args[1].Int(r), args[2].Int(r)
		day, ok := validDay(y, m, d)
		out.I64[r] = day
		if !ok {
			return c.Fail(out, r, "make_date", fmt.Sprintf("%d-%d-%d", y, m, d), "no such date")
		}
		return nil
	})
	return out, err
}

func makeTimestamp(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(timestamp, rows.N)
	err := try(rows, func(r int) error {
		part := func(i int) int64 { return args[i].Int(r) }
		day, ok := validDay(part(0), part(1), part(2))
		us := part(5)
		if !ok || part(3) < 0 || part(3) > 23 || part(4) < 0 || part(4) > 59 || us < 0 || us > types.MicrosPerMinute {
			return c.Fail(out, r, "make_timestamp", fmt.Sprintf("%d-%d-%d %d:%d:%v", part(0), part(1), part(2), part(3), part(4), float64(us)/1e6), "no such time")
		}
		local := day*types.MicrosPerDay + part(3)*types.MicrosPerHour + part(4)*types.MicrosPerMinute + us
		out.I64[r] = types.FromLocal(local, c.Zone)
		return nil
	})
	return out, err
}

func makeInterval(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(interval, rows.N)
	err := try(rows, func(r int) error {
		var p [7]int64
		for i, a := range args {
			p[i] = a.Int(r)
		}
		months, days := p[0]*12+p[1], p[2]*7+p[3]
		out.Iv[r] = types.IntervalValue{Months: int32(months), Days: int32(days), Micros: p[4]*types.MicrosPerHour + p[5]*types.MicrosPerMinute + p[6]}
		if months != int64(int32(months)) || days != int64(int32(days)) {
			return c.Fail(out, r, "make_interval", fmt.Sprint(p), "INTERVAL "+overflows)
		}
		return nil
	})
	return out, err
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
	return fixed(interval, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		m := mask(args[0])
		err := try(rows, func(r int) error {
			x, ok := times(unit, args[0].I64[r&m])
			out.Iv[r] = x
			if !ok {
				return c.Fail(out, r, "interval", fmt.Sprint(args[0].I64[r&m]), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}, bigint, text)(args)
}

// zones finds the zone of argument 1, remembering the last one.
type zones struct {
	name string
	zone *time.Location
}

func (z *zones) at(v *vec.Vector, r int) (*time.Location, error) {
	if s := v.Text(r); z.zone == nil || s != z.name {
		zone, err := types.LoadZone(s)
		if err != nil {
			return nil, err
		}
		z.name, z.zone = strings.Clone(s), zone
	}
	return z.zone, nil
}

// zoneKernel converts times of argument 0 in the zone of argument 1.
func zoneKernel(result types.Type, convert func(t int64, zone *time.Location, session *time.Location) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(result, rows.N)
		var z zones
		m := mask(args[0])
		err := try(rows, func(r int) error {
			zone, err := z.at(args[1], r)
			if err != nil {
				return c.Fail(out, r, "at time zone", fn.Quote(args[1].Text(r)), err.Error())
			}
			out.I64[r] = convert(args[0].I64[r&m], zone, c.Zone)
			return nil
		})
		return out, err
	}
}

func resolveAtZone(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	if args[0].Type.Kind == types.TimestampNTZ || args[0].Type.Kind == types.Date {
		return fixed(timestamp, zoneKernel(timestamp, func(t int64, zone, _ *time.Location) int64 { return types.FromLocal(t, zone) }), ntz, text)(args)
	}
	return fixed(ntz, zoneKernel(ntz, func(t int64, zone, _ *time.Location) int64 { return types.ToLocal(t, zone) }), timestamp, text)(args)
}

// zoneShift moves a TIMESTAMP's wall clock between UTC and a zone.
func zoneShift(name, doc, example, want string, move func(int64, *time.Location) int64) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Time", Syntax: []string{name + "(time, 'zone')"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 'UTC')", Want: "NULL"}},
		Resolve: fixed(timestamp, zoneKernel(timestamp, func(t int64, zone, session *time.Location) int64 {
			return types.FromLocal(move(types.ToLocal(t, session), zone), session)
		}), timestamp, text),
	}
}
