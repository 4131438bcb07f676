package repl

import (
	"os"

	"github.com/sqlstream/sqlstream/parser"
)

// Painter colours the line that is edited, by the tokens of the statement so far.
type Painter struct {
	// c knows the lines above.
	c *Completer
}

// WantsColour reports whether the user's terminal is to be coloured: not with NO_COLOR,
// not on a terminal that is dumb.
func WantsColour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// colour is the terminal's code for a kind of token, "" for none.
func colour(k parser.TokenKind) string {
	switch k {
	case parser.TokenKeyword:
		return "\x1b[1;34m"
	case parser.TokenString:
		return "\x1b[32m"
	case parser.TokenNumber, parser.TokenParam:
		return "\x1b[36m"
	case parser.TokenComment:
		return "\x1b[90m"
	case parser.TokenError:
		return "\x1b[31m"
	}
	return ""
}

const plain = "\x1b[0m"

// Paint implements readline.Painter.
func (p *Painter) Paint(line []rune, _ int) []rune {
	text := string(line)
	if p.c.before == "" && isDot(text) {
		return line
	}
	skip := len(p.c.before)
	var out []byte
	at := 0
	for _, t := range parser.Tokens(p.c.before + text) {
		start, end := max(t.Start-skip, at), t.End-skip
		code := colour(t.Kind)
		if end <= 0 || code == "" {
			continue
		}
		out = append(out, text[at:start]...)
		out = append(append(append(out, code...), text[start:end]...), plain...)
		at = end
	}
	return []rune(string(append(out, text[at:]...)))
}
