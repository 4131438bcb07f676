package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// timeUnit is a unit that times are cut to: µs of fixed length, or a calendar one.
type timeUnit struct {
	micros int64 // of units up to a day and a week (aligned to Monday)
	months int64 // of units of months
	week   bool
	iso    bool // the year of ISO weeks, 12 months long
}

// unitSpellings lists the units of date_trunc and of the functions that move times, with
// what they may be called.
var unitSpellings = [...]struct {
	unit  timeUnit
	names string
}{
	{timeUnit{micros: 1}, "microsecond microseconds us usec usecs"},
	{timeUnit{micros: 1000}, "millisecond milliseconds ms msec msecs"},
	{timeUnit{micros: types.MicrosPerSecond}, "second seconds sec secs s sql_tsi_second"},
	{timeUnit{micros: types.MicrosPerMinute}, "minute minutes min mins m sql_tsi_minute"},
	{timeUnit{micros: types.MicrosPerHour}, "hour hours hr hrs h sql_tsi_hour"},
	{timeUnit{micros: types.MicrosPerDay}, "day days dd d dayofyear doy sql_tsi_day"},
	{timeUnit{micros: 7 * types.MicrosPerDay, week: true}, "week weeks w isoweek sql_tsi_week"},
	{timeUnit{months: 1}, "month months mon mons mm sql_tsi_month"},
	{timeUnit{months: 3}, "quarter quarters qtr sql_tsi_quarter"},
	{timeUnit{months: 12}, "year years yyyy yy yr yrs y sql_tsi_year"},
	{timeUnit{months: 12, iso: true}, "isoyear"},
	{timeUnit{months: 120}, "decade decades"},
	{timeUnit{months: 1200}, "century centuries"},
	{timeUnit{months: 12000}, "millennium millennia millenniums"},
}

// findUnit reads a unit.
func findUnit(name string) (timeUnit, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, u := range unitSpellings {
		for n := range strings.FieldsSeq(u.names) {
			if n == name {
				return u.unit, true
			}
		}
	}
	return timeUnit{}, false
}

// cut is the start of the unit that contains a wall clock time.
func (u timeUnit) cut(local int64) int64 {
	switch {
	case u.week:
		return (dayOf(local) - weekday(local)) * types.MicrosPerDay
	case u.iso:
		y, _ := isoWeek(local)
		jan4 := types.DaysFromCivil(int(y), 1, 4) * types.MicrosPerDay
		return (dayOf(jan4) - weekday(jan4)) * types.MicrosPerDay
	case u.months == 1:
		_, _, d := civil(local)
		return (dayOf(local) - int64(d-1)) * types.MicrosPerDay
	case u.months > 0 && u.months <= 12: // 3 or 12
		y, m, _ := civil(local)
		m -= (m - 1) % int(u.months)
		return types.DaysFromCivil(y, m, 1) * types.MicrosPerDay
	case u.months > 0:
		y, m, _ := civil(local)
		n := int64(y)*12 + int64(m) - 1
		n -= types.FloorMod(n, u.months)
		return types.DaysFromCivil(int(types.FloorDiv(n, 12)), int(types.FloorMod(n, 12))+1, 1) * types.MicrosPerDay
	}
	return local - types.FloorMod(local, u.micros)
}

// short units (below a day) are cut within an hour or less, which no zone changes by
// daylight saving would break if done on the instant.
func (u timeUnit) short() bool { return u.micros > 0 && u.micros < types.MicrosPerDay }

func truncations() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "date_trunc", Aliases: []string{"datetrunc"}, Group: "Time", Syntax: []string{"date_trunc('unit', time [, 'zone'])"},
			Doc:      "Cuts a time down to the start of its MICROSECOND, MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK (Monday), MONTH, QUARTER, YEAR, ISOYEAR, DECADE, CENTURY (from year 0 of each hundred) or MILLENNIUM in the session time zone, or in the one named; NULL for another unit. Of an interval it drops the smaller parts.",
			Examples: []fn.Example{{SQL: "date_trunc('HOUR', TIMESTAMP '2024-02-29 13:45:56')", Want: "2024-02-29 13:00:00"}, {SQL: "date_trunc('WEEK', TIMESTAMP '2024-02-29 13:45:56')", Want: "2024-02-26 00:00:00"}, {SQL: "date_trunc('DAY', TIMESTAMP '2024-02-29 13:45:56', 'Australia/Sydney')", Want: "2024-02-29 13:00:00"}, {SQL: "date_trunc('DAY', NULL)", Want: "NULL"}},
			Resolve:  resolveDateTrunc,
		},
		{
			Name: "trunc", Group: "Time", Syntax: []string{"trunc(date, 'unit')", "trunc(number [, digits])"},
			Doc:      "Cuts a date down to the start of its WEEK, MONTH (MM), QUARTER or YEAR (YYYY), as a DATE; or drops digits of a number.",
			Examples: []fn.Example{{SQL: "trunc(DATE '2024-02-29', 'MM')", Want: "2024-02-01"}, {SQL: "trunc(1.79, 1)", Want: "1.7"}, {SQL: "trunc(NULL, 'MM')", Want: "NULL"}},
			Resolve:  resolveTrunc,
		},
		{
			Name: "last_day", Group: "Time", Infinity: fn.NoInfinity, Syntax: []string{"last_day(time)"}, Doc: "Is the last day of the month.",
			Examples: []fn.Example{{SQL: "last_day(DATE '2024-02-10')", Want: "2024-02-29"}, {SQL: "last_day(NULL)", Want: "NULL"}},
			Resolve: fixed(date, ints(date, func(args []*vec.Vector, r int) int64 {
				y, m, _ := types.CivilFromDays(args[0].Int(r))
				return types.DaysFromCivil(y, m, types.DaysInMonth(y, m))
			}), date),
		},
		{
			Name: "next_day", Group: "Time", Syntax: []string{"next_day(date, 'day of week')"}, Doc: "Is the first date after the given one on a day of the week (MO, MON or MONDAY ...).",
			Examples: []fn.Example{{SQL: "next_day(DATE '2024-02-29', 'MON')", Want: "2024-03-04"}, {SQL: "next_day(NULL, 'MON')", Want: "NULL"}},
			Resolve:  fixed(date, nextDay, date, text),
		},
	}
}

func resolveDateTrunc(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	name, ok := constText(args, 0)
	if !ok && args[0].Type.Kind != types.Null || len(args) == 3 {
		return resolveTruncRows(args)
	}
	if args[1].Type.Kind == types.Interval {
		return resolveTruncInterval(name, ok)
	}
	t, err := timeArg(args, 1)
	if t.Kind == types.Date {
		t = timestamp
	}
	impl := fn.Impl{Args: []types.Type{text, t}, Result: t}
	unit, known := findUnit(name)
	if !known {
		impl.Eval = func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) { return vec.Nulls(t, rows.N), nil }
		return impl, err
	}
	impl.Eval = truncKernel(t, unit)
	impl.MonotoneFixed = []int{1}
	if !unit.short() || t.Kind == types.TimestampNTZ {
		impl.Monotone = impl.MonotoneFixed
	}
	return impl, err
}

// truncKernel remembers the unit that it cut last.
func truncKernel(t types.Type, unit timeUnit) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[1]
		zone := c.Zone
		if t.Kind == types.TimestampNTZ {
			zone = time.UTC
		}
		out := c.New(t, rows.N)
		m := mask(in)
		if zone == time.UTC && unit.micros > 0 && !unit.week {
			cutFixed(out.I64, in.I64, m, unit.micros, 0)
			return out, nil
		}
		if zone == time.UTC {
			each(rows, func(r int) { out.I64[r] = unit.cut(in.I64[r&m]) })
			return out, nil
		}
		each(rows, func(r int) { out.I64[r] = unit.cutIn(in.I64[r&m], zone) })
		return out, nil
	}
}

// cutFixed rounds times down to multiples of size plus offset. Times that follow each
// other usually lie in the same window, which costs a comparison.
func cutFixed(dst, src []int64, m int, size, offset int64) {
	start := int64(0)
	first := true
	for i := range dst {
		x := src[i&m]
		if d := x - start; first || d < 0 || d >= size {
			start, first = x-types.FloorMod(x-offset, size), false
		}
		dst[i] = start
	}
}

func resolveTrunc(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	if args[0].Type.IsNumeric() || len(args) == 1 {
		return resolveRound(towardZero)(args)
	}
	name, _ := constText(args, 1)
	unit, ok := findUnit(name)
	if !ok || unit.short() {
		return fixed(date, func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return vec.Nulls(date, rows.N), nil
		}, date, text)(args)
	}
	impl, err := fixed(date, ints(date, func(args []*vec.Vector, r int) int64 {
		return dayOf(unit.cut(args[0].Int(r) * types.MicrosPerDay))
	}), date, text)(args)
	impl.Monotone = []int{0}
	return impl, err
}

func nextDay(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(date, rows.N)
	err := try(rows, func(r int) error {
		want := dayNumber(args[1].Text(r))
		if want < 0 {
			return c.Fail(out, r, "next_day", fn.Quote(args[1].Text(r)), "not a day of the week")
		}
		d := args[0].Int(r)
		out.I64[r] = d + 1 + types.FloorMod(want-types.FloorMod(d+1+3, 7), 7)
		return nil
	})
	return out, err
}

// dayNumber is the day of the week that a name abbreviates, Monday = 0.
func dayNumber(name string) int64 {
	name = strings.TrimSpace(name)
	if len(name) < 2 {
		return -1
	}
	for d := range 7 {
		full := time.Weekday((d + 1) % 7).String()
		if strings.EqualFold(name, full) || strings.EqualFold(name, full[:2]) || strings.EqualFold(name, full[:3]) {
			return int64(d)
		}
	}
	return -1
}

// resolveTimeBound is floor(time TO unit) and ceil(time TO unit).
func resolveTimeBound(mode rounding, args []fn.Arg) (fn.Impl, error) {
	name, ok := constText(args, 1)
	step, known := unitInterval(name)
	if !ok || !known {
		return fn.Impl{}, fmt.Errorf("needs a unit such as HOUR as argument 2")
	}
	if args[0].Type.Kind == types.Time {
		return boundClock(mode, step)
	}
	impl, err := resolveDateTrunc([]fn.Arg{args[1], args[0]})
	if err != nil {
		return impl, err
	}
	down, t := impl.Eval, impl.Result
	impl.Args = []types.Type{impl.Args[1], impl.Args[0]}
	for _, list := range [][]int{impl.Monotone, impl.MonotoneFixed} {
		for i := range list {
			list[i] = 0
		}
	}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v, err := down(c, []*vec.Vector{args[1], args[0]}, rows)
		if err != nil || mode == downward {
			return v, err
		}
		m := mask(args[0])
		out := c.New(t, rows.N)
		each(rows, func(r int) {
			if out.I64[r] = v.I64[r]; v.I64[r] != args[0].I64[r&m] {
				out.I64[r], _ = Shift(t.Kind, v.I64[r], step, 1, zoneFor(t, c.Zone))
			}
		})
		return out, nil
	}
	return impl, nil
}

// boundClock rounds a time of day to a unit below the day; up it stays within its day.
func boundClock(mode rounding, step types.IntervalValue) (fn.Impl, error) {
	if step.Micros == 0 {
		return fn.Impl{}, fmt.Errorf("rounds a TIME to a unit below the day, such as HOUR")
	}
	up := int64(0)
	if mode == upward {
		up = step.Micros - 1
	}
	eval := tryInts(timeOfDay, boundName(mode), func(args []*vec.Vector, r int) (int64, string) {
		x := args[0].Int(r) + up
		if x -= x % step.Micros; x >= types.MicrosPerDay {
			return 0, "a TIME stays within its day"
		}
		return x, ""
	})
	return fn.Impl{Args: []types.Type{timeOfDay, text}, Result: timeOfDay, Eval: eval, Monotone: []int{0}}, nil
}

func boundName(mode rounding) string {
	if mode == upward {
		return "ceil"
	}
	return "floor"
}
