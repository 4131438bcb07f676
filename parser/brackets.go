package parser

import (
	"github.com/sqlstream/sqlstream/parser/diag"
)

// pair connects brackets. A semicolon closes what is still open, with an error,
// so that one forgotten bracket does not swallow the rest of a script.
func (lx *lexer) pair() {
	var open []int
	for i := range lx.tokens {
		t := &lx.tokens[i]
		if t.kind != tokOp || t.end-t.start != 1 {
			continue
		}
		switch c := lx.text[t.start]; c {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			open = lx.closeBracket(open, i)
		case ';':
			lx.neverClosed(open)
			open = open[:0]
		}
	}
	lx.neverClosed(open)
}

// closeBracket pairs token i with the innermost open bracket.
func (lx *lexer) closeBracket(open []int, i int) []int {
	t := &lx.tokens[i]
	c := lx.text[t.start]
	span := diag.Span{Start: int(t.start), End: int(t.end)}
	if len(open) == 0 {
		lx.diags = append(lx.diags, diag.Errorf(diag.Bracket, span, "%q closes nothing", c))
		return open
	}
	j := open[len(open)-1]
	partner := &lx.tokens[j]
	if want := closer(lx.text[partner.start]); want != c {
		at, _ := (&diag.Source{Text: lx.text}).Position(int(partner.start))
		lx.diags = append(lx.diags, diag.Errorf(diag.Bracket, span, "%q cannot close %q of line %d", c,
			lx.text[partner.start], at).WithHint("expected %q", want))
	}
	t.match, partner.match = int32(j), int32(i)
	return open[:len(open)-1]
}

// neverClosed reports the innermost of the brackets that are still open: it is
// the one nearest to the mistake, and the others follow from it.
func (lx *lexer) neverClosed(open []int) {
	if len(open) == 0 || len(lx.diags) > 0 && lx.diags[len(lx.diags)-1].Code == diag.Unclosed {
		return // a string without an end has swallowed the bracket
	}
	t := lx.tokens[open[len(open)-1]]
	lx.diags = append(lx.diags, diag.Errorf(diag.Bracket, diag.Span{Start: int(t.start), End: int(t.end)},
		"%q is never closed", lx.text[t.start]).WithHint("add %c", closer(lx.text[t.start])))
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}
