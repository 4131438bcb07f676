package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// lexer cuts a text into tokens. It never fails: what it cannot read becomes a
// tokBad and a diagnostic.
type lexer struct {
	text     string
	pos      int
	tokens   []token
	comments bool // keep comments as tokens
	diags    []*diag.Diagnostic
}

// lex returns all tokens, the brackets paired, without an end token.
func lex(text string, comments bool) ([]token, []*diag.Diagnostic) {
	lx := &lexer{text: text, comments: comments, tokens: make([]token, 0, len(text)/4+8)}
	for lx.skipSpace(); lx.pos < len(text); lx.skipSpace() {
		lx.next()
	}
	lx.pair()
	return lx.tokens, lx.diags
}

func (lx *lexer) skipSpace() {
	for lx.pos < len(lx.text) {
		c := lx.text[lx.pos]
		if c < utf8.RuneSelf {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' && c != '\v' {
				return
			}
			lx.pos++
			continue
		}
		r, n := utf8.DecodeRuneInString(lx.text[lx.pos:])
		if !unicode.IsSpace(r) && r != '\ufeff' && r != '\u200b' {
			return
		}
		lx.pos += n
	}
}

func (lx *lexer) add(kind tokenKind, start int) {
	lx.tokens = append(lx.tokens, token{kind, int32(start), int32(lx.pos), -1})
	switch kind {
	case tokString, tokEscape, tokRaw, tokQuoted, tokDollar:
		lx.checkText(start)
	}
}

// checkText reports the first byte of a quoted text that is not UTF-8.
func (lx *lexer) checkText(start int) {
	for i, r := range lx.text[start:lx.pos] {
		if r != utf8.RuneError {
			continue
		}
		if _, n := utf8.DecodeRuneInString(lx.text[start+i:]); n > 1 {
			continue // U+FFFD itself
		}
		lx.diags = append(lx.diags, diag.Errorf(diag.BadCharacter, diag.Span{Start: start + i, End: start + i + 1},
			"the text is not valid UTF-8 here").WithHint("for bytes write X'...'"))
		return
	}
}

func (lx *lexer) report(code diag.Code, start int, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(code, diag.Span{Start: start, End: lx.pos}, format, args...)
	lx.diags = append(lx.diags, d)
	return d
}

// next reads one token or comment; the position is on no white space.
func (lx *lexer) next() {
	rest := lx.text[lx.pos:]
	switch c := rest[0]; {
	case c >= utf8.RuneSelf || c == '_' || isLetter(c):
		lx.word()
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]) && !lx.afterOperand():
		lx.number()
	case c == '\'':
		lx.quoted(tokString, lx.pos, '\'')
	case c == '"', c == '`':
		lx.quotedName(c)
	case strings.HasPrefix(rest, "--"):
		lx.lineComment()
	case strings.HasPrefix(rest, "/*"):
		lx.blockComment()
	case c == '$':
		lx.dollar()
	case c == '#' && len(rest) > 1 && isDigit(rest[1]):
		lx.digits(tokPlace)
	case c == '?':
		lx.pos++
		lx.add(tokParam, lx.pos-1)
	default:
		lx.operator(rest)
	}
}

// afterOperand tells whether the preceding token, without a gap, ends an operand,
// so that a dot is a separator and not the beginning of a number.
func (lx *lexer) afterOperand() bool {
	if len(lx.tokens) == 0 {
		return false
	}
	last := lx.tokens[len(lx.tokens)-1]
	if int(last.end) != lx.pos {
		return false
	}
	text := lx.text[last.start:last.end]
	return last.isName() || text == ")" || text == "]"
}

func (lx *lexer) operator(rest string) {
	start := lx.pos
	if n := matchOperator(rest); n > 0 {
		lx.pos += n
		lx.add(tokOp, start)
		return
	}
	lx.badCharacter()
}

func (lx *lexer) badCharacter() {
	start := lx.pos
	r, n := utf8.DecodeRuneInString(lx.text[lx.pos:])
	lx.pos += n
	lx.add(tokBad, start)
	switch {
	case r == utf8.RuneError && n <= 1:
		lx.report(diag.BadCharacter, start, "the text is not valid UTF-8 here")
	case r == '@':
		lx.at(start)
	case r == '#' && lx.namesTable():
		lx.report(diag.BadCharacter, start, "unexpected character '#'").
			WithHint("a temporary table has a plain name: CREATE TEMPORARY TABLE temp AS SELECT …")
	case r == '#':
		lx.report(diag.BadCharacter, start, "unexpected character '#'").WithHint("a comment starts with --; the operator # of PostgreSQL is xor(a, b)")
	case r == '$':
		lx.report(diag.BadCharacter, start, "a name cannot start with '$'").WithHint(`a parameter is :name or $1; a name in quotes may: "$name"`)
	case r == '\\':
		lx.report(diag.BadCharacter, start, `unexpected character '\\'`).WithHint(ofTheShell)
	default:
		lx.report(diag.BadCharacter, start, "unexpected character %q", r)
	}
}

// at refuses an @: an operator of PostgreSQL, or a variable.
func (lx *lexer) at(start int) {
	switch rest := strings.TrimLeft(lx.text[lx.pos:], " "); {
	case rest != "" && strings.IndexByte("-(0123456789", rest[0]) >= 0:
		lx.report(diag.BadCharacter, start, "the operator @ is not supported").WithHint("write abs(x)")
	case strings.HasPrefix(rest, "@ "), strings.HasPrefix(rest, "@("), strings.HasPrefix(rest, "@'"):
		lx.pos++
		lx.report(diag.BadCharacter, start, "the operator @@ is not supported").WithHint("text is searched with x ILIKE '%%word%%', or regexp_like(x, '(?i)\\bword\\b')")
	case strings.HasPrefix(rest, "?"):
		lx.pos++
		lx.report(diag.BadCharacter, start, "the operator @? is not supported").WithHint("write json_exists(x, '$.member')")
	default:
		lx.report(diag.BadCharacter, start, "variables (@name) are not supported").WithHint("use a parameter: :name, $1 or ?")
	}
}

// namesTable tells whether the last word is one that the name of a table follows.
func (lx *lexer) namesTable() bool {
	n := len(lx.tokens) - 2 // the last one is the character itself
	if n < 0 {
		return false
	}
	switch strings.ToUpper(lx.text[lx.tokens[n].start:lx.tokens[n].end]) {
	case "INTO", "FROM", "JOIN", "TABLE":
		return true
	}
	return false
}

// word reads a name, or the prefix of a string such as E'...'.
func (lx *lexer) word() {
	start := lx.pos
	for lx.pos < len(lx.text) {
		r, n := utf8.DecodeRuneInString(lx.text[lx.pos:])
		if !isNamePart(r, lx.pos == start) {
			break
		}
		lx.pos += n
	}
	if lx.pos == start {
		lx.badCharacter()
		return
	}
	if lx.pos == start+1 && lx.pos < len(lx.text) && lx.text[lx.pos] == '\'' && lx.prefixed(start) {
		return
	}
	lx.add(tokWord, start)
}

// prefixed reads the string after a one-letter prefix, if the prefix is one.
func (lx *lexer) prefixed(start int) bool {
	switch lx.text[start] {
	case 'E', 'e':
		lx.quoted(tokEscape, start, '\'')
	case 'R', 'r':
		lx.quoted(tokRaw, start, '\'')
	case 'X', 'x':
		lx.quoted(tokBytes, start, '\'')
	case 'B', 'b', 'N', 'n':
		lx.quoted(tokBad, start, '\'')
		lx.report(diag.NotSupported, start, "string prefix %q is not supported", lx.text[start:start+1]).
			WithHint("write a plain string '...', or X'..' for bytes")
	default:
		return false
	}
	return true
}

// quoted reads up to the closing quote; doubled quotes stand for one. In E'...'
// a backslash takes the next character with it.
func (lx *lexer) quoted(kind tokenKind, start int, quote byte) {
	open := lx.pos
	for lx.pos++; lx.pos < len(lx.text); lx.pos++ {
		switch c := lx.text[lx.pos]; {
		case kind == tokEscape && c == '\\':
			lx.pos++
		case c == quote && lx.pos+1 < len(lx.text) && lx.text[lx.pos+1] == quote:
			lx.pos++
		case c == quote:
			lx.pos++
			lx.add(kind, start)
			return
		}
	}
	lx.pos = len(lx.text)
	lx.unclosed(open, start, quote)
}

// unclosed reports a quote without an end; the caret is one wide, at the quote.
func (lx *lexer) unclosed(open, start int, quote byte) {
	lx.add(tokBad, start)
	what := "string"
	if quote != '\'' {
		what = "quoted name"
	}
	d := diag.Errorf(diag.Unclosed, diag.Span{Start: open, End: open + 1}, "this %s is never closed", what)
	lx.diags = append(lx.diags, d.WithHint("add the closing %c", quote))
	if word := lx.apostrophe(); quote == '\'' && word != "" {
		d.WithHint("a quote inside a string is written twice: %s", word)
	}
	if quote == '\'' && lx.backslash() {
		d.WithHint("a backslash is no escape: a quote inside a string is written twice, 'it''s'; E'…' takes escapes")
	}
}

// apostrophe finds 'O'Brien' among the last tokens before a quote that opens nothing: a word
// between two strings, without blanks. It gives the string as it is written, "" if there is none.
func (lx *lexer) apostrophe() string {
	for i := len(lx.tokens) - 3; i >= max(0, len(lx.tokens)-12); i-- {
		s, w, next := lx.tokens[i], lx.tokens[i+1], lx.tokens[i+2]
		if s.kind == tokString && w.kind == tokWord && s.end == w.start && w.end == next.start && lx.text[next.start] == '\'' && w.end-s.start <= 40 {
			return lx.text[s.start:s.end] + lx.text[s.end-1:w.end] + "'"
		}
	}
	return ""
}

// backslash tells whether one of the last strings ends with a backslash, which was
// probably meant to keep it open.
func (lx *lexer) backslash() bool {
	for i := len(lx.tokens) - 2; i >= max(0, len(lx.tokens)-8); i-- {
		if t := lx.tokens[i]; t.kind == tokString {
			return strings.HasSuffix(lx.text[t.start:t.end], `\'`)
		}
	}
	return false
}

func (lx *lexer) quotedName(quote byte) {
	start := lx.pos
	lx.quoted(tokQuoted, start, quote)
	last := &lx.tokens[len(lx.tokens)-1]
	if last.kind == tokQuoted && last.end-last.start == 2 {
		last.kind = tokBad
		lx.report(diag.BadLiteral, start, "a quoted name cannot be empty")
	}
}

func (lx *lexer) lineComment() {
	start := lx.pos
	if n := strings.IndexByte(lx.text[lx.pos:], '\n'); n >= 0 {
		lx.pos += n
	} else {
		lx.pos = len(lx.text)
	}
	if lx.comments {
		lx.add(tokComment, start)
	}
}

// blockComment reads a comment; comments nest, /*+ starts a hint, and /*! is
// nothing special.
func (lx *lexer) blockComment() {
	start, depth := lx.pos, 0
	for lx.pos < len(lx.text) {
		switch rest := lx.text[lx.pos:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			lx.pos += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			lx.pos += 2
			if depth == 0 {
				lx.endComment(start)
				return
			}
		default:
			lx.pos++
		}
	}
	lx.add(tokBad, start)
	lx.diags = append(lx.diags, diag.Errorf(diag.Unclosed, diag.Span{Start: start, End: start + 2},
		"this comment is never closed").WithHint("add */"))
}

func (lx *lexer) endComment(start int) {
	if strings.HasPrefix(lx.text[start:], "/*+") {
		lx.add(tokHint, start)
	} else if lx.comments {
		lx.add(tokComment, start)
	}
}

// digits reads a character and the number behind it.
func (lx *lexer) digits(kind tokenKind) {
	start := lx.pos
	for lx.pos++; lx.pos < len(lx.text) && isDigit(lx.text[lx.pos]); lx.pos++ {
	}
	lx.add(kind, start)
}

// dollar reads $1, $$...$$ or $tag$...$tag$.
func (lx *lexer) dollar() {
	rest := lx.text[lx.pos+1:]
	switch {
	case dollarTag(lx.text[lx.pos:]) > 0:
		start := lx.pos
		tag := lx.text[lx.pos : lx.pos+dollarTag(lx.text[lx.pos:])]
		n := strings.Index(lx.text[lx.pos+len(tag):], tag)
		if n < 0 {
			lx.pos = len(lx.text)
			lx.unclosed(start, start, '\'')
			return
		}
		lx.pos += n + 2*len(tag)
		lx.add(tokDollar, start)
	case rest != "" && isDigit(rest[0]):
		lx.digits(tokParam)
	default:
		lx.badCharacter()
	}
}

// dollarTag is the length of the $$ or $tag$ that s begins with, 0 if it begins with neither.
func dollarTag(s string) int {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			return i + 1
		case !isLetter(c) && c != '_' && (i == 1 || !isDigit(c)):
			return 0
		}
	}
	return 0
}

// number reads digits, fraction, exponent and type suffix; what is wrong inside
// is found when the value is read (see number.go).
func (lx *lexer) number() {
	start := lx.pos
	for lx.pos < len(lx.text) {
		c := lx.text[lx.pos]
		if isDigit(c) || isLetter(c) || c == '_' || c == '.' || lx.exponentSign(start, c) {
			lx.pos++
			continue
		}
		break
	}
	lx.add(tokNumber, start)
}

// exponentSign tells whether c is the sign in 1e-3.
func (lx *lexer) exponentSign(start int, c byte) bool {
	if c != '+' && c != '-' {
		return false
	}
	before := lx.text[lx.pos-1]
	hex := strings.HasPrefix(lx.text[start:], "0x") || strings.HasPrefix(lx.text[start:], "0X")
	return (before == 'e' || before == 'E') && !hex
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isNamePart(r rune, first bool) bool {
	switch {
	case r == '_' || unicode.IsLetter(r):
		return true
	case first || r == utf8.RuneError:
		return false
	}
	return r == '$' || unicode.IsDigit(r) || unicode.IsMark(r)
}
