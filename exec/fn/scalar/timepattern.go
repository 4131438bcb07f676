package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// timePattern is a compiled Spark date-time pattern ("yyyy-MM-dd HH:mm:ss.SSS").
type timePattern struct {
	parts []patternPart
	// step is the µs that the shortest field counts: times in the same step print the
	// same.
	step int64
}

// patternPart is literal text (letter 0) or a field of n letters.
type patternPart struct {
	letter byte
	n      int
	text   string
}

// compilePattern reads a pattern. Letters that Java knows but we do not are refused.
func compilePattern(s string) (*timePattern, error) {
	p := &timePattern{step: types.MicrosPerDay}
	for i := 0; i < len(s); {
		ch := s[i]
		switch {
		case ch == '\'':
			text, next, err := quoted(s, i)
			if err != nil {
				return nil, err
			}
			p.literal(text)
			i = next
		case ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z':
			n := 1
			for i+n < len(s) && s[i+n] == ch {
				n++
			}
			if err := p.field(ch, n); err != nil {
				return nil, err
			}
			i += n
		default:
			p.literal(s[i : i+1])
			i++
		}
	}
	return p, nil
}

// quoted reads '…' at i; ” is a quote.
func quoted(s string, i int) (text string, next int, err error) {
	var b strings.Builder
	if strings.HasPrefix(s[i:], "''") {
		return "'", i + 2, nil
	}
	for i++; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), i + 1, nil
	}
	return "", 0, fmt.Errorf("has a quote that does not end in the pattern %q", s)
}

func (p *timePattern) literal(s string) {
	if n := len(p.parts); n > 0 && p.parts[n-1].letter == 0 {
		p.parts[n-1].text += s
		return
	}
	p.parts = append(p.parts, patternPart{text: s})
}

// patternSteps are the known letters with the µs that they count.
var patternSteps = [...]struct {
	letters string
	step    int64
}{
	{"yuMLdDEQq", types.MicrosPerDay},
	{"aHhKk", types.MicrosPerHour},
	{"mzVZXxO", types.MicrosPerMinute},
	{"s", types.MicrosPerSecond},
	{"Sn", 1},
}

func (p *timePattern) field(letter byte, n int) error {
	for _, known := range patternSteps {
		if strings.IndexByte(known.letters, letter) >= 0 {
			p.step = min(p.step, known.step)
			p.parts = append(p.parts, patternPart{letter: letter, n: n})
			return nil
		}
	}
	hint := ""
	switch letter {
	case 'Y':
		hint = `; write yyyy for the year`
	case 'I':
		hint = `; write mm for the minute`
	}
	return fmt.Errorf("does not know the pattern letter %q%s", letter, hint)
}

// append prints a wall clock time that lies at an instant of a zone.
func (p *timePattern) append(dst []byte, local int64, zone *time.Location) []byte {
	y, m, d := civil(local)
	tod := types.FloorMod(local, types.MicrosPerDay)
	for _, f := range p.parts {
		switch f.letter {
		case 0:
			dst = append(dst, f.text...)
		case 'y', 'u':
			if f.n == 2 {
				dst = appendPadded(dst, int64(y%100), 2)
				continue
			}
			dst = appendPadded(dst, int64(y), f.n)
		case 'M', 'L':
			dst = appendName(dst, time.Month(m).String(), int64(m), f.n)
		case 'd':
			dst = appendPadded(dst, int64(d), f.n)
		case 'D':
			dst = appendPadded(dst, yearDay(local), f.n)
		case 'Q', 'q':
			dst = appendQuarter(dst, int64(m+2)/3, f.n)
		case 'E':
			dst = appendName(dst, time.Weekday((weekday(local)+1)%7).String(), 0, max(f.n, 3))
		case 'z', 'V', 'Z', 'X', 'x', 'O':
			dst = appendZone(dst, f, local, zone)
		default:
			dst = appendClock(dst, f, tod)
		}
	}
	return dst
}

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
	case 'n':
		return appendPadded(dst, tod%types.MicrosPerSecond*1000, f.n)
	}
	digits := appendPadded(nil, tod%types.MicrosPerSecond, 6)
	for len(digits) < f.n {
		digits = append(digits, '0')
	}
	return append(dst, digits[:f.n]...)
}

// appendZone prints the name or the offset of the zone.
func appendZone(dst []byte, f patternPart, local int64, zone *time.Location) []byte {
	off := types.ZoneOffset(zone, types.FloorDiv(types.FromLocal(local, zone), types.MicrosPerSecond))
	switch {
	case f.letter == 'V':
		return append(dst, zone.String()...)
	case f.letter == 'z':
		name, _ := time.UnixMicro(types.FromLocal(local, zone)).In(zone).Zone()
		return append(dst, name...)
	case f.letter == 'X' && off == 0:
		return append(dst, 'Z')
	case f.letter == 'O':
		dst = append(dst, "GMT"...)
		if off == 0 {
			return dst
		}
	}
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	dst = appendPadded(append(dst, sign), off/3600, 2)
	colon := (f.letter == 'X' || f.letter == 'x') && f.n == 3 || f.letter == 'Z' && f.n == 5 || f.letter == 'O'
	if (f.letter == 'X' || f.letter == 'x') && f.n == 1 && off%3600 == 0 {
		return dst
	}
	if colon {
		dst = append(dst, ':')
	}
	return appendPadded(dst, off%3600/60, 2)
}
