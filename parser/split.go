package parser

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// piece of a script: the tokens start to end, without the semicolon.
type statementRange struct {
	start, end int
	closed     bool // a semicolon follows
}

// split cuts tokens at semicolons, leaving empty statements out. The semicolons
// of EXECUTE STATEMENT SET BEGIN … END and BEGIN STATEMENT SET; … END do not count.
func split(text string, toks []token) []statementRange {
	var out []statementRange
	word := func(i int, w string) bool {
		return i < len(toks) && toks[i].kind == tokWord && strings.EqualFold(text[toks[i].start:toks[i].end], w)
	}
	start, inSet, cases := 0, false, 0
	for i := 0; i <= len(toks); i++ {
		end := i == len(toks)
		if !end && i == start {
			inSet, cases = (word(i, "EXECUTE") || word(i, "BEGIN")) && word(i+1, "STATEMENT") && word(i+2, "SET"), 0
		}
		switch {
		case !inSet:
		case word(i, "CASE"):
			cases++
		case word(i, "END") && cases > 0:
			cases--
		case word(i, "END"): // clauses may follow
			inSet = false
		}
		semicolon := !end && toks[i].kind == tokOp && text[toks[i].start] == ';'
		if semicolon && inSet {
			continue
		}
		if !semicolon && !end {
			continue
		}
		if i > start {
			out = append(out, statementRange{start, i, semicolon})
		}
		start = i + 1
	}
	return out
}

// Statement is the place of one statement in a script.
type Statement struct {
	diag.Span
	Complete bool // a semicolon follows
}

// Split finds the statements of a text without parsing them, for a shell that
// reads line by line. A statement whose string, comment or bracket is still open
// is never complete.
func Split(text string) []Statement {
	toks, diags := lex(text, false)
	sortDiags(diags)
	var out []Statement
	for _, s := range split(text, toks) {
		span := diag.Span{Start: int(toks[s.start].start), End: int(toks[s.end-1].end)}
		out = append(out, Statement{span, s.closed && !open(diags, span)})
	}
	return out
}

// open tells whether a string, name or comment inside the span is not closed.
func open(diags []*diag.Diagnostic, span diag.Span) bool {
	inside := within(diags, span)
	return slices.ContainsFunc(inside, func(d *diag.Diagnostic) bool { return d.Code == diag.Unclosed })
}

// within are the diagnostics, sorted by their place, that begin inside a span.
func within(diags []*diag.Diagnostic, span diag.Span) []*diag.Diagnostic {
	at := func(offset int) int {
		i, _ := slices.BinarySearchFunc(diags, offset, func(d *diag.Diagnostic, offset int) int { return d.Span.Start - offset })
		return i
	}
	return diags[at(span.Start):at(span.End)]
}

// bad tells whether the lexer complained inside a statement.
func bad(diags []*diag.Diagnostic, toks []token, s statementRange) bool {
	return len(within(diags, diag.Span{Start: int(toks[s.start].start), End: int(toks[s.end-1].end)})) > 0
}

func sortDiags(diags []*diag.Diagnostic) {
	slices.SortStableFunc(diags, func(a, b *diag.Diagnostic) int { return a.Span.Start - b.Span.Start })
}
