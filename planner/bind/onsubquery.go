package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// onSubqueries are the subqueries of one condition of ON, before they have a place: above
// an inner join, or on the side that they read.
type onSubqueries struct {
	applies []*logical.Apply
	cond    expr.Node
	span    diag.Span
}

// attach keeps a subquery; its columns have numbers as if it were joined after grouping.
func (o *onSubqueries) attach(a *logical.Apply) int {
	o.applies = append(o.applies, a)
	return postBase + (len(o.applies)-1)*postStride
}

// onSubquery binds a condition of ON with subqueries.
func (j *joinBinder) onSubquery(part ast.Expr) bool {
	o := &onSubqueries{span: part.Pos()}
	e := &env{b: j.b, scope: j.scope, clause: inOn, on: o}
	if isSubqueryTest(part) {
		j.subqueries = append(j.subqueries, o)
		return e.subqueryTest(part)
	}
	if o.cond = e.condition(part, "ON"); o.cond == nil {
		return false
	}
	j.subqueries = append(j.subqueries, o)
	return true
}

// placeOne puts the subqueries of ON that read only the side that is not kept onto it: a
// row that fails them has no match. The others of an inner join come above it.
func (j *joinBinder) placeOne() bool {
	if len(j.subqueries) == 0 || j.inner() {
		return true
	}
	nl, n := len(j.l.Schema()), len(j.l.Schema())+len(j.r.Schema())
	for _, o := range j.subqueries {
		switch {
		case j.x.Kind == ast.RightJoin && o.reads(0, nl):
			j.l = o.filter(j.l, 0)
		case (j.x.Kind == ast.LeftJoin || j.x.Kind == ast.SemiJoin || j.x.Kind == ast.AntiJoin) && o.reads(nl, n):
			j.r = o.filter(j.r, nl)
		default:
			j.b.errorf(diag.NotPlanned, o.span, "a subquery in ON of %s that reads the kept side is not supported", joinName(j.x.Kind)).
				WithHint("compute it before: SELECT … FROM (SELECT *, (subquery) AS x FROM …) AS a %s … ON a.x", joinName(j.x.Kind))
			return false
		}
	}
	j.subqueries = nil
	return true
}

func (j *joinBinder) inner() bool { return j.x.Kind == ast.InnerJoin || j.x.Kind == ast.CrossJoin }

// placeAbove filters an inner join by the subqueries of its ON.
func (j *joinBinder) placeAbove(plan logical.Node) logical.Node {
	for _, o := range j.subqueries {
		plan = o.filter(plan, 0)
	}
	return plan
}

// reads reports that columns from first to end are all that is read of the join.
func (o *onSubqueries) reads(first, end int) bool {
	ok := true
	check := func(col int) { ok = ok && col >= first && col < end }
	own := func(e expr.Node) {
		for _, c := range expr.ColumnsOf(e) {
			if c < postBase {
				check(c)
			}
		}
	}
	if o.cond != nil {
		own(o.cond)
	}
	for _, a := range o.applies {
		for _, k := range a.LKeys {
			own(k)
		}
		logical.MapOuter(a.R, a.Scope, func(e expr.Node) expr.Node {
			for _, c := range expr.ColumnsOf(e) {
				if s, col, outer := logical.Outer(c); outer && s == a.Scope {
					check(col)
				}
			}
			return e
		})
	}
	return ok
}

// filter applies the condition to an input whose columns are those of the join from first
// on.
func (o *onSubqueries) filter(plan logical.Node, first int) logical.Node {
	exprs, names := logical.Columns(plan), columnNames(plan)
	base := make([]int, len(o.applies))
	place := func(n expr.Node) expr.Node {
		return placePosts(expr.MapColumns(n, func(i int) int {
			if i < postBase {
				return i - first
			}
			return i
		}), base)
	}
	for k, a := range o.applies {
		base[k] = len(plan.Schema())
		node := *a
		node.L = plan
		node.LKeys = make([]expr.Node, len(a.LKeys))
		for i, l := range a.LKeys {
			node.LKeys[i] = place(l)
		}
		node.R = logical.MapOuter(a.R, a.Scope, func(e expr.Node) expr.Node {
			return expr.MapColumns(e, func(i int) int {
				if s, col, outer := logical.Outer(i); outer && s == a.Scope {
					return logical.OuterIndex(s, col-first)
				}
				return i
			})
		})
		plan = &node
	}
	if o.cond != nil {
		plan = &logical.Filter{Input: plan, Predicate: place(o.cond)}
	}
	if len(plan.Schema()) == len(exprs) {
		return plan
	}
	return &logical.Project{Input: plan, Exprs: exprs, Names: names}
}
