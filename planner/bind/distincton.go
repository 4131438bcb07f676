package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// firstOfEach keeps the first row of each key in the order of ORDER BY: DISTINCT ON. It
// takes away the columns that the SELECT does not use, since they are no part of the rows
// by which ties are broken, and moves exprs and sorts onto what is left.
func (sel *selectBinder) firstOfEach(plan logical.Node, shift func(expr.Node) expr.Node, exprs, sorts []expr.Node, order []orderKey) logical.Node {
	var on []expr.Node
	for _, x := range sel.eachColumn(sel.stmt.DistinctOn) {
		n := sel.onKey(x)
		if n == nil {
			return nil
		}
		if n = sel.placed(shift(n)); indexOf(on, n) < 0 {
			on = append(on, n)
		}
	}
	plan = prune(plan, exprs, sorts, on)
	top := &logical.TopN{Input: plan, PartitionBy: on, Limit: 1}
	for i, n := range sorts {
		if indexOf(on, n) < 0 && !expr.IsConst(n) {
			top.Order = append(top.Order, logical.SortKey{Expr: n, Desc: order[i].desc, NullsFirst: order[i].nullsFirst})
		}
	}
	return top
}

// onKey binds a key of DISTINCT ON: a number is a position in the select list, as in
// ORDER BY.
func (sel *selectBinder) onKey(part columnsPart) expr.Node {
	n := sel.ordered(part, "DISTINCT ON")
	if n != nil && sel.grouped {
		n = sel.regroup(n, part.x.Pos())
	}
	return n
}

// prune leaves out the columns that no expression reads, and moves the expressions, in
// place.
func prune(plan logical.Node, lists ...[]expr.Node) logical.Node {
	place := map[int]int{}
	for _, list := range lists {
		for _, n := range list {
			for _, c := range expr.ColumnsOf(n) {
				place[c] = 0
			}
		}
	}
	p := &logical.Project{Input: plan}
	for i, c := range plan.Schema() {
		if _, used := place[i]; used {
			place[i] = len(p.Exprs)
			p.Exprs, p.Names = append(p.Exprs, logical.Col(plan, i)), append(p.Names, c.Name)
		}
	}
	if len(p.Exprs) == len(plan.Schema()) || len(p.Exprs) == 0 {
		return plan
	}
	for _, list := range lists {
		for i, n := range list {
			list[i] = expr.MapColumns(n, func(c int) int { return place[c] })
		}
	}
	return p
}
