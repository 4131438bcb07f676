package scalar

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file has the formats with braces: format('{} of {:,}', a, b), as DuckDB and fmt
// write them.

// bracePlace is a place for a value: its number, and how it is written.
var bracePlace = regexp.MustCompile(`\{\d*(:[^{}]*)?\}`)

// braced reports a format whose values stand at braces.
func braced(format string) bool {
	return strings.IndexByte(format, '{') >= 0 && strings.IndexByte(format, '%') < 0
}

// runBraces writes the values at their places. It is NULL if a value is.
func (f *formatting) runBraces(dst []byte) (res []byte, msg string) {
	for _, a := range f.args {
		if a.IsNull(f.row) {
			return nil, ""
		}
	}
	from := len(dst)
	for s := f.format; s != ""; {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			return append(dst, s...), ""
		}
		dst = append(dst, s[:i]...)
		if i+1 < len(s) && s[i+1] == s[i] { // {{ and }} are braces
			dst, s = append(dst, s[i]), s[i+2:]
			continue
		}
		place := bracePlace.FindString(s[i:])
		if place == "" || !strings.HasPrefix(s[i:], place) {
			return nil, "has a brace that is no place for a value; {{ and }} are braces"
		}
		if dst, msg = f.atBraces(dst, place[1:len(place)-1]); msg != "" {
			return nil, msg
		}
		if len(dst)-from > maxText {
			return nil, tooLong
		}
		s = s[i+len(place):]
	}
	return dst, ""
}

// atBraces writes the value of a place "[number][:how]".
func (f *formatting) atBraces(dst []byte, place string) (res []byte, msg string) {
	number, how, _ := strings.Cut(place, ":")
	at := f.next
	if number != "" {
		at, _ = strconv.Atoi(number)
	} else {
		f.next++
	}
	if at >= len(f.args) || at < 0 {
		return nil, "has more places than values"
	}
	p, msg := parsePlace(how)
	if msg != "" {
		return nil, msg
	}
	s, numeric, msg := f.placed(p, f.args[at])
	if msg != "" {
		return nil, msg
	}
	return p.pad(dst, s, numeric), ""
}

// placing says how the value of a place is written.
type placing struct {
	fill  string
	align byte // < > ^, 0 = not given
	conversion
	thousands string // the separator between them
}

// parsePlace reads [[fill]align][sign][#][0][width][.precision][separator][type].
func parsePlace(s string) (p placing, msg string) {
	p.fill, p.prec, p.width = " ", -1, -1
	if _, n := utf8.DecodeRuneInString(s); n < len(s) && strings.IndexByte("<>^", s[n]) >= 0 {
		p.fill, p.align, s = s[:n], s[n], s[n+1:]
	} else if s != "" && strings.IndexByte("<>^", s[0]) >= 0 {
		p.align, s = s[0], s[1:]
	}
	n := len(s) - len(strings.TrimLeft(s, "+- #"))
	p.flags, s = s[:n], s[n:]
	if strings.HasPrefix(s, "0") {
		p.flags, s = p.flags+"0", s[1:]
	}
	p.width, s = leadingNumber(s)
	s = p.separated(s)
	if strings.HasPrefix(s, ".") {
		if p.prec, s = leadingNumber(s[1:]); p.prec < 0 {
			return p, "has a point without a precision"
		}
		s = p.separated(s)
	}
	if max(p.width, p.prec) > maxText {
		return p, tooLong
	}
	if len(s) > 1 || s == "t" {
		return p, "does not know how to write " + fn.Quote(s)
	}
	if s != "" {
		p.verb = s[0]
	}
	return p, ""
}

// separated reads the separator between thousands, which may stand before or behind the
// precision, and returns what follows.
func (p *placing) separated(s string) string {
	switch {
	case s != "" && strings.IndexByte(",_'", s[0]) >= 0:
		p.thousands, s = s[:1], s[1:]
	case len(s) > 1 && s[0] == 't':
		_, n := utf8.DecodeRuneInString(s[1:])
		p.thousands, s = s[1:1+n], s[1+n:]
	}
	return s
}

// leadingNumber is the number that a text begins with, −1 without one.
func leadingNumber(s string) (n int, rest string) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 {
		return -1, s
	}
	n, err := strconv.Atoi(s[:digits])
	if err != nil {
		n = maxText + 1
	}
	return n, s[digits:]
}

// placed is the text of a value before it is padded.
func (f *formatting) placed(p placing, v *vec.Vector) (s string, numeric bool, msg string) {
	if !v.Type.IsNumeric() {
		if p.verb != 0 && p.verb != 's' {
			return "", false, "cannot write " + v.Type.String() + " as " + string(p.verb)
		}
		return cut(vec.RowString(v, f.row, nil), p.prec), false, ""
	}
	c := p.conversion
	upper := c.verb == 'X' || c.verb == 'E' || c.verb == 'F' || c.verb == 'G'
	if upper || c.verb == 'B' {
		c.verb |= 0x20
	}
	switch {
	case c.verb == 'c' && v.Type.IsInteger():
		return f.value(c, v)
	case strings.IndexByte("dxobL", max(c.verb, ' ')) >= 0 && whole(v.Type):
		s = wholeText(c, v, f.row)
	case c.verb == 0 && c.prec < 0:
		s = vec.RowString(v, f.row, nil)
	case strings.IndexByte("efg", max(c.verb, ' ')) >= 0 || c.verb == 0:
		if c.verb == 0 {
			c.verb = 'g'
		}
		c.flags = ""
		if s, numeric, msg = f.real(c, v); msg != "" {
			return s, numeric, msg
		}
	default:
		return "", false, "cannot write " + v.Type.String() + " as " + string(p.verb)
	}
	if upper {
		s = strings.ToUpper(s)
	}
	return signedAs(p, s), true, ""
}

// whole reports a type of whole numbers.
func whole(t types.Type) bool { return t.IsInteger() || t.Kind == types.Decimal && t.Scale == 0 }

// wholeText writes a whole number in the base of a verb, with a minus sign.
func wholeText(c conversion, v *vec.Vector, r int) string {
	base, prefix := 10, ""
	switch c.verb {
	case 'x':
		base, prefix = 16, "0x"
	case 'o':
		base, prefix = 8, "0"
	case 'b':
		base, prefix = 2, "0b"
	}
	x, _ := new(big.Int).SetString(wholeDigits(v, r), 10)
	if !c.has('#') {
		prefix = ""
	}
	if x.Sign() < 0 {
		return "-" + prefix + x.Neg(x).Text(base)
	}
	return prefix + x.Text(base)
}

// wholeDigits is a whole number in plain digits.
func wholeDigits(v *vec.Vector, r int) string {
	if v.Type.Kind != types.Decimal {
		return strconv.FormatInt(v.Int(r), 10)
	}
	flat, i := v.At(r)
	return string(types.AppendDecimal(nil, cast.DecimalAt(flat, i), 0))
}

// signedAs puts separators and a sign to a number.
func signedAs(p placing, s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	} else if p.has('+') {
		sign = "+"
	} else if p.has(' ') {
		sign = " "
	}
	if p.thousands != "" && s[0] <= '9' { // not Infinity
		s = string(appendGrouped(nil, s, p.thousands))
	}
	return sign + s
}

// pad brings a value to its width: numbers to the right, all else to the left.
func (p placing) pad(dst []byte, s string, numeric bool) []byte {
	n := max(p.width-utf8.RuneCountInString(s), 0)
	left := 0
	switch {
	case p.align == 0 && numeric && p.has('0'):
		sign := signLen(s)
		return append(appendFill(append(dst, s[:sign]...), []byte{'0'}, n), s[sign:]...)
	case p.align == '>' || p.align == 0 && numeric:
		left = n
	case p.align == '^':
		left = n / 2
	}
	dst = append(appendFill(dst, []byte(p.fill), left), s...)
	return appendFill(dst, []byte(p.fill), n-left)
}
