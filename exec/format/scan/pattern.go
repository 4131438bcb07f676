package scan

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Pattern is a date or time format as Spark writes them: "yyyy-MM-dd HH:mm:ss[.SSS]".
// Letters: y u (year), M (month; MMM and MMMM by English name), d, D (day of year), H,
// h with a, k, m, s, S (fraction), a (AM/PM), E (name of the day, not checked), X x Z z
// VV (zone or offset). Text in quotes and other signs stand for themselves; […] may be
// missing when reading.
type Pattern struct {
	text  string
	items []item
}

type item struct {
	kind  byte // the letter; '\'' literal; '[' and ']'
	n     int  // letters
	lit   string
	fixed bool // the next item is digits too: read exactly n
	skip  int  // '[': index behind its ']'
}

const letters = "yuMdDHhkmsSaEXxZzV"

// ParsePattern compiles a pattern, or says what is wrong with it.
func ParsePattern(text string) (*Pattern, error) {
	p := &Pattern{text: text}
	var open []int
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\'':
			lit, n, err := quoted(text[i:])
			if err != nil {
				return nil, err
			}
			p.items = append(p.items, item{kind: '\'', lit: lit})
			i += n
			continue
		case c == '[':
			open = append(open, len(p.items))
			p.items = append(p.items, item{kind: '['})
		case c == ']':
			if len(open) == 0 {
				return nil, fmt.Errorf("pattern %q: ] without [", text)
			}
			p.items = append(p.items, item{kind: ']'})
			p.items[open[len(open)-1]].skip = len(p.items)
			open = open[:len(open)-1]
		case strings.IndexByte(letters, c) >= 0:
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], string(c)))
			p.items = append(p.items, item{kind: c, n: n})
			i += n
			continue
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			return nil, fmt.Errorf("pattern %q: unknown letter %q (put text in single quotes)", text, string(c))
		default:
			p.items = append(p.items, item{kind: '\'', lit: string(c)})
		}
		i++
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("pattern %q: [ without ]", text)
	}
	p.fix()
	return p, nil
}

// quoted reads 'text' at the beginning of s; ” is a quote.
func quoted(s string) (lit string, n int, err error) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, nil
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			lit += string(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			lit += "'"
			i++
			continue
		}
		return lit, i + 1, nil
	}
	return "", 0, fmt.Errorf("pattern: text begun with ' is not ended: %s", s)
}

// fix marks numbers that are followed by digits at once: "yyyyMMdd".
func (p *Pattern) fix() {
	for i := range p.items {
		j := i + 1
		for j < len(p.items) && (p.items[j].kind == '[' || p.items[j].kind == ']') {
			j++
		}
		p.items[i].fixed = j < len(p.items) && numeric(p.items[j])
	}
}

func numeric(it item) bool {
	return strings.IndexByte("yudDHhkmsS", it.kind) >= 0 || it.kind == 'M' && it.n <= 2
}

func (p *Pattern) String() string { return p.text }

// HasClock reports a pattern with a time of day.
func (p *Pattern) HasClock() bool { return strings.ContainsAny(p.text, "Hhkms") }

// parts is what a pattern has read so far.
type parts struct {
	year, month, day, yday int
	hour, minute, second   int
	micros                 int64
	half                   int // 1 = AM, 2 = PM
	hour12                 bool
	offset                 int64
	zone                   *time.Location
	zoned                  bool
}

// parse reads a time. Allocates only for named zones.
func (p *Pattern) parse(b []byte) (fields, bool) {
	v := parts{year: 1970, month: 1, day: 1}
	rest, ok := p.run(0, len(p.items), b, &v)
	if !ok || len(rest) > 0 {
		return fields{}, false
	}
	return v.fields()
}

func (p *Pattern) run(from, to int, b []byte, v *parts) ([]byte, bool) {
	for i := from; i < to; i++ {
		it := &p.items[i]
		switch it.kind {
		case ']':
		case '[':
			saved := *v
			if rest, ok := p.run(i+1, it.skip-1, b, v); ok {
				b = rest
			} else {
				*v = saved
			}
			i = it.skip - 1
		default:
			rest, ok := it.read(b, v)
			if !ok {
				return b, false
			}
			b = rest
		}
	}
	return b, true
}

func (it *item) read(b []byte, v *parts) ([]byte, bool) {
	switch it.kind {
	case '\'':
		if !strings.HasPrefix(string(b[:min(len(b), len(it.lit))]), it.lit) {
			return b, false
		}
		return b[len(it.lit):], true
	case 'a':
		return readHalf(b, v)
	case 'E':
		return readName(b, &dayNames, nil)
	case 'S':
		us, n := fraction(b[:min(len(b), max(it.n, 1))])
		v.micros = us
		return b[n:], n > 0
	case 'X', 'x', 'Z', 'z', 'V':
		return readZone(b, v)
	}
	if it.kind == 'M' && it.n > 2 {
		return readName(b, &monthNames, &v.month)
	}
	return it.readNumber(b, v)
}

func (it *item) readNumber(b []byte, v *parts) ([]byte, bool) {
	least, most := it.n, max(it.n, 2)
	if it.kind == 'y' || it.kind == 'u' {
		most = max(it.n, 4)
	}
	if it.kind == 'D' {
		most = 3
	}
	if it.fixed {
		most = least
	}
	x, rest, ok := number(b, least, most)
	if it.n == 2 && (it.kind == 'y' || it.kind == 'u') {
		x += 2000
	}
	switch it.kind {
	case 'y', 'u':
		v.year = x
	case 'M':
		v.month = x
	case 'd':
		v.day = x
	case 'D':
		v.yday = x
	case 'h':
		v.hour, v.hour12 = x, true
		ok = ok && x >= 1 && x <= 12
	case 'H':
		v.hour = x
	case 'k':
		v.hour = x % 24
		ok = ok && x >= 1 && x <= 24
	case 'm':
		v.minute = x
	case 's':
		v.second = x
	}
	return rest, ok
}

func readHalf(b []byte, v *parts) ([]byte, bool) {
	if len(b) < 2 || b[1]|0x20 != 'm' || b[0]|0x20 != 'a' && b[0]|0x20 != 'p' {
		return b, false
	}
	v.half = 1
	if b[0]|0x20 == 'p' {
		v.half = 2
	}
	return b[2:], true
}

var monthNames = [...]string{"january", "february", "march", "april", "may", "june", "july",
	"august", "september", "october", "november", "december"}

var dayNames = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
	"", "", "", "", ""}

// readName reads an English name or its first three letters.
func readName(b []byte, names *[12]string, into *int) ([]byte, bool) {
	for i, name := range names {
		for _, n := range []int{len(name), 3} {
			if len(name) >= n && n > 0 && len(b) >= n && strings.EqualFold(string(b[:n]), name[:n]) {
				if into != nil {
					*into = i + 1
				}
				return b[n:], true
			}
		}
	}
	return b, false
}

func readZone(b []byte, v *parts) ([]byte, bool) {
	v.zoned = true
	if off, rest, ok := isoOffset(b); ok {
		v.offset = off
		return rest, true
	}
	n := 0
	for n < len(b) && b[n] != ' ' && b[n] != ']' && b[n] != ')' {
		n++
	}
	zone, err := time.LoadLocation(string(b[:n]))
	if n == 0 || err != nil {
		return b, false
	}
	v.zone = zone
	return b[n:], true
}

func (v *parts) fields() (f fields, ok bool) {
	if v.yday > 0 {
		f.micros, ok = civil(v.year, 1, 1)
		f.micros += int64(v.yday-1) * types.MicrosPerDay
		ok = ok && v.yday <= 366
	} else {
		f.micros, ok = civil(v.year, v.month, v.day)
	}
	if v.hour12 {
		v.hour %= 12
		if v.half == 2 {
			v.hour += 12
		}
	}
	if !ok || v.hour > 23 || v.minute > 59 || v.second > 59 {
		return f, false
	}
	f.micros += int64(v.hour*3600+v.minute*60+v.second)*types.MicrosPerSecond + v.micros
	f.offset, f.zoned = v.offset, v.zoned
	if v.zone != nil {
		f.offset = f.micros - types.FromLocal(f.micros, v.zone)
	}
	return f, true
}
