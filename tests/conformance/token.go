package conformance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token of SQL is.
type kind uint8

const (
	word   kind = iota
	quoted      // "name"
	text        // 'string'
	number
	symbol // one character, or :: and ||
)

// token is a piece of SQL, with its place in the text.
type token struct {
	kind       kind
	text       string // as written
	start, end int
	depth      int // how many brackets are open around it
}

// is compares a word without regard to case.
func (t token) is(w string) bool {
	return t.kind != text && t.kind != quoted && strings.EqualFold(t.text, w)
}

// name is the name that a word or a quoted name means.
func (t token) name() string {
	if t.kind == quoted {
		q := t.text[:1]
		return strings.ReplaceAll(t.text[1:len(t.text)-1], q+q, q)
	}
	return t.text
}

// tokens cuts SQL; comments and blanks are left out.
func tokens(sql string) []token {
	var out []token
	depth, angles := 0, 0
	for i := 0; i < len(sql); {
		t := next(sql, i)
		if t.end > i && t.text != "" {
			switch t.text {
			case ")", "]", "}":
				depth--
			}
			if t.text == ">" && angles > 0 {
				angles--
				depth--
			}
			t.depth = depth
			if t.text == "<" && len(out) > 0 && nestedType(out[len(out)-1]) {
				angles++
				depth++
			}
			switch t.text {
			case "(", "[", "{":
				depth++
			}
			out = append(out, t)
		}
		i = max(t.end, i+1)
	}
	return out
}

// nestedType reports the name of a type whose parts stand in angles.
func nestedType(t token) bool {
	return t.is("map") || t.is("array") || t.is("struct") || t.is("row")
}

// next is the token at i; without text for a blank or a comment.
func next(sql string, i int) token {
	c, size := utf8.DecodeRuneInString(sql[i:])
	t := token{kind: symbol, start: i, end: i + size}
	switch {
	case unicode.IsSpace(c):
		return t
	case strings.HasPrefix(sql[i:], "--"):
		t.end = upTo(sql, i, "\n")
		return t
	case strings.HasPrefix(sql[i:], "/*"):
		t.end = upTo(sql, i+2, "*/")
		return t
	case c == '\'' || (c == 'e' || c == 'E') && strings.HasPrefix(sql[i+1:], "'"):
		t.kind, t.end = text, endOfText(sql, i)
	case c == '"' || c == '`':
		t.kind, t.end = quoted, endOfQuoted(sql, i, byte(c))
	case strings.HasPrefix(sql[i:], "$$"):
		t.kind, t.end = text, upTo(sql, i+2, "$$")
	case c >= '0' && c <= '9' || c == '.' && i+1 < len(sql) && sql[i+1] >= '0' && sql[i+1] <= '9':
		t.kind, t.end = number, endOfNumber(sql, i)
	case c == '_' || unicode.IsLetter(c):
		t.kind, t.end = word, endOfWord(sql, i)
	case strings.HasPrefix(sql[i:], "::") || strings.HasPrefix(sql[i:], "||"):
		t.end = i + 2
	}
	t.text = sql[i:t.end]
	return t
}

func upTo(sql string, i int, mark string) int {
	if k := strings.Index(sql[min(i, len(sql)):], mark); k >= 0 {
		return i + k + len(mark)
	}
	return len(sql)
}

func endOfText(sql string, i int) int {
	escapes := sql[i] != '\''
	if escapes {
		i++
	}
	for i++; i < len(sql); i++ {
		switch {
		case sql[i] == '\\' && escapes:
			i++
		case sql[i] == '\'' && i+1 < len(sql) && sql[i+1] == '\'':
			i++
		case sql[i] == '\'':
			return i + 1
		}
	}
	return len(sql)
}

func endOfQuoted(sql string, i int, q byte) int {
	for i++; i < len(sql); i++ {
		if sql[i] == q {
			if i+1 < len(sql) && sql[i+1] == q {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(sql)
}

func endOfNumber(sql string, i int) int {
	for i < len(sql) {
		c := sql[i]
		digit := c >= '0' && c <= '9' || c == '.' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		sign := (c == '+' || c == '-') && (sql[i-1] == 'e' || sql[i-1] == 'E') && i+1 < len(sql) && sql[i+1] >= '0' && sql[i+1] <= '9'
		if !digit && !sign {
			return i
		}
		i++
	}
	return i
}

func endOfWord(sql string, i int) int {
	for i < len(sql) {
		c, size := utf8.DecodeRuneInString(sql[i:])
		if c != '_' && c != '$' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return i
		}
		i += size
	}
	return i
}

// edits are changes of a text, in ascending order.
type edits struct {
	sql string
	at  int
	out strings.Builder
}

// replace writes with in the place of sql[from:to].
func (e *edits) replace(from, to int, with string) {
	if from < e.at {
		return
	}
	e.out.WriteString(e.sql[e.at:from])
	e.out.WriteString(with)
	e.at = to
}

func (e *edits) done() string { return e.out.String() + e.sql[e.at:] }

// splitAt cuts tokens at the commas of depth d.
func splitAt(toks []token, d int) [][]token {
	var out [][]token
	from := 0
	for i, t := range toks {
		if t.text == "," && t.depth == d {
			out = append(out, toks[from:i])
			from = i + 1
		}
	}
	if from < len(toks) {
		out = append(out, toks[from:])
	}
	return out
}

// closing is the bracket that closes the one at i; the last token if none does.
func closing(toks []token, i int) int {
	for k := i + 1; k < len(toks); k++ {
		if toks[k].depth == toks[i].depth && strings.Contains(")]}", toks[k].text) {
			return k
		}
	}
	return len(toks) - 1
}

// span is the text of tokens, as written.
func span(sql string, toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return sql[toks[0].start:toks[len(toks)-1].end]
}

// statements cuts a text at its semicolons.
func statements(sql string) []string {
	var out []string
	toks := tokens(sql)
	from := 0
	for i, t := range toks {
		if t.text != ";" {
			continue
		}
		if i > from {
			out = append(out, sql[toks[from].start:t.start])
		}
		from = i + 1
	}
	if from < len(toks) {
		out = append(out, span(sql, toks[from:]))
	}
	return out
}
