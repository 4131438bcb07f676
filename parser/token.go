package parser

import "strings"

// tokenKind is the lexical class of a token.
type tokenKind uint8

const (
	tokEnd     tokenKind = iota
	tokWord              // unquoted name or keyword
	tokQuoted            // "name" or `name`
	tokString            // '...'
	tokEscape            // E'...'
	tokRaw               // r'...'
	tokBytes             // X'...'
	tokDollar            // $$...$$
	tokNumber            // with its suffix
	tokParam             // ? or $1
	tokPlace             // #1
	tokOp                // operators and punctuation
	tokHint              // /*+ ... */
	tokComment           // only when asked for
	tokBad               // reported already
)

// token is a range of the text. match is the index of the partner of a bracket,
// or -1. Offsets are 32 bit: a long script has many tokens.
type token struct {
	kind       tokenKind
	start, end int32
	match      int32
}

// isName reports whether the token can be an identifier.
func (t token) isName() bool { return t.kind == tokWord || t.kind == tokQuoted }

// isString reports whether the token is a string literal of any notation.
func (t token) isString() bool {
	return t.kind == tokString || t.kind == tokEscape || t.kind == tokRaw || t.kind == tokDollar
}

// operators, longest first where one is the beginning of another.
var operators = [...]string{
	"!~~*", "!~~", "~~*", "!~*", "<=>", "->>", "#>>", "@>", "<@",
	"<>", "!=", "<=", ">=", "==", "=>", "||", "::", "->", "#>", "!~", "~~", "~*", "^@", "//", "**", "&&", "<<", ">>", "|>", ":=",
	"(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "=", "<", ">", "+", "-", "*", "/", "%", "|", "&", "^", "~", "!",
}

// matchOperator returns the length of the operator at the beginning of s, or 0.
func matchOperator(s string) int {
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	return 0
}
