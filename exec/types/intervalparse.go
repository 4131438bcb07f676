package types

import (
	"errors"
	"math/big"
	"strings"
)

// Errors of interval text.
var (
	ErrIntervalSyntax = errors.New("not an interval: want '10 minutes', '1 month 2 days 03:00:00'")
	ErrIntervalRange  = errors.New("interval out of range")
	ErrIntervalUnit   = errors.New("unknown unit of time")
)

// intervalUnit is a unit in months, days or µs: one of the three is set.
type intervalUnit struct {
	months, days int64
	micros       int64
}

// unitOf finds a unit by its name, singular, plural or short, in any case.
func unitOf(name string) (intervalUnit, bool) {
	switch strings.ToLower(name) {
	case "microsecond", "microseconds", "us", "µs", "usec", "usecs", "usecond", "useconds":
		return intervalUnit{micros: 1}, true
	case "millisecond", "milliseconds", "ms", "msec", "msecs", "msecond", "mseconds":
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
	case "decade", "decades", "dec", "decs":
		return intervalUnit{months: 120}, true
	case "century", "centuries", "cent", "c":
		return intervalUnit{months: 1200}, true
	case "millennium", "millennia", "millenniums", "millenium", "mil", "mils":
		return intervalUnit{months: 12000}, true
	}
	return intervalUnit{}, false
}

// IsIntervalUnit reports whether name is a unit that ParseInterval knows.
func IsIntervalUnit(name string) bool {
	_, ok := unitOf(name)
	return ok
}

// IntervalOf returns n units: IntervalOf("10", "minutes"). The number may have a sign
// and a fraction.
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
// (a number before a time counts days). As in PostgreSQL, "ago" at the end turns the
// sign of all parts around, a number alone counts seconds, and a fraction goes to the
// smaller parts: see SpreadInterval.
func ParseInterval(text string) (IntervalValue, error) {
	var p intervalParts
	s := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "@"))
	if s == "" {
		return IntervalValue{}, ErrIntervalSyntax
	}
	if s[0] == 'P' {
		return parseISO(s[1:])
	}
	if rest := strings.Trim(s, "+-.0123456789"); rest == "" {
		return p.all(p.add(s, intervalUnit{micros: MicrosPerSecond}))
	}
	body, ago := cutAgo(s)
	for s = body; s != ""; {
		rest, err := p.part(s)
		if err != nil {
			return IntervalValue{}, err
		}
		s = strings.TrimLeft(rest, " \t")
	}
	if ago {
		p = intervalParts{-p.months, -p.days, -p.micros}
	}
	return p.value()
}

// cutAgo takes the word "ago" off the end.
func cutAgo(s string) (body string, ago bool) {
	n := len(s) - len(" ago")
	if n > 0 && strings.EqualFold(s[n:], " ago") {
		return strings.TrimSpace(s[:n]), true
	}
	return s, false
}

// all is the value, unless a part was wrong.
func (p *intervalParts) all(err error) (IntervalValue, error) {
	if err != nil {
		return IntervalValue{}, err
	}
	return p.value()
}

// parseISO parses what follows the P of ISO 8601: P1Y2M3DT4H5M6.7S.
func parseISO(s string) (IntervalValue, error) {
	var p intervalParts
	units, any := map[byte]string{'Y': "year", 'M': "month", 'W': "week", 'D': "day"}, false
	for s != "" {
		if s[0] == 'T' {
			units, s = map[byte]string{'H': "hour", 'M': "minute", 'S': "second"}, s[1:]
			any = false
			continue
		}
		n := strings.IndexFunc(s, func(c rune) bool { return c >= 'A' && c <= 'Z' })
		if n < 1 || units[s[n]] == "" {
			return IntervalValue{}, ErrIntervalSyntax
		}
		if _, err := p.part(s[:n] + " " + units[s[n]]); err != nil {
			return IntervalValue{}, err
		}
		s, any = s[n+1:], true
	}
	if !any {
		return IntervalValue{}, ErrIntervalSyntax
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
	product, ok := x.Mul(Int128From(u.micros + u.days + u.months))
	if !ok {
		return ErrIntervalRange
	}
	q, r, _ := product.QuoRem(Pow10(scale))
	if !r.IsZero() {
		return p.addFraction(number, u)
	}
	n, ok := q.Int64()
	switch {
	case !ok:
		return ErrIntervalRange
	case u.micros != 0:
		return p.addParts(0, 0, n)
	case u.days != 0:
		return p.addParts(0, n, 0)
	}
	return p.addParts(n, 0, 0)
}

// addFraction spreads a number that is no whole number of the part that the unit counts.
func (p *intervalParts) addFraction(number string, u intervalUnit) error {
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return ErrIntervalSyntax
	}
	months, days, micros, ok := SpreadInterval(value, u.months, u.days, u.micros)
	if !ok {
		return ErrIntervalRange
	}
	return p.addParts(months, days, micros)
}

func (p *intervalParts) addParts(months, days, micros int64) error {
	const most = 1 << 40
	if months > most || months < -most || days > most || days < -most {
		return ErrIntervalRange
	}
	sum, _ := Int128From(p.micros).Add(Int128From(micros))
	v, ok := sum.Int64()
	p.micros, p.days, p.months = v, p.days+days, p.months+months
	if !ok || p.days > 1<<50 || p.months > 1<<50 {
		return ErrIntervalRange
	}
	return nil
}

// SpreadInterval is a number of units of so many months, days or µs as PostgreSQL spreads
// it: a fraction of years rounds to months, one of a month is days of 1/30 of it, one of a
// day is time, rounded to µs; a fraction of a µs is cut. False if it does not fit.
func SpreadInterval(value *big.Rat, months, days, micros int64) (m, d, us int64, ok bool) {
	times := func(x *big.Rat, n int64) *big.Rat { return new(big.Rat).Mul(x, new(big.Rat).SetInt64(n)) }
	inMonths := times(value, months)
	if months >= 12 {
		inMonths.SetInt(roundRat(inMonths))
	}
	whole, rest := splitRat(inMonths)
	inDays := rest.Add(times(rest, 30), times(value, days))
	wholeDays, rest := splitRat(inDays)
	inMicros := new(big.Rat).Add(times(rest, MicrosPerDay), times(value, micros))
	rounded := roundRat(inMicros)
	if micros == 1 {
		rounded, _ = splitRat(inMicros)
	}
	return whole.Int64(), wholeDays.Int64(), rounded.Int64(), whole.IsInt64() && wholeDays.IsInt64() && rounded.IsInt64()
}

// splitRat cuts toward zero.
func splitRat(x *big.Rat) (whole *big.Int, rest *big.Rat) {
	whole = new(big.Int).Quo(x.Num(), x.Denom())
	return whole, new(big.Rat).Sub(x, new(big.Rat).SetInt(whole))
}

// roundRat rounds half away from zero.
func roundRat(x *big.Rat) *big.Int {
	half := big.NewRat(int64(x.Sign()), 2)
	whole, _ := splitRat(half.Add(half, x))
	return whole
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
