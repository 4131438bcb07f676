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
// each aggregate stands once for each combination of values, over the rows that have it.
type pivoter struct {
	b    *Binder
	x    *ast.Pivot
	sel  *selectBinder
	axes [][]expr.Node // what each axis compares
}

// pivotCell is a value of an axis, or one of each: its name and the test of a row for it.
type pivotCell struct {
	name string
	is   expr.Node
}

func (b *Binder) pivot(x *ast.Pivot, outer *scope) (logical.Node, *scope) {
	input, s := b.from(x.Input, outer)
	if s.broken {
		return broken()
	}
	sel := &selectBinder{b: b, stmt: &ast.Select{Span: x.Span}, timed: map[string]bool{}, hops: map[string]int{},
		spans: map[*expr.Column]diag.Span{}, within: len(b.calls), input: input, scope: s, grouped: true, ok: true}
	p := &pivoter{b: b, x: x, sel: sel}
	p.bindAxes()
	if sel.ok && p.aggregatesOnly() {
		p.bindCells(outer)
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

func (p *pivoter) bindAxes() {
	for _, a := range p.x.Axes {
		var on []expr.Node
		for _, x := range a.On {
			n := (&env{b: p.b, scope: p.sel.scope}).expr(x)
			if n != nil && len(expr.ColumnsOf(n)) == 0 {
				p.b.errorf(diag.BadPivot, x.Pos(), "PIVOT compares columns with values, and this is a constant")
				n = nil
			}
			if n == nil {
				p.sel.fail()
			}
			on = append(on, n)
		}
		p.axes = append(p.axes, on)
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

// maxPivot bounds the columns that values make.
const maxPivot = 10_000

// bindCells makes the column of each combination of values and each aggregate.
func (p *pivoter) bindCells(outer *scope) {
	cells := []pivotCell{{}}
	for i, a := range p.x.Axes {
		list, ok := p.axisCells(i, a, outer)
		if !ok {
			p.sel.fail()
			return
		}
		var next []pivotCell
		for _, c := range cells {
			for _, v := range list {
				name := v.name
				if i > 0 {
					name = c.name + "_" + name
				}
				next = append(next, pivotCell{name, conjunction(c.is, v.is)})
			}
		}
		if cells = next; len(cells) > maxPivot {
			p.sel.fail()
			p.b.errorf(diag.BadPivot, a.Span, "PIVOT makes more than %d columns", maxPivot)
			return
		}
	}
	aggs := p.x.Aggs
	if len(aggs) == 0 && len(p.axes) > 0 {
		aggs = []ast.SelectItem{{Span: p.x.Span, Expr: countStar(p.x.Span), Text: "count(*)"}}
	}
	for _, c := range cells {
		p.sel.cell = c.is
		for _, agg := range aggs {
			p.bindCell(c.name, agg)
		}
	}
	p.sel.cell = nil
}

// axisCells are the values of an axis.
func (p *pivoter) axisCells(i int, a *ast.PivotAxis, outer *scope) ([]pivotCell, bool) {
	if len(a.Values) == 0 {
		return p.foundCells(i, a, outer)
	}
	var cells []pivotCell
	for _, v := range a.Values {
		e := &env{b: p.b, scope: &scope{}}
		var list []*expr.Const
		for _, x := range v.Exprs {
			n, ok := p.constant(e, x)
			if !ok {
				return nil, false
			}
			list = append(list, n)
		}
		c, ok := p.valueCell(i, v.Span, list)
		if !ok {
			return nil, false
		}
		if v.Alias != nil {
			c.name = v.Alias.Name
		}
		cells = append(cells, c)
	}
	return cells, true
}

// valueCell tests for values of an axis; its name is their text.
func (p *pivoter) valueCell(i int, at diag.Span, list []*expr.Const) (pivotCell, bool) {
	var c pivotCell
	for k, n := range list {
		text, ok := p.text(at, n)
		if p.axes[i][k].Type().Kind == types.String && !n.IsNull() {
			n = expr.Text(text) // a number is no reason to read the column as numbers
		}
		is := p.b.resolve(at, "<=>", p.axes[i][k], n)
		if is == nil || !ok {
			return c, false
		}
		c.is = conjunction(c.is, is)
		c.name += map[bool]string{true: p.separator()}[k > 0] + text
	}
	if len(list) > 1 && !p.x.Statement {
		c.name = "{" + c.name + "}"
	}
	return c, true
}

func (p *pivoter) separator() string {
	if p.x.Statement {
		return "_"
	}
	return ", "
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
func (p *pivoter) text(at diag.Span, n expr.Node) (string, bool) {
	t := p.b.cast(at, n, types.Of(types.String))
	c, ok := t.(*expr.Const)
	switch {
	case !ok:
		if t != nil {
			p.b.errorf(diag.BadPivot, at, "a value of PIVOT must be a constant that names a column")
		}
		return "", false
	case c.IsNull():
		return "null", true
	}
	return c.V.Text(0), true
}

// bindCell binds an aggregate over the rows of a value. Without such a row it is NULL; that
// of a statement is what the aggregate is over no rows, as in DuckDB.
func (p *pivoter) bindCell(name string, agg ast.SelectItem) {
	switch {
	case len(p.axes) == 0:
		name = itemName(agg)
	case len(p.x.Aggs) > 1 || p.x.Statement && agg.Alias != nil:
		name += "_" + itemName(agg)
	}
	sel := p.sel
	sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: agg.Span, Expr: agg.Expr, Text: agg.Text}, name: name})
	sel.bindItem(len(sel.items) - 1)
	it := &sel.items[len(sel.items)-1]
	if it.state == itemFailed || p.x.Statement || p.nullWhenEmpty(it.nodes[0]) {
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
	if len(p.x.GroupBy) > 0 || len(p.axes) == 0 {
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
	nodes := slices.Concat(p.axes...)
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
