package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// regroupOvers moves the windows and QUALIFY onto the Aggregate.
func (sel *selectBinder) regroupOvers() bool {
	ok := true
	for i := range sel.overs {
		c := &sel.overs[i]
		c.rewrite(func(n expr.Node) expr.Node {
			if x := sel.regroup(n, c.span); x != nil {
				return x
			}
			ok = false
			return n
		})
	}
	sel.overFound.Reset()
	if sel.qualify != nil {
		sel.qualify = sel.regroup(sel.qualify, sel.stmt.Qualify.Pos())
		ok = ok && sel.qualify != nil
	}
	return ok
}

func (c *overCall) rewrite(with func(expr.Node) expr.Node) {
	for i, n := range c.partition {
		c.partition[i] = with(n)
	}
	c.order = logical.MapSortKeys(c.order, with)
	c.f = c.f.Map(with)
}

// windowed computes the functions with OVER, one node a window, and applies QUALIFY. The
// expressions over plan are changed in place to read its result.
func (sel *selectBinder) windowed(plan logical.Node, shift func(expr.Node) expr.Node, lists ...[]expr.Node) logical.Node {
	if len(sel.overs) == 0 {
		if sel.qualify != nil {
			plan = &logical.Filter{Input: plan, Predicate: shift(sel.qualify)}
		}
		return plan
	}
	for i := range sel.overs {
		sel.overs[i].rewrite(shift)
	}
	for _, p := range sel.lates {
		for i, k := range p.join.LKeys {
			p.join.LKeys[i] = shift(k)
		}
	}
	if sel.qualify != nil {
		lists = append(lists, []expr.Node{shift(sel.qualify)})
	}
	plan = sel.onlyUsed(plan, lists)
	plan, shift = sel.joinLates(sel.overNodes(plan))
	for _, list := range lists {
		for i, n := range list {
			list[i] = shift(n)
		}
	}
	if sel.qualify != nil {
		plan = &logical.Filter{Input: plan, Predicate: lists[len(lists)-1][0]}
	}
	return plan
}

// onlyUsed leaves out the columns that the SELECT does not use: they are no part of the
// rows by which ties are broken. Its expressions are moved.
func (sel *selectBinder) onlyUsed(plan logical.Node, lists [][]expr.Node) logical.Node {
	width := len(plan.Schema())
	used := map[int]bool{}
	note := func(n expr.Node) expr.Node {
		for _, c := range expr.ColumnsOf(n) {
			used[c] = true
		}
		return n
	}
	for _, list := range lists {
		for _, n := range list {
			note(n)
		}
	}
	for i := range sel.overs {
		sel.overs[i].rewrite(note)
	}
	for _, p := range sel.lates {
		p.mapColumns(func(c int) int {
			used[c] = true
			return c
		})
	}
	place := make([]int, width)
	p := &logical.Project{Input: plan}
	for i, c := range plan.Schema() {
		if used[i] {
			place[i] = len(p.Exprs)
			p.Exprs, p.Names = append(p.Exprs, logical.Col(plan, i)), append(p.Names, c.Name)
		}
	}
	if len(p.Exprs) == width || len(p.Exprs) == 0 || len(sel.stmt.DistinctOn) > 0 {
		return plan
	}
	to := func(i int) int {
		if i < width {
			return place[i]
		}
		return i
	}
	move := func(n expr.Node) expr.Node { return expr.MapColumns(n, to) }
	for _, list := range lists {
		for i, n := range list {
			list[i] = move(n)
		}
	}
	for i := range sel.overs {
		sel.overs[i].rewrite(move)
	}
	for _, l := range sel.lates {
		l.mapColumns(to)
	}
	return p
}

// mapColumns changes which columns of the query around a subquery compares and reads.
func (p postJoin) mapColumns(to func(int) int) {
	for i, k := range p.join.LKeys {
		p.join.LKeys[i] = expr.MapColumns(k, to)
	}
	scope := p.join.Scope
	p.join.R = logical.MapOuter(p.join.R, scope, func(e expr.Node) expr.Node {
		return expr.MapColumns(e, func(i int) int {
			if s, col, outer := logical.Outer(i); outer && s == scope {
				return logical.OuterIndex(scope, to(col))
			}
			return i
		})
	})
}

// overNodes stacks one Over a window, in the order in which the windows are met.
func (sel *selectBinder) overNodes(plan logical.Node) logical.Node {
	sel.overAt = make([]int, len(sel.overs))
	sel.overFound.Reset() // they have been rewritten
	width := logical.Width(plan)
	for _, calls := range sel.byWindow() {
		first := sel.overs[calls[0]]
		node := &logical.Over{Input: plan, PartitionBy: first.partition, Order: first.order}
		for _, at := range calls {
			sel.overAt[at] = width
			node.Funcs = append(node.Funcs, sel.overs[at].f)
			width++
		}
		plan = node
	}
	return plan
}

// byWindow lists the calls of each window.
func (sel *selectBinder) byWindow() [][]int {
	var out [][]int
	var f expr.Finder
	for i, c := range sel.overs {
		at := f.Find(len(out), func() uint64 { return hashWindow(c) }, func(w int) uint64 { return hashWindow(sel.overs[out[w][0]]) },
			func(w int) bool { return sameWindow(sel.overs[out[w][0]], c) })
		if at < 0 {
			at, out = len(out), append(out, nil)
		}
		out[at] = append(out[at], i)
	}
	return out
}

// placed puts the columns of functions with OVER in their place, once the nodes are made.
func (sel *selectBinder) placed(n expr.Node) expr.Node {
	return expr.MapColumns(n, func(i int) int {
		if i < overBase || i-overBase >= len(sel.overAt) {
			return i
		}
		return sel.overAt[i-overBase]
	})
}
