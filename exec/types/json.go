package types

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A JSON value is kept as canonical text, so that values are equal exactly when their
// bytes are: no blanks; members in the order of their names, the last of those with one
// name; numbers as their shortest exact decimal (1.50 and 15e-1 are 1.5); in strings
// only the escapes that are needed.

// MaxJSONDepth bounds how deep arrays and objects may nest.
const MaxJSONDepth = 500

// JSONError tells where text is not JSON.
type JSONError struct {
	Offset int // in bytes
	Msg    string
}

func (e *JSONError) Error() string { return fmt.Sprintf("not JSON: %s at byte %d", e.Msg, e.Offset+1) }

// AppendCanonicalJSON appends JSON text in canonical form. An error leaves dst as it was.
func AppendCanonicalJSON(dst, text []byte) ([]byte, error) {
	c := canonicalizer{src: text, dst: dst}
	c.blanks()
	ok := c.value(0)
	if ok {
		c.blanks()
		ok = c.pos == len(text) || c.fail("text after the value")
	}
	if !ok {
		return dst, &JSONError{c.pos, c.msg}
	}
	return c.dst, nil
}

// canonicalizer reads src from pos and writes dst. The first fault ends it.
type canonicalizer struct {
	src     []byte
	pos     int
	dst     []byte
	msg     string
	members []member // of the objects that are open
	digits  []byte   // of a number
}

// member is a part of dst: a name and its value.
type member struct{ from, nameEnd, to int }

func (c *canonicalizer) fail(msg string) bool {
	c.msg = msg
	return false
}

func (c *canonicalizer) blanks() {
	for c.pos < len(c.src) {
		switch c.src[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end.
func (c *canonicalizer) peek() byte {
	if c.pos < len(c.src) {
		return c.src[c.pos]
	}
	return 0
}

func (c *canonicalizer) value(depth int) bool {
	switch b := c.peek(); {
	case depth > MaxJSONDepth:
		return c.fail("values nest too deep")
	case b == '{':
		return c.object(depth)
	case b == '[':
		return c.array(depth)
	case b == '"':
		return c.text()
	case b == '-' || isDigit(b):
		return c.number()
	case b == 't':
		return c.word("true")
	case b == 'f':
		return c.word("false")
	case b == 'n':
		return c.word("null")
	case b == 0 && c.pos == len(c.src):
		return c.fail("the text ends where a value should be")
	}
	return c.fail("no value begins")
}

func (c *canonicalizer) word(w string) bool {
	if !bytes.HasPrefix(c.src[c.pos:], []byte(w)) {
		return c.fail("no value begins")
	}
	c.pos += len(w)
	c.dst = append(c.dst, w...)
	return true
}

// list reads what stands between brackets: one is called for each part.
func (c *canonicalizer) list(end byte, one func() bool) bool {
	c.pos++
	c.blanks()
	if c.peek() == end {
		c.pos++
		return true
	}
	for {
		if !one() {
			return false
		}
		c.blanks()
		switch c.peek() {
		case ',':
			c.pos++
			c.blanks()
		case end:
			c.pos++
			return true
		default:
			return c.fail("no comma or " + string(end))
		}
	}
}

func (c *canonicalizer) array(depth int) bool {
	c.dst = append(c.dst, '[')
	first := true
	ok := c.list(']', func() bool {
		if !first {
			c.dst = append(c.dst, ',')
		}
		first = false
		return c.value(depth + 1)
	})
	c.dst = append(c.dst, ']')
	return ok
}

func (c *canonicalizer) object(depth int) bool {
	c.dst = append(c.dst, '{')
	open := len(c.members)
	ok := c.list('}', func() bool {
		if len(c.members) > open {
			c.dst = append(c.dst, ',')
		}
		m := member{from: len(c.dst)}
		if c.peek() != '"' {
			return c.fail("no name in quotes")
		}
		if !c.text() {
			return false
		}
		m.nameEnd = len(c.dst)
		c.blanks()
		if c.peek() != ':' {
			return c.fail("no colon")
		}
		c.pos++
		c.blanks()
		c.dst = append(c.dst, ':')
		if !c.value(depth + 1) {
			return false
		}
		m.to = len(c.dst)
		c.members = append(c.members, m)
		return true
	})
	if ok {
		c.arrange(c.members[open:])
	}
	c.members = c.members[:open]
	c.dst = append(c.dst, '}')
	return ok
}

// arrange sorts the members of the object that dst ends with; of equal names the last
// one stays.
func (c *canonicalizer) arrange(ms []member) {
	sorted := true
	for i := 1; i < len(ms) && sorted; i++ {
		sorted = bytes.Compare(c.name(c.dst, ms[i-1]), c.name(c.dst, ms[i])) < 0
	}
	if sorted {
		return
	}
	start := ms[0].from
	old := bytes.Clone(c.dst[start:])
	for i := range ms {
		ms[i] = member{ms[i].from - start, ms[i].nameEnd - start, ms[i].to - start}
	}
	slices.SortStableFunc(ms, func(a, b member) int { return bytes.Compare(c.name(old, a), c.name(old, b)) })
	c.dst = c.dst[:start]
	for i, m := range ms {
		if i+1 < len(ms) && bytes.Equal(c.name(old, m), c.name(old, ms[i+1])) {
			continue
		}
		if len(c.dst) > start {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(c.dst, old[m.from:m.to]...)
	}
}

// name is a member's name without quotes, so that "a" sorts before "a b".
func (c *canonicalizer) name(text []byte, m member) []byte { return text[m.from+1 : m.nameEnd-1] }

// text copies a string with the escapes that are needed.
func (c *canonicalizer) text() bool {
	c.pos++
	c.dst = append(c.dst, '"')
	for {
		from := c.pos
		for c.pos < len(c.src) && c.src[c.pos] >= ' ' && c.src[c.pos] != '"' && c.src[c.pos] != '\\' {
			c.pos++
		}
		if !utf8.Valid(c.src[from:c.pos]) {
			return c.fail("a string that is not UTF-8 ends")
		}
		c.dst = append(c.dst, c.src[from:c.pos]...)
		switch {
		case c.pos == len(c.src):
			return c.fail("a string does not end")
		case c.src[c.pos] == '"':
			c.pos++
			c.dst = append(c.dst, '"')
			return true
		case c.src[c.pos] != '\\':
			return c.fail("a control character stands")
		case !c.escape():
			return false
		}
	}
}

// escape reads one escape. Half of a surrogate pair, which no text can hold, stays.
func (c *canonicalizer) escape() bool {
	if c.pos+1 == len(c.src) {
		return c.fail("a string does not end")
	}
	code := c.src[c.pos+1]
	if code != 'u' {
		i := bytes.IndexByte([]byte(`"\/bfnrt`), code)
		if i < 0 {
			return c.fail("an unknown escape stands")
		}
		c.pos += 2
		c.rune(rune("\"\\/\b\f\n\r\t"[i]))
		return true
	}
	r, ok := c.hex4(c.pos + 2)
	if !ok {
		return c.fail("an unknown escape stands")
	}
	c.pos += 6
	if low, ok := c.hex4(c.pos + 2); ok && c.src[c.pos] == '\\' && c.src[c.pos+1] == 'u' {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			c.pos, r = c.pos+6, pair
		}
	}
	c.rune(r)
	return true
}

func (c *canonicalizer) hex4(at int) (rune, bool) {
	if at+4 > len(c.src) {
		return 0, false
	}
	r := rune(0)
	for _, b := range c.src[at : at+4] {
		d, ok := hexDigit(b)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func (c *canonicalizer) rune(r rune) {
	switch i := bytes.IndexByte([]byte("\"\\\n\r\t"), byte(min(r, 255))); {
	case i >= 0:
		c.dst = append(c.dst, '\\', `"\nrt`[i])
	case r < ' ' || utf16.IsSurrogate(r):
		c.dst = fmt.Appendf(c.dst, `\u%04x`, r)
	default:
		c.dst = utf8.AppendRune(c.dst, r)
	}
}

// number copies a number as its shortest exact decimal: plain while the point is
// within or near the digits, else with an exponent.
func (c *canonicalizer) number() bool {
	from := c.pos
	neg := c.peek() == '-'
	if neg {
		c.pos++
	}
	whole := c.run()
	if whole == nil || len(whole) > 1 && whole[0] == '0' {
		return c.fail("a number is malformed")
	}
	if b := c.peek(); b != '.' && b|0x20 != 'e' && len(whole) <= plainDigits && !(neg && whole[0] == '0') {
		c.dst = append(c.dst, c.src[from:c.pos]...)
		return true
	}
	c.digits = append(c.digits[:0], whole...)
	point := len(whole)
	if c.peek() == '.' {
		c.pos++
		fraction := c.run()
		if fraction == nil {
			return c.fail("a number is malformed")
		}
		c.digits = append(c.digits, fraction...)
	}
	exp, ok := c.exponent()
	if !ok {
		return c.fail("a number is malformed or its exponent too large")
	}
	c.decimal(neg, point+exp)
	return true
}

// plainDigits is how far the point may be from the first digit without an exponent.
const plainDigits = 40

// run takes digits; nil if there are none.
func (c *canonicalizer) run() []byte {
	from := c.pos
	for c.pos < len(c.src) && isDigit(c.src[c.pos]) {
		c.pos++
	}
	if from == c.pos {
		return nil
	}
	return c.src[from:c.pos]
}

func (c *canonicalizer) exponent() (int, bool) {
	if c.peek()|0x20 != 'e' {
		return 0, true
	}
	c.pos++
	from := c.pos
	if b := c.peek(); b == '-' || b == '+' {
		c.pos++
	}
	if c.run() == nil {
		return 0, false
	}
	exp, err := strconv.Atoi(string(c.src[from:c.pos]))
	return exp, err == nil && exp > math.MinInt32 && exp < math.MaxInt32
}

// decimal writes c.digits with the point before the digit number point.
func (c *canonicalizer) decimal(neg bool, point int) {
	d := c.digits
	for len(d) > 0 && d[0] == '0' {
		d, point = d[1:], point-1
	}
	d = bytes.TrimRight(d, "0")
	if len(d) == 0 {
		c.dst = append(c.dst, '0')
		return
	}
	if neg {
		c.dst = append(c.dst, '-')
	}
	switch {
	case point > plainDigits || point < -5:
		c.dst = append(c.dst, d[0])
		if len(d) > 1 {
			c.dst = append(append(c.dst, '.'), d[1:]...)
		}
		c.dst = strconv.AppendInt(append(c.dst, 'e'), int64(point-1), 10)
	case point >= len(d):
		c.dst = append(c.dst, d...)
		c.dst = append(c.dst, bytes.Repeat([]byte("0"), point-len(d))...)
	case point > 0:
		c.dst = append(append(append(c.dst, d[:point]...), '.'), d[point:]...)
	default:
		c.dst = append(c.dst, "0."...)
		c.dst = append(c.dst, bytes.Repeat([]byte("0"), -point)...)
		c.dst = append(c.dst, d...)
	}
}
