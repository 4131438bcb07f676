package scalar

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file has format_string, which follows java.util.Formatter as Spark does, and
// Postgres' format, which adds %I and %L to it.

func formatters() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "format_string", Aliases: []string{"printf"}, Group: "Text", Nulls: fn.Custom, Syntax: []string{"format_string(format, a, b, ...)"},
			Doc:      "Writes values as a format of Java says: %s %d %f %e %g %x %X %o %b %c %n %%, with flags (- + blank 0 , ( #, and ' or _ between thousands), width, precision and places (%2$s). NULL prints as null, times as they do elsewhere. Halves are rounded up, by the shortest decimal text of a DOUBLE, which a FLOAT counts as.",
			Examples: []fn.Example{{SQL: "format_string('%05d|%s', 7, 'x')", Want: "00007|x"}, {SQL: "format_string('%,.2f', 1234567.891e0)", Want: "1,234,567.89"}, {SQL: "format_string('%.9g %s', CAST(0.1 AS FLOAT), CAST(0.1 AS FLOAT))", Want: "0.100000001 0.1"}, {SQL: "format_string('%s', NULL)", Want: "null"}, {SQL: "format_string(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveFormat("format_string", false),
		},
		{
			Name: "format", Group: "Text", Nulls: fn.Custom, Syntax: []string{"format(format, a, b, ...)"},
			Doc:      "Is Postgres' format: %s a value ('' for NULL), %I a value as a name, %L as a literal, %% a percent sign; and the conversions of format_string. A format without % and with braces is DuckDB's: {} the next value, {1} the second, {:>8.2f} how it is written (fill, align, sign, width, precision, a separator of thousands as , or _ or t and any character, type d x o b e f g s), {{ and }} braces; it is NULL if a value is.",
			Examples: []fn.Example{{SQL: "format('%s=%L', 'a', 'it''s')", Want: "a='it''s'"}, {SQL: "format('%I', 'two words')", Want: `"two words"`}, {SQL: "format('[%s]', NULL)", Want: "[]"}, {SQL: "format('{} of {:,}: {:>6.1f}', 1, 12345, 2.25)", Want: "1 of 12,345:    2.3"}, {SQL: "format(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveFormat("format", true),
		},
	}
}

func resolveFormat(name string, postgres bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, -1); err != nil {
			return fn.Impl{}, err
		}
		want := argTypes(args)
		want[0] = text
		for i := range want {
			if want[i].IsTime() {
				want[i] = text
			}
		}
		if err := matches(args[:1], want[:1]); err != nil {
			return fn.Impl{}, err
		}
		if f, ok := constText(args, 0); ok && postgres && strings.Contains(f, "%") && bracePlace.MatchString(f) {
			return fn.Impl{}, fmt.Errorf("takes either %%s or {} for its values: with both, hand what is no place for one over as a value")
		}
		eval := tryTexts(text, name, func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			if args[0].IsNull(r) {
				return nil, "", ""
			}
			f := formatting{format: args[0].Text(r), args: args[1:], row: r, postgres: postgres}
			run := f.run
			if postgres && braced(f.format) && len(args) > 1 {
				run = f.runBraces
			}
			dst, msg := run(dst)
			return dst, fn.Quote(f.format), msg
		})
		return fn.Impl{Args: want, Result: text, Eval: eval}, nil
	}
}

// formatting is one run through a format.
type formatting struct {
	format   string
	args     []*vec.Vector
	row      int
	postgres bool
	next     int // the argument of the next conversion without a place
	last     int // the argument of the last conversion
}

// conversion is what stands behind a %.
type conversion struct {
	place       int // from 1; 0 = the next, −1 = the last again
	flags       string
	width, prec int // −1 = not given
	verb        byte
	separator   byte // between thousands, 0 = none
}

func (c conversion) has(flag byte) bool { return strings.IndexByte(c.flags, flag) >= 0 }

func (f *formatting) run(dst []byte) (res []byte, msg string) {
	from := len(dst)
	for s := f.format; s != ""; {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return append(dst, s...), ""
		}
		dst = append(dst, s[:i]...)
		var c conversion
		if c, s, msg = parseConversion(s[i+1:]); msg != "" {
			return nil, msg
		}
		if max(c.width, c.prec) > maxText || len(dst)-from > maxText {
			return nil, tooLong
		}
		if dst, msg = f.one(dst, c); msg != "" {
			return nil, msg
		}
	}
	return dst, ""
}

func parseConversion(s string) (c conversion, rest, msg string) {
	c = conversion{width: -1, prec: -1}
	number := func() int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		x, err := strconv.Atoi(s[:n])
		if s = s[n:]; n == 0 {
			return -1
		}
		if err != nil {
			return math.MaxInt32
		}
		return x
	}
	before := s
	if n := number(); n > 0 && strings.HasPrefix(s, "$") {
		c.place, s = n, s[1:]
	} else {
		s = before
	}
	if strings.HasPrefix(s, "<") {
		c.place, s = -1, s[1:]
	}
	n := len(s) - len(strings.TrimLeft(s, "-#+ 0,('_"))
	c.flags, s = s[:n], s[n:]
	if i := strings.IndexAny(c.flags, ",'_"); i >= 0 {
		c.separator = c.flags[i]
	}
	c.width = number()
	point := strings.HasPrefix(s, ".")
	if point {
		s = s[1:]
		c.prec = number()
	}
	s = strings.TrimLeft(s, "hl") // what C says of sizes is known by the type
	if s == "" {
		return c, s, "ends within a conversion"
	}
	c.verb = s[0]
	switch {
	case !point || c.prec >= 0:
	case c.verb == 'd':
		c.separator = '.'
	default:
		c.prec = 0 // as in C
	}
	return c, s[1:], ""
}

func (f *formatting) one(dst []byte, c conversion) (res []byte, msg string) {
	switch c.verb {
	case '%':
		return pad(dst, "%", c, false), ""
	case 'n':
		return append(dst, '\n'), ""
	}
	switch {
	case c.place == 0:
		f.last = f.next
		f.next++
	case c.place > 0:
		f.last = c.place - 1
	}
	if f.last >= len(f.args) {
		return nil, "has more conversions than arguments"
	}
	v := f.args[f.last]
	upper := c.verb >= 'A' && c.verb <= 'Z' && strings.IndexByte("SXEGBC", c.verb) >= 0
	if upper {
		c.verb |= 0x20
	}
	s, numeric, msg := f.value(c, v)
	if msg != "" {
		return nil, msg
	}
	if upper {
		s = string(appendUpper(nil, []byte(s)))
	}
	return pad(dst, s, c, numeric), ""
}

// pad brings s to the width; a number's zeros go behind its sign.
func pad(dst []byte, s string, c conversion, zeros bool) []byte {
	fill := c.width - utf8.RuneCountInString(s)
	if fill <= 0 {
		return append(dst, s...)
	}
	switch {
	case c.has('-'):
		return appendFill(append(dst, s...), []byte{' '}, fill)
	case zeros && c.has('0'):
		sign := signLen(s)
		return append(appendFill(append(dst, s[:sign]...), []byte{'0'}, fill), s[sign:]...)
	}
	return append(appendFill(dst, []byte{' '}, fill), s...)
}

// signLen is the length of the sign and the 0x in front of a number.
func signLen(s string) int {
	n := 0
	if s != "" && strings.IndexByte("+- (", s[0]) >= 0 {
		n = 1
	}
	if strings.HasPrefix(s[n:], "0x") {
		n += 2
	}
	return n
}

// value is the text of an argument before it is padded.
func (f *formatting) value(c conversion, v *vec.Vector) (s string, numeric bool, msg string) {
	null := v.IsNull(f.row)
	switch {
	case f.postgres && (c.verb == 'I' || c.verb == 'L'):
		return f.quoted(c.verb, v, null)
	case c.verb == 'b':
		b := !null && (v.Type.Kind != types.Bool || v.IsTrue(f.row))
		return cut(strconv.FormatBool(b), c.prec), false, ""
	case null && c.verb == 's' && f.postgres:
		return "", false, ""
	case null && strings.IndexByte("sdxofegc", c.verb) >= 0:
		return cut("null", c.prec), false, ""
	case c.verb == 's':
		return cut(vec.RowString(v, f.row, nil), c.prec), false, ""
	case c.verb == 'c' && v.Type.IsInteger():
		if n := v.Int(f.row); n >= 0 && n <= utf8.MaxRune {
			return string(rune(n)), false, ""
		}
		return "", false, "has no character for " + vec.RowString(v, f.row, nil)
	case c.verb == 'd' && whole(v.Type):
		return signed(wholeDigits(v, f.row), c), true, ""
	case (c.verb == 'x' || c.verb == 'o') && v.Type.IsInteger():
		return bitText(c, v, f.row), true, ""
	case strings.IndexByte("feg", c.verb) >= 0 && v.Type.IsNumeric():
		return f.real(c, v)
	case c.verb == 't' || c.verb == 'T':
		return "", false, "has %" + string(c.verb) + "; date_format writes times"
	}
	return "", false, "conversion %" + string(c.verb) + " does not take " + v.Type.String()
}

func (f *formatting) quoted(verb byte, v *vec.Vector, null bool) (s string, numeric bool, msg string) {
	switch {
	case verb == 'I' && null:
		return "", false, "cannot make a name of NULL"
	case null:
		return "NULL", false, ""
	}
	b := []byte(vec.RowString(v, f.row, nil))
	if verb == 'I' {
		return string(appendIdent(nil, b)), false, ""
	}
	return string(appendQuoted(nil, b, '\'', '\'')), false, ""
}

// cut takes the first n characters; n < 0 = all.
func cut(s string, n int) string {
	if n < 0 {
		return s
	}
	return s[:runeIndex([]byte(s), n)]
}

// bitText writes an integer's bits, of a negative number in the bits of its type.
func bitText(c conversion, v *vec.Vector, r int) string {
	x := uint64(v.Int(r))
	switch v.Type.Kind {
	case types.Int8:
		x &= math.MaxUint8
	case types.Int16:
		x &= math.MaxUint16
	case types.Int32:
		x &= math.MaxUint32
	}
	if c.verb == 'o' {
		if c.has('#') {
			return "0" + strconv.FormatUint(x, 8)
		}
		return strconv.FormatUint(x, 8)
	}
	if c.has('#') {
		return "0x" + strconv.FormatUint(x, 16)
	}
	return strconv.FormatUint(x, 16)
}

// signed puts thousands and sign to a number in plain digits.
func signed(s string, c conversion) string {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if c.separator != 0 {
		s = string(appendGrouped(nil, s, string(c.separator)))
	}
	switch {
	case neg && c.has('('):
		return "(" + s + ")"
	case neg:
		return "-" + s
	case c.has('+'):
		return "+" + s
	case c.has(' '):
		return " " + s
	}
	return s
}

// appendGrouped puts a separator between thousands of a number without sign.
func appendGrouped(dst []byte, s, separator string) []byte {
	whole, frac, point := strings.Cut(s, ".")
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			dst = append(dst, separator...)
		}
		dst = append(dst, whole[i])
	}
	if point {
		dst = append(append(dst, '.'), frac...)
	}
	return dst
}

func (f *formatting) real(c conversion, v *vec.Vector) (s string, numeric bool, msg string) {
	d, special := digitsOfRow(v, f.row, 64)
	if special != "" {
		if c.has('+') && special[0] == 'I' {
			special = "+" + special
		}
		return special, false, ""
	}
	prec := c.prec
	if prec < 0 {
		prec = 6
	}
	switch c.verb {
	case 'f':
		return signed(d.fixed(prec, halfUp), c), true, ""
	case 'e':
		return signed(d.scientific(prec), c), true, ""
	}
	prec = max(prec, 1)
	if d.isZero() {
		return signed(d.fixed(prec-1, halfUp), c), true, ""
	}
	e := d.rounded(prec-d.exp, halfUp).exp // the value is below 10^e
	if e > -4 && e <= prec {
		return signed(d.fixed(prec-e, halfUp), c), true, ""
	}
	return signed(d.scientific(prec-1), c), true, ""
}

// digitsOfRow is a number as digits, a FLOAT as the shortest ones of its DOUBLE or, with 32 bits,
// of itself; special is NaN or an infinity.
func digitsOfRow(v *vec.Vector, r, floatBits int) (d decimalDigits, special string) {
	if v.Type.IsFloat() {
		x := v.Float(r)
		switch {
		case x != x:
			return d, "NaN"
		case math.IsInf(x, 1):
			return d, "Infinity"
		case math.IsInf(x, -1):
			return d, "-Infinity"
		}
		if v.Type.Kind != types.Float32 {
			floatBits = 64
		}
		return floatDigits(x, floatBits), ""
	}
	flat, i := v.At(r)
	return textDigits(string(types.AppendDecimal(nil, cast.DecimalAt(flat, i), int(v.Type.Scale)))), ""
}
