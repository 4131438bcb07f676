package scalar

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// moment is a time that is printed.
type moment struct {
	local int64 // wall clock µs
	off   int64 // seconds that the zone is before UTC
	zone  *time.Location
}

// momentOf sees element x of a time type in the session zone. A wall clock without zone
// is taken for one of the session zone, as in Spark.
func momentOf(k types.Kind, x int64, zone *time.Location) moment {
	at := x
	switch k {
	case types.Time:
		return moment{local: x, zone: zone}
	case types.Date:
		at = types.FromLocal(x*types.MicrosPerDay, zone)
	case types.TimestampNTZ:
		at = types.FromLocal(x, zone)
	}
	off := types.ZoneOffset(zone, types.FloorDiv(at, types.MicrosPerSecond))
	m := moment{at + off*types.MicrosPerSecond, off, zone}
	if k == types.TimestampNTZ {
		m.local = x
	}
	return m
}

// append prints a time.
func (p *timePattern) append(dst []byte, t moment) []byte {
	y, m, d := civil(t.local)
	for _, f := range p.parts {
		switch f.letter {
		case 0:
			dst = append(dst, f.text...)
		case '[', ']':
		case 'M', 'L':
			dst = appendName(dst, time.Month(m).String(), int64(m), f.n)
		case 'd':
			dst = appendPadded(dst, int64(d), f.n)
		case 'z', 'V', 'Z', 'X', 'x', 'O':
			dst = appendZone(dst, f, t)
		case 'a', 'H', 'k', 'K', 'h', 'm', 's', 'S':
			dst = appendClock(dst, f, clockOf(t.local))
		default:
			dst = appendDateField(dst, f, t.local, y, m, d)
		}
	}
	return dst
}

// appendDateField prints the rarer fields of a date.
func appendDateField(dst []byte, f patternPart, local int64, y, m, d int) []byte {
	switch f.letter {
	case 'G':
		return append(dst, eraNames[f.n/4][truth(y > 0)]...)
	case 'y':
		if y <= 0 {
			y = 1 - y
		}
		if f.n == 2 {
			return appendPadded(dst, int64(y%100), 2)
		}
		return appendPadded(dst, int64(y), f.n)
	case 'D':
		return appendPadded(dst, yearDay(local), f.n)
	case 'F':
		return appendPadded(dst, int64((d-1)%7+1), 1)
	case 'g':
		return appendPadded(dst, dayOf(local)+40587, f.n)
	case 'E':
		return appendName(dst, time.Weekday(sundays(local)).String(), 0, max(f.n, 3))
	}
	return appendQuarter(dst, int64(m+2)/3, f.n)
}

// eraNames are short and long, before and after Christ.
var eraNames = [2][2]string{{"BC", "AD"}, {"Before Christ", "Anno Domini"}}

func appendPadded(dst []byte, n int64, width int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	var room [20]byte
	i := len(room)
	for n > 0 || i == len(room) {
		i--
		room[i] = byte('0' + n%10)
		n /= 10
	}
	for k := len(room) - i; k < width; k++ {
		dst = append(dst, '0')
	}
	return append(dst, room[i:]...)
}

// appendName prints a number (1 or 2 letters), a name cut to three (3) or in full.
func appendName(dst []byte, name string, number int64, n int) []byte {
	switch {
	case n <= 2:
		return appendPadded(dst, number, n)
	case n == 3:
		return append(dst, name[:3]...)
	}
	return append(dst, name...)
}

func appendQuarter(dst []byte, q int64, n int) []byte {
	switch {
	case n <= 2:
		return appendPadded(dst, q, n)
	case n == 3:
		return appendPadded(append(dst, 'Q'), q, 1)
	}
	return append(dst, [...]string{"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"}[q-1]...)
}

// appendClock prints a field of the time of day.
func appendClock(dst []byte, f patternPart, tod int64) []byte {
	h := tod / types.MicrosPerHour
	switch f.letter {
	case 'a':
		if f.n == lowerHalf {
			return append(dst, [...]string{"am", "pm"}[h/12]...)
		}
		return append(dst, [...]string{"AM", "PM"}[h/12]...)
	case 'H':
		return appendPadded(dst, h, f.n)
	case 'k':
		return appendPadded(dst, (h+23)%24+1, f.n)
	case 'K':
		return appendPadded(dst, h%12, f.n)
	case 'h':
		return appendPadded(dst, (h+11)%12+1, f.n)
	case 'm':
		return appendPadded(dst, tod/types.MicrosPerMinute%60, f.n)
	case 's':
		return appendPadded(dst, tod/types.MicrosPerSecond%60, f.n)
	}
	return appendFraction(dst, tod%types.MicrosPerSecond, f.n)
}

// appendFraction prints the first n digits of a fraction of a second.
func appendFraction(dst []byte, us int64, n int) []byte {
	for range n {
		us *= 10
		dst = append(dst, byte('0'+us/types.MicrosPerSecond))
		us %= types.MicrosPerSecond
	}
	return dst
}

// appendZone prints the name or the offset of the zone.
func appendZone(dst []byte, f patternPart, t moment) []byte {
	switch {
	case f.letter == 'V':
		return append(dst, t.zone.String()...)
	case f.letter == 'z':
		return append(dst, abbreviation(t)...)
	case f.letter == 'O', f.letter == 'Z' && f.n == 4:
		return appendGMT(dst, t.off, f.letter == 'O' && f.n == 1)
	case f.letter == 'Z' && f.n < 4:
		return appendOffset(dst, t.off, 2)
	case f.letter != 'x' && t.off == 0:
		return append(dst, 'Z')
	}
	return appendOffset(dst, t.off, f.n)
}

// abbreviation is the short name of a zone, such as CET.
func abbreviation(t moment) string {
	name, _ := time.UnixMicro(t.local - t.off*types.MicrosPerSecond).In(t.zone).Zone()
	return name
}

// appendOffset prints ±hh[mm] (form 1), ±hhmm (2), ±hh:mm (3), and with seconds where
// there are some ±hhmm[ss] (4), ±hh:mm[:ss] (5).
func appendOffset(dst []byte, off int64, form int) []byte {
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	dst = appendPadded(append(dst, sign), off/3600, 2)
	minute, second := off%3600/60, off%60
	colon := form == 3 || form == 5
	if form == 1 && minute == 0 {
		return dst
	}
	if colon {
		dst = append(dst, ':')
	}
	dst = appendPadded(dst, minute, 2)
	if form < 4 || second == 0 {
		return dst
	}
	if colon {
		dst = append(dst, ':')
	}
	return appendPadded(dst, second, 2)
}

// appendGMT prints GMT+8 or GMT+08:00.
func appendGMT(dst []byte, off int64, short bool) []byte {
	dst = append(dst, "GMT"...)
	if off == 0 {
		return dst
	}
	if !short {
		return appendOffset(dst, off, 5)
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	dst = appendPadded(append(dst, sign), off/3600, 1)
	if off%3600 != 0 {
		dst = appendPadded(append(dst, ':'), off%3600/60, 2)
	}
	if off%60 != 0 {
		dst = appendPadded(append(dst, ':'), off%60, 2)
	}
	return dst
}
