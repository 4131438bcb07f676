package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// The fields that text can give.
const (
	yearField = iota
	monthField
	dayField
	yearDayField
	weekdayField // Monday = 0
	hourField
	halfHourField // 0 to 11
	halfField     // 0 = AM, 1 = PM
	minuteField
	secondField
	microField
	eraField // 1 = AD
	isoYearField
	isoWeekField
	sundayWeekField
	mondayWeekField
	timeFields
)

// parsedTime collects the fields of a text that follows a pattern.
type parsedTime struct {
	value [timeFields]int64
	given [timeFields]bool
	zone  *time.Location // named in the text, or nil
}

// set stores a field; false if the text gave another value before.
func (t *parsedTime) set(field int, x int64) bool {
	if t.given[field] && t.value[field] != x {
		return false
	}
	t.value[field], t.given[field] = x, true
	return true
}

func (t *parsedTime) or(field int, otherwise int64) int64 {
	if t.given[field] {
		return t.value[field]
	}
	return otherwise
}

// parsable refuses a pattern that cannot read text.
func (p *timePattern) parsable() error {
	for _, f := range p.parts {
		switch f.letter {
		case 'Q', 'q', 'F', 'g':
			return fmt.Errorf("does not read the pattern letter %q; it is for printing", string(f.letter))
		}
	}
	return nil
}

// parse reads the whole text into wall clock µs, or into an instant if the text names a
// zone.
func (p *timePattern) parse(s string) (at int64, zone *time.Location, ok bool) {
	var t parsedTime
	rest, ok := p.read(&t, s, 0, len(p.parts))
	if !ok || rest != "" {
		return 0, nil, false
	}
	at, ok = t.wallClock(1970)
	return at, t.zone, ok && t.checkWeekday(dayOf(at))
}

// read reads parts from … to.
func (p *timePattern) read(t *parsedTime, s string, from, to int) (rest string, ok bool) {
	for i := from; i < to; i++ {
		switch f := p.parts[i]; f.letter {
		case 0:
			if len(s) < len(f.text) || !strings.EqualFold(s[:len(f.text)], f.text) {
				return s, false
			}
			s = s[len(f.text):]
		case '[':
			before := *t
			if rest, ok := p.read(t, s, i+1, f.n); ok {
				s = rest
			} else {
				*t = before
			}
			i = f.n
		case ']':
		default:
			if s, ok = t.read(f, s, p.reserve(i), p.lenient); !ok {
				return s, false
			}
		}
	}
	return s, true
}

// reserve counts the digits that the fields directly behind part i need: −1 if none
// follows.
func (p *timePattern) reserve(i int) int {
	n := -1
	for _, f := range p.parts[i+1:] {
		if strings.IndexByte("yMLdDHhKkmsS", f.letter) < 0 || f.letter == 0 || (f.letter == 'M' || f.letter == 'L') && f.n > 2 {
			break
		}
		n = max(n, 0) + f.n
	}
	return n
}

// readNumber reads at least and at most so many digits. digits behind belong to what
// follows.
func readNumber(s string, least, most, behind int) (x int64, rest string, ok bool) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if behind > 0 {
		n = max(n-behind, least)
	}
	n = min(n, most, len(s))
	if n < least || n == 0 {
		return 0, s, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, s, false
		}
		x = x*10 + int64(s[i]-'0')
	}
	return x, s[n:], true
}

// read reads a field; behind tells how many digits directly follow it, lenient that
// fewer digits will do.
func (t *parsedTime) read(f patternPart, s string, behind int, lenient bool) (rest string, ok bool) {
	switch f.letter {
	case 'M', 'L':
		if f.n > 2 {
			return t.readName(s, monthField, f.n, 12, func(i int) string { return time.Month(i + 1).String() }, 1)
		}
	case 'E':
		return t.readName(s, weekdayField, max(f.n, 3), 7, func(i int) string { return time.Weekday((i + 1) % 7).String() }, 0)
	case 'G':
		return t.readEra(s, f.n/4)
	case 'a':
		return t.readHalf(s)
	case 'S':
		return t.readFraction(s, f.n)
	case 'z', 'V', 'Z', 'X', 'x', 'O':
		return t.readZone(f, s)
	}
	least, most := f.n, f.n
	switch {
	case f.letter == 'y' && f.n != 2:
		if most = 18; behind < 0 && f.n == 4 {
			most = 4
		}
	case f.n == 1:
		most = 18
	case f.letter == 'D' && f.n == 2:
		most = 3
	}
	if lenient {
		least = 1
	}
	x, rest, ok := readNumber(s, least, most, behind)
	return rest, ok && t.setNumber(f, x)
}

// setNumber stores a numeric field.
func (t *parsedTime) setNumber(f patternPart, x int64) bool {
	switch f.letter {
	case 'y':
		if f.n == 2 {
			x += 2000
		}
		return t.set(yearField, x)
	case 'M', 'L':
		return t.set(monthField, x)
	case 'd':
		return t.set(dayField, x)
	case 'D':
		return t.set(yearDayField, x)
	case 'H':
		return x < 24 && t.set(hourField, x)
	case 'k':
		return x >= 1 && x <= 24 && t.set(hourField, x%24)
	case 'K':
		return x < 12 && t.set(halfHourField, x)
	case 'h':
		return x >= 1 && x <= 12 && t.set(halfHourField, x%12)
	case 'm':
		return x < 60 && t.set(minuteField, x)
	}
	return x < 60 && t.set(secondField, x)
}

// readName reads one of count names, cut to three letters or in full.
func (t *parsedTime) readName(s string, field, n, count int, name func(i int) string, base int64) (rest string, ok bool) {
	for i := range count {
		full := name(i)
		if n == 3 {
			full = full[:3]
		}
		if len(s) >= len(full) && strings.EqualFold(s[:len(full)], full) {
			return s[len(full):], t.set(field, int64(i)+base)
		}
	}
	return s, false
}

func (t *parsedTime) readEra(s string, long int) (rest string, ok bool) {
	for i, name := range eraNames[long] {
		if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
			return s[len(name):], t.set(eraField, int64(i))
		}
	}
	return s, false
}

func (t *parsedTime) readHalf(s string) (rest string, ok bool) {
	if len(s) < 2 {
		return s, false
	}
	switch strings.ToUpper(s[:2]) {
	case "AM":
		return s[2:], t.set(halfField, 0)
	case "PM":
		return s[2:], t.set(halfField, 1)
	}
	return s, false
}

// readFraction reads up to n digits of a fraction of a second.
func (t *parsedTime) readFraction(s string, n int) (rest string, ok bool) {
	unit, us := int64(types.MicrosPerSecond), int64(0)
	i := 0
	for i < len(s) && i < n && s[i] >= '0' && s[i] <= '9' {
		unit /= 10
		us += int64(s[i]-'0') * unit
		i++
	}
	return s[i:], i > 0 && t.set(microField, us)
}

// wallClock puts the fields together.
func (t *parsedTime) wallClock(year int64) (at int64, ok bool) {
	day, ok := t.date(year)
	tod, ok2 := t.timeOfDay()
	return day*types.MicrosPerDay + tod, ok && ok2
}

// date is the day of the fields; those that are missing come from January 1 of a year.
func (t *parsedTime) date(year int64) (day int64, ok bool) {
	year = t.or(yearField, year)
	if t.given[eraField] && t.value[eraField] == 0 {
		year = 1 - year
	}
	switch {
	case t.given[yearDayField]:
		day, ok = validDay(year, 1, 1)
		day += t.value[yearDayField] - 1
		last := int64(365)
		if types.IsLeap(int(year)) {
			last++
		}
		ok = ok && t.value[yearDayField] >= 1 && t.value[yearDayField] <= last && t.agrees(day)
	case t.given[isoWeekField] || t.given[sundayWeekField] || t.given[mondayWeekField]:
		day, ok = t.weekDate(year)
	default:
		day, ok = validDay(year, t.or(monthField, 1), t.or(dayField, 1))
	}
	return day, ok
}

// agrees tells whether a day found otherwise has the month and day that were given.
func (t *parsedTime) agrees(day int64) bool {
	_, m, d := types.CivilFromDays(day)
	return t.or(monthField, int64(m)) == int64(m) && t.or(dayField, int64(d)) == int64(d)
}

// checkWeekday tells whether a day has the name that was given.
func (t *parsedTime) checkWeekday(day int64) bool {
	return !t.given[weekdayField] || weekday(day*types.MicrosPerDay) == t.value[weekdayField]
}

func (t *parsedTime) timeOfDay() (us int64, ok bool) {
	hour := t.value[hourField]
	switch half := t.value[halfField]; {
	case t.given[hourField]:
		if t.given[halfHourField] && t.value[halfHourField] != hour%12 || t.given[halfField] && half != hour/12 {
			return 0, false
		}
	case t.given[halfHourField] || t.given[halfField]:
		hour = t.value[halfHourField] + 12*half
	}
	return hour*types.MicrosPerHour + t.value[minuteField]*types.MicrosPerMinute +
		t.value[secondField]*types.MicrosPerSecond + t.value[microField], true
}
