package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Limits on one statement.
const (
	maxText    = 1 << 20
	maxNesting = 500
)

// parser reads the tokens of one statement, toks[pos:end]. The first syntax
// error is kept and the cursor jumps to the end, so that every loop ends by
// itself and callers need not test for errors; what they built is thrown away.
// Mistakes inside one token (an unknown type, a bad date) are reported without
// stopping, so that one statement can have several diagnostics.
type parser struct {
	src      *diag.Source
	toks     []token
	pos, end int
	first    int       // index of the first token
	begin    int       // offset of the first token
	side     []carrier // what the ids in the text for TiDB stand for
	diags    []*diag.Diagnostic
	failed   bool
	depth    int
	params   int       // question marks so far
	colon    bool      // a colon after an operand is JSON access
	inLimit  bool      // a % that nothing follows is PERCENT
	inColumn bool      // NOT NULL after an operand is an option of a column
	emit     *ast.Emit // collects EMIT, TRIGGER, WITH; nil where they are not allowed
	emitWith bool      // WITH (...) belongs to emit
	half     bool      // the type parser took one > of the token >>
}

func newParser(src *diag.Source, toks []token, start, end int) *parser {
	p := &parser{src: src, toks: toks, pos: start, end: end, first: start, colon: true}
	if start < end {
		p.begin = int(toks[start].start)
	}
	return p
}

// at returns the token n places ahead; beyond the statement an end token.
func (p *parser) at(n int) token {
	if i := p.pos + n; i < p.end {
		return p.toks[i]
	}
	return token{kind: tokEnd, start: int32(p.stop()), end: int32(p.stop()), match: -1}
}

func (p *parser) peek() token { return p.at(0) }

// stop is the offset behind the last token of the statement.
func (p *parser) stop() int {
	if p.end == 0 || p.end > len(p.toks) {
		return len(p.src.Text)
	}
	return int(p.toks[p.end-1].end)
}

func (p *parser) next() token {
	t := p.peek()
	if p.pos < p.end {
		p.pos++
	}
	return t
}

func (p *parser) done() bool { return p.pos >= p.end }

func (p *parser) text(t token) string { return p.src.Text[t.start:t.end] }

func (t token) span() diag.Span { return diag.Span{Start: int(t.start), End: int(t.end)} }

// here is the span of the next token; at the end, of the place behind the last.
func (p *parser) here() diag.Span { return p.peek().span() }

// since is the span from token index i to the last token taken.
func (p *parser) since(i int) diag.Span {
	if i >= len(p.toks) || p.pos == 0 || i >= p.pos {
		return p.here()
	}
	return diag.Span{Start: int(p.toks[i].start), End: int(p.toks[p.pos-1].end)}
}

// wordAt tells whether the token n ahead is this keyword (upper case), unquoted.
func (p *parser) wordAt(n int, word string) bool {
	t := p.at(n)
	return t.kind == tokWord && int(t.end-t.start) == len(word) && strings.EqualFold(p.text(t), word)
}

func (p *parser) isWord(word string) bool { return p.wordAt(0, word) }

// anyWordAt tells whether the token n ahead is one of the keywords.
func (p *parser) anyWordAt(n int, words ...string) bool {
	if p.at(n).kind != tokWord {
		return false
	}
	for _, w := range words {
		if p.wordAt(n, w) {
			return true
		}
	}
	return false
}

// isWords tells whether the next tokens are these keywords, in this order.
func (p *parser) isWords(words ...string) bool {
	for i, w := range words {
		if !p.wordAt(i, w) {
			return false
		}
	}
	return true
}

// opAt tells whether the token n ahead is this operator.
func (p *parser) opAt(n int, op string) bool {
	t := p.at(n)
	return t.kind == tokOp && p.text(t) == op
}

func (p *parser) isOp(op string) bool { return p.opAt(0, op) }

// accept takes the keywords if all of them are next.
func (p *parser) accept(words ...string) bool {
	if !p.isWords(words...) {
		return false
	}
	p.pos += len(words)
	return true
}

// acceptAny takes one of the keywords and returns it, or "".
func (p *parser) acceptAny(words ...string) string {
	for _, w := range words {
		if p.accept(w) {
			return w
		}
	}
	return ""
}

func (p *parser) acceptOp(op string) bool {
	if !p.isOp(op) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(words ...string) bool {
	for _, w := range words {
		if !p.accept(w) {
			p.unexpected(w)
			return false
		}
	}
	return true
}

func (p *parser) expectOp(op string) bool {
	if p.acceptOp(op) {
		return true
	}
	p.unexpected(`"` + op + `"`)
	return false
}

// report adds a diagnostic without stopping.
func (p *parser) report(d *diag.Diagnostic) {
	if !p.failed {
		p.diags = append(p.diags, d)
	}
}

// fail adds a diagnostic and ends the statement; only the first one counts.
func (p *parser) fail(d *diag.Diagnostic) {
	if !p.failed {
		p.foreign(d)
	}
	p.report(d)
	p.failed = true
	p.pos = p.end
}

func (p *parser) failf(code diag.Code, span diag.Span, format string, args ...any) {
	p.fail(diag.Errorf(code, span, format, args...))
}

// unexpected fails at the next token; what names that which was expected.
func (p *parser) unexpected(what string) {
	t := p.peek()
	d := diag.Errorf(diag.Unexpected, p.here(), "expected %s, found %s", what, p.describe(t))
	if t.kind == tokWord {
		if near := diag.DidYouMean(p.text(t), strings.Split(what, " or ")); near != "" {
			d.WithHint("did you mean %s?", near)
		}
	}
	p.fail(d)
}

// describe names a token in a message.
func (p *parser) describe(t token) string {
	switch {
	case t.kind == tokEnd:
		return "the end of the statement"
	case t.kind == tokHint:
		return "a hint"
	case t.isString():
		return "a string"
	}
	text := p.text(t)
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	if t.kind == tokQuoted {
		return text
	}
	return `"` + text + `"`
}

// enter counts a level of nesting and reports whether it may be used; leave
// must follow in either case.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.failf(diag.TooDeep, p.here(), "nesting is deeper than %d levels", maxNesting)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// sepList calls item for each element of a comma-separated list.
func (p *parser) sepList(item func()) {
	for item(); p.acceptOp(","); item() {
	}
}

// parenList reads "(" item {"," item} ")"; the list may be empty if allowed.
func (p *parser) parenList(empty bool, item func()) {
	if !p.expectOp("(") {
		return
	}
	if empty && p.acceptOp(")") {
		return
	}
	p.sepList(item)
	p.expectOp(")")
}
