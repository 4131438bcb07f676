package bind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// arrayQuery binds ARRAY (query): the values of its rows, NULL too, as an array; an empty
// one if there is none. Rows of several columns are rows in it. Nothing says what comes
// first unless the query does; then they come by value, so that the same rows give the same
// array, however they came.
func (e *env) arrayQuery(x *ast.ArrayQuery) expr.Node {
	q := x.Query.(*ast.Subquery).Query
	order, keys := q.OrderBy, 0
	if q.Limit == nil && q.Offset == nil && len(order) > 0 {
		unordered := *q
		unordered.OrderBy = nil
		order, keys = withKeys(&unordered, order)
		q = &unordered
	}
	plan := e.inner(q)
	if plan == nil {
		return nil
	}
	w := written{x.Span}
	alias := w.alias("$rows")
	var values []ast.Expr
	seen := map[string]bool{}
	for i, c := range plan.Schema() {
		id := w.name(c.Name)
		if seen[c.Name] {
			id = w.name("col" + itoa(i+1))
		}
		seen[c.Name] = true
		alias.Columns = append(alias.Columns, id)
		values = append(values, w.column(id.Name))
	}
	given, value := len(values)-keys, values[0]
	if given > 1 {
		value = &ast.Row{Span: x.Span, Elems: values[:given]}
	}
	list := w.call("list", value)
	if list.OrderBy = e.arrayOrder(order, q.Span, plan.Schema(), values); list.OrderBy == nil {
		return nil
	}
	query := w.query(w.call("coalesce", list, w.call("array")), &boundQuery{&ast.Derived{Span: x.Span, Alias: alias}, plan})
	return e.scalarSubquery(&ast.Subquery{Span: x.Span, Query: query})
}

// withKeys adds what a plain SELECT is ordered by, and does not give, to its columns. It tells
// the order by columns, and how many it added.
func withKeys(q *ast.Query, order []ast.OrderItem) ([]ast.OrderItem, int) {
	s, ok := q.Body.(*ast.Select)
	if !ok || s.Distinct || len(s.DistinctOn) > 0 {
		return order, 0
	}
	star := slices.ContainsFunc(s.Items, func(it ast.SelectItem) bool { return hasStar(it.Expr) })
	wide := *s
	wide.Items = slices.Clone(s.Items)
	order = slices.Clone(order)
	for i, o := range order {
		if _, name := o.Expr.(*ast.ColumnRef); ordinal(o.Expr) || star && name || slices.ContainsFunc(s.Items, func(it ast.SelectItem) bool { return namedBy(o.Expr, it) }) {
			continue
		}
		id := ast.Ident{Span: o.Span, Name: "$key" + itoa(i+1), Quoted: true}
		wide.Items = append(wide.Items, ast.SelectItem{Span: o.Span, Expr: o.Expr, Alias: &id})
		order[i].Expr = &ast.ColumnRef{Span: o.Span, Parts: []ast.Ident{id}}
	}
	q.Body = &wide
	return order, len(wide.Items) - len(s.Items)
}

// ordinal reports the number of a column.
func ordinal(x ast.Expr) bool {
	l, ok := x.(*ast.Literal)
	return ok && l.Kind == ast.LitInt
}

// namedBy reports the name of an item.
func namedBy(x ast.Expr, it ast.SelectItem) bool {
	ref, ok := x.(*ast.ColumnRef)
	return ok && strings.EqualFold(itemName(it), ref.Parts[len(ref.Parts)-1].Name)
}

// arrayOrder is the order of the rows of ARRAY (query), values are its columns: what the
// query says, then by value. It is nil, with an error, if the query orders by what it does not give.
func (e *env) arrayOrder(by []ast.OrderItem, at diag.Span, schema []types.Column, values []ast.Expr) []ast.OrderItem {
	order := []ast.OrderItem{}
	for _, item := range by {
		i := outputOf(item.Expr, schema)
		if i < 0 {
			e.b.errorf(diag.NotSupported, item.Expr.Pos(), "ORDER BY in ARRAY (query) takes columns that the query gives").
				WithHint("write (SELECT list(x ORDER BY …) FROM …)")
			return nil
		}
		item.Expr = values[i]
		order = append(order, item)
	}
	for i, c := range schema {
		if c.Type.Ordered() {
			order = append(order, ast.OrderItem{Span: at, Expr: values[i]})
		}
	}
	return order
}

// outputOf is the column of a schema that an item of ORDER BY names, by name or by place; -1 =
// none.
func outputOf(x ast.Expr, schema []types.Column) int {
	switch x := x.(type) {
	case *ast.ColumnRef:
		return slices.IndexFunc(schema, func(c types.Column) bool { return strings.EqualFold(c.Name, x.Parts[len(x.Parts)-1].Name) })
	case *ast.Literal:
		if n, err := strconv.Atoi(x.Text); err == nil && x.Kind == ast.LitInt && n >= 1 && n <= len(schema) {
			return n - 1
		}
	}
	return -1
}
