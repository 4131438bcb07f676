package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// overGroups makes two of a SELECT that generates rows from aggregates: one that groups, and
// one over its rows that generates, since the rows are made of the groups. q is the query
// around, which is ordered by what the outer one has.
func (b *Binder) overGroups(s *ast.Select, q *ast.Query) (*ast.Select, *ast.Query) {
	if !slices.ContainsFunc(s.Items, b.generatesFromGroups) || len(s.DistinctOn) > 0 ||
		slices.ContainsFunc(s.Items, func(it ast.SelectItem) bool { return hasStar(it.Expr) }) {
		return s, q
	}
	w := written{s.Span}
	o := &groupRows{b: b, w: w, alias: w.alias("$groups")}
	rows := &ast.Select{Span: s.Span, Distinct: s.Distinct}
	for _, it := range s.Items {
		rows.Items = append(rows.Items, o.item(it))
	}
	for _, move := range o.late {
		move()
	}
	q = o.order(s, q)
	groups := *s
	groups.Items, groups.Distinct = o.items, false
	rows.From = &ast.Derived{Span: s.Span, Query: &ast.Query{Span: s.Span, Body: &groups}, Alias: o.alias}
	return rows, q
}

// generatesFromGroups reports an item that makes rows of what aggregates give.
func (b *Binder) generatesFromGroups(it ast.SelectItem) bool {
	call, ok := it.Expr.(*ast.Call)
	if !ok || call.Over != nil {
		return false
	}
	g, ok := b.cat.Functions.Generator(foldName(call.Name.String()))
	return ok && !g.FromOnly && slices.ContainsFunc(call.Args, b.hasAggregate)
}

// groupRows collects the items of the SELECT that groups.
type groupRows struct {
	b     *Binder
	w     written
	items []ast.SelectItem
	alias *ast.Alias // names them
	// late adds what has no place of its own, so that GROUP BY 2 keeps its meaning.
	late []func()
}

// column adds an item below, and is its column above.
func (o *groupRows) column(it ast.SelectItem) ast.Expr {
	id := o.w.name("$" + itoa(len(o.items)+1))
	o.items, o.alias.Columns = append(o.items, it), append(o.alias.Columns, id)
	return &ast.ColumnRef{Span: it.Span, Parts: []ast.Ident{id}}
}

// item is an item above: a column, or a generator of columns.
func (o *groupRows) item(it ast.SelectItem) ast.SelectItem {
	if !o.b.generatesFromGroups(it) {
		id := ast.Ident{Span: it.Span, Name: itemName(it), Quoted: true}
		return ast.SelectItem{Span: it.Span, Expr: o.column(it), Alias: &id}
	}
	call := *it.Expr.(*ast.Call)
	call.Args = slices.Clone(call.Args)
	first := slices.IndexFunc(call.Args, o.b.hasAggregate)
	for i, arg := range call.Args {
		move := func() { call.Args[i] = o.column(ast.SelectItem{Span: arg.Pos(), Expr: arg}) }
		if _, constant := arg.(*ast.Literal); i == first {
			move()
		} else if !constant {
			o.late = append(o.late, move)
		}
	}
	it.Expr = &call
	return it
}

// order is the query around, ordered by columns above.
func (o *groupRows) order(s *ast.Select, q *ast.Query) *ast.Query {
	if q == nil {
		return nil
	}
	around := *q
	around.OrderBy = slices.Clone(q.OrderBy)
	for i, by := range around.OrderBy {
		x, _ := uncollated(by.Expr)
		if !ordinal(x) && !slices.ContainsFunc(s.Items, func(it ast.SelectItem) bool { return namedBy(x, it) }) {
			around.OrderBy[i].Expr = o.column(ast.SelectItem{Span: by.Span, Expr: by.Expr})
		}
	}
	return &around
}

// hasStar reports a star, which is several columns.
func hasStar(x ast.Expr) bool {
	found := false
	walkExpr(x, func(n ast.Expr) bool {
		if c, ok := n.(*ast.Call); ok && c.Star {
			return true
		}
		found = found || isStar(n)
		return !found
	})
	return found
}
