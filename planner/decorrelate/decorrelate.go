// Package decorrelate owns the removal of dependent joins: a logical.Apply, whose right
// side reads the columns of its left one, becomes a logical.Join of independent plans.
// It knows logical plans only, and must leave no outer reference behind.
//
// There are three ways, tried in this order:
//
//   - pull.go: conditions on the query around move up into the join, where nothing but
//     filters, projections and joins is between. EXISTS becomes a semi join with keys.
//   - push.go: the right side is computed for all values of the outer references at
//     once, its domain: Neumann and Kemper, "Unnesting Arbitrary Queries" (2015). Each
//     operator works value by value: aggregates group by them, LIMIT is kept for each.
//   - cover.go: where equalities give the values of all outer references, the domain
//     is not computed: the columns that they are equal to take its place.
//
// Before them perrow.go takes out what has another value at each call, such as random().
//
// NULL is a value of the domain like any other, so that its keys are null-safe; and the
// domain is a set, so that equal outer rows each meet the same result.
package decorrelate

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Plan removes every Apply. The error is a *diag.Diagnostic without source.
func Plan(n logical.Node, res *expr.Resolver) (out logical.Node, refused *diag.Diagnostic) {
	d := &decorrelator{res: res, varies: logical.Variation{}}
	// Inner ones first: what they read of the queries further out is, for them, a constant.
	out = logical.Rewrite(n, func(x logical.Node) logical.Node {
		if a, ok := x.(*logical.Apply); ok && d.refused == nil {
			return d.apply(a)
		}
		return x
	})
	return out, d.refused
}

type decorrelator struct {
	res     *expr.Resolver
	refused *diag.Diagnostic
	varies  logical.Variation
}

// refuse keeps the first refusal; the plan that goes with it is not used.
func (d *decorrelator) refuse(a *logical.Apply, hint, format string, args ...any) {
	if d.refused == nil {
		d.refused = diag.Errorf(diag.NotPlanned, a.Span, "%s", fmt.Sprintf(format, args...))
		d.refused.Hint = hint
	}
}

// apply replaces one Apply, whose inputs have none.
func (d *decorrelator) apply(a *logical.Apply) logical.Node {
	if !logical.Mentions(a.R, a.Scope) {
		j := a.Join
		return simplify(&j)
	}
	if e := d.varying(a.R, a.Scope); e != nil {
		return d.perRow(a, e)
	}
	if out := d.pullUp(a); out != nil {
		return out
	}
	if d.varies.In(a.L) != nil && !d.share(a) {
		d.refuse(a, "compute it in a table first: CREATE TABLE … AS SELECT …",
			"a correlated subquery beside an expression that has another value at each call")
		return a
	}
	if tall(a.L) {
		d.share(a) // else each subquery would double the plan of those before it
	}
	return d.unnest(a)
}

// tallPlan is of how many nodes a plan is read twice at most.
const tallPlan = 100

// tall tells whether a plan has more nodes than that, without what is shared already.
func tall(n logical.Node) bool { return unshared(n, tallPlan+1) > tallPlan }

// unshared counts nodes, up to a bound.
func unshared(n logical.Node, most int) int {
	if _, ok := n.(*logical.Shared); ok {
		return 0
	}
	nodes := 1
	for _, c := range n.Children() {
		if nodes >= most {
			break
		}
		nodes += unshared(c, most-nodes)
	}
	return nodes
}

// share makes the left side one node for both that read it, the subquery and what is around
// it: what has another value at each call is the same for them. Within the step of a
// recursion, whose plans are taken apart, it cannot be.
func (d *decorrelator) share(a *logical.Apply) bool {
	steps := false
	logical.Walk(a.L, func(n logical.Node) {
		switch n.(type) {
		case *logical.RecursiveRef, *logical.Feed:
			steps = true
		}
	})
	if !steps && !logical.Correlated(a.L) {
		a.L = &logical.Shared{Name: "around", Input: a.L}
		return true
	}
	return false
}

func anyRefersTo(list []expr.Node, scope int) bool {
	for _, e := range list {
		if logical.RefersTo(e, scope) {
			return true
		}
	}
	return false
}

func isOuter(x expr.Node, scope int) bool {
	c, ok := x.(*expr.Column)
	if !ok {
		return false
	}
	s, _, ok := logical.Outer(c.Index)
	return ok && s == scope
}

func mapList(list []expr.Node, f func(expr.Node) expr.Node) []expr.Node {
	out := make([]expr.Node, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

// move maps the columns of an expression: own ones by own, outer references of the scope
// to columns of the row that they mean. References of other scopes stay.
func move(e expr.Node, scope int, own, outer func(i int) int) expr.Node {
	if e == nil {
		return nil
	}
	return expr.MapColumns(e, func(i int) int {
		s, col, ok := logical.Outer(i)
		switch {
		case !ok:
			return own(i)
		case s == scope:
			return outer(col)
		}
		return i
	})
}

func same(i int) int { return i }

func plus(k int) func(int) int { return func(i int) int { return i + k } }

// moveAll is move for a list.
func moveAll(list []expr.Node, scope int, own, outer func(i int) int) []expr.Node {
	out := make([]expr.Node, len(list))
	for i, e := range list {
		out[i] = move(e, scope, own, outer)
	}
	return out
}

// substitute puts expressions in the place of own columns; outer references stay.
func substitute(e expr.Node, with []expr.Node) expr.Node {
	return expr.Rewrite(e, func(x expr.Node) expr.Node {
		c, ok := x.(*expr.Column)
		if !ok {
			return x
		}
		if _, _, outer := logical.Outer(c.Index); outer {
			return x
		}
		return with[c.Index]
	})
}

func columnNames(n logical.Node) []string {
	cols := n.Schema()
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// conjuncts splits a condition, nil = none.
func conjuncts(e expr.Node) []expr.Node {
	switch x := e.(type) {
	case nil:
		return nil
	case *expr.And:
		return x.Args
	}
	return []expr.Node{e}
}

// filtered adds a filter, if there are conditions.
func filtered(n logical.Node, conds []expr.Node) logical.Node {
	if len(conds) == 0 {
		return n
	}
	return &logical.Filter{Input: n, Predicate: expr.NewAnd(conds...)}
}
