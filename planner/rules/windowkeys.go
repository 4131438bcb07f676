package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// windowKeys reduces the keys of an aggregate to what determines them: a window, its
// end and its last moment are functions of its start. They are computed again above.
// It first takes in the projection below, so that keys are seen as they are computed.
func windowKeys(c *Context, n logical.Node) logical.Node {
	a, ok := n.(*logical.Aggregate)
	if !ok {
		return n
	}
	if p, ok := a.Input.(*logical.Project); ok && mayInlineAggregate(p, a) {
		return inlineAggregate(c, p, a)
	}
	r := keyReducer{}
	r.session, _ = a.Input.(*logical.Session)
	r.hop, _ = a.Input.(*logical.Hop)
	for i, k := range a.Keys {
		r.addKey(k, a.KeyNames[i])
	}
	if len(r.keys) == len(a.Keys) && !r.changed {
		return n
	}
	out := &logical.Aggregate{Input: a.Input, Keys: r.keys, KeyNames: r.names, Aggs: a.Aggs}
	exprs := make([]expr.Node, 0, len(a.Keys)+len(a.Aggs))
	names := append([]string(nil), a.KeyNames...)
	for _, k := range a.Keys {
		exprs = append(exprs, r.above(k, out))
	}
	for i := range a.Aggs {
		col := logical.Col(out, len(r.keys)+i)
		exprs, names = append(exprs, col), append(names, col.Name)
	}
	return &logical.Project{Input: out, Exprs: exprs, Names: names}
}

// keyReducer collects the base keys.
type keyReducer struct {
	keys    []expr.Node
	found   expr.Finder // of keys
	names   []string
	changed bool
	session *logical.Session // below, nil = none
	hop     *logical.Hop     // below, nil = none
}

// addKey adds what determines a key. Of a session's window that is both of its bounds,
// of its last moment its end.
func (r *keyReducer) addKey(k expr.Node, name string) {
	call, ok := k.(*expr.Call)
	switch {
	case ok && r.hop != nil && r.hop.By != nil && r.hop.By.Cumulate && r.ofCumulating(call):
		r.changed = true
		r.add(logical.Col(r.hop, logical.Width(r.hop)-1), name)
	case !ok || r.session == nil:
		r.add(k, name)
	case call.F == &timewindow.Pair && r.isBound(call.Args[0]) && r.isBound(call.Args[1]):
		r.changed = true
		r.add(call.Args[0], name)
		r.add(call.Args[1], name)
	case call.F.Name == "-" && len(call.Args) == 2 && fixedLength(call.Args[1]) && r.isBound(call.Args[0]):
		r.changed = true
		r.add(call.Args[0], name)
	default:
		r.add(k, name)
	}
}

// ofCumulating recognises what is computed from the end of a cumulating window, and from
// nothing else: its start, both bounds, its last moment.
func (r *keyReducer) ofCumulating(call *expr.Call) bool {
	cols := expr.ColumnsOf(call)
	if len(cols) != 1 || cols[0] != logical.Width(r.hop)-1 {
		return false
	}
	switch {
	case call.F == &timewindow.Start, call.F == &timewindow.Pair:
		return true
	}
	_, direct := call.Args[0].(*expr.Column)
	return direct && call.F.Name == "-" && len(call.Args) == 2 && fixedLength(call.Args[1])
}

// isBound recognises a column that is a bound of the session below.
func (r *keyReducer) isBound(n expr.Node) bool {
	c, ok := n.(*expr.Column)
	return ok && c.Index >= r.session.Start()
}

// base is what determines a key, nil if it is not made from a window's start.
func base(k expr.Node) expr.Node {
	call, ok := k.(*expr.Call)
	if !ok {
		return nil
	}
	switch {
	case call.F == &timewindow.End:
		return call.Args[0]
	case call.F == &timewindow.Pair:
		if e, ok := call.Args[1].(*expr.Call); ok && e.F == &timewindow.End && expr.Equal(e.Args[0], call.Args[0]) {
			return call.Args[0]
		}
	case call.F.Name == "-" && len(call.Args) == 2 && fixedLength(call.Args[1]):
		if e, ok := call.Args[0].(*expr.Call); ok && e.F == &timewindow.End {
			return e.Args[0]
		}
	}
	return nil
}

// fixedLength reports a constant length of time that is the same everywhere: taking
// months off makes one of several days, and days have other lengths in other zones.
func fixedLength(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	if !ok || c.IsNull() || c.Type().Kind != types.Interval {
		return false
	}
	v, i := c.V.At(0)
	return v.Iv[i].Months == 0 && v.Iv[i].Days == 0
}

func (r *keyReducer) add(k expr.Node, name string) {
	if b := base(k); b != nil {
		r.changed = true
		k = b
	}
	if canonical := r.name(k); canonical != name {
		r.changed = true
		name = canonical
	}
	if r.found.FindExpr(r.keys, k) >= 0 {
		r.changed = true
		return
	}
	r.keys, r.names = append(r.keys, k), append(r.names, name)
}

// name is the same for every spelling: the column, window_start for a window, else the
// expression. Two windows are told apart by their expressions.
func (r *keyReducer) name(k expr.Node) string {
	if c, ok := k.(*expr.Call); ok && c.F == &timewindow.Start {
		for _, n := range r.names {
			if n == c.F.Name {
				return k.String()
			}
		}
		return c.F.Name
	}
	return k.String()
}

// above computes a key from the base keys.
func (r *keyReducer) above(k expr.Node, out *logical.Aggregate) expr.Node {
	if i := r.found.FindExpr(r.keys, k); i >= 0 {
		return logical.Col(out, i)
	}
	kids := k.Children()
	next := make([]expr.Node, len(kids))
	for i, x := range kids {
		next[i] = r.above(x, out)
	}
	return k.WithChildren(next)
}

// mayInlineAggregate: the projection has nothing costly that would be computed twice.
func mayInlineAggregate(p *logical.Project, a *logical.Aggregate) bool {
	return mayInline(p.Exprs, aggregateExprs(a))
}

func aggregateExprs(a *logical.Aggregate) []expr.Node {
	out := append([]expr.Node(nil), a.Keys...)
	for _, g := range a.Aggs {
		out = append(out, g.Args...)
		if g.Filter != nil {
			out = append(out, g.Filter)
		}
		for _, o := range g.Order {
			out = append(out, o.Expr)
		}
	}
	return out
}

// inlineAggregate computes keys and arguments over the projection's input.
func inlineAggregate(c *Context, p *logical.Project, a *logical.Aggregate) logical.Node {
	out := &logical.Aggregate{Input: p.Input, KeyNames: a.KeyNames}
	for _, k := range a.Keys {
		out.Keys = append(out.Keys, substitute(c, k, p.Exprs))
	}
	for _, g := range a.Aggs {
		args := make([]expr.Node, len(g.Args))
		for i, x := range g.Args {
			args[i] = substitute(c, x, p.Exprs)
		}
		g.Args = args
		if g.Filter != nil {
			g.Filter = substitute(c, g.Filter, p.Exprs)
		}
		order := make([]logical.SortKey, len(g.Order))
		for i, o := range g.Order {
			o.Expr = substitute(c, o.Expr, p.Exprs)
			order[i] = o
		}
		g.Order = order
		out.Aggs = append(out.Aggs, g)
	}
	return out
}
