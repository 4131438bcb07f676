package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// postJoin is a subquery that is joined after grouping, so that it may be compared with
// aggregates, or after the functions with OVER with which it is compared. Its column c has the
// number postBase + k·postStride + c until then, or one from lateBase on.
type postJoin struct {
	join *logical.Apply // without L
	span diag.Span
}

const postStride = 64

// attach joins a subquery with the input, or after grouping, and returns the number of the
// first column that it adds.
func (sel *selectBinder) attach(e *env, a *logical.Apply, span diag.Span) int {
	if slices.ContainsFunc(a.LKeys, hasOverRef) {
		sel.lates = append(sel.lates, postJoin{join: a, span: sel.here(span)})
		return lateBase + (len(sel.lates)-1)*postStride
	}
	if sel.grouped && !e.inAgg && e.clause >= inSelect && (!sel.keying || readsGroups(a)) {
		sel.posts = append(sel.posts, postJoin{join: a, span: sel.here(span)})
		return postBase + (len(sel.posts)-1)*postStride
	}
	base := len(sel.input.Schema())
	a.L = sel.input
	sel.input = a
	return base
}

// readsGroups reports a subquery that compares with or reads, by an alias, what is computed of
// the groups around it.
func readsGroups(a *logical.Apply) bool {
	found := slices.ContainsFunc(a.LKeys, hasAggRef)
	logical.MapOuter(a.R, a.Scope, func(n expr.Node) expr.Node {
		for _, c := range expr.ColumnsOf(n) {
			s, col, outer := logical.Outer(c)
			found = found || outer && s == a.Scope && ofGroups(col)
		}
		return n
	})
	return found
}

// regroupPosts moves what subqueries compare and read of this query onto the Aggregate.
func (sel *selectBinder) regroupPosts() bool {
	ok := true
	for _, p := range slices.Concat(sel.posts, sel.lates) {
		for i, k := range p.join.LKeys {
			if p.join.LKeys[i] = sel.regroup(k, p.span); p.join.LKeys[i] == nil {
				ok = false
			}
		}
		scope := p.join.Scope
		p.join.R = logical.MapOuter(p.join.R, scope, func(e expr.Node) expr.Node {
			n := sel.regroupOuter(e, scope, p.span)
			if n == nil {
				ok = false
				return e
			}
			return n
		})
	}
	return ok
}

// regroupOuter is regroup for an expression of a subquery: what reads this query alone
// must be a key, or made of keys.
func (sel *selectBinder) regroupOuter(e expr.Node, scope int, span diag.Span) expr.Node {
	if !logical.RefersTo(e, scope) {
		return e
	}
	if own, ok := ownExpr(e, scope); ok {
		n := sel.regroup(own, span)
		if n == nil {
			return nil
		}
		return expr.MapColumns(n, func(i int) int { return logical.OuterIndex(scope, i) })
	}
	kids := e.Children()
	next := make([]expr.Node, len(kids))
	for i, k := range kids {
		if next[i] = sel.regroupOuter(k, scope, span); next[i] == nil {
			return nil
		}
	}
	return e.WithChildren(next)
}

// ownExpr is an expression of a subquery that reads columns of the scope only, as one over
// the scope.
func ownExpr(e expr.Node, scope int) (expr.Node, bool) {
	for _, c := range expr.ColumnsOf(e) {
		if s, _, ok := logical.Outer(c); !ok || s != scope {
			return nil, false
		}
	}
	return expr.MapColumns(e, func(i int) int {
		_, col, _ := logical.Outer(i)
		return col
	}), true
}

// joinPosts joins the subqueries, and returns how expressions find their columns.
func (sel *selectBinder) joinPosts(plan logical.Node) (logical.Node, func(expr.Node) expr.Node) {
	return joinOn(plan, sel.posts, postBase, func(n expr.Node) expr.Node { return n })
}

// joinLates is joinPosts over the functions with OVER, whose places are known.
func (sel *selectBinder) joinLates(plan logical.Node) (logical.Node, func(expr.Node) expr.Node) {
	return joinOn(plan, sel.lates, lateBase, sel.placed)
}

// joinOn joins subqueries, the columns of which are numbered from a base on, each beside those
// before it.
func joinOn(plan logical.Node, posts []postJoin, from int, placed func(expr.Node) expr.Node) (logical.Node, func(expr.Node) expr.Node) {
	base := make([]int, 0, len(posts))
	shift := func(n expr.Node) expr.Node { return placePosts(placed(n), from, base) }
	for _, p := range posts {
		node := *p.join
		node.L, node.LKeys = plan, make([]expr.Node, len(p.join.LKeys))
		for i, l := range p.join.LKeys {
			node.LKeys[i] = shift(l)
		}
		base = append(base, len(plan.Schema()))
		plan = &node
	}
	return plan, shift
}

// placePosts gives columns of subqueries that were joined late their numbers.
func placePosts(n expr.Node, from int, base []int) expr.Node {
	if len(base) == 0 {
		return n
	}
	return expr.MapColumns(n, func(i int) int {
		k := (i - from) / postStride
		if i < from || k >= len(base) {
			return i
		}
		return base[k] + (i-from)%postStride
	})
}
