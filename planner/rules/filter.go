package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
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
	var found expr.Finder
	for _, p := range append(append([]expr.Node(nil), conjuncts(in.Predicate)...), conjuncts(outer.Predicate)...) {
		if found.FindExpr(all, p) < 0 {
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

// dropTrueFilter removes conditions that are always true or said before, and tests for NULL the value
// that decides, below functions that are NULL just where their argument is.
func dropTrueFilter(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	var kept []expr.Node
	var found expr.Finder
	changed := false
	for _, c := range conjuncts(f.Predicate) {
		simple := simplifyNotNull(c)
		changed = changed || simple != c
		if k, ok := simple.(*expr.Const); ok && !k.IsNull() && k.V.IsTrue(0) {
			changed = true
			continue
		}
		if found.FindExpr(kept, simple) >= 0 {
			changed = true
			continue
		}
		kept = append(kept, simple)
	}
	switch {
	case !changed:
		return n
	case len(kept) == 0:
		return f.Input
	}
	return &logical.Filter{Input: f.Input, Predicate: expr.NewAnd(kept...)}
}

// simplifyNotNull sees through window bounds and steps in time; the trigger's time is
// never NULL.
func simplifyNotNull(n expr.Node) expr.Node {
	t, ok := n.(*expr.IsNull)
	if !ok || !t.Negated {
		return n
	}
	call, ok := t.X.(*expr.Call)
	switch {
	case !ok || !cheapCall(call):
		return n
	case len(call.Args) == 0:
		return expr.Bool(true)
	case call.F == &timewindow.Pair:
		return expr.Bool(true)
	}
	for _, a := range call.Args[1:] {
		if c, ok := a.(*expr.Const); !ok || c.IsNull() {
			return n
		}
	}
	return simplifyNotNull(expr.NewIsNull(call.Args[0], true))
}

// pushFilterProject tests before computing, unless the predicate reads something
// costly, or not the same at all times.
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
		if expr.Volatility(p.Exprs[i]) != fn.Immutable && !isNotNull(f.Predicate) || !cheap(p.Exprs[i]) {
			return n // now() in a column is when the row came
		}
	}
	pred := substitute(c, f.Predicate, p.Exprs)
	return &logical.Project{Input: &logical.Filter{Input: p.Input, Predicate: pred}, Exprs: p.Exprs, Names: p.Names}
}

func isNotNull(n expr.Node) bool {
	t, ok := n.(*expr.IsNull)
	return ok && t.Negated
}

// pushFilterUnion tests in every input of a union, an INTERSECT or an EXCEPT: a condition
// on a row is the same for all its copies.
func pushFilterUnion(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	switch f.Input.(type) {
	case *logical.UnionAll:
	case *logical.SetOp:
		if expr.Volatility(f.Predicate) != fn.Immutable {
			return n
		}
	default:
		return n
	}
	inputs := make([]logical.Node, len(f.Input.Children()))
	for i, in := range f.Input.Children() {
		inputs[i] = &logical.Filter{Input: in, Predicate: f.Predicate}
	}
	return f.Input.WithChildren(inputs)
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

// pushFilterSession tests before rows are brought into sessions: conditions on what
// partitions them, which leave whole sessions out.
func pushFilterSession(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	s, ok := f.Input.(*logical.Session)
	if !ok {
		return n
	}
	var down, stay []expr.Node
	for _, c := range conjuncts(f.Predicate) {
		if onPartition(c, s.Partition) && expr.Volatility(c) == fn.Immutable {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	if len(down) == 0 {
		return n
	}
	out := s.WithChildren([]logical.Node{&logical.Filter{Input: s.Input, Predicate: expr.NewAnd(down...)}})
	if len(stay) > 0 {
		out = &logical.Filter{Input: out, Predicate: expr.NewAnd(stay...)}
	}
	return out
}

// onPartition tells that an expression reads columns that are keys of a partition, and
// no others.
func onPartition(n expr.Node, keys []expr.Node) bool {
	cols := expr.ColumnsOf(n)
	for _, c := range cols {
		found := false
		for _, k := range keys {
			col, ok := k.(*expr.Column)
			found = found || ok && col.Index == c
		}
		if !found {
			return false
		}
	}
	return len(cols) > 0
}

// pushBelow splits a predicate: conditions over the columns of in, which are the first
// ones of the filter's input, go below; the rest stays.
func pushBelow(f *logical.Filter, in logical.Node, rebuild func(logical.Node) logical.Node) logical.Node {
	width := logical.Width(in)
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
