package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// makers put dates and times together from their parts.
func makers() []*fn.Scalar {
	parts := []string{"(year, month, day, hour, minute, second)", "(date, time)"}
	syntax := func(name string, zoned bool, more ...string) []string {
		var all []string
		for _, p := range parts {
			if zoned {
				p = p[:len(p)-1] + " [, 'zone'])"
			}
			all = append(all, name+p)
		}
		return append(all, more...)
	}
	all := []*fn.Scalar{
		{
			Name: "make_date", Aliases: []string{"date_from_parts"}, Group: "Time", Syntax: []string{"make_date(year, month, day)", "make_date(days)"}, Doc: "Makes a date, or the date so many days after 1970-01-01; an error if there is none.",
			Examples: []fn.Example{{SQL: "make_date(2024, 2, 29)", Want: "2024-02-29"}, {SQL: "make_date(NULL, 1, 1)", Want: "NULL"}},
			Resolve:  resolveMakeDate,
		},
		{
			Name: "make_timestamp", Group: "Time", Syntax: syntax("make_timestamp", true, "make_timestamp(microseconds)"),
			Doc:      "Makes a timestamp on the wall clock of the session zone or of the zone that is named, or the one at so many microseconds since 1970; an error if there is none. Second 60 is the next minute.",
			Examples: []fn.Example{{SQL: "make_timestamp(2024, 2, 29, 13, 45, 56.5)", Want: "2024-02-29 13:45:56.5"}, {SQL: "make_timestamp(2024, 7, 1, 12, 0, 0, 'Europe/Berlin')", Want: "2024-07-01 10:00:00"}, {SQL: "make_timestamp(NULL, 1, 1, 0, 0, 0)", Want: "NULL"}},
			Resolve:  resolveMakeTimestamp("make_timestamp", timestamp, false),
		},
		{
			Name: "make_timestamp_ltz", Aliases: []string{"make_timestamptz"}, Group: "Time", Syntax: syntax("make_timestamp_ltz", true), Doc: "Is make_timestamp.",
			Examples: []fn.Example{{SQL: "make_timestamp_ltz(2024, 2, 29, 13, 45, 56.5)", Want: "2024-02-29 13:45:56.5"}, {SQL: "make_timestamp_ltz(NULL, 1, 1, 0, 0, 0)", Want: "NULL"}},
			Resolve:  resolveMakeTimestamp("make_timestamp_ltz", timestamp, false),
		},
		{
			Name: "make_timestamp_ntz", Group: "Time", Syntax: syntax("make_timestamp_ntz", false), Doc: "Makes a TIMESTAMP_NTZ; an error if there is none.",
			Examples: []fn.Example{{SQL: "make_timestamp_ntz(2024, 2, 29, 13, 45, 56.5)", Want: "2024-02-29 13:45:56.5"}, {SQL: "make_timestamp_ntz(DATE '2024-02-29', TIME '13:45:00')", Want: "2024-02-29 13:45:00"}, {SQL: "make_timestamp_ntz(NULL, 1, 1, 0, 0, 0)", Want: "NULL"}},
			Resolve:  resolveMakeTimestamp("make_timestamp_ntz", ntz, false),
		},
		{
			Name: "make_timestamp_ms", Group: "Time", Syntax: []string{"make_timestamp_ms(milliseconds)"}, Doc: "Is the TIMESTAMP_NTZ at so many milliseconds since 1970, as in DuckDB.",
			Examples: []fn.Example{{SQL: "make_timestamp_ms(1500)", Want: "1970-01-01 00:00:01.5"}, {SQL: "make_timestamp_ms(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(ntz, fromEpoch("make_timestamp_ms", ntz, 1000), bigint)),
		},
		{
			Name: "make_time", Group: "Time", Syntax: []string{"make_time(hour, minute, second)"}, Doc: "Makes a TIME; an error if there is none.",
			Examples: []fn.Example{{SQL: "make_time(13, 45, 56.5)", Want: "13:45:56.5"}, {SQL: "make_time(1, 2, 35e-1)", Want: "01:02:03.5"}, {SQL: "make_time(NULL, 1, 1)", Want: "NULL"}},
			Resolve:  resolveMakeTime,
		},
	}
	for _, x := range []struct {
		name, want string
		t          types.Type
	}{{"try_make_timestamp", "make_timestamp", timestamp}, {"try_make_timestamp_ltz", "make_timestamp_ltz", timestamp}, {"try_make_timestamp_ntz", "make_timestamp_ntz", ntz}} {
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Time", Syntax: syntax(x.name, x.t.Kind == types.Timestamp), Doc: "Is " + x.want + ", but NULL where there is no such time.",
			Examples: []fn.Example{{SQL: x.name + "(2024, 2, 30, 13, 45, 56)", Want: "NULL"}, {SQL: x.name + "(2024, 2, 29, 13, 45, 56)", Want: "2024-02-29 13:45:56"}, {SQL: x.name + "(NULL, 1, 1, 0, 0, 0)", Want: "NULL"}},
			Resolve:  resolveMakeTimestamp(x.name, x.t, true),
		})
	}
	return all
}

// validDay is the day of a civil date; false if there is none.
func validDay(y, m, d int64) (int64, bool) {
	if y < -types.FarYear || y > types.FarYear || m < 1 || m > 12 || d < 1 || d > int64(types.DaysInMonth(int(y), int(m))) {
		return 0, false
	}
	return types.DaysFromCivil(int(y), int(m), int(d)), true
}

func resolveMakeDate(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 {
		return fixed(date, dateFromDays("make_date"), bigint)(args)
	}
	return fixed(date, makeDate, bigint, bigint, bigint)(args)
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

// dateFromDays is a date by its number of days since 1970.
func dateFromDays(name string) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(date, rows.N)
		err := try(rows, func(r int) error {
			d := args[0].Int(r)
			if out.I64[r] = d; d < types.FirstDay || d > types.LastDay {
				return c.Fail(out, r, name, fmt.Sprint(d), "DATE "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// clockFromParts is the time of day of an hour, a minute and µs; second 60 is taken where
// the next minute is.
func clockFromParts(hour, minute, us, most int64) (int64, bool) {
	ok := hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && us >= 0 && us <= most
	return hour*types.MicrosPerHour + minute*types.MicrosPerMinute + us, ok
}

// resolveMakeTime takes any number for the seconds.
func resolveMakeTime(args []fn.Arg) (fn.Impl, error) {
	seconds := types.DecimalOf(16, 6)
	if len(args) == 3 && args[2].Type.IsNumeric() {
		args = []fn.Arg{args[0], args[1], {Type: seconds}}
	}
	return fixed(timeOfDay, makeTime, bigint, bigint, seconds)(args)
}

func makeTime(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(timeOfDay, rows.N)
	err := try(rows, func(r int) error {
		h, m, us := args[0].Int(r), args[1].Int(r), args[2].Int(r)
		tod, ok := clockFromParts(h, m, us, types.MicrosPerMinute-1)
		out.I64[r] = tod
		if !ok {
			return c.Fail(out, r, "make_time", fmt.Sprintf("%d:%d:%v", h, m, float64(us)/1e6), "no such time")
		}
		return nil
	})
	return out, err
}

// resolveMakeTimestamp takes six parts, or a date and a time of day; a TIMESTAMP may have
// a zone behind them.
func resolveMakeTimestamp(name string, t types.Type, leniently bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		parts := []types.Type{bigint, bigint, bigint, bigint, bigint, types.DecimalOf(16, 6)}
		n := len(parts)
		switch {
		case len(args) == 1 && t.Kind == types.Timestamp && !leniently:
			return monotoneIn(0, fixed(timestamp, fromEpoch(name, t, 1), bigint))(args)
		case len(args) == 2, len(args) == 3 && t.Kind == types.Timestamp:
			parts, n = []types.Type{date, timeOfDay}, 2
		}
		zoned := t.Kind == types.Timestamp && len(args) == n+1
		if zoned {
			parts = append(parts, text)
		}
		if !zoned && len(args) != n {
			return fn.Impl{}, fmt.Errorf("takes a date and a time, or year, month, day, hour, minute and second, got %d arguments", len(args))
		}
		if n == 6 && args[5].Type.IsFloat() { // as of make_time
			args = append(args[:5:5], append([]fn.Arg{{Type: parts[5]}}, args[6:]...)...)
		}
		impl, err := fixed(t, nil, parts...)(args)
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return makeTimestamps(c, name, t, args[:n], args[n:], rows)
		}
		if leniently {
			impl.Eval = lenient(impl.Eval)
		}
		return impl, err
	}
}

func makeTimestamps(c *fn.Ctx, name string, t types.Type, args, zoned []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(t, rows.N)
	var z zones
	err := try(rows, func(r int) error {
		zone := zoneFor(t, c.Zone)
		if len(zoned) > 0 {
			var err error
			if zone, err = z.at(zoned[0], r); err != nil {
				return c.Fail(out, r, name, fn.Quote(zoned[0].Text(r)), err.Error())
			}
		}
		local, ok := wallOf(args, r)
		if !ok {
			part := func(i int) int64 { return args[i].Int(r) }
			return c.Fail(out, r, name, fmt.Sprintf("%d-%d-%d %d:%d:%v", part(0), part(1), part(2), part(3), part(4), float64(part(5))/1e6), "no such time")
		}
		out.I64[r] = types.FromLocal(local, zone)
		return nil
	})
	return out, err
}

// wallOf is the wall clock of six parts, or of a date and a time of day.
func wallOf(args []*vec.Vector, r int) (int64, bool) {
	if len(args) == 2 {
		return args[0].Int(r)*types.MicrosPerDay + args[1].Int(r), true
	}
	day, ok := validDay(args[0].Int(r), args[1].Int(r), args[2].Int(r))
	tod, ok2 := clockFromParts(args[3].Int(r), args[4].Int(r), args[5].Int(r), types.MicrosPerMinute)
	return day*types.MicrosPerDay + tod, ok && ok2
}
