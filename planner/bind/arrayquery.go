package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// arrayQuery binds ARRAY (query): the values of its rows, NULL too, as an array; an empty
// one if there is none. Rows of several columns are rows in it. Nothing says what comes
// first, so they come by value: the same rows give the same array, however they came.
func (e *env) arrayQuery(x *ast.ArrayQuery) expr.Node {
	q := x.Query.(*ast.Subquery).Query
	if len(q.OrderBy) > 0 && q.Limit == nil {
		e.b.errorf(diag.NotSupported, q.OrderBy[0].Span, "the rows of ARRAY (query) have no order of their own").
			WithHint("write (SELECT list(x ORDER BY …) FROM …)")
		return nil
	}
	plan := e.inner(q)
	if plan == nil {
		return nil
	}
	at := x.Span
	name := func(text string) ast.Ident { return ast.Ident{Span: at, Name: text} }
	call := func(f string, args ...ast.Expr) *ast.Call {
		return &ast.Call{Span: at, Name: ast.Name{Span: at, Parts: []ast.Ident{name(f)}}, Args: args}
	}
	alias := &ast.Alias{Span: at, Name: name("$rows")}
	var values []ast.Expr
	seen := map[string]bool{}
	for i, c := range plan.Schema() {
		id := name(c.Name)
		if id.Quoted = true; seen[c.Name] {
			id = name("col" + itoa(i+1))
		}
		seen[c.Name] = true
		alias.Columns = append(alias.Columns, id)
		values = append(values, &ast.ColumnRef{Span: at, Parts: []ast.Ident{id}})
	}
	value := values[0]
	if len(values) > 1 {
		value = &ast.Row{Span: at, Elems: values}
	}
	list := call("list", value)
	for i, c := range plan.Schema() {
		if c.Type.Ordered() {
			list.OrderBy = append(list.OrderBy, ast.OrderItem{Span: at, Expr: values[i]})
		}
	}
	sel := &ast.Select{Span: at, From: &ast.Derived{Span: at, Query: q, Alias: alias},
		Items: []ast.SelectItem{{Span: at, Expr: call("coalesce", list, call("array"))}}}
	return e.scalarSubquery(&ast.Subquery{Span: at, Query: &ast.Query{Span: at, Body: sel}})
}
