package parser

import (
	"math/big"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// readNumber gives the literal of a number token, or a diagnostic.
func readNumber(text string, span diag.Span) (*ast.Literal, *diag.Diagnostic) {
	digits := strings.ReplaceAll(text, "_", "")
	if len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X") {
		return readHex(digits, span)
	}
	body, suffix := cutSuffix(digits)
	kind, ok := numberKind(body)
	if !ok || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return nil, badNumber(text, span)
	}
	switch suffix {
	case "L", "S", "Y":
		if kind != ast.LitInt {
			return nil, diag.Errorf(diag.BadLiteral, span, "the suffix %s needs a whole number", suffix)
		}
	case "D", "F":
		kind = ast.LitDouble
	case "BD":
		kind = ast.LitDecimal
	}
	if kind == ast.LitInt {
		body = trimZeros(body)
	}
	return &ast.Literal{Span: span, Kind: kind, Text: body, Suffix: suffix}, nil
}

func badNumber(text string, span diag.Span) *diag.Diagnostic {
	d := diag.Errorf(diag.BadLiteral, span, "%q is not a number", text)
	if strings.IndexFunc(text, func(r rune) bool { return r != '_' && !isDigit(byte(r)) && r != '.' }) > 0 {
		d.WithHint("a name that starts with a digit is quoted: %q", text)
	}
	return d
}

func readHex(digits string, span diag.Span) (*ast.Literal, *diag.Diagnostic) {
	n, ok := new(big.Int).SetString(digits[2:], 16)
	if !ok {
		return nil, diag.Errorf(diag.BadLiteral, span, "%q is not a hexadecimal number", digits)
	}
	return &ast.Literal{Span: span, Kind: ast.LitInt, Text: n.String()}, nil
}

// cutSuffix splits the upper-case type suffix off.
func cutSuffix(digits string) (body, suffix string) {
	upper := strings.ToUpper(digits)
	for _, s := range [...]string{"BD", "L", "S", "Y", "D", "F"} {
		if strings.HasSuffix(upper, s) {
			return digits[:len(digits)-len(s)], s
		}
	}
	return digits, ""
}

// numberKind classifies digits [. digits] [e [sign] digits].
func numberKind(s string) (ast.LiteralKind, bool) {
	whole := leadingDigits(s)
	rest, kind := s[whole:], ast.LitInt
	fraction := 0
	if strings.HasPrefix(rest, ".") {
		kind = ast.LitDecimal
		fraction = leadingDigits(rest[1:])
		rest = rest[1+fraction:]
	}
	if whole+fraction == 0 {
		return kind, false
	}
	if rest == "" {
		return kind, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return kind, false
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest[1:], "+"), "-")
	return ast.LitDouble, rest != "" && leadingDigits(rest) == len(rest)
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func trimZeros(s string) string {
	s = strings.TrimLeft(s, "0")
	if s == "" {
		return "0"
	}
	return s
}
