package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// timeField computes one field from wall clock µs since 1970.
type timeField func(local int64) int64

// civil splits wall clock µs into a date.
func civil(local int64) (year, month, day int) {
	return types.CivilFromDays(types.FloorDiv(local, types.MicrosPerDay))
}

func dayOf(local int64) int64 { return types.FloorDiv(local, types.MicrosPerDay) }

// weekday counts from Monday = 0.
func weekday(local int64) int64 { return types.FloorMod(dayOf(local)+3, 7) }

// isoWeek is the ISO 8601 week and the year it belongs to.
func isoWeek(local int64) (year, week int64) {
	thursday := dayOf(local) - weekday(local) + 3
	y, _, _ := types.CivilFromDays(thursday)
	return int64(y), (thursday-types.DaysFromCivil(y, 1, 1))/7 + 1
}

func yearDay(local int64) int64 {
	y, _, _ := civil(local)
	return dayOf(local) - types.DaysFromCivil(y, 1, 1) + 1
}

// fieldNames maps spellings to fields; the functions year(), month(), … come from it
// too.
func findField(name string) (timeField, bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "year", "years", "y", "yr", "yrs":
		return func(t int64) int64 { y, _, _ := civil(t); return int64(y) }, true
	case "yearofweek", "isoyear", "year_of_week":
		return func(t int64) int64 { y, _ := isoWeek(t); return y }, true
	case "quarter", "qtr":
		return func(t int64) int64 { _, m, _ := civil(t); return int64(m+2) / 3 }, true
	case "month", "months", "mon", "mons":
		return func(t int64) int64 { _, m, _ := civil(t); return int64(m) }, true
	case "week", "weeks", "w", "weekofyear":
		return func(t int64) int64 { _, w := isoWeek(t); return w }, true
	case "day", "days", "d", "dayofmonth":
		return func(t int64) int64 { _, _, d := civil(t); return int64(d) }, true
	case "dayofweek": // Sunday = 1
		return func(t int64) int64 { return (weekday(t)+1)%7 + 1 }, true
	case "dow": // Sunday = 0
		return func(t int64) int64 { return (weekday(t) + 1) % 7 }, true
	case "weekday": // Monday = 0
		return weekday, true
	case "dayofweek_iso", "isodow":
		return func(t int64) int64 { return weekday(t) + 1 }, true
	case "doy", "dayofyear":
		return yearDay, true
	case "hour", "hours", "h", "hr", "hrs":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerDay) / types.MicrosPerHour }, true
	case "minute", "minutes", "m", "min", "mins":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerHour) / types.MicrosPerMinute }, true
	}
	return findLongField(name)
}

// findLongField has the centuries, and the fractions of a second as integers.
func findLongField(name string) (timeField, bool) {
	year := func(t int64) int64 { y, _, _ := civil(t); return int64(y) }
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "decade":
		return func(t int64) int64 { return types.FloorDiv(year(t), 10) }, true
	case "century":
		return func(t int64) int64 { return types.FloorDiv(year(t)+99, 100) }, true
	case "millennium":
		return func(t int64) int64 { return types.FloorDiv(year(t)+999, 1000) }, true
	case "millisecond", "milliseconds", "msec":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) / 1000 }, true
	case "microsecond", "microseconds", "usec":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) }, true
	}
	return nil, false
}

func wholeSecond(t int64) int64 {
	return types.FloorMod(t, types.MicrosPerMinute) / types.MicrosPerSecond
}

func fields() []*fn.Scalar {
	all := []*fn.Scalar{{
		Name: "extract", Aliases: []string{"date_part", "datepart"}, Group: "Time", Syntax: []string{"extract(field FROM time)", "date_part('field', time)"},
		Doc:      "Takes a field out of a date, timestamp or interval: YEAR, QUARTER, MONTH, WEEK (ISO), DAY, DOW (Sunday = 0), DAYOFWEEK (Sunday = 1), DOY, HOUR, MINUTE, SECOND (with its fraction), MILLISECOND, MICROSECOND, EPOCH (seconds since 1970), YEAROFWEEK, DECADE, CENTURY.",
		Examples: []fn.Example{{SQL: "extract('HOUR', TIMESTAMP '2024-02-29 13:45:56')", Want: "13"}, {SQL: "date_part('second', TIMESTAMP '2024-02-29 13:45:56.5')", Want: "56.500000"}, {SQL: "extract('DAY', NULL)", Want: "NULL"}},
		Resolve:  resolveExtract,
	}}
	list := []struct{ name, alias, field, doc, want string }{
		{"year", "", "year", "Is the year.", "2024"},
		{"quarter", "", "quarter", "Is the quarter, 1 to 4.", "1"},
		{"month", "", "month", "Is the month, 1 to 12.", "2"},
		{"weekofyear", "week", "week", "Is the ISO week, 1 to 53.", "9"},
		{"day", "dayofmonth", "day", "Is the day of the month.", "29"},
		{"dayofweek", "", "dayofweek", "Is the day of the week, Sunday = 1.", "5"},
		{"weekday", "", "weekday", "Is the day of the week, Monday = 0.", "3"},
		{"dayofyear", "", "doy", "Is the day of the year.", "60"},
		{"yearofweek", "", "yearofweek", "Is the year that the ISO week belongs to.", "2024"},
		{"hour", "", "hour", "Is the hour, 0 to 23.", "13"},
		{"minute", "", "minute", "Is the minute.", "45"},
		{"second", "", "", "Is the second without its fraction.", "56"},
	}
	for _, x := range list {
		field := timeField(wholeSecond)
		if x.field != "" {
			field, _ = findField(x.field)
		}
		var aliases []string
		if x.alias != "" {
			aliases = []string{x.alias}
		}
		all = append(all, &fn.Scalar{
			Name: x.name, Aliases: aliases, Group: "Time", Syntax: []string{x.name + "(time)"}, Doc: x.doc,
			Examples: []fn.Example{{SQL: x.name + "(TIMESTAMP '2024-02-29 13:45:56.789')", Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveField(args, integer, field, x.name == "year") },
		})
	}
	return append(all, &fn.Scalar{
		Name: "dayname", Group: "Time", Syntax: []string{"dayname(time)"}, Doc: "Is the name of the day, in three letters.",
		Examples: []fn.Example{{SQL: "dayname(DATE '2024-02-29')", Want: "Thu"}, {SQL: "dayname(NULL)", Want: "NULL"}},
		Resolve:  nameOf(func(t int64) string { return time.Weekday((weekday(t) + 1) % 7).String()[:3] }),
	}, &fn.Scalar{
		Name: "monthname", Group: "Time", Syntax: []string{"monthname(time)"}, Doc: "Is the name of the month, in three letters.",
		Examples: []fn.Example{{SQL: "monthname(DATE '2024-02-29')", Want: "Feb"}, {SQL: "monthname(NULL)", Want: "NULL"}},
		Resolve:  nameOf(func(t int64) string { _, m, _ := civil(t); return time.Month(m).String()[:3] }),
	})
}

// timeArg is the type in which a time argument is used: text is a TIMESTAMP.
func timeArg(args []fn.Arg, i int) (types.Type, error) {
	t := args[i].Type
	switch {
	case t.IsTime():
		return t, nil
	case t.Kind == types.String || t.Kind == types.Null:
		return timestamp, nil
	}
	return t, mismatch(args, i, "DATE or TIMESTAMP")
}

// local reads element i of a time column as wall clock µs.
func local(v *vec.Vector, i int, zone *time.Location) int64 {
	switch v.Type.Kind {
	case types.Date:
		return v.I64[i] * types.MicrosPerDay
	case types.Timestamp:
		return types.ToLocal(v.I64[i], zone)
	}
	return v.I64[i]
}

func resolveField(args []fn.Arg, result types.Type, field timeField, monotone bool) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t, err := timeArg(args, 0)
	impl := fn.Impl{Args: []types.Type{t}, Result: result, Eval: fieldKernel(result, field)}
	if monotone {
		impl.Monotone = []int{0}
	}
	return impl, err
}

func fieldKernel(result types.Type, field timeField) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[len(args)-1]
		out := c.New(result, rows.N)
		m := mask(in)
		each(rows, func(r int) { out.I64[r] = field(local(in, r&m, c.Zone)) })
		return out, nil
	}
}

func nameOf(name func(local int64) string) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		t, err := timeArg(args, 0)
		eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return append(dst, name(local(args[0], r, c.Zone))...)
			})(c, args, rows)
		}
		return fn.Impl{Args: []types.Type{t}, Result: text, Eval: eval}, err
	}
}

// resolveExtract resolves extract(field, time) for a constant field.
func resolveExtract(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	name, ok := constText(args, 0)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a constant field as argument 1")
	}
	if args[1].Type.Kind == types.Interval {
		return extractInterval(name)
	}
	t, err := timeArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Args: []types.Type{text, t}, Result: integer}
	switch key := strings.ToLower(name); key {
	case "second", "seconds", "s", "sec", "secs":
		impl.Result = types.DecimalOf(8, 6)
		impl.Eval = fieldKernel(impl.Result, func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) })
	case "epoch":
		impl.Result = types.DecimalOf(20, 6)
		impl.Eval, impl.Monotone = extractEpoch, []int{1}
	default:
		field, ok := findField(name)
		if !ok {
			return fn.Impl{}, fmt.Errorf("has no field %s", fn.Quote(name))
		}
		impl.Eval = fieldKernel(integer, field)
	}
	return impl, nil
}

func extractEpoch(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[1]
	out := c.New(types.DecimalOf(20, 6), rows.N)
	m := mask(in)
	each(rows, func(r int) {
		x := in.I64[r&m]
		if in.Type.Kind == types.Date {
			x = types.FromLocal(x*types.MicrosPerDay, c.Zone)
		}
		out.I128[r] = types.Int128From(x)
	})
	return out, nil
}

// extractInterval takes a part of an interval as it is stored.
func extractInterval(name string) (fn.Impl, error) {
	impl := fn.Impl{Args: []types.Type{text, interval}, Result: bigint}
	var part func(x types.IntervalValue) int64
	switch strings.ToLower(name) {
	case "year", "years":
		part = func(x types.IntervalValue) int64 { return int64(x.Months / 12) }
	case "month", "months":
		part = func(x types.IntervalValue) int64 { return int64(x.Months % 12) }
	case "day", "days":
		part = func(x types.IntervalValue) int64 { return int64(x.Days) + x.Micros/types.MicrosPerDay }
	case "hour", "hours":
		part = func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerDay / types.MicrosPerHour }
	case "minute", "minutes":
		part = func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerHour / types.MicrosPerMinute }
	case "second", "seconds":
		impl.Result = types.DecimalOf(8, 6)
		part = func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerMinute }
	case "epoch":
		impl.Result = types.DecimalOf(18, 6)
		part = func(x types.IntervalValue) int64 { s, _ := x.Span().Int64(); return s }
	default:
		return impl, fmt.Errorf("has no field %s of an INTERVAL", fn.Quote(name))
	}
	result := impl.Result
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(result, rows.N)
		m := mask(args[1])
		each(rows, func(r int) { out.I64[r] = part(args[1].Iv[r&m]) })
		return out, nil
	}
	return impl, nil
}
