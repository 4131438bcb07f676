package bind

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// nearest binds l JOIN r NEAREST n BY DISTANCE x as the lateral query that it is short for:
// of r, ordered by x, the first n rows for each row of l, without those for which x is NULL.
func (b *Binder) nearest(x *ast.Join, outer *scope) (logical.Node, *scope) {
	n := x.Nearest
	if x.Kind != ast.InnerJoin && x.Kind != ast.LeftJoin || x.Asof || x.Natural {
		b.errorf(diag.NotPlanned, n.Span, "NEAREST follows JOIN and LEFT JOIN")
		return broken()
	}
	w := written{n.Span}
	query := w.query(&ast.Star{Span: n.Span}, x.R)
	query.Body.(*ast.Select).Where = &ast.Is{Span: n.Span, X: n.By, What: ast.IsNull, Not: true}
	query.OrderBy = []ast.OrderItem{{Span: n.Span, Expr: n.By, Desc: n.Similarity}}
	query.Limit = &ast.Literal{Span: n.Span, Kind: ast.LitInt, Text: "1"}
	if n.Count != nil {
		query.Limit = n.Count
	}
	join := *x
	join.Nearest, join.On = nil, w.boolean(true)
	join.R = &ast.Derived{Span: x.R.Pos(), Lateral: true, Query: query, Alias: calledAs(x.R)}
	return b.join(&join, outer)
}

// calledAs is the name by which a query calls a table of FROM.
func calledAs(ref ast.TableRef) *ast.Alias {
	switch x := ref.(type) {
	case *ast.TableName:
		if x.Alias == nil {
			return &ast.Alias{Span: x.Span, Name: x.Name.Last()}
		}
		return &ast.Alias{Span: x.Span, Name: x.Alias.Name}
	case *ast.Derived:
		if x.Alias != nil {
			return &ast.Alias{Span: x.Span, Name: x.Alias.Name}
		}
	case *ast.TableFunc:
		if x.Alias != nil {
			return &ast.Alias{Span: x.Span, Name: x.Alias.Name}
		}
	}
	return nil
}
