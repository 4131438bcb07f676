package scalar

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// fields are extract and the functions of one field each.
func fields() []*fn.Scalar {
	all := []*fn.Scalar{{
		Name: "extract", Aliases: []string{"date_part", "datepart"}, Group: "Time", Syntax: []string{"extract(field FROM time)", "date_part('field', time)", "date_part(['field', ...], time)"},
		Doc: "Takes a field out of a date, time or interval: MILLENNIUM, CENTURY, DECADE, YEAR, QUARTER, MONTH, WEEK (ISO), DAY, DOY, HOUR, MINUTE, SECOND (with its fraction), " +
			"MILLISECOND and MICROSECOND (with the seconds), YEAROFWEEK (or ISOYEAR), YEARWEEK, EPOCH (seconds since 1970), JULIAN, ERA, TIMEZONE (seconds), TIMEZONE_HOUR, TIMEZONE_MINUTE. " +
			"DOW and DAYOFWEEK count from Sunday = 1 as in Spark (PostgreSQL and DuckDB: Sunday = 0), ISODOW from Monday = 1, WEEKDAY from Monday = 0. " +
			"Several fields in an array of constants give a STRUCT of them; a field that is no constant gives a DOUBLE, as in PostgreSQL.",
		Examples: []fn.Example{{SQL: "extract('HOUR', TIMESTAMP '2024-02-29 13:45:56')", Want: "13"}, {SQL: "date_part('second', TIMESTAMP '2024-02-29 13:45:56.5')", Want: "56.500000"},
			{SQL: "extract('EPOCH', TIMESTAMP '1969-12-31 23:59:59.5')", Want: "-0.500000"}, {SQL: "extract('DAY', INTERVAL '3 days 30 hours')", Want: "4"},
			{SQL: "date_part(array('year', 'month'), DATE '2024-02-29')", Want: `{"year":2024,"month":2}`}, {SQL: "extract('DAY', NULL)", Want: "NULL"}},
		Resolve: resolveExtract,
	}}
	all = append(all, fieldFunctions()...)
	return append(all, &fn.Scalar{
		Name: "dayname", Group: "Time", Infinity: fn.NoInfinity, Syntax: []string{"dayname(time)"}, Doc: "Is the name of the day, in three letters as in Spark; strftime(time, '%A') is the whole name.",
		Examples: []fn.Example{{SQL: "dayname(DATE '2024-02-29')", Want: "Thu"}, {SQL: "dayname(NULL)", Want: "NULL"}},
		Resolve:  nameOf(func(t int64) string { return time.Weekday(sundays(t)).String()[:3] }),
	}, &fn.Scalar{
		Name: "monthname", Group: "Time", Infinity: fn.NoInfinity, Syntax: []string{"monthname(time)"}, Doc: "Is the name of the month, in three letters as in Spark; strftime(time, '%B') is the whole name.",
		Examples: []fn.Example{{SQL: "monthname(DATE '2024-02-29')", Want: "Feb"}, {SQL: "monthname(NULL)", Want: "NULL"}},
		Resolve:  nameOf(func(t int64) string { _, m, _ := civil(t); return time.Month(m).String()[:3] }),
	})
}

// fieldFunctions are year(t), month(t) and so on.
func fieldFunctions() []*fn.Scalar {
	list := []struct{ name, alias, field, doc, want string }{
		{"millennium", "", "millennium", "Is the millennium: 3 from 2001 on.", "3"},
		{"century", "", "century", "Is the century: 21 from 2001 on.", "21"},
		{"decade", "", "decade", "Is the year divided by ten.", "202"},
		{"era", "", "era", "Is 1, for years after Christ.", "1"},
		{"year", "", "year", "Is the year.", "2024"},
		{"quarter", "", "quarter", "Is the quarter, 1 to 4.", "1"},
		{"month", "", "month", "Is the month, 1 to 12.", "2"},
		{"weekofyear", "week", "week", "Is the ISO week, 1 to 53.", "9"},
		{"day", "dayofmonth", "day", "Is the day of the month.", "29"},
		{"dayofweek", "", "dayofweek", "Is the day of the week, Sunday = 1 as in Spark (DuckDB: 0).", "5"},
		{"weekday", "", "weekday", "Is the day of the week, Monday = 0 as in Spark (DuckDB: Sunday = 0).", "3"},
		{"isodow", "", "isodow", "Is the day of the week, Monday = 1 to Sunday = 7.", "4"},
		{"dayofyear", "", "doy", "Is the day of the year.", "60"},
		{"yearofweek", "isoyear", "isoyear", "Is the year that the ISO week belongs to.", "2024"},
		{"yearweek", "", "yearweek", "Is the year of the ISO week and the week: 202409.", "202409"},
		{"hour", "", "hour", "Is the hour, 0 to 23.", "13"},
		{"minute", "", "minute", "Is the minute.", "45"},
		{"second", "", "second", "Is the second without its fraction.", "56"},
		{"millisecond", "", "millisecond", "Counts the milliseconds of the minute.", "56789"},
		{"microsecond", "", "microsecond", "Counts the microseconds of the minute.", "56789000"},
	}
	var all []*fn.Scalar
	for _, x := range list {
		var aliases []string
		if x.alias != "" {
			aliases = []string{x.alias}
		}
		all = append(all, &fn.Scalar{
			Name: x.name, Aliases: aliases, Group: "Time", Syntax: []string{x.name + "(time)"}, Doc: x.doc,
			Examples: []fn.Example{{SQL: x.name + "(TIMESTAMP '2024-02-29 13:45:56.789')", Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveField(args, x.field) },
		})
	}
	return append(all, wideFields()...)
}

// wideFields are the fields whose values are no INT.
func wideFields() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "nanosecond", Group: "Time", Syntax: []string{"nanosecond(time)"}, Doc: "Counts the nanoseconds of the minute.",
			Examples: []fn.Example{{SQL: "nanosecond(TIMESTAMP '2024-02-29 13:45:56.789')", Want: "56789000000"}, {SQL: "nanosecond(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				impl, err := resolveField(args, "microsecond")
				if impl.Result = bigint; err == nil && args[0].Type.Kind == types.Interval {
					impl.Eval = intervalKernel(bigint, 0, func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerMinute * 1000 })
					return impl, err
				}
				impl.Eval = fieldKernel(bigint, func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) * 1000 })
				return impl, err
			},
		},
		{
			Name: "julian", Group: "Time", Syntax: []string{"julian(time)"}, Doc: "Is the Julian day, with the time of day behind the point.",
			Examples: []fn.Example{{SQL: "julian(TIMESTAMP '2024-01-01 12:00:00')", Want: "2460311.5"}, {SQL: "julian(NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return oneField(args, "julian") },
		},
		{
			Name: "timezone_hour", Group: "Time", Syntax: []string{"timezone_hour(timestamp)"}, Doc: "Is the hours of the offset from UTC that the session time zone has at that time.",
			Examples: []fn.Example{{SQL: "timezone_hour(TIMESTAMP '2024-07-01 12:00:00')", Want: "0"}, {SQL: "timezone_hour(NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return oneField(args, "timezone_hour") },
		},
		{
			Name: "timezone_minute", Group: "Time", Syntax: []string{"timezone_minute(timestamp)"}, Doc: "Is the minutes of the offset from UTC that the session time zone has at that time.",
			Examples: []fn.Example{{SQL: "timezone_minute(TIMESTAMP '2024-07-01 12:00:00')", Want: "0"}, {SQL: "timezone_minute(NULL)", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return oneField(args, "timezone_minute") },
		},
	}
}

// oneField is extract of a fixed field as a function of one argument.
func oneField(args []fn.Arg, field string) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	impl, err := extractField(field, field, args, 0)
	return impl, err
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

// fieldArg is the type of a time argument from which a field is taken: a TIME has the
// fields of the clock.
func fieldArg(args []fn.Arg, i int, field string) (types.Type, error) {
	if t := args[i].Type; t.Kind == types.Time {
		_, ok := findClockField(field)
		if ok || field == "second" || field == "epoch" {
			return t, nil
		}
		return t, fmt.Errorf("has no field %s of a TIME", fn.Quote(field))
	}
	return timeArg(args, i)
}

// resolveField is a field as a function: of an interval too, and a second is whole.
func resolveField(args []fn.Arg, name string) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	field, ok := findField(name)
	if !ok {
		field = wholeSecond
	}
	if args[0].Type.Kind == types.Interval {
		impl, err := extractInterval(name, name, 0)
		if name == "second" {
			impl.Result = bigint
			impl.Eval = intervalKernel(bigint, 0, func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerMinute / types.MicrosPerSecond })
		}
		impl.Args = []types.Type{interval}
		return impl, err
	}
	t, err := fieldArg(args, 0, name)
	impl := fn.Impl{Args: []types.Type{t}, Result: integer, Eval: fieldKernel(integer, field)}
	switch name {
	case "year", "decade", "century", "millennium", "isoyear", "yearweek", "era":
		impl.Monotone = []int{0}
	}
	return impl, err
}

// fieldKernel computes a field of the last argument.
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

// resolveExtract resolves extract(field, time).
func resolveExtract(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	spelling, ok := constText(args, 0)
	field := args[0].Type
	switch {
	case ok:
	case field.Kind == types.Array && field.Elem.Kind == types.String && args[0].Const != nil && !args[0].Const.IsNull(0):
		return extractList(args)
	case field.Kind == types.String || field.Kind == types.Null:
		return extractAny(args)
	default:
		return fn.Impl{}, mismatch(args, 0, "STRING or a constant ARRAY of STRING")
	}
	name, ok := fieldName(spelling)
	if !ok {
		return fn.Impl{}, fmt.Errorf("has no field %s", fn.Quote(spelling))
	}
	impl, err := extractField(spelling, name, args, 1)
	impl.Args = append([]types.Type{text}, impl.Args...)
	return impl, err
}

// extractField computes a field of argument at, the last one. Args of the result has
// its type alone.
func extractField(spelling, name string, args []fn.Arg, at int) (fn.Impl, error) {
	if args[at].Type.Kind == types.Interval {
		return extractInterval(spelling, name, at)
	}
	t, err := fieldArg(args, at, name)
	if err != nil {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Args: []types.Type{t}, Result: integer}
	if part, ok := findZoneField(name); ok {
		if t.Kind != types.Timestamp {
			return impl, fmt.Errorf("takes the field %s of a TIMESTAMP only: %s has no zone", fn.Quote(spelling), t.WithArticle())
		}
		impl.Eval = zoneFieldKernel(part)
		return impl, nil
	}
	switch name {
	case "second":
		impl.Result = types.DecimalOf(8, 6)
		impl.Eval = fieldKernel(impl.Result, func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) })
	case "epoch":
		impl.Result = types.DecimalOf(20, 6)
		impl.Eval, impl.Monotone = extractEpoch, []int{at}
	case "julian":
		impl.Result, impl.Eval = double, julianKernel
	default:
		field, _ := findField(name)
		impl.Eval = fieldKernel(integer, field)
	}
	return impl, nil
}

func zoneFieldKernel(part func(offset int64) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[len(args)-1]
		out := c.New(integer, rows.N)
		m := mask(in)
		each(rows, func(r int) {
			out.I64[r] = part(types.ZoneOffset(c.Zone, types.FloorDiv(in.I64[r&m], types.MicrosPerSecond)))
		})
		return out, nil
	}
}

func julianKernel(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[len(args)-1]
	out := c.New(double, rows.N)
	m := mask(in)
	each(rows, func(r int) { out.F64[r] = julianOf(local(in, r&m, c.Zone)) })
	return out, nil
}

// instantOf reads element i of a time column as an instant: a TIMESTAMP_NTZ is taken
// for a wall clock in UTC.
func instantOf(v *vec.Vector, i int, zone *time.Location) int64 {
	if v.Type.Kind == types.Date {
		return types.FromLocal(v.I64[i]*types.MicrosPerDay, zone)
	}
	return v.I64[i]
}

func extractEpoch(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[len(args)-1]
	out := c.New(types.DecimalOf(20, 6), rows.N)
	m := mask(in)
	each(rows, func(r int) { out.I128[r] = types.Int128From(instantOf(in, r&m, c.Zone)) })
	return out, nil
}

// extractInterval takes a field of an interval.
func extractInterval(spelling, name string, at int) (fn.Impl, error) {
	impl := fn.Impl{Args: []types.Type{interval}, Result: bigint}
	switch name {
	case "epoch":
		impl.Result = types.DecimalOf(20, 6)
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(impl.Result, rows.N)
			m := mask(args[at])
			each(rows, func(r int) { out.I128[r] = epochOf(args[at].Iv[r&m]) })
			return out, nil
		}
		return impl, nil
	case "second":
		impl.Result = types.DecimalOf(8, 6)
	}
	part, ok := intervalField(name)
	if !ok {
		return impl, fmt.Errorf("has no field %s of an INTERVAL", fn.Quote(spelling))
	}
	impl.Eval = intervalKernel(impl.Result, at, part)
	return impl, nil
}

func intervalKernel(result types.Type, at int, part func(x types.IntervalValue) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(result, rows.N)
		m := mask(args[at])
		each(rows, func(r int) { out.I64[r] = part(args[at].Iv[r&m]) })
		return out, nil
	}
}
