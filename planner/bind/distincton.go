package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// firstOfEach keeps the first row of each key in the order of ORDER BY: DISTINCT ON. It
// takes away the columns that the SELECT does not use, since they are no part of the rows
// by which ties are broken, and moves exprs and sorts onto what is left.
func (sel *selectBinder) firstOfEach(plan logical.Node, exprs, sorts []expr.Node, order []orderKey) logical.Node {
	on := sel.on
	plan = prune(plan, exprs, sorts, on)
	top := &logical.TopN{Input: plan, PartitionBy: on, Limit: 1}
	for i, n := range sorts {
		if indexOf(on, n) < 0 && !expr.IsConst(n) {
			top.Order = append(top.Order, logical.SortKey{Expr: n, Desc: order[i].desc, NullsFirst: order[i].nullsFirst})
		}
	}
	return top
}

// bindOn binds the keys of DISTINCT ON before the plan is made, for their subqueries are part of
// it: a number is a position in the select list, as in ORDER BY.
func (sel *selectBinder) bindOn() {
	for _, part := range sel.eachColumn(sel.stmt.DistinctOn) {
		n := sel.ordered(part, "DISTINCT ON")
		if n == nil {
			sel.fail()
			return
		}
		if indexOf(sel.on, n) < 0 {
			sel.on, sel.onSpans = append(sel.on, n), append(sel.onSpans, part.x.Pos())
		}
	}
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
