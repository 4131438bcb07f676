package bind

import (
	"strconv"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// written makes pieces of SQL that stand for what the text at a place says in short.
type written struct{ span diag.Span }

func (w written) name(text string) ast.Ident {
	return ast.Ident{Span: w.span, Name: text, Quoted: true}
}

func (w written) column(name ...string) ast.Expr {
	ref := &ast.ColumnRef{Span: w.span}
	for _, n := range name {
		ref.Parts = append(ref.Parts, w.name(n))
	}
	return ref
}

func (w written) alias(name string) *ast.Alias { return &ast.Alias{Span: w.span, Name: w.name(name)} }

func (w written) call(function string, args ...ast.Expr) *ast.Call {
	return &ast.Call{Span: w.span, Name: ast.Name{Span: w.span, Parts: []ast.Ident{{Span: w.span, Name: function}}}, Args: args}
}

func (w written) lambda(body ast.Expr, params ...string) ast.Expr {
	l := &ast.Lambda{Span: w.span, Body: body}
	for _, p := range params {
		l.Params = append(l.Params, w.name(p))
	}
	return l
}

func (w written) boolean(b bool) ast.Expr {
	return &ast.Literal{Span: w.span, Kind: ast.LitBool, Text: strconv.FormatBool(b)}
}

// query is SELECT x FROM from.
func (w written) query(x ast.Expr, from ast.TableRef) *ast.Query {
	sel := &ast.Select{Span: w.span, Items: []ast.SelectItem{{Span: w.span, Expr: x}}, From: from}
	return &ast.Query{Span: w.span, Body: sel}
}
