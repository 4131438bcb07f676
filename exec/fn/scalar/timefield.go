package scalar

import (
	"strings"
	"time"

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

// clockOf is the time of day of a wall clock time.
func clockOf(local int64) int64 { return types.FloorMod(local, types.MicrosPerDay) }

func yearOf(local int64) int64 { y, _, _ := civil(local); return int64(y) }

// weekday counts from Monday = 0.
func weekday(local int64) int64 { return types.FloorMod(dayOf(local)+3, 7) }

// sundays counts days of the week from Sunday = 0.
func sundays(local int64) int64 { return (weekday(local) + 1) % 7 }

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

func wholeSecond(t int64) int64 {
	return types.FloorMod(t, types.MicrosPerMinute) / types.MicrosPerSecond
}

// fieldSpellings lists what each field may be called in extract; the first is its name.
var fieldSpellings = [...][]string{
	{"era"},
	{"millennium", "millennia", "millenniums", "mil"},
	{"century", "centuries", "cent", "c"},
	{"decade", "decades", "decs"},
	{"year", "years", "y", "yr", "yrs"},
	{"isoyear", "yearofweek", "year_of_week"},
	{"yearweek"},
	{"quarter", "quarters", "qtr"},
	{"month", "months", "mon", "mons"},
	{"week", "weeks", "w", "weekofyear", "isoweek"},
	{"day", "days", "d", "dayofmonth"},
	{"dayofweek", "dow"},
	{"weekday"},
	{"isodow", "dow_iso", "dayofweek_iso"},
	{"doy", "dayofyear"},
	{"hour", "hours", "h", "hr", "hrs"},
	{"minute", "minutes", "m", "min", "mins"},
	{"second", "seconds", "s", "sec", "secs"},
	{"millisecond", "milliseconds", "ms", "msec", "msecs"},
	{"microsecond", "microseconds", "us", "usec", "usecs"},
	{"epoch"},
	{"julian"},
	{"timezone"},
	{"timezone_hour"},
	{"timezone_minute"},
}

// fieldName finds the name of a field by any of its spellings.
func fieldName(spelling string) (string, bool) {
	s := strings.ToLower(strings.TrimSpace(spelling))
	for _, names := range fieldSpellings {
		for _, n := range names {
			if n == s {
				return names[0], true
			}
		}
	}
	return "", false
}

// findField finds how a field with an INT value is computed.
func findField(name string) (timeField, bool) {
	switch name {
	case "year":
		return yearOf, true
	case "isoyear":
		return func(t int64) int64 { y, _ := isoWeek(t); return y }, true
	case "yearweek":
		return func(t int64) int64 { y, w := isoWeek(t); return y*100 + w }, true
	case "quarter":
		return func(t int64) int64 { _, m, _ := civil(t); return int64(m+2) / 3 }, true
	case "month":
		return func(t int64) int64 { _, m, _ := civil(t); return int64(m) }, true
	case "week":
		return func(t int64) int64 { _, w := isoWeek(t); return w }, true
	case "day":
		return func(t int64) int64 { _, _, d := civil(t); return int64(d) }, true
	case "dayofweek":
		return func(t int64) int64 { return sundays(t) + 1 }, true
	case "weekday":
		return weekday, true
	case "isodow":
		return func(t int64) int64 { return weekday(t) + 1 }, true
	case "doy":
		return yearDay, true
	}
	if f, ok := findClockField(name); ok {
		return f, true
	}
	return findLongField(name)
}

// findClockField has the fields of the time of day.
func findClockField(name string) (timeField, bool) {
	switch name {
	case "hour":
		return func(t int64) int64 { return clockOf(t) / types.MicrosPerHour }, true
	case "minute":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerHour) / types.MicrosPerMinute }, true
	case "millisecond":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) / 1000 }, true
	case "microsecond":
		return func(t int64) int64 { return types.FloorMod(t, types.MicrosPerMinute) }, true
	}
	return nil, false
}

// findLongField has the units above a year.
func findLongField(name string) (timeField, bool) {
	switch name {
	case "decade":
		return func(t int64) int64 { return types.FloorDiv(yearOf(t), 10) }, true
	case "century":
		return func(t int64) int64 { return hundreds(yearOf(t), 100) }, true
	case "millennium":
		return func(t int64) int64 { return hundreds(yearOf(t), 1000) }, true
	case "era":
		return func(t int64) int64 { return int64(truth(yearOf(t) > 0)) }, true
	}
	return nil, false
}

// hundreds counts centuries or millennia: there is none of the number 0.
func hundreds(year, n int64) int64 {
	if year > 0 {
		return (year + n - 1) / n
	}
	return year/n - 1
}

// findZoneField has the parts of an offset from UTC in seconds.
func findZoneField(name string) (func(offset int64) int64, bool) {
	switch name {
	case "timezone":
		return func(off int64) int64 { return off }, true
	case "timezone_hour":
		return func(off int64) int64 { return off / 3600 }, true
	case "timezone_minute":
		return func(off int64) int64 { return off % 3600 / 60 }, true
	}
	return nil, false
}

// intervalField computes a field of an interval: years and months of its months, days
// with those of its time, hours and less of what is left.
func intervalField(name string) (func(x types.IntervalValue) int64, bool) {
	switch name {
	case "millennium":
		return func(x types.IntervalValue) int64 { return int64(x.Months / 12000) }, true
	case "century":
		return func(x types.IntervalValue) int64 { return int64(x.Months / 1200) }, true
	case "decade":
		return func(x types.IntervalValue) int64 { return int64(x.Months / 120) }, true
	case "year":
		return func(x types.IntervalValue) int64 { return int64(x.Months / 12) }, true
	case "quarter":
		return func(x types.IntervalValue) int64 { return int64(x.Months%12/3) + 1 }, true
	case "month":
		return func(x types.IntervalValue) int64 { return int64(x.Months % 12) }, true
	case "day":
		return func(x types.IntervalValue) int64 { return int64(x.Days) + x.Micros/types.MicrosPerDay }, true
	case "hour":
		return func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerDay / types.MicrosPerHour }, true
	case "minute":
		return func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerHour / types.MicrosPerMinute }, true
	case "millisecond":
		return func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerMinute / 1000 }, true
	case "microsecond", "second": // a second has its fraction behind the point
		return func(x types.IntervalValue) int64 { return x.Micros % types.MicrosPerMinute }, true
	}
	return nil, false
}

// epochOf is the length of an interval in µs as PostgreSQL counts it: a year has 365.25
// days, a month beside it 30.
func epochOf(x types.IntervalValue) types.Int128 {
	const year = 36525 * types.MicrosPerDay / 100
	rest := types.IntervalValue{Months: x.Months % 12, Days: x.Days, Micros: x.Micros}.Span()
	sum, _ := types.MulInt64(int64(x.Months/12), year).Add(rest)
	return sum
}

// julianOf is the Julian day with the time of day behind the point.
func julianOf(local int64) float64 {
	return float64(dayOf(local)+2440588) + float64(clockOf(local))/types.MicrosPerDay
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
