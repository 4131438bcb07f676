package types

import (
	"errors"
	"strings"
)

// Errors of interval text.
var (
	ErrIntervalSyntax = errors.New("not an interval: want '10 minutes', '1 month 2 days 03:00:00'")
	ErrIntervalRange  = errors.New("interval out of range")
	ErrIntervalUnit   = errors.New("unknown unit of time")
	ErrIntervalPart   = errors.New("only seconds, minutes, hours and milliseconds take a fraction, of whole microseconds in the end")
)

// intervalUnit is a unit in months, days or µs: one of the three is set.
type intervalUnit struct {
	months, days int64
	micros       int64
}

// unitOf finds a unit by its name, singular, plural or short, in any case.
func unitOf(name string) (intervalUnit, bool) {
	switch strings.ToLower(name) {
	case "microsecond", "microseconds", "us", "µs", "usec", "usecs":
		return intervalUnit{micros: 1}, true
	case "millisecond", "milliseconds", "ms", "msec", "msecs":
		return intervalUnit{micros: 1000}, true
	case "second", "seconds", "s", "sec", "secs":
		return intervalUnit{micros: MicrosPerSecond}, true
	case "minute", "minutes", "m", "min", "mins":
		return intervalUnit{micros: MicrosPerMinute}, true
	case "hour", "hours", "h", "hr", "hrs":
		return intervalUnit{micros: MicrosPerHour}, true
	case "day", "days", "d":
		return intervalUnit{days: 1}, true
	case "week", "weeks", "w":
		return intervalUnit{days: 7}, true
	case "month", "months", "mon", "mons":
		return intervalUnit{months: 1}, true
	case "quarter", "quarters":
		return intervalUnit{months: 3}, true
	case "year", "years", "y", "yr", "yrs":
		return intervalUnit{months: 12}, true
	}
	return intervalUnit{}, false
}

// IsIntervalUnit reports whether name is a unit that ParseInterval knows.
func IsIntervalUnit(name string) bool {
	_, ok := unitOf(name)
	return ok
}

// IntervalOf returns n units: IntervalOf("10", "minutes"). The number may have a sign
// and, for units up to the hour, a fraction.
func IntervalOf(number, unit string) (IntervalValue, error) {
	u, ok := unitOf(unit)
	if !ok {
		return IntervalValue{}, ErrIntervalUnit
	}
	var p intervalParts
	if err := p.add(number, u); err != nil {
		return IntervalValue{}, err
	}
	return p.value()
}

// ParseInterval parses numbers with units and at most one time of day, separated by
// blanks: '10 minutes', '1h30m', '1 year -2 months 3 days -04:05:06.5', '2 10:00:00'
// (a number before a time counts days).
func ParseInterval(text string) (IntervalValue, error) {
	var p intervalParts
	s := strings.TrimSpace(text)
	if s == "" {
		return IntervalValue{}, ErrIntervalSyntax
	}
	for s != "" {
		rest, err := p.part(s)
		if err != nil {
			return IntervalValue{}, err
		}
		s = strings.TrimLeft(rest, " \t")
	}
	return p.value()
}

// ParseIntervalRange parses the text of INTERVAL '…' from TO to: year to month
// ('1-2'), day to hour, minute or second ('1 02:03:04.5'), hour to minute or second
// ('2:03'), minute to second ('3:04'). A sign before it belongs to the whole.
func ParseIntervalRange(text, from, to string) (IntervalValue, error) {
	s := strings.TrimSpace(text)
	neg := s != "" && s[0] == '-'
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	units := []string{"year", "month", "day", "hour", "minute", "second"}
	separators := map[string]string{"month": "-", "hour": " ", "minute": ":", "second": ":"}
	lo, hi := unitIndex(units, from), unitIndex(units, to)
	if lo < 0 || hi <= lo || lo < 2 && hi != 1 {
		return IntervalValue{}, ErrIntervalUnit
	}
	var p intervalParts
	for i := lo; i <= hi; i++ {
		field := s
		if i < hi {
			var ok bool
			if field, s, ok = strings.Cut(s, separators[units[i+1]]); !ok {
				return IntervalValue{}, ErrIntervalSyntax
			}
		}
		if field == "" || !isDigit(field[0]) {
			return IntervalValue{}, ErrIntervalSyntax
		}
		u, _ := unitOf(units[i])
		if err := p.add(field, u); err != nil {
			return IntervalValue{}, err
		}
	}
	if neg {
		p = intervalParts{-p.months, -p.days, -p.micros}
	}
	return p.value()
}

func unitIndex(units []string, name string) int {
	for i, u := range units {
		if strings.EqualFold(u, name) {
			return i
		}
	}
	return -1
}

// intervalParts sums up an interval before its range is checked. Each part stays
// far from overflow, see add.
type intervalParts struct{ months, days, micros int64 }

// value checks the range of the parts.
func (p intervalParts) value() (IntervalValue, error) {
	v := IntervalValue{int32(p.months), int32(p.days), p.micros}
	if int64(v.Months) != p.months || int64(v.Days) != p.days {
		return v, ErrIntervalRange
	}
	return v, nil
}

// add adds a number of units.
func (p *intervalParts) add(number string, u intervalUnit) error {
	x, scale, err := intervalNumber(number)
	if err != nil {
		return err
	}
	if scale > 0 && u.micros < 1000 {
		return ErrIntervalPart
	}
	product, ok := x.Mul(Int128From(u.micros + u.days + u.months))
	if !ok {
		return ErrIntervalRange
	}
	q, r, _ := product.QuoRem(Pow10(scale))
	if !r.IsZero() {
		return ErrIntervalPart
	}
	n, ok := q.Int64()
	switch {
	case u.micros != 0:
		var sum Int128
		sum, _ = Int128From(p.micros).Add(Int128From(n))
		v, fits := sum.Int64()
		p.micros, ok = v, ok && fits
	case n > 1<<40 || n < -1<<40:
		ok = false
	default:
		p.days += n * min(u.days, 1)
		p.months += n * min(u.months, 1)
	}
	if !ok || p.days > 1<<50 || p.months > 1<<50 {
		return ErrIntervalRange
	}
	return nil
}

func intervalNumber(number string) (x Int128, scale int, err error) {
	x, _, scale, err = ParseExact(number)
	if err == ErrDecimalRange {
		return x, 0, ErrIntervalRange
	}
	if err != nil {
		return x, 0, ErrIntervalSyntax
	}
	return x, scale, nil
}

// part reads one number with its unit, or one time of day.
func (p *intervalParts) part(s string) (rest string, err error) {
	i := 0
	if s[0] == '-' || s[0] == '+' {
		i = 1
	}
	for i < len(s) && (isDigit(s[i]) || s[i] == '.') {
		i++
	}
	number, rest := s[:i], s[i:]
	if rest != "" && rest[0] == ':' {
		return p.clock(s, i)
	}
	after := strings.TrimLeft(rest, " \t")
	j := 0
	for j < len(after) && (after[j]|0x20 >= 'a' && after[j]|0x20 <= 'z' || after[j] >= 0x80) {
		j++
	}
	if j == 0 { // a bare number counts days, before a time of day only
		if k := strings.IndexByte(after, ':'); k <= 0 || strings.ContainsAny(after[:k], " \t") {
			return "", ErrIntervalSyntax
		}
		return after, p.add(number, intervalUnit{days: 1})
	}
	u, ok := unitOf(after[:j])
	if !ok {
		return "", ErrIntervalUnit
	}
	return after[j:], p.add(number, u)
}

// clock reads [sign]h…h:mm[:ss[.fraction]]; i is the index of the first colon.
func (p *intervalParts) clock(s string, i int) (rest string, err error) {
	j := i
	for j < len(s) && (isDigit(s[j]) || s[j] == ':' || s[j] == '.') {
		j++
	}
	fields := strings.Split(s[:j], ":")
	neg := s[0] == '-'
	fields[0] = strings.TrimLeft(fields[0], "+-")
	if len(fields) > 3 {
		return "", ErrIntervalSyntax
	}
	units := []int64{MicrosPerHour, MicrosPerMinute, MicrosPerSecond}
	for k, f := range fields {
		whole, _, frac := strings.Cut(f, ".")
		if whole == "" || frac && k < 2 || k > 0 && len(whole) != 2 || k > 0 && whole > "59" {
			return "", ErrIntervalSyntax
		}
		if neg {
			f = "-" + f
		}
		if err := p.add(f, intervalUnit{micros: units[k]}); err != nil {
			return "", err
		}
	}
	return s[j:], nil
}
