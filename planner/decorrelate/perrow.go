package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// varying finds what has another value at each call over rows that depend on the query
// around; nil if there is nothing. It has one value for each row there, equal rows or not.
func (d *decorrelator) varying(n logical.Node, scope int) expr.Node {
	if d.varies.In(n) == nil {
		return nil
	}
	return logical.Varying(n, func(x logical.Node) bool { return logical.Mentions(x, scope) })
}

// perRow moves the projections of the right side above the join, where they are computed for
// each of its rows: only there what varies has a value of its own for each row of the left
// side. Below, in a condition or an order, it is refused.
func (d *decorrelator) perRow(a *logical.Apply, varies expr.Node) logical.Node {
	below, list := *a, []*logical.Project(nil)
	for p, ok := below.R.(*logical.Project); ok; p, ok = below.R.(*logical.Project) {
		below.R, list = p.Input, append(list, p)
	}
	if left := d.varying(below.R, a.Scope); left != nil || len(a.RKeys) > 0 || a.Residual != nil {
		if left != nil {
			varies = left
		}
		d.refuse(a, "compute it in the query around: SELECT … FROM (SELECT …, "+varies.String()+" AS r …)",
			"%s has another value for each row around a correlated subquery, and can stand in its select list alone", varies)
		return a
	}
	if a.Kind != logical.Left && a.Kind != logical.Inner { // it asks for rows, not for what is in them
		return d.apply(&below)
	}
	var matched expr.Node
	if v, ok := below.R.(*logical.Values); ok && len(v.Rows) == 1 && len(v.Columns) == 0 {
		return d.above(a, a.L, list, nil)
	}
	if a.Kind == logical.Left {
		below.R, matched = marked(below.R, logical.Width(a.L))
	}
	return d.above(a, d.apply(&below), list, matched)
}

// above puts projections, the innermost one last, over a join. matched is the test of its
// rows for a match, where those without one are NULL.
func (d *decorrelator) above(a *logical.Apply, in logical.Node, list []*logical.Project, matched expr.Node) logical.Node {
	nl := logical.Width(a.L)
	for i := len(list) - 1; i >= 0; i-- {
		right := moveAll(list[i].Exprs, a.Scope, plus(nl), same)
		out := &logical.Project{Input: in, Names: append(columnNames(a.L), list[i].Names...)}
		switch {
		case matched != nil && i > 0:
			right, out.Names = append(right, matched), append(out.Names, "matched")
			matched = &expr.Column{Index: nl + len(right) - 1, Name: "matched", T: matched.Type()}
		case matched != nil:
			right = mapList(right, func(e expr.Node) expr.Node {
				n, err := d.res.Case([]expr.Node{matched}, []expr.Node{e}, expr.Null(e.Type()))
				if err != nil {
					d.refuse(a, "write it as a join", "a correlated subquery: %s", err)
				}
				return n
			})
		}
		out.Exprs = append(logical.Columns(a.L), right...)
		in = out
	}
	return in
}

// marked adds a column that a left join behind nl columns leaves NULL for rows without a
// match, and the test of it.
func marked(r logical.Node, nl int) (*logical.Project, expr.Node) {
	p := &logical.Project{Input: r, Exprs: append(logical.Columns(r), expr.Bool(true)), Names: append(columnNames(r), "matched")}
	at := len(p.Exprs) - 1
	return p, expr.NewIsNull(&expr.Column{Index: nl + at, Name: "matched", T: p.Exprs[at].Type()}, true)
}
