package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pulled is a right side whose outer references have moved up.
type pulled struct {
	plan  logical.Node // without references of the scope
	conds []expr.Node  // over the plan, and outer references
	cols  []expr.Node  // the columns of the right side, over the plan and outer references
}

// puller moves conditions up. exists: rows count only as being there or not.
type puller struct {
	scope  int
	exists bool
	// bare: there is no condition beside the correlation.
	bare bool
}

// pullUp makes a join of an Apply if only conditions and projections are correlated; nil
// if that is not so.
func (d *decorrelator) pullUp(a *logical.Apply) logical.Node {
	u := puller{scope: a.Scope, exists: a.Kind == logical.Semi || a.Kind == logical.Anti || a.Kind == logical.Mark}
	u.bare = u.exists && len(a.RKeys) == 0 && a.Residual == nil
	p := u.pull(a.R)
	if p == nil {
		return nil
	}
	b := pullJoin{d: d, a: a, p: p, j: a.Join, nl: logical.Width(a.L)}
	if !b.conditions() {
		return nil
	}
	return b.finish()
}

// pull returns nil where a condition cannot pass.
func (u puller) pull(n logical.Node) *pulled {
	if !logical.Mentions(n, u.scope) {
		return &pulled{plan: n, cols: logical.Columns(n)}
	}
	switch x := n.(type) {
	case *logical.Filter:
		return u.filter(x)
	case *logical.Project:
		return u.project(x)
	case *logical.Join:
		return u.join(x)
	case *logical.Unnest:
		return u.unnest(x)
	case *logical.Distinct:
		if u.exists {
			return u.pull(x.Input)
		}
	case *logical.Sort:
		if (x.Limit == logical.NoLimit || u.bare && x.Limit > 0) && x.Offset == 0 {
			return u.pull(x.Input)
		}
	}
	return nil
}

func (u puller) filter(x *logical.Filter) *pulled {
	in := u.pull(x.Input)
	if in == nil {
		return nil
	}
	var stay []expr.Node
	for _, c := range conjuncts(substitute(x.Predicate, in.cols)) {
		if logical.RefersTo(c, u.scope) {
			in.conds = append(in.conds, c)
		} else {
			stay = append(stay, c)
		}
	}
	in.plan = filtered(in.plan, stay)
	return in
}

// project computes what does not read the query around before the join.
func (u puller) project(x *logical.Project) *pulled {
	in := u.pull(x.Input)
	if in == nil {
		return nil
	}
	out := &pulled{conds: in.conds, cols: make([]expr.Node, len(x.Exprs))}
	p := &logical.Project{Input: in.plan, Exprs: logical.Columns(in.plan), Names: columnNames(in.plan)}
	for i, e := range x.Exprs {
		e = substitute(e, in.cols)
		_, column := e.(*expr.Column)
		switch {
		case !logical.RefersTo(e, u.scope) && !column:
			p.Exprs, p.Names = append(p.Exprs, e), append(p.Names, x.Names[i])
			e = &expr.Column{Index: len(p.Exprs) - 1, Name: x.Names[i], T: e.Type()}
		}
		out.cols[i] = e
	}
	out.plan = in.plan
	if len(p.Exprs) > logical.Width(in.plan) {
		out.plan = p
	}
	return out
}

// join passes an inner join on both sides, and the kept side of the others.
func (u puller) join(x *logical.Join) *pulled {
	l, r := u.pull(x.L), u.pull(x.R)
	if l == nil || r == nil || x.Kind != logical.Inner && (len(r.conds) > 0 || logical.Mentions(x.R, u.scope) || logical.MentionsHere(x, u.scope)) {
		return nil
	}
	nl := logical.Width(l.plan)
	right := func(e expr.Node) expr.Node { return move(e, -1, plus(nl), nil) }
	j := *x
	j.L, j.R, j.LKeys, j.RKeys, j.NullSafe, j.Residual = l.plan, r.plan, nil, nil, nil, nil
	out := &pulled{plan: &j, conds: append(l.conds, mapList(r.conds, right)...), cols: l.cols}
	if x.Kind == logical.Full {
		return nil
	}
	for i := range x.LKeys {
		lk, rk := substitute(x.LKeys[i], l.cols), substitute(x.RKeys[i], r.cols)
		if !logical.RefersTo(lk, u.scope) && !logical.RefersTo(rk, u.scope) {
			j.LKeys, j.RKeys, j.NullSafe = append(j.LKeys, lk), append(j.RKeys, rk), append(j.NullSafe, x.NullSafe[i])
			continue
		}
		return nil // rare: a key that reads the query around goes the general way
	}
	rcols := mapList(r.cols, right)
	for _, c := range conjuncts(x.Residual) {
		c = substitute(c, append(append([]expr.Node(nil), l.cols...), rcols...))
		switch {
		case !logical.RefersTo(c, u.scope):
			j.Residual = conjunction(j.Residual, c)
		case x.Kind != logical.Inner:
			return nil
		default:
			out.conds = append(out.conds, c)
		}
	}
	switch x.Kind {
	case logical.Inner, logical.Left:
		out.cols = append(append([]expr.Node(nil), l.cols...), rcols...)
	case logical.Mark:
		out.cols = append(append([]expr.Node(nil), l.cols...), logical.Col(&j, nl))
	}
	return out
}

func (u puller) unnest(x *logical.Unnest) *pulled {
	in := u.pull(x.Input)
	if in == nil {
		return nil
	}
	c := *x
	c.Input = in.plan
	c.Args = make([]expr.Node, len(x.Args))
	for i, a := range x.Args {
		if c.Args[i] = substitute(a, in.cols); logical.RefersTo(c.Args[i], u.scope) {
			return nil
		}
	}
	for i := logical.Width(in.plan); i < logical.Width(&c); i++ {
		in.cols = append(in.cols, logical.Col(&c, i))
	}
	in.plan = &c
	return in
}

func conjunction(a, b expr.Node) expr.Node {
	if a == nil {
		return b
	}
	return expr.NewAnd(a, b)
}

// pullJoin makes the join of a pulled right side.
type pullJoin struct {
	d  *decorrelator
	a  *logical.Apply
	p  *pulled
	j  logical.Join
	nl int
}

// over moves an expression over the pulled plan to left columns, then its own.
func (b *pullJoin) over(e expr.Node) expr.Node { return move(e, b.a.Scope, plus(b.nl), same) }

// conditions sorts the conditions into keys and the rest; false: this way does not do.
func (b *pullJoin) conditions() bool {
	j := &b.j
	j.R, j.LKeys, j.RKeys, j.NullSafe, j.Residual = b.p.plan, nil, nil, nil, nil
	for i, k := range b.a.RKeys {
		k = substitute(k, b.p.cols)
		if logical.RefersTo(k, b.a.Scope) {
			return false
		}
		j.LKeys, j.RKeys, j.NullSafe = append(j.LKeys, b.a.LKeys[i]), append(j.RKeys, k), append(j.NullSafe, b.a.NullSafe[i])
	}
	for _, c := range b.p.conds {
		b.condition(b.over(c))
	}
	whole := append(logical.Columns(b.a.L), mapList(b.p.cols, b.over)...)
	for _, c := range conjuncts(b.a.Residual) {
		b.condition(substitute(c, whole))
	}
	return j.NullAware == 0 || j.Residual == nil
}

func (b *pullJoin) condition(c expr.Node) {
	l, r, safe, ok := logical.Equality(c, b.nl)
	if !ok && mutant.On("a correlation that is no equality is forgotten") {
		return
	}
	if !ok {
		b.j.Residual = conjunction(b.j.Residual, c)
		return
	}
	b.j.LKeys, b.j.NullSafe = append(b.j.LKeys, l), append(b.j.NullSafe, safe)
	b.j.RKeys = append(b.j.RKeys, move(r, -1, plus(-b.nl), nil))
}

// finish gives the join the columns of the Apply.
func (b *pullJoin) finish() logical.Node {
	switch b.j.Kind {
	case logical.Semi, logical.Anti, logical.Mark:
		return simplify(&b.j)
	}
	names := append(columnNames(b.a.L), columnNames(b.a.R)...)
	exprs := logical.Columns(b.a.L)
	matched := expr.Node(nil)
	for i, c := range b.p.cols {
		if logical.RefersTo(c, b.a.Scope) && b.j.Kind == logical.Left {
			if matched == nil {
				b.j.R, matched = marked(b.j.R, b.nl)
			}
			n, err := b.d.res.Case([]expr.Node{matched}, []expr.Node{b.over(c)}, expr.Null(c.Type()))
			if err != nil {
				return nil
			}
			exprs = append(exprs, n)
			continue
		}
		e := b.over(c)
		if col, ok := e.(*expr.Column); ok {
			e = &expr.Column{Index: col.Index, Name: names[b.nl+i], T: col.T}
		}
		exprs = append(exprs, e)
	}
	return &logical.Project{Input: simplify(&b.j), Exprs: exprs, Names: names}
}
