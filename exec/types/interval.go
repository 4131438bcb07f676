package types

import (
	"cmp"
	"time"
)

// µs in the units of fixed length.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 60 * MicrosPerMinute
	MicrosPerDay    = 24 * MicrosPerHour
)

// IntervalValue is a calendar interval. The three parts have their own signs and are
// never normalised into each other.
type IntervalValue struct {
	Months int32
	Days   int32
	Micros int64
}

// Span is the length in µs that intervals are ordered by: a month counts as 30 days,
// a day as 24 hours.
func (v IntervalValue) Span() Int128 {
	days := int64(v.Months)*30 + int64(v.Days)
	s, _ := MulInt64(days, MicrosPerDay).Add(Int128From(v.Micros))
	return s
}

// Cmp orders intervals by span, then by months, then by days: a total order in which
// only identical intervals are equal.
func (v IntervalValue) Cmp(o IntervalValue) int {
	return cmp.Or(v.Span().Cmp(o.Span()), cmp.Compare(v.Months, o.Months), cmp.Compare(v.Days, o.Days))
}

// String is the canonical text, see Append.
func (v IntervalValue) String() string { return string(v.Append(nil)) }

// Append appends the canonical text, which ParseInterval reads back: years and months,
// days, then the time as [−]hh:mm:ss[.ffffff]; parts that are zero are left out, each
// part has its own sign: "1 year 2 months", "-3 days", "1 month 2 days 03:00:00",
// "00:00:00".
func (v IntervalValue) Append(dst []byte) []byte {
	from := len(dst)
	dst = appendUnit(dst, from, int64(v.Months/12), "year")
	dst = appendUnit(dst, from, int64(v.Months%12), "month")
	dst = appendUnit(dst, from, int64(v.Days), "day")
	if v.Micros == 0 && len(dst) > from {
		return dst
	}
	if len(dst) > from {
		dst = append(dst, ' ')
	}
	u := uint64(v.Micros)
	if v.Micros < 0 {
		dst, u = append(dst, '-'), -u
	}
	return appendDuration(dst, u)
}

// appendDuration is AppendTimeOfDay for the whole range, −2^63 included.
func appendDuration(dst []byte, us uint64) []byte {
	if us>>63 == 0 {
		return AppendTimeOfDay(dst, int64(us))
	}
	return append(dst, "2562047788:00:54.775808"...)
}

func appendUnit(dst []byte, from int, n int64, unit string) []byte {
	if n == 0 {
		return dst
	}
	if len(dst) > from {
		dst = append(dst, ' ')
	}
	dst = append(Int128From(n).Append(dst), ' ')
	dst = append(dst, unit...)
	if n != 1 && n != -1 {
		dst = append(dst, 's')
	}
	return dst
}

// Neg returns −v; false if a part is out of range.
func (v IntervalValue) Neg() (IntervalValue, bool) { return v.Mul(-1) }

// Add adds two intervals part by part; false if a part is out of range.
func (v IntervalValue) Add(o IntervalValue) (IntervalValue, bool) {
	p := intervalParts{int64(v.Months) + int64(o.Months), int64(v.Days) + int64(o.Days), v.Micros + o.Micros}
	out, err := p.value()
	return out, err == nil && (v.Micros^p.micros)&(o.Micros^p.micros) >= 0
}

// Mul multiplies each part by n; false if a part is out of range.
func (v IntervalValue) Mul(n int64) (IntervalValue, bool) {
	months, ok1 := MulInt64(int64(v.Months), n).Int64()
	days, ok2 := MulInt64(int64(v.Days), n).Int64()
	micros, ok3 := MulInt64(v.Micros, n).Int64()
	out, err := intervalParts{months, days, micros}.value()
	return out, ok1 && ok2 && ok3 && err == nil
}

// Fixed returns the length in µs of an interval without months, a day taken as 24
// hours; false if it has months or does not fit.
func (v IntervalValue) Fixed() (int64, bool) {
	us, ok := v.Span().Int64()
	return us, ok && v.Months == 0
}

// AddToDate adds whole months and days to a date in days since 1970; a day that the
// month does not have becomes its last. The interval's µs are not looked at.
func (v IntervalValue) AddToDate(days int64) int64 {
	return AddMonths(days, int64(v.Months)) + int64(v.Days)
}

// AddMonths moves a date by months; a day that the month does not have becomes its
// last.
func AddMonths(days, months int64) int64 {
	if months == 0 {
		return days
	}
	y, m, d := CivilFromDays(days)
	n := int64(y)*12 + int64(m-1) + months
	y, m = int(FloorDiv(n, 12)), int(FloorMod(n, 12))+1
	return DaysFromCivil(y, m, min(d, DaysInMonth(y, m)))
}

// AddToTimestamp adds the interval to an instant in µs: first the months, then the
// days, both on the wall clock of the zone, then the exact µs. False if the result is
// out of range.
func (v IntervalValue) AddToTimestamp(us int64, zone *time.Location) (int64, bool) {
	if v.Months != 0 || v.Days != 0 {
		local := ToLocal(us, zone)
		day := FloorDiv(local, MicrosPerDay)
		moved := v.AddToDate(day) - day
		at, ok := addMicros(local, MulInt64(moved, MicrosPerDay))
		if !ok {
			return 0, false
		}
		us = FromLocal(at, zone)
	}
	return addMicros(us, Int128From(v.Micros))
}

func addMicros(us int64, by Int128) (int64, bool) {
	sum, _ := Int128From(us).Add(by)
	return sum.Int64()
}
