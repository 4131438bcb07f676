package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// onSubqueries are the subqueries of one condition of ON, before they have a place: above
// an inner join; else on the side that is not kept, where a row that fails the condition
// is no match. There, columns of the kept side are outer references.
type onSubqueries struct {
	applies []*logical.Apply
	cond    expr.Node // nil: the subqueries are the condition
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
	j.subqueries = append(j.subqueries, o)
	if isSubqueryTest(part) {
		return e.subqueryTest(part)
	}
	o.cond = e.condition(part, "ON")
	return o.cond != nil
}

// fullByParts binds a full join with subqueries in ON: the left join, and below it the
// right rows that have no match.
func (b *Binder) fullByParts(x *ast.Join, outer *scope) (logical.Node, *scope) {
	left, anti := *x, *x
	left.Kind = ast.LeftJoin
	anti.Kind, anti.L, anti.R = ast.AntiJoin, x.R, x.L
	plan, s := b.join(&left, outer)
	if s.broken {
		return plan, s
	}
	rest, rs := b.join(&anti, outer)
	if rs.broken {
		return rest, rs
	}
	kept := len(plan.Schema()) - len(rest.Schema())
	p := &logical.Project{Input: rest, Names: columnNames(plan)}
	for _, c := range plan.Schema()[:kept] {
		p.Exprs = append(p.Exprs, expr.Null(c.Type))
	}
	p.Exprs = append(p.Exprs, logical.Columns(rest)...)
	return &logical.UnionAll{Inputs: []logical.Node{plan, p}}, s
}

func (j *joinBinder) inner() bool { return j.x.Kind == ast.InnerJoin || j.x.Kind == ast.CrossJoin }

// placed says where the columns of a join are when its subqueries are placed: own ones
// from first to end are columns of the plan, others are outer references of a scope.
type placed struct {
	first, end int
	kept       int // the first column of the other side
	scope      int
}

func (p placed) at(i int) int {
	if i >= p.first && i < p.end {
		return i - p.first
	}
	return logical.OuterIndex(p.scope, i-p.kept)
}

// placeBeside makes a dependent join of an outer, semi or anti join with subqueries in ON,
// which filter its right side; scope is of the references to the left one.
func (j *joinBinder) placeBeside(node *logical.Join, swapped bool, scope int) logical.Node {
	if len(j.subqueries) == 0 || j.inner() {
		return node
	}
	nl := len(j.l.Schema())
	at := placed{first: nl, end: nl + len(j.r.Schema()), scope: scope}
	if swapped {
		at = placed{end: nl, kept: nl, scope: scope}
	}
	a := &logical.Apply{Join: *node, Scope: scope, Span: j.b.place(j.subqueries[0].span)}
	for _, o := range j.subqueries {
		a.R = o.filter(a.R, at)
	}
	return a
}

// placeAbove filters an inner join by the subqueries of its ON.
func (j *joinBinder) placeAbove(plan logical.Node) logical.Node {
	if !j.inner() {
		return plan
	}
	for _, o := range j.subqueries {
		plan = o.filter(plan, placed{end: len(plan.Schema())})
	}
	return plan
}

// filter applies the condition to a plan.
func (o *onSubqueries) filter(plan logical.Node, at placed) logical.Node {
	exprs, names := logical.Columns(plan), columnNames(plan)
	base := make([]int, len(o.applies))
	place := func(n expr.Node) expr.Node {
		return placePosts(expr.MapColumns(n, func(i int) int {
			if i < postBase {
				return at.at(i)
			}
			return i
		}), postBase, base)
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
				s, col, outer := logical.Outer(i)
				if !outer || s != a.Scope {
					return i
				}
				if to := at.at(col); to < postBase {
					return logical.OuterIndex(s, to)
				}
				return at.at(col)
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
