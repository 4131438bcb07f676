package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

func conjuncts(n expr.Node) []expr.Node {
	if a, ok := n.(*expr.And); ok {
		return a.Args
	}
	return []expr.Node{n}
}

// mergeFilters tests two predicates at once, each once.
func mergeFilters(_ *Context, n logical.Node) logical.Node {
	outer, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	in, ok := outer.Input.(*logical.Filter)
	if !ok {
		return n
	}
	var all []expr.Node
	for _, p := range append(append([]expr.Node(nil), conjuncts(in.Predicate)...), conjuncts(outer.Predicate)...) {
		if !contains(all, p) {
			all = append(all, p)
		}
	}
	return &logical.Filter{Input: in.Input, Predicate: expr.NewAnd(all...)}
}

func contains(list []expr.Node, n expr.Node) bool {
	for _, x := range list {
		if expr.Equal(x, n) {
			return true
		}
	}
	return false
}

// dropTrueFilter removes a predicate that is always true.
func dropTrueFilter(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	if c, ok := f.Predicate.(*expr.Const); ok && !c.IsNull() && c.V.IsTrue(0) {
		return f.Input
	}
	return n
}

// pushFilterProject tests before computing, unless the predicate reads something
// volatile or costly.
func pushFilterProject(c *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	p, ok := f.Input.(*logical.Project)
	if !ok {
		return n
	}
	for _, i := range expr.ColumnsOf(f.Predicate) {
		if expr.Volatility(p.Exprs[i]) == fn.Volatile || !cheap(p.Exprs[i]) {
			return n
		}
	}
	pred := substitute(c, f.Predicate, p.Exprs)
	return &logical.Project{Input: &logical.Filter{Input: p.Input, Predicate: pred}, Exprs: p.Exprs, Names: p.Names}
}

// pushFilterUnion tests in every input.
func pushFilterUnion(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	u, ok := f.Input.(*logical.UnionAll)
	if !ok {
		return n
	}
	inputs := make([]logical.Node, len(u.Inputs))
	for i, in := range u.Inputs {
		inputs[i] = &logical.Filter{Input: in, Predicate: f.Predicate}
	}
	return &logical.UnionAll{Inputs: inputs}
}

// pushFilterRows tests before rows are multiplied: conditions that do not read what
// Unnest or Hop adds.
func pushFilterRows(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	switch f.Input.(type) {
	case *logical.Unnest, *logical.Hop:
	default:
		return n
	}
	in := f.Input.Children()[0]
	return pushBelow(f, in, func(below logical.Node) logical.Node {
		return f.Input.WithChildren([]logical.Node{below})
	})
}

// pushBelow splits a predicate: conditions over the columns of in, which are the first
// ones of the filter's input, go below; the rest stays.
func pushBelow(f *logical.Filter, in logical.Node, rebuild func(logical.Node) logical.Node) logical.Node {
	width := len(in.Schema())
	var down, stay []expr.Node
	for _, c := range conjuncts(f.Predicate) {
		cols := expr.ColumnsOf(c)
		if len(cols) > 0 && cols[len(cols)-1] < width && expr.Volatility(c) == fn.Immutable {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	if len(down) == 0 {
		return f
	}
	out := rebuild(&logical.Filter{Input: in, Predicate: expr.NewAnd(down...)})
	if len(stay) > 0 {
		out = &logical.Filter{Input: out, Predicate: expr.NewAnd(stay...)}
	}
	return out
}

// pushFilterJoin tests the left rows before they are joined.
func pushFilterJoin(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	j, ok := f.Input.(*logical.Join)
	if !ok {
		return n
	}
	return pushBelow(f, j.L, func(below logical.Node) logical.Node {
		return j.WithChildren([]logical.Node{below, j.R})
	})
}
