package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func numberTexts() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "format_number", Group: "Text", Syntax: []string{"format_number(n, digits)", "format_number(n, '#,##0.00')"},
			Doc:      "Writes a number with commas between thousands and a number of digits after the point, or by a pattern of Java's DecimalFormat (0 a digit, # a digit if there is one, the comma, the point, % and text around); halves go to the even digit. NULL for a negative number of digits.",
			Examples: []fn.Example{{SQL: "format_number(12345.678, 2)", Want: "12,345.68"}, {SQL: "format_number(0.256, '#0.0%')", Want: "25.6%"}, {SQL: "format_number(NULL, 2)", Want: "NULL"}},
			Resolve:  resolveFormatNumber,
		},
		{
			Name: "format_bytes", Aliases: []string{"formatreadablesize"}, Group: "Text", Syntax: []string{"format_bytes(n)"}, Doc: "Writes a number of bytes with the largest fitting unit of 1024: KiB, MiB, GiB, TiB or PiB.",
			Examples: []fn.Example{{SQL: "format_bytes(16000)", Want: "15.6 KiB"}, {SQL: "format_bytes(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendSize(dst, args[0].Int(r), 1024, "i") }), bigint),
		},
		{
			Name: "format_bytes_decimal", Aliases: []string{"formatreadabledecimalsize"}, Group: "Text", Syntax: []string{"format_bytes_decimal(n)"}, Doc: "Writes a number of bytes with the largest fitting unit of 1000: kB, MB, GB, TB or PB.",
			Examples: []fn.Example{{SQL: "format_bytes_decimal(16000)", Want: "16.0 kB"}, {SQL: "format_bytes_decimal(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendSize(dst, args[0].Int(r), 1000, "") }), bigint),
		},
		{
			Name: "parse_formatted_bytes", Group: "Text", Syntax: []string{"parse_formatted_bytes(a)"}, Doc: "Reads a number of bytes with a unit: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB.",
			Examples: []fn.Example{{SQL: "parse_formatted_bytes('16 KiB')", Want: "16384"}, {SQL: "parse_formatted_bytes(NULL)", Want: "NULL"}},
			Resolve:  fixed(bigint, tryInts(bigint, "parse_formatted_bytes", parseSize), text),
		},
	}
}

// decimalPattern is a pattern of java.text.DecimalFormat.
type decimalPattern struct {
	prefix, suffix string
	group          int // digits between commas, 0 = none
	whole          int // least digits before the point
	least, most    int // digits behind it
	times          int // a power of ten: 2 for %
}

func parseDecimalPattern(s string) (p decimalPattern, err error) {
	if strings.ContainsAny(s, ";'E¤‰") {
		return p, fmt.Errorf("takes no ; ' E ¤ ‰ in a pattern")
	}
	from, to := strings.IndexAny(s, "#0,."), strings.LastIndexAny(s, "#0,.")
	if from < 0 {
		return p, fmt.Errorf("needs # or 0 in its pattern")
	}
	p.prefix, p.suffix, s = s[:from], s[to+1:], s[from:to+1]
	if strings.Contains(p.prefix+p.suffix, "%") {
		p.times = 2
	}
	whole, frac, point := strings.Cut(s, ".")
	if i := strings.LastIndexByte(whole, ','); i >= 0 {
		p.group = len(whole) - i - 1
	}
	digits := strings.ReplaceAll(whole, ",", "")
	p.whole = len(strings.TrimLeft(digits, "#"))
	p.least, p.most = len(strings.TrimRight(frac, "#")), len(frac)
	if strings.Trim(digits, "#0") != "" || strings.Contains(digits[len(digits)-p.whole:], "#") || strings.Trim(frac, "#0") != "" || strings.Contains(frac[:p.least], "#") {
		return p, fmt.Errorf("cannot read its pattern")
	}
	switch { // without any 0 the digit at the point is one
	case p.whole+p.least > 0:
	case point && digits == "":
		p.least = min(1, p.most)
	default:
		p.whole = 1
	}
	return p, nil
}

func (p decimalPattern) append(dst []byte, d decimalDigits) []byte {
	if !d.isZero() {
		d.exp += p.times
	}
	s := d.fixed(p.most, halfEven)
	if strings.HasPrefix(s, "-") {
		dst, s = append(dst, '-'), s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "0" {
		whole = ""
	}
	if n := p.whole - len(whole); n > 0 {
		whole = strings.Repeat("0", n) + whole
	}
	for len(frac) > p.least && frac[len(frac)-1] == '0' {
		frac = frac[:len(frac)-1]
	}
	if whole == "" && frac == "" {
		whole = "0"
	}
	dst = append(dst, p.prefix...)
	for i := range len(whole) {
		if p.group > 0 && i > 0 && (len(whole)-i)%p.group == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, whole[i])
	}
	if frac != "" {
		dst = append(append(dst, '.'), frac...)
	}
	return append(dst, p.suffix...)
}

func resolveFormatNumber(args []fn.Arg) (fn.Impl, error) {
	t, err := firstArg(args, 2, 2, numberArg)
	if err != nil {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Args: []types.Type{t, integer}, Result: text}
	if s, ok := constText(args, 1); ok && strings.ContainsAny(s, "#0.,") {
		p, err := parseDecimalPattern(strings.Clone(s))
		impl.Args[1], impl.Eval = text, formatNumbers(func([]*vec.Vector, int) (decimalPattern, bool) { return p, true })
		return impl, err
	}
	if err := matches(args[1:], []types.Type{integer}); err != nil {
		return impl, fmt.Errorf("needs digits or a constant pattern as argument 2, got %s", args[1].Type)
	}
	impl.Eval = formatNumbers(func(args []*vec.Vector, r int) (decimalPattern, bool) {
		n := int(args[1].Int(r))
		return decimalPattern{group: 3, whole: 1, least: n, most: n}, n >= 0
	})
	return impl, nil
}

func formatNumbers(pattern func(args []*vec.Vector, r int) (decimalPattern, bool)) fn.Kernel {
	return tryTexts(text, "format_number", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		p, ok := pattern(args, r)
		switch {
		case !ok:
			return nil, "", ""
		case p.most > mostDecimals:
			return nil, fmt.Sprint(p.most), "more than 2000 digits after the point"
		}
		d, special := digitsOfRow(args[0], r, 64)
		if special != "" {
			return append(dst, strings.Replace(special, "Infinity", "∞", 1)...), "", ""
		}
		return p.append(dst, d), "", ""
	})
}

// mostDecimals is more than any number has: the smallest DOUBLE ends at the 1074th.
const mostDecimals = 2000

const sizeUnits = "KMGTP"

// appendSize writes bytes with one digit behind the point, cut off.
func appendSize(dst []byte, n int64, step uint64, infix string) []byte {
	if n < 0 {
		dst = append(dst, '-')
	}
	x := magnitude(n)
	if x < step {
		if x == 1 {
			return fmt.Appendf(dst, "%d byte", x)
		}
		return fmt.Appendf(dst, "%d bytes", x)
	}
	unit, at := uint64(1), -1
	for x/unit >= step && at+1 < len(sizeUnits) {
		unit, at = unit*step, at+1
	}
	name := sizeUnits[at : at+1]
	if infix == "" && name == "K" {
		name = "k"
	}
	return fmt.Appendf(dst, "%d.%d %s%sB", x/unit, x%unit*10/unit, name, infix)
}

func parseSize(args []*vec.Vector, r int) (int64, string) {
	const wrong = "is no number of bytes with a unit"
	s := strings.TrimSpace(args[0].Text(r))
	n := len(s) - len(strings.TrimLeft(s, "0123456789."))
	unit, ok := sizeOf(strings.ToLower(strings.TrimSpace(s[n:])))
	if !ok || n == 0 {
		return 0, wrong
	}
	x, err := types.ParseDecimal(s[:n], types.MaxPrecision, 6)
	if err != nil {
		return 0, wrong
	}
	product, fits := x.Mul(unit)
	bytes, whole := product.DivPow10(6).Int64()
	if !fits || !whole {
		return 0, "BIGINT " + overflows
	}
	return bytes, ""
}

func sizeOf(unit string) (types.Int128, bool) {
	step := int64(1000)
	if strings.HasSuffix(unit, "ib") {
		unit, step = unit[:len(unit)-2]+"b", 1024
	}
	n := int64(1)
	for i, name := range []string{"b", "kb", "mb", "gb", "tb"} {
		if unit == name || i == 0 && (unit == "byte" || unit == "bytes") || i > 0 && unit == name[:1] {
			return types.Int128From(n), true
		}
		n *= step
	}
	return types.Int128{}, false
}
