package scalar

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// parsedTime collects the fields of a text that follows a pattern.
type parsedTime struct {
	year, month, day     int64
	hour, minute, second int64
	micros               int64
	half                 int64 // 12-hour clock: 1 = AM, 2 = PM
	twelve               bool
	yearDay              int64
	zone                 *time.Location // named in the text, or nil
	hasMonth, hasDay     bool
}

// parse reads the whole text into wall clock µs, or into an instant if the text
// names a zone.
func (p *timePattern) parse(s string) (at int64, instant, ok bool) {
	t := parsedTime{year: 1970, month: 1, day: 1}
	for i, f := range p.parts {
		if f.letter == 0 {
			if !strings.HasPrefix(s, f.text) {
				return 0, false, false
			}
			s = s[len(f.text):]
			continue
		}
		adjacent := i+1 < len(p.parts) && p.parts[i+1].letter != 0
		if s, ok = t.read(f, s, adjacent); !ok {
			return 0, false, false
		}
	}
	if s != "" {
		return 0, false, false
	}
	return t.value()
}

// readNumber reads digits: exactly n if more follow directly or n ≥ 2 letters were
// written, else one or more.
func readNumber(s string, n int, adjacent bool) (x int64, rest string, ok bool) {
	most := 19
	if adjacent || n >= 2 {
		most = n
	}
	i := 0
	for i < len(s) && i < most && s[i] >= '0' && s[i] <= '9' {
		x = x*10 + int64(s[i]-'0')
		i++
	}
	return x, s[i:], i > 0 && (n < 2 || i == n)
}

func (t *parsedTime) read(f patternPart, s string, adjacent bool) (rest string, ok bool) {
	switch f.letter {
	case 'M', 'L':
		t.hasMonth = true
		if f.n > 2 {
			return readName(s, f.n, 12, &t.month, func(i int) string { return time.Month(i).String() })
		}
	case 'E':
		var ignored int64
		return readName(s, max(f.n, 3), 7, &ignored, func(i int) string { return time.Weekday(i % 7).String() })
	case 'a':
		return t.readHalf(s)
	case 'S':
		return t.readFraction(s, f.n)
	case 'z', 'V', 'Z', 'X', 'x', 'O':
		return t.readZone(s)
	}
	x, rest, ok := readNumber(s, f.n, adjacent)
	return rest, ok && t.set(f, x)
}

// set stores a numeric field.
func (t *parsedTime) set(f patternPart, x int64) bool {
	switch f.letter {
	case 'y', 'u':
		if t.year = x; f.n == 2 {
			t.year += 2000
		}
	case 'M', 'L':
		t.month = x
	case 'd':
		t.day, t.hasDay = x, true
	case 'D':
		t.yearDay = x
	case 'H':
		t.hour = x
		return x < 24
	case 'k':
		t.hour = x % 24
		return x >= 1 && x <= 24
	case 'K':
		t.hour, t.twelve = x, true
		return x < 12
	case 'h':
		t.hour, t.twelve = x%12, true
		return x >= 1 && x <= 12
	case 'm':
		t.minute = x
		return x < 60
	case 's':
		t.second = x
		return x < 60
	case 'n':
		t.micros = x / 1000
		return x < 1e9
	}
	return true
}

func readName(s string, n, count int, into *int64, name func(i int) string) (rest string, ok bool) {
	for i := 1; i <= count; i++ {
		full := name(i)
		if n == 3 {
			full = full[:3]
		}
		if len(s) >= len(full) && strings.EqualFold(s[:len(full)], full) {
			*into = int64(i)
			return s[len(full):], true
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
		t.half = 1
	case "PM":
		t.half = 2
	}
	return s[2:], t.half > 0
}

// readFraction reads up to n digits of a fraction of a second.
func (t *parsedTime) readFraction(s string, n int) (rest string, ok bool) {
	unit := int64(types.MicrosPerSecond)
	i := 0
	for i < len(s) && i < n && s[i] >= '0' && s[i] <= '9' {
		unit /= 10
		t.micros += int64(s[i]-'0') * unit
		i++
	}
	return s[i:], i > 0
}

// readZone reads an offset or a name.
func (t *parsedTime) readZone(s string) (rest string, ok bool) {
	i := 0
	for i < len(s) && (s[i] == '+' || s[i] == '-' || s[i] == ':' || s[i] == '/' || s[i] == '_' ||
		s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	zone, err := types.LoadZone(s[:i])
	t.zone = zone
	return s[i:], err == nil
}

// value puts the fields together.
func (t *parsedTime) value() (at int64, instant, ok bool) {
	if t.twelve && t.half == 2 {
		t.hour += 12
	}
	day, ok := validDay(t.year, t.month, t.day)
	if t.yearDay > 0 && !t.hasMonth && !t.hasDay {
		day, ok = validDay(t.year, 1, 1)
		day += t.yearDay - 1
		last := int64(365)
		if types.IsLeap(int(t.year)) {
			last = 366
		}
		ok = ok && t.yearDay <= last
	}
	local := day*types.MicrosPerDay + t.hour*types.MicrosPerHour + t.minute*types.MicrosPerMinute + t.second*types.MicrosPerSecond + t.micros
	if t.zone != nil {
		return types.FromLocal(local, t.zone), true, ok
	}
	return local, false, ok
}
