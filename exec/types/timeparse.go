package types

import (
	"errors"
	"strings"
	"time"
)

// Errors of date and timestamp text. They name what is wrong, not the text.
var (
	ErrTimeSyntax  = errors.New("not a timestamp: want YYYY-MM-DD[ hh:mm[:ss[.ffffff]]][zone]")
	ErrDateSyntax  = errors.New("not a date: want YYYY-MM-DD")
	ErrClockSyntax = errors.New("not a time of day: want hh:mm[:ss[.ffffff]]")
	ErrTimeRange   = errors.New("date or time field out of range")
	ErrZoneName    = errors.New("unknown time zone")
)

// ParseDate parses YYYY-MM-DD into days since 1970, or a date of another age as
// ParseTimestamp does, or infinity, -infinity or epoch. Blanks around it are ignored.
func ParseDate(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if d, ok := specialTime(s, Date); ok {
		return d, nil
	}
	if len(s) != 10 {
		if d, rest, err := parseFarDay(s); err == nil && (rest == "" || rest == " BC") {
			return d, err
		}
		return 0, ErrDateSyntax
	}
	d, err := parseDay(s)
	if err == ErrTimeSyntax {
		return 0, ErrDateSyntax
	}
	return d, err
}

// ParseTime parses hh:mm[:ss[.fraction]] into µs since midnight, less than a day. Digits
// beyond µs are cut, blanks around the text are ignored; the hour may have one digit.
func ParseTime(s string) (int64, error) {
	s = trimBlanks(s)
	var room [24]byte
	if len(s) > 1 && s[1] == ':' && len(s) < len(room) {
		s = string(append(append(room[:0], '0'), s...))
	}
	us, rest, err := parseClock(s)
	if err == ErrTimeSyntax || err == nil && rest != "" {
		return 0, ErrClockSyntax
	}
	return us, err
}

// ParseTimestamp parses YYYY-MM-DD[( |T)hh:mm[:ss[.fraction]]][zone] into µs since
// 1970. A zone is Z, ±hh[[:]mm[:ss]] or a name after an optional blank; without one
// the text is wall clock time of the given zone. Digits beyond µs are cut. Blanks
// around the text are ignored. It does not allocate unless a zone is named. Years after 9999
// and before 1 have more digits and a sign, as ISO 8601 and AppendTimestamp write them, or
// stand with " BC" at the end or " (BC)" behind the date, as PostgreSQL and DuckDB do, where a
// year may have fewer digits. The words infinity, -infinity and epoch are times too.
func ParseTimestamp(s string, zone *time.Location) (int64, error) {
	local, rest, err := parseLocal(s)
	if err != nil {
		if us, ok := specialTime(trimBlanks(s), Timestamp); ok {
			return us, nil
		}
		return 0, err
	}
	switch {
	case rest == "":
		return FromLocal(local, zone), nil
	case rest == "Z" || rest == "z":
		return local, nil
	case rest[0] == '+' || rest[0] == '-':
		off, err := parseOffset(rest)
		return local - off*MicrosPerSecond, err
	}
	zone, err = LoadZone(strings.TrimSpace(rest))
	if err != nil {
		return 0, err
	}
	return FromLocal(local, zone), nil
}

// ParseTimestampNTZ parses the same text into wall clock µs. A zone is checked and
// dropped, as in Spark and PostgreSQL.
func ParseTimestampNTZ(s string) (int64, error) {
	local, rest, err := parseLocal(s)
	if err != nil {
		if us, ok := specialTime(trimBlanks(s), TimestampNTZ); ok {
			return us, nil
		}
	}
	if err != nil || rest == "" || rest == "Z" || rest == "z" {
		return local, err
	}
	if rest[0] == '+' || rest[0] == '-' {
		_, err = parseOffset(rest)
	} else {
		_, err = LoadZone(strings.TrimSpace(rest))
	}
	return local, err
}

// LoadZone finds a time zone: Z, UTC, an offset (+02:00), an IANA name, or a short name of
// Java (PST), never the machine's zone.
func LoadZone(name string) (*time.Location, error) {
	if long, ok := shortZones[strings.ToUpper(name)]; ok && len(name) == 3 {
		name = long
	}
	switch {
	case name == "" || strings.EqualFold(name, "local"):
		return nil, ErrZoneName
	case strings.EqualFold(name, "utc") || strings.EqualFold(name, "z") || strings.EqualFold(name, "gmt"):
		return time.UTC, nil
	case name[0] == '+' || name[0] == '-':
		off, err := parseOffset(name)
		if err != nil {
			return nil, err
		}
		return time.FixedZone(strings.Clone(name), int(off)), nil
	}
	for _, spelling := range zoneSpellings(name) {
		if zone, err := time.LoadLocation(spelling); err == nil {
			return zone, nil
		}
	}
	return nil, ErrZoneName
}

// zoneSpellings are a name as it is written and, since case makes no difference, as the
// database of zones may write it: Europe/London, US/Pacific, EST5EDT.
func zoneSpellings(name string) []string {
	title, short := []byte(strings.ToLower(name)), []byte(strings.ToLower(name))
	for from := 0; from < len(name); {
		n := strings.IndexAny(name[from:], "/_-")
		if n < 0 {
			n = len(name) - from
		}
		if n > 0 {
			copy(title[from:], strings.ToUpper(name[from:from+1]))
			copy(short[from:], title[from:from+n])
			if n <= 3 {
				copy(short[from:], strings.ToUpper(name[from:from+n]))
			}
		}
		from += n + 1
	}
	return []string{strings.Clone(name), string(title), string(short), strings.ToUpper(name)}
}

// parseLocal reads the wall clock part and returns what follows it.
func parseLocal(s string) (local int64, rest string, err error) {
	s = trimBlanks(s)
	if len(s) < 10 {
		return 0, "", ErrTimeSyntax
	}
	var day int64
	if s[4] == '-' && s[len(s)-1]|0x20 != 'c' && (len(s) < 15 || s[14] != ')') {
		day, err = parseDay(s[:10])
		rest = s[10:]
	} else {
		day, rest, err = parseFarDay(s)
		rest = strings.TrimSuffix(rest, " BC")
	}
	if err != nil {
		return 0, "", err
	}
	local = day * MicrosPerDay
	if len(rest) < 2 || rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't' || !isDigit(rest[1]) {
		return local, rest, nil
	}
	tod, rest, err := parseClock(rest[1:])
	return local + tod, rest, err
}

func trimBlanks(s string) string {
	if s != "" && s[0] > ' ' && s[len(s)-1] > ' ' {
		return s
	}
	return strings.TrimSpace(s)
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// two reads two digits at i; a value above 99 means that there are none.
func two(s string, i int) int {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return 1000
	}
	return int(a)*10 + int(b)
}

// parseDay reads YYYY-MM-DD, all ten bytes of s.
func parseDay(s string) (int64, error) {
	_ = s[9]
	y1, y2, m, d := two(s, 0), two(s, 2), two(s, 5), two(s, 8)
	if s[4] != '-' || s[7] != '-' || max(y1, y2, m, d) > 99 {
		return 0, ErrTimeSyntax
	}
	y := y1*100 + y2
	if y < MinYear || m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		return 0, ErrTimeRange
	}
	return DaysFromCivil(y, m, d), nil
}

// parseFarDay reads [±]Y-MM-DD of four to six digits of year, and " (BC)" behind it. With BC,
// there or at the end of s, the year counts backwards from 1, which is before the year 1, and
// may have fewer digits.
func parseFarDay(s string) (day int64, rest string, err error) {
	sign, t := 1, s
	if t != "" && (t[0] == '-' || t[0] == '+') {
		if t[0] == '-' {
			sign = -1
		}
		t = t[1:]
	}
	y, n := 0, 0
	for ; n < len(t) && n < 6 && isDigit(t[n]); n++ {
		y = y*10 + int(t[n]-'0')
	}
	if n < 4 && (n < 1 || !strings.Contains(t, "BC") && !strings.Contains(t, "(bc)")) || len(t) < n+6 || t[n] != '-' || t[n+3] != '-' {
		return 0, "", ErrTimeSyntax
	}
	m, d := two(t, n+1), two(t, n+4)
	if max(m, d) > 99 {
		return 0, "", ErrTimeSyntax
	}
	rest = t[n+6:]
	y *= sign
	if behind := strings.HasPrefix(rest, " (BC)") || strings.HasPrefix(rest, " (bc)"); behind || strings.HasSuffix(rest, " BC") {
		if y < 1 {
			return 0, "", ErrTimeRange
		}
		y = 1 - y
		if behind {
			rest = rest[len(" (BC)"):]
		}
	} else if sign > 0 && y < MinYear {
		return 0, "", ErrTimeRange
	}
	if y < -FarYear || y > FarYear || m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		return 0, "", ErrTimeRange
	}
	return DaysFromCivil(y, m, d), rest, nil
}

// parseClock reads hh:mm[:ss[.fraction]].
func parseClock(s string) (us int64, rest string, err error) {
	if len(s) < 5 || s[2] != ':' {
		return 0, "", ErrTimeSyntax
	}
	h, m, sec := two(s, 0), two(s, 3), 0
	rest = s[5:]
	seconds := len(rest) >= 3 && rest[0] == ':'
	if seconds {
		sec, rest = two(rest, 1), rest[3:]
	}
	if max(h, m, sec) > 99 || rest != "" && isDigit(rest[0]) {
		return 0, "", ErrTimeSyntax
	}
	if h > 23 || m > 59 || sec > 59 {
		return 0, "", ErrTimeRange
	}
	us = int64(h)*MicrosPerHour + int64(m)*MicrosPerMinute + int64(sec)*MicrosPerSecond
	if !seconds || rest == "" || rest[0] != '.' {
		return us, rest, nil
	}
	frac, rest, ok := parseFraction(rest[1:])
	if !ok {
		return 0, "", ErrTimeSyntax
	}
	return us + frac, rest, nil
}

// parseFraction reads digits as a fraction of a second, in µs.
func parseFraction(s string) (us int64, rest string, ok bool) {
	unit := int64(MicrosPerSecond)
	i := 0
	for i < len(s) && isDigit(s[i]) {
		unit /= 10
		us += int64(s[i]-'0') * unit
		i++
	}
	return us, s[i:], i > 0
}

// parseOffset reads ±hh, ±hhmm, ±hh:mm or ±hh:mm:ss in seconds.
func parseOffset(s string) (int64, error) {
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	var part [3]int
	n := 0
	for s = s[1:]; s != ""; n++ {
		if n > 0 && s[0] == ':' {
			s = s[1:]
		}
		if n == 3 || len(s) < 2 {
			return 0, ErrTimeSyntax
		}
		part[n] = two(s, 0)
		s = s[2:]
	}
	if n == 0 || max(part[0], part[1], part[2]) > 99 {
		return 0, ErrTimeSyntax
	}
	if part[0] > 18 || part[1] > 59 || part[2] > 59 {
		return 0, ErrTimeRange
	}
	return sign * int64(part[0]*3600+part[1]*60+part[2]), nil
}
