package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file has the number formats of Oracle that to_char and to_number take, as Spark
// reads them: digits 9 and 0, a point (. or D), thousands (, or G), $, and a sign (S,
// MI or PR).

// numberFormat is a format that was read: prefix, groups of digits, point, digits,
// suffix.
type numberFormat struct {
	text    string
	front   byte // 'S', 'M' (MI) or 0: a sign in front
	back    byte // 'S', 'M', 'P' (PR) or 0: a sign behind
	dollar  bool
	groups  []digitGroup // before the point, between thousands
	point   bool
	decimal int // digits behind the point
}

// digitGroup are neighbouring digits of a format; exact when the first is a 0.
type digitGroup struct {
	n     int
	exact bool
}

func (f numberFormat) whole() int {
	n := 0
	for _, g := range f.groups {
		n += g.n
	}
	return n
}

// parseNumberFormat reads a format, or says what is wrong with it.
func parseNumberFormat(text string) (f numberFormat, err error) {
	f.text = text
	s := strings.ToUpper(text)
	sign := func() byte {
		switch {
		case strings.HasPrefix(s, "MI"):
			s = s[2:]
			return 'M'
		case strings.HasPrefix(s, "S"):
			s = s[1:]
			return 'S'
		}
		return 0
	}
	f.front = sign()
	if strings.HasPrefix(s, "$") {
		f.dollar, s = true, s[1:]
	}
	if s, err = f.parseDigits(s); err != nil {
		return f, err
	}
	switch {
	case s == "PR":
		f.back, s = 'P', ""
	case f.front == 0:
		f.back = sign()
	}
	switch {
	case s == "" && f.whole()+f.decimal > types.MaxPrecision:
		err = fmt.Errorf("has %d digits, more than %d", f.whole()+f.decimal, types.MaxPrecision)
	case s == "":
	case s[0] == '$':
		err = fmt.Errorf("has $ behind digits or twice")
	case s[0] == ',' || s[0] == 'G':
		err = fmt.Errorf("has thousands (, or G) that are not between digits before the point")
	default:
		err = fmt.Errorf("has an unexpected %q; the order is [S|MI] [$] digits [. digits] [S|MI|PR]", s)
	}
	return f, err
}

func (f *numberFormat) parseDigits(s string) (rest string, err error) {
	run := func() (n int) {
		for n < len(s) && (s[n] == '0' || s[n] == '9') {
			n++
		}
		return n
	}
	for {
		n := run()
		if n == 0 && len(f.groups) > 0 {
			return s, fmt.Errorf("has thousands (, or G) that are not between digits before the point")
		}
		if n > 0 {
			f.groups = append(f.groups, digitGroup{n, s[0] == '0'})
		}
		if s = s[n:]; n == 0 || s == "" || s[0] != ',' && s[0] != 'G' {
			break
		}
		s = s[1:]
	}
	if s != "" && (s[0] == '.' || s[0] == 'D') {
		f.point, s = true, s[1:]
		f.decimal = run()
		s = s[f.decimal:]
	}
	if f.whole()+f.decimal == 0 {
		if strings.HasPrefix(s, "FM") {
			return s, fmt.Errorf("has FM, which is not taken: trim(…) around the result takes the blanks off")
		}
		return s, fmt.Errorf("has no digit (0 or 9)")
	}
	return s, nil
}

// appendNumber writes a number; # stands for digits that do not fit.
func (f numberFormat) appendNumber(dst []byte, d decimalDigits) []byte {
	from := len(dst)
	neg := d.neg && !d.isZero()
	if f.front != 0 {
		dst = f.appendSign(dst, f.front, neg)
	}
	if f.back == 'P' && neg {
		dst = append(dst, '<')
	}
	if f.dollar {
		dst = append(dst, '$')
	}
	whole, frac := f.fit(d)
	dst = f.appendWhole(dst, from, whole)
	if f.point {
		if n := len(dst); n > from && dst[n-1] == ' ' {
			dst[n-1] = '0'
		}
		dst = append(dst, '.')
		dst = append(dst, frac...)
		if f.decimal == 0 {
			dst[len(dst)-1] = ' '
		}
	}
	if f.back != 0 {
		dst = f.appendBack(dst, from, neg)
	}
	return dst
}

// fit brings the digits to the places of the format.
func (f numberFormat) fit(d decimalDigits) (whole, frac string) {
	if d.exp > 0 {
		whole = d.whole()
	}
	if d.exp < len(d.digits) {
		frac = d.fraction(0)
	}
	if len(whole) > f.whole() || len(frac) > f.decimal {
		return strings.Repeat("#", f.whole()), strings.Repeat("#", f.decimal)
	}
	return strings.Repeat(" ", f.whole()-len(whole)) + whole, frac + strings.Repeat("0", f.decimal-len(frac))
}

func (f numberFormat) appendWhole(dst []byte, from int, whole string) []byte {
	for i, g := range f.groups {
		if i > 0 {
			if n := len(dst); n > from && dst[n-1] >= '0' && dst[n-1] <= '9' {
				dst = append(dst, ',')
			} else {
				dst = appendGap(dst, from)
			}
		}
		for _, ch := range []byte(whole[:g.n]) {
			switch {
			case ch != ' ':
				dst = append(dst, ch)
			case g.exact:
				dst = append(dst, '0')
			default:
				dst = appendGap(dst, from)
			}
		}
		whole = whole[g.n:]
	}
	return dst
}

// appendGap puts a blank before a sign that stands at the end; a $ stays where it is.
func appendGap(dst []byte, from int) []byte {
	n := len(dst)
	dst = append(dst, ' ')
	for n > from && strings.IndexByte("+-<", dst[n-1]) >= 0 {
		dst[n-1], dst[n] = dst[n], dst[n-1]
		n--
	}
	return dst
}

func (f numberFormat) appendSign(dst []byte, sign byte, neg bool) []byte {
	switch {
	case neg:
		return append(dst, '-')
	case sign == 'S':
		return append(dst, '+')
	}
	return append(dst, ' ')
}

// appendBack puts the sign directly behind what is not blank.
func (f numberFormat) appendBack(dst []byte, from int, neg bool) []byte {
	if f.back != 'P' {
		dst = f.appendSign(dst, f.back, neg)
	} else if neg {
		dst = append(dst, '>')
	} else {
		return append(dst, "  "...)
	}
	n := len(dst) - 1
	for ; n > from && dst[n] != ' ' && dst[n-1] == ' '; n-- {
		dst[n-1], dst[n] = dst[n], dst[n-1]
	}
	return dst
}

// read takes a number out of a text; ok false where it does not follow the format.
func (f numberFormat) read(s string) (x types.Int128, ok bool) {
	s = strings.TrimSpace(s)
	neg := false
	sign := func(kind byte) {
		switch {
		case kind == 'S' && strings.HasPrefix(s, "+"):
			s = s[1:]
		case (kind == 'S' || kind == 'M') && strings.HasPrefix(s, "-"):
			s, neg = s[1:], true
		}
	}
	sign(f.front)
	if f.back == 'P' && strings.HasPrefix(s, "<") {
		if !strings.HasSuffix(s, ">") {
			return x, false
		}
		s, neg = s[1:len(s)-1], true
	}
	if f.dollar {
		if !strings.HasPrefix(s, "$") {
			return x, false
		}
		s = s[1:]
	}
	digits, s, ok := f.readDigits(s)
	if sign(f.back); !ok || s != "" {
		return x, false
	}
	if neg {
		digits = "-" + digits
	}
	x, err := types.ParseDecimal(digits, types.MaxPrecision, f.decimal)
	return x, err == nil
}

func (f numberFormat) readDigits(s string) (digits, rest string, ok bool) {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ',') {
		n++
	}
	parts := strings.Split(s[:n], ",")
	if s = s[n:]; len(parts) > max(len(f.groups), 1) {
		return "", s, false
	}
	for i, g := range f.groups {
		have := 0
		if k := len(parts) - len(f.groups) + i; k >= 0 {
			have = len(parts[k])
		}
		if have > g.n || g.exact && have != g.n {
			return "", s, false
		}
	}
	digits = strings.Join(parts, "")
	if len(f.groups) == 0 && digits != "" {
		return "", s, false
	}
	if f.point && strings.HasPrefix(s, ".") {
		m := 1
		for m < len(s) && s[m] >= '0' && s[m] <= '9' {
			m++
		}
		if m-1 > f.decimal {
			return "", s, false
		}
		digits, s = digits+s[:m], s[m:]
	}
	return digits, s, strings.Trim(digits, ".") != ""
}

func numberFormats() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "to_char", Aliases: []string{"to_varchar"}, Group: "Text", Infinity: fn.KeepInfinity, Syntax: []string{"to_char(number, 'format')", "to_char(time, 'pattern')", "to_char(bytes, 'hex' | 'base64' | 'utf-8')", "to_char(interval, 'pattern')"},
			Doc:      "Writes a number by a format: 9 a digit or a blank, 0 a digit, . or D the point, , or G thousands, $, and for the sign S (+ or -), MI (- or a blank) or PR (<1>); # stands for digits that do not fit, and without a sign in the format there is none. Times are written by a pattern of date_format, not by Postgres' YYYY-MM-DD, as in Spark; an INTERVAL by Postgres' YYYY, MM, DD, HH24, HH12, MI, SS, MS, US and AM, each part with its own sign.",
			Examples: []fn.Example{{SQL: "to_char(12454, '99G999')", Want: "12,454"}, {SQL: "to_char(-12454.8, '99G999D9S')", Want: "12,454.8-"}, {SQL: "to_char(78.12, '$99.99')", Want: "$78.12"}, {SQL: "to_char(DATE '2024-02-29', 'yyyy')", Want: "2024"}, {SQL: "to_char(INTERVAL '26 hours 5 minutes', 'HH24:MI:SS')", Want: "26:05:00"}, {SQL: "to_char(INTERVAL '-1 month -2 days', 'MM DD HH12 AM')", Want: "-01 -02 12 AM"}, {SQL: "to_char(NULL, '9')", Want: "NULL"}},
			Resolve:  resolveToChar,
		},
		{
			Name: "to_number", Group: "Text", Syntax: []string{"to_number(text, 'format')"},
			Doc:      "Reads a DECIMAL by a constant format as of to_char; its digits give the type. A group of digits that begins with 0 needs all of them.",
			Examples: []fn.Example{{SQL: "to_number('12,454.8-', '99G999D9S')", Want: "-12454.8"}, {SQL: "to_number('$78.12', '$99.99')", Want: "78.12"}, {SQL: "to_number(NULL, '9')", Want: "NULL"}},
			Resolve:  resolveToNumber(false),
		},
		{
			Name: "try_to_number", Group: "Text", Syntax: []string{"try_to_number(text, 'format')"}, Doc: "Is to_number, and NULL where the text does not follow the format.",
			Examples: []fn.Example{{SQL: "try_to_number('454', '999')", Want: "454"}, {SQL: "try_to_number('x', '9')", Want: "NULL"}},
			Resolve:  resolveToNumber(true),
		},
	}
}

// formatOf is the constant number format of argument 2; null when that is NULL.
func formatOf(args []fn.Arg) (f numberFormat, null bool, err error) {
	if args[1].Type.Kind == types.Null {
		return f, true, nil
	}
	s, ok := constText(args, 1)
	if !ok {
		return f, false, fmt.Errorf("needs a constant number format as argument 2")
	}
	if f, err = parseNumberFormat(strings.Clone(s)); err != nil {
		return f, false, fmt.Errorf("needs a number format as argument 2: %s %w", fn.Quote(s), err)
	}
	return f, false, nil
}

func resolveToChar(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	switch {
	case t.IsTime():
		return resolveDateFormat(args)
	case t.Kind == types.Bytes:
		return resolveBytesToChar(args)
	case t.Kind == types.Interval && args[1].Type.Kind != types.Null:
		return resolveIntervalToChar(args)
	case t.Kind == types.String:
		t = types.DecimalOf(types.MaxPrecision, 18)
	case t.Kind == types.Null:
		t = integer
	case !t.IsNumeric():
		return fn.Impl{}, mismatch(args, 0, "number")
	}
	f, _, err := formatOf(args)
	if err != nil {
		return fn.Impl{}, err
	}
	eval := tryTexts(text, "to_char", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		d, special := digitsOfRow(args[0], r, 32)
		if special != "" {
			return nil, special, "has no digits"
		}
		return f.appendNumber(dst, d), "", ""
	})
	return fn.Impl{Args: []types.Type{t, text}, Result: text, Eval: eval}, nil
}

func resolveBytesToChar(args []fn.Arg) (fn.Impl, error) {
	name, _ := constText(args, 1)
	switch strings.ToLower(name) {
	case "hex":
		return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendHex(dst, args[0].Bytes(r)) }), blob, text)(args)
	case "base64":
		return resolveEncode(args)
	case "utf-8", "utf8":
		return fixed(text, tryTexts(text, "to_char", decodeText), blob, text)(args)
	}
	return fn.Impl{}, fmt.Errorf("needs 'hex', 'base64' or 'utf-8' as argument 2")
}

func resolveToNumber(lenient bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := fixed(null, nil, text, text)(args)
		if err != nil {
			return impl, err
		}
		f, null, err := formatOf(args)
		if err != nil {
			return impl, err
		}
		impl.Result = types.DecimalOf(f.whole()+f.decimal, f.decimal)
		if null {
			impl.Result = types.DecimalOf(10, 0)
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return readNumbers(c, f, impl.Result, lenient, args[0], rows)
		}
		return impl, nil
	}
}

func readNumbers(c *fn.Ctx, f numberFormat, t types.Type, lenient bool, in *vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(t, rows.N)
	err := try(rows, func(r int) error {
		x, ok := f.read(in.Text(r))
		switch {
		case !ok && lenient:
			out.SetNull(r)
		case !ok:
			return c.Fail(out, r, "to_number", shown(in, r), "does not follow the format "+fn.Quote(f.text))
		case out.I128 != nil:
			out.I128[r] = x
		default:
			out.I64[r] = int64(x.Lo)
		}
		return nil
	})
	return out, err
}
