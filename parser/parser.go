// Package parser turns SQL text into the tree of package ast, and back.
//
// It owns the dialect: lexer, statements, rewriter, decoder and printer. It is
// the only package that imports the TiDB parser, and no type of that leaves it.
// It knows no catalog, no functions and no types beyond their spelling.
//
// The way of a statement, file by file:
//
//	lexer.go, brackets.go   text -> tokens, brackets paired
//	split.go                tokens -> statements
//	statement.go            which statement; our own ones are read here
//	query.go, from.go, expr.go and their neighbours
//	                        the rewriter: it reads queries and expressions with our
//	                        grammar and writes, for each, a text in TiDB's
//	rope.go                 that text, with the offsets it came from; the carriers
//	inner.go                TiDB parses it
//	decode.go, decode_query.go
//	                        TiDB's tree -> ours
//
// No text of the user ever reaches TiDB. Names, literals and everything that its
// grammar lacks are nodes of ours in a side table, and the text has only their
// numbers: a column is `12`, a literal is 13, and a node with parts is the call
// `x`(14, part, part), a carrier, whose parts fill the holes of node 14. What TiDB
// contributes are the structure of queries, the nesting of subqueries, joins and
// operators, and a second opinion on our grammar.
package parser

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Parse reads a script. The statements that are well-formed are returned even
// when others are not; the error is then a *diag.Error with a diagnostic or more
// for each of those.
func Parse(src diag.Source) ([]ast.Statement, error) {
	toks, lexical := lex(src.Text, false)
	sortDiags(lexical)
	diags := slices.Clone(lexical)
	var out []ast.Statement
	for _, s := range split(src.Text, toks) {
		if bad(lexical, toks, s) {
			continue
		}
		p := newParser(&src, toks, s.start, s.end)
		stmt := p.script()
		if len(p.diags) == 0 {
			out = append(out, stmt)
		}
		diags = append(diags, p.diags...)
	}
	return out, failure(&src, diags)
}

// ParseQuery reads one query without the clauses of a continuous query.
func ParseQuery(src diag.Source) (*ast.Query, error) {
	return parseOne(&src, func(p *parser) *ast.Query { return p.plainQuery() })
}

// ParseExpr reads one expression.
func ParseExpr(src diag.Source) (ast.Expr, error) {
	return parseOne(&src, func(p *parser) ast.Expr { return p.plainExpr() })
}

// ParseType reads one type.
func ParseType(src diag.Source) (*ast.TypeName, error) {
	return parseOne(&src, func(p *parser) *ast.TypeName { return p.typeName() })
}

// parseOne reads the whole text with one rule.
func parseOne[T any](src *diag.Source, rule func(p *parser) T) (T, error) {
	var none T
	toks, diags := lex(src.Text, false)
	if len(diags) > 0 {
		return none, failure(src, diags)
	}
	p := newParser(src, toks, 0, len(toks))
	out := rule(p)
	if !p.done() && !p.failed {
		p.unexpectedHere()
	}
	if len(p.diags) > 0 {
		return none, failure(src, p.diags)
	}
	return out, nil
}

// failure makes an error of diagnostics, or nil of none.
func failure(src *diag.Source, diags []*diag.Diagnostic) error {
	if len(diags) == 0 {
		return nil
	}
	sortDiags(diags)
	return diag.NewError(src, diags...)
}
