package oracle

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

var timestampType = types.Of(types.Timestamp)

// has reports that a plan has a node of a type.
func has[N logical.Node](plan logical.Node) bool {
	found := false
	logical.Walk(plan, func(n logical.Node) { _, ok := n.(N); found = found || ok })
	return found
}

// byTime reports that something is late by the very time of a row, and not by the end
// of a window that holds it.
func (w *world) byTime(plan logical.Node) bool {
	return has[*logical.Dedup](plan) || has[*logical.Distinct](plan) || !w.uses("window", "tumble", "hop")
}

// freeAggregate names those whose value may be any of several.
func freeAggregate(name string) bool {
	return slices.Contains([]string{"first", "last", "first_value", "last_value", "any_value", "max_by", "min_by", "arg_max", "arg_min", "mode"}, name)
}

// freeColumn reports that an output column comes from an aggregate whose value is free.
func freeColumn(n logical.Node, col int) bool {
	switch n := n.(type) {
	case *logical.Project:
		return slices.ContainsFunc(expr.ColumnsOf(n.Exprs[col]), func(c int) bool { return freeColumn(n.Input, c) })
	case *logical.Aggregate:
		if col < len(n.Keys) {
			return slices.ContainsFunc(expr.ColumnsOf(n.Keys[col]), func(c int) bool { return freeColumn(n.Input, c) })
		}
		return freeAggregate(n.Aggs[col-len(n.Keys)].Func.Name)
	case *logical.Filter, *logical.Sort, *logical.Distinct, *logical.Dedup:
		return freeColumn(n.Children()[0], col)
	}
	return false
}

// chance reports that an output column comes from rand() and its like.
func chance(n logical.Node, col int) bool {
	volatile := func(list ...expr.Node) bool {
		return slices.ContainsFunc(list, func(e expr.Node) bool { return expr.Volatility(e) == fn.Volatile })
	}
	switch n := n.(type) {
	case *logical.Project:
		return volatile(n.Exprs[col]) || slices.ContainsFunc(expr.ColumnsOf(n.Exprs[col]), func(c int) bool { return chance(n.Input, c) })
	case *logical.Aggregate:
		list := n.Keys
		if col >= len(n.Keys) {
			list, col = n.Aggs[col-len(n.Keys)].Args, 0
		} else {
			list = list[col : col+1]
		}
		return volatile(list...) || slices.ContainsFunc(expr.ColumnsOf(list...), func(c int) bool { return chance(n.Input, c) })
	case *logical.Filter, *logical.Sort, *logical.Distinct, *logical.Dedup:
		return chance(n.Children()[0], col)
	}
	return false
}

// withoutChoice is the plan without its LIMIT, or without its deduplication if that is
// over rows that another operator gives together; then keys are the output columns
// that must be Spark's. nil = no choice is free.
func withoutChoice(plan logical.Node) (out logical.Node, keys []int) {
	found := false
	out = logical.Rewrite(plan, func(n logical.Node) logical.Node {
		switch n := n.(type) {
		case *logical.Sort:
			if len(n.Keys) == 0 && n.Offset == 0 {
				found = true
				return n.Input
			}
		case *logical.Dedup:
			if madeTogether(n.Input) {
				found, keys = true, outputKeys(plan, n)
				return n.Input
			}
		}
		return n
	})
	if !found {
		return nil, nil
	}
	return out, keys
}

// withoutOrder is the plan without its ORDER BY and LIMIT, and the output columns of the
// keys; nil if these are not all there to be seen.
func withoutOrder(plan logical.Node) (out logical.Node, keys []int) {
	at := func(i int) int { return i }
	p, projected := plan.(*logical.Project)
	if projected {
		plan = p.Input
		at = func(i int) int {
			return slices.IndexFunc(p.Exprs, func(e expr.Node) bool { c, ok := e.(*expr.Column); return ok && c.Index == i })
		}
	}
	s, ok := plan.(*logical.Sort)
	if !ok || len(s.Keys) == 0 || s.Offset > 0 {
		return nil, nil
	}
	for _, k := range s.Keys {
		c, ok := k.Expr.(*expr.Column)
		if !ok || at(c.Index) < 0 {
			return nil, nil
		}
		keys = append(keys, at(c.Index))
	}
	if projected {
		return p.WithChildren([]logical.Node{s.Input}), keys
	}
	return s.Input, keys
}

// madeTogether reports that rows come out of a grouping: several at once, in no order.
func madeTogether(n logical.Node) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		switch n.(type) {
		case *logical.Aggregate, *logical.Join, *logical.Distinct:
			found = true
		}
	})
	return found
}

// outputKeys are the output columns that are keys of a deduplication, found through
// projections that only name columns.
func outputKeys(plan logical.Node, d *logical.Dedup) []int {
	switch n := plan.(type) {
	case *logical.Dedup:
		if n == d {
			return n.Keys
		}
	case *logical.Project:
		below := outputKeys(n.Input, d)
		var out []int
		for i, e := range n.Exprs {
			if c, ok := e.(*expr.Column); ok && slices.Contains(below, c.Index) {
				out = append(out, i)
			}
		}
		return out
	case *logical.Filter:
		return outputKeys(n.Input, d)
	}
	return nil
}
