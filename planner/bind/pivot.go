package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pivoter binds PIVOT as a SELECT: the columns that PIVOT does not use are its keys, and
// each aggregate stands once for each value, over the rows that have the value.
type pivoter struct {
	b    *Binder
	x    *ast.Pivot
	sel  *selectBinder
	axis []expr.Node // the columns after FOR
}

func (b *Binder) pivot(x *ast.Pivot, outer *scope) (logical.Node, *scope) {
	input, s := b.from(x.Input, outer)
	if s.broken {
		return broken()
	}
	sel := &selectBinder{b: b, stmt: &ast.Select{Span: x.Span}, timed: map[string]bool{}, hops: map[string]int{},
		spans: map[*expr.Column]diag.Span{}, input: input, scope: s, grouped: true, ok: true}
	p := &pivoter{b: b, x: x, sel: sel}
	p.bindAxis()
	if sel.ok && p.aggregatesOnly() {
		p.bindCells()
	}
	p.bindKeys()
	if !sel.ok {
		return broken()
	}
	r := sel.build(nil, nil, &cut{limit: logical.NoLimit})
	if r == nil {
		return broken()
	}
	return b.aliased(r.plan, x.Alias, "", nil)
}

func (p *pivoter) column(n ast.Name) expr.Node {
	x := p.sel.env(inSelect).column(&ast.ColumnRef{Span: n.Span, Parts: n.Parts})
	if x == nil {
		p.sel.fail()
	}
	return x
}

func (p *pivoter) bindAxis() {
	for _, n := range p.x.For {
		p.axis = append(p.axis, p.column(n))
	}
}

// aggregatesOnly refuses what PIVOT cannot compute for each value.
func (p *pivoter) aggregatesOnly() bool {
	for _, it := range p.x.Aggs {
		over := false
		walkExpr(it.Expr, func(n ast.Expr) bool {
			c, ok := n.(*ast.Call)
			over = over || ok && c.Over != nil
			return true
		})
		if over || !p.b.hasAggregate(it.Expr) {
			p.sel.fail()
			p.b.errorf(diag.BadPivot, it.Span, "PIVOT needs aggregates, and %s is none", it.Text).
				WithHint("write PIVOT (any_value(x) FOR …), or compute it in a subquery")
		}
	}
	return p.sel.ok
}

// bindCells makes the column of each value and aggregate.
func (p *pivoter) bindCells() {
	for _, v := range p.x.Values {
		name, ok := p.bindValue(v)
		if !ok {
			p.sel.fail()
			continue
		}
		for _, agg := range p.x.Aggs {
			p.bindCell(name, agg)
		}
	}
	p.sel.cell = nil
}

// bindValue sets the condition of a value and gives its name: the alias, else the text.
func (p *pivoter) bindValue(v ast.PivotValue) (string, bool) {
	e := &env{b: p.b, scope: &scope{}}
	p.sel.cell = nil
	name := ""
	for i, x := range v.Exprs {
		n, ok := p.constant(e, x)
		if !ok {
			return "", false
		}
		text, ok := p.text(x, n)
		if p.axis[i].Type().Kind == types.String && !n.IsNull() {
			n = expr.Text(text) // a number is no reason to read the column as numbers
		}
		is := p.b.resolve(x.Pos(), "<=>", p.axis[i], n)
		if is == nil || !ok {
			return "", false
		}
		p.sel.cell = conjunction(p.sel.cell, is)
		name += map[bool]string{true: ", "}[i > 0] + text
	}
	switch {
	case v.Alias != nil:
		name = v.Alias.Name
	case len(v.Exprs) > 1:
		name = "{" + name + "}"
	}
	return name, true
}

func (p *pivoter) constant(e *env, x ast.Expr) (*expr.Const, bool) {
	var n expr.Node
	reads := false
	walkExpr(x, func(x ast.Expr) bool {
		_, ok := x.(*ast.ColumnRef)
		reads = reads || ok
		return true
	})
	if !reads {
		if n = e.expr(x); n == nil {
			return nil, false
		}
	}
	c, ok := n.(*expr.Const)
	if !ok {
		p.b.errorf(diag.BadPivot, x.Pos(), "a value of PIVOT must be a constant")
	}
	return c, ok
}

// text is a constant as text, which names its column.
func (p *pivoter) text(x ast.Expr, n expr.Node) (string, bool) {
	t := p.b.cast(x.Pos(), n, types.Of(types.String))
	c, ok := t.(*expr.Const)
	switch {
	case !ok:
		if t != nil {
			p.b.errorf(diag.BadPivot, x.Pos(), "a value of PIVOT must be a constant that names a column")
		}
		return "", false
	case c.IsNull():
		return "null", true
	}
	return c.V.Text(0), true
}

// bindCell binds an aggregate over the rows of a value. Without such a row it is NULL.
func (p *pivoter) bindCell(name string, agg ast.SelectItem) {
	if len(p.x.Aggs) > 1 {
		name += "_" + itemName(agg)
	}
	sel := p.sel
	sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: agg.Span, Expr: agg.Expr, Text: agg.Text}, name: name})
	sel.bindItem(len(sel.items) - 1)
	it := &sel.items[len(sel.items)-1]
	if it.state == itemFailed || p.nullWhenEmpty(it.nodes[0]) {
		return
	}
	rows := p.b.resolve(agg.Span, ">", sel.env(inSelect).call(countStar(agg.Span)), expr.Int(types.Of(types.Int64), 0))
	n, err := p.b.res.Case([]expr.Node{rows}, it.nodes, nil)
	if err != nil {
		p.b.report(err, agg.Span)
		sel.fail()
		return
	}
	it.nodes = []expr.Node{n}
}

func countStar(span diag.Span) *ast.Call {
	return &ast.Call{Span: span, Name: ast.Name{Span: span, Parts: []ast.Ident{{Span: span, Name: "count"}}}, Star: true}
}

// nullWhenEmpty reports a plain aggregate that is NULL over no rows.
func (p *pivoter) nullWhenEmpty(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	if !ok || c.Index < aggBase || c.Index >= outerBase {
		return false
	}
	return p.sel.aggs[c.Index-aggBase].Empty().IsNull()
}

// bindKeys groups by the columns of GROUP BY, or by all that PIVOT does not use, and puts
// them first.
func (p *pivoter) bindKeys() {
	if !p.sel.ok {
		return
	}
	sel := p.sel
	var keys []selectItem
	if len(p.x.GroupBy) > 0 {
		for _, n := range p.x.GroupBy {
			keys = append(keys, p.key(p.column(n), n.Last().Name, n.Span))
		}
	} else {
		used := p.used()
		for _, i := range sel.scope.visible() {
			if c := sel.scope.cols[i]; !slices.Contains(used, c.index) {
				keys = append(keys, p.key(sel.scope.ref(i), c.name, p.x.Span))
			}
		}
	}
	sel.keysDone = true
	sel.items = append(keys, sel.items...)
}

func (p *pivoter) key(n expr.Node, name string, span diag.Span) selectItem {
	if n != nil {
		p.sel.addKey(n, name, span)
	}
	return selectItem{ast: ast.SelectItem{Span: span}, name: name, nodes: []expr.Node{n}, names: []string{name}, state: itemDone}
}

// used are the columns of the input after FOR and in aggregates.
func (p *pivoter) used() []int {
	nodes := slices.Clone(p.axis)
	for _, it := range p.sel.items {
		nodes = append(nodes, it.nodes...)
	}
	for _, a := range p.sel.aggs {
		nodes = append(nodes, a.Args...)
		if a.Filter != nil {
			nodes = append(nodes, a.Filter)
		}
		for _, k := range a.Order {
			nodes = append(nodes, k.Expr)
		}
	}
	return expr.ColumnsOf(nodes...)
}
