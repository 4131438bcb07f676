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
