package parser

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// stringValue is the value of a string token of any notation.
func stringValue(t token, text string, span diag.Span) (string, *diag.Diagnostic) {
	switch t.kind {
	case tokDollar:
		n := dollarTag(text)
		return text[n : len(text)-n], nil
	case tokRaw:
		return undouble(text[2:len(text)-1], '\''), nil
	case tokEscape:
		return unescape(text[2:len(text)-1], span)
	case tokBytes:
		raw, err := hex.DecodeString(text[2 : len(text)-1])
		if err != nil {
			return "", diag.Errorf(diag.BadLiteral, span, "X'...' takes pairs of hexadecimal digits")
		}
		return string(raw), nil
	}
	return undouble(text[1:len(text)-1], '\''), nil
}

// undouble turns doubled quotes into single ones.
func undouble(s string, quote byte) string {
	if strings.IndexByte(s, quote) < 0 {
		return s
	}
	q := string(quote)
	return strings.ReplaceAll(s, q+q, q)
}

// unescape reads the backslash notations of E'...'; the span is that of the token.
func unescape(s string, span diag.Span) (string, *diag.Diagnostic) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\'' {
			i++ // the doubled quote
		}
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		n, ok := escape(&b, s[i+1:])
		if !ok {
			at := span.Start + 2 + i
			return "", diag.Errorf(diag.BadLiteral, diag.Span{Start: at, End: min(at+2, span.End)}, "malformed escape in E'...'")
		}
		i += n
	}
	if !utf8.ValidString(b.String()) {
		return "", diag.Errorf(diag.BadLiteral, span, "the bytes of E'...' are not valid UTF-8")
	}
	return b.String(), nil
}

// escape writes the character of one escape, or the byte of \101 and \x41, and tells how much it
// took after the backslash.
func escape(b *strings.Builder, s string) (int, bool) {
	if s == "" {
		return 0, false
	}
	if i := strings.IndexByte("bfnrt", s[0]); i >= 0 {
		b.WriteByte("\b\f\n\r\t"[i])
		return 1, true
	}
	if n := digitsOf(s, "01234567", 3); n > 0 {
		c, err := strconv.ParseUint(s[:n], 8, 8)
		b.WriteByte(byte(c))
		return n, err == nil
	}
	if s[0] == 'x' {
		n := digitsOf(s[1:], "0123456789abcdefABCDEF", 2)
		c, err := strconv.ParseUint(s[1:1+n], 16, 8)
		b.WriteByte(byte(c))
		return 1 + n, err == nil
	}
	width := map[byte]int{'u': 4, 'U': 8}[s[0]]
	if width == 0 {
		_, n := utf8.DecodeRuneInString(s)
		b.WriteString(s[:n])
		return n, true
	}
	if len(s) <= width {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:1+width], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	b.WriteRune(rune(n))
	return 1 + width, true
}

// digitsOf is how many of at most n digits s begins with.
func digitsOf(s, digits string, n int) int {
	i := 0
	for i < min(n, len(s)) && strings.IndexByte(digits, s[i]) >= 0 {
		i++
	}
	return i
}
