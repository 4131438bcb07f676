package types

import "cmp"

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
