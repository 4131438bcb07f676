package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pusher computes a plan for every value of its domain at once: what it makes has the
// columns of the domain, then those of the plan.
type pusher struct {
	d      *decorrelator
	a      *logical.Apply
	params []expr.Node // expressions over outer references only: the columns of the domain
	found  expr.Finder // of params
	names  []string
	domain logical.Node // their values, each once
	// nullable says, by parameter, that the result may have it NULL.
	nullable []bool
	// bare is an aggregate whose groups without rows are made by the join above.
	bare *logical.Aggregate
	// recursions are those that are computed for every value of the domain.
	recursions map[*logical.Recursion]*logical.Recursion
	plain      bool // no values but those of the domain
}

// unnest joins the left side with the right side computed for its domain.
func (d *decorrelator) unnest(a *logical.Apply) logical.Node {
	p := &pusher{d: d, a: a, recursions: map[*logical.Recursion]*logical.Recursion{}}
	p.collect(a.R)
	p.nullable = make([]bool, len(p.params))
	p.makeDomain()
	top := p.emptyGroup()
	r := p.push(a.R)
	if d.refused != nil {
		return a
	}
	j := a.Join
	nl, k := logical.Width(a.L), len(p.params)
	shift := func(e expr.Node) expr.Node { return move(e, -1, plus(k), nil) }
	j.R, j.RKeys = r, mapList(a.RKeys, shift)
	if j.Residual != nil {
		j.Residual = move(j.Residual, -1, func(i int) int {
			if i < nl {
				return i
			}
			return i + k
		}, nil)
	}
	j.LKeys, j.NullSafe = append([]expr.Node(nil), j.LKeys...), append([]bool(nil), j.NullSafe...)
	for i, e := range p.params {
		j.LKeys = append(j.LKeys, move(e, a.Scope, same, same))
		j.RKeys = append(j.RKeys, logical.Col(r, i))
		j.NullSafe = append(j.NullSafe, p.nullable[i] && !mutant.On("a NULL correlation finds nothing"))
	}
	if top != nil {
		return p.padded(&j, top)
	}
	return p.withoutDomain(&j)
}

// withoutDomain drops the domain's columns from an inner or left join.
func (p *pusher) withoutDomain(j *logical.Join) logical.Node {
	if j.Kind != logical.Inner && j.Kind != logical.Left {
		return simplify(j)
	}
	nl, k := logical.Width(j.L), len(p.params)
	exprs, names := logical.Columns(j.L), columnNames(j.L)
	for i, c := range p.a.R.Schema() {
		exprs, names = append(exprs, &expr.Column{Index: nl + k + i, Name: c.Name, T: c.Type}), append(names, c.Name)
	}
	return &logical.Project{Input: simplify(j), Exprs: exprs, Names: names}
}

// collect finds the parameters: a side of an equality in a condition, else a column.
func (p *pusher) collect(n logical.Node) {
	logical.Walk(n, func(x logical.Node) {
		if f, ok := x.(*logical.Filter); ok {
			for _, c := range conjuncts(f.Predicate) {
				if outer, _, _, ok := p.equality(c); ok {
					p.param(outer)
					continue
				}
				p.columns(c)
			}
			return
		}
		logical.MapExprs(x, func(e expr.Node) expr.Node {
			p.columns(e)
			return e
		})
	})
}

func (p *pusher) columns(e expr.Node) {
	expr.Walk(e, func(x expr.Node) bool {
		if isOuter(x, p.a.Scope) {
			p.param(x)
		}
		return true
	})
}

func (p *pusher) param(e expr.Node) {
	if p.index(e) < 0 {
		p.params, p.names = append(p.params, e), append(p.names, e.String())
	}
}

func (p *pusher) index(e expr.Node) int {
	return p.found.FindExpr(p.params, e)
}

// equality recognises outer = inner, either way round: outer reads the query around and
// nothing else, inner does not read it.
func (p *pusher) equality(e expr.Node) (outer, inner expr.Node, nullSafe, ok bool) {
	c, isCall := e.(*expr.Call)
	if !isCall || len(c.Args) != 2 || c.F.Name != "=" && c.F.Name != "<=>" || !c.Args[0].Type().Equal(c.Args[1].Type()) {
		return nil, nil, false, false
	}
	nullSafe = c.F.Name == "<=>"
	l, r := c.Args[0], c.Args[1]
	switch {
	case p.onlyOuter(l) && !logical.RefersTo(r, p.a.Scope):
		return l, r, nullSafe, true
	case p.onlyOuter(r) && !logical.RefersTo(l, p.a.Scope):
		return r, l, nullSafe, true
	}
	return nil, nil, false, false
}

func (p *pusher) onlyOuter(e expr.Node) bool {
	any, only := false, expr.Volatility(e) == fn.Immutable
	expr.Walk(e, func(x expr.Node) bool {
		switch x.(type) {
		case *expr.Column:
			any = true
			only = only && isOuter(x, p.a.Scope)
		case *expr.Param, *expr.Lambda:
			only = false
		}
		return only
	})
	return any && only
}

// makeDomain is the set of the parameters' values over the left side.
func (p *pusher) makeDomain() {
	p.domain = &logical.Distinct{Input: &logical.Project{Input: p.a.L, Exprs: moveAll(p.params, p.a.Scope, same, same), Names: p.names}}
	if mutant.On("the domain has a value as often as the query around") {
		p.domain = p.domain.Children()[0]
	}
}

// over moves an expression over a plan to what push makes of it: parameters become
// columns of the domain from column 0 on, own columns are found by own.
func (p *pusher) over(e expr.Node, own func(i int) int) expr.Node {
	if i := p.index(e); i >= 0 {
		return p.col(i)
	}
	if c, ok := e.(*expr.Column); ok {
		if _, _, outer := logical.Outer(c.Index); outer {
			return e
		}
		moved := *c
		moved.Index = own(c.Index)
		return &moved
	}
	kids := e.Children()
	if len(kids) == 0 {
		return e
	}
	next := make([]expr.Node, len(kids))
	for i, k := range kids {
		next[i] = p.over(k, own)
	}
	return e.WithChildren(next)
}

func (p *pusher) overAll(list []expr.Node, own func(i int) int) []expr.Node {
	return mapList(list, func(e expr.Node) expr.Node { return p.over(e, own) })
}

func (p *pusher) col(i int) *expr.Column {
	return &expr.Column{Index: i, Name: p.names[i], T: p.params[i].Type()}
}

// domainCols are the columns of the domain.
func (p *pusher) domainCols() []expr.Node {
	out := make([]expr.Node, len(p.params))
	for i := range out {
		out[i] = p.col(i)
	}
	return out
}

// cross joins a plan that does not read the query around with the domain.
func (p *pusher) cross(n logical.Node) logical.Node {
	for i := range p.nullable {
		p.nullable[i] = true
	}
	if v, ok := n.(*logical.Values); ok && len(v.Rows) == 1 && len(v.Columns) == 0 {
		return p.domain
	}
	return &logical.Join{Kind: logical.Inner, L: p.domain, R: n}
}

// push is the whole rewrite, one case a node.
func (p *pusher) push(n logical.Node) logical.Node {
	if !p.mentions(n) {
		return p.cross(n)
	}
	k := len(p.params)
	switch x := n.(type) {
	case *logical.Filter:
		return p.filter(x)
	case *logical.Project:
		return &logical.Project{Input: p.push(x.Input), Exprs: append(p.domainCols(), p.overAll(x.Exprs, plus(k))...),
			Names: p.named(x.Names)}
	case *logical.Join:
		return p.join(x)
	case *logical.Aggregate:
		return p.aggregate(x)
	case *logical.Distinct:
		return &logical.Distinct{Input: p.push(x.Input)}
	case *logical.UnionAll:
		out := make([]logical.Node, len(x.Inputs))
		for i, in := range x.Inputs {
			out[i] = p.push(in)
		}
		return &logical.UnionAll{Inputs: out}
	case *logical.SetOp:
		c := *x
		c.L, c.R = p.push(x.L), p.push(x.R)
		return &c
	case *logical.Expand:
		c := *x
		c.Input, c.Keys = p.push(x.Input), p.overAll(x.Keys, plus(k))
		return &c
	case *logical.Session:
		c := logical.MapExprs(x, func(e expr.Node) expr.Node { return p.over(e, plus(k)) }).(*logical.Session)
		c.Input, c.Partition = p.push(x.Input), append(p.domainCols(), c.Partition...)
		return c
	case *logical.TopN:
		c := logical.MapExprs(x, func(e expr.Node) expr.Node { return p.over(e, plus(k)) }).(*logical.TopN)
		c.Input, c.PartitionBy = p.push(x.Input), append(p.domainCols(), c.PartitionBy...)
		return c
	case *logical.Over:
		c := logical.MapExprs(x, func(e expr.Node) expr.Node { return p.over(e, plus(k)) }).(*logical.Over)
		c.Input, c.PartitionBy = p.push(x.Input), append(p.domainCols(), c.PartitionBy...)
		return c
	case *logical.Unnest:
		c := *x
		c.Input, c.Args = p.push(x.Input), p.overAll(x.Args, plus(k))
		return &c
	case *logical.Hop:
		c := *x
		c.Input, c.Time = p.push(x.Input), x.Time+k
		return &c
	case *logical.Values:
		return p.values(x)
	case *logical.Sort:
		return p.sort(x)
	case *logical.Recursive:
		return p.recursive(x)
	case *logical.RecursiveRef:
		return p.reference(x)
	}
	p.d.refuse(p.a, "write it as a join", "a correlated subquery over %s", n.Describe())
	return n
}

func (p *pusher) named(names []string) []string {
	return append(append([]string(nil), p.names...), names...)
}

func (p *pusher) filter(x *logical.Filter) logical.Node {
	if out := p.cover(x); out != nil {
		return out
	}
	return &logical.Filter{Input: p.push(x.Input), Predicate: p.over(x.Predicate, plus(len(p.params)))}
}

// values are rows of expressions: one row of each for a value of the domain.
func (p *pusher) values(x *logical.Values) logical.Node {
	p.cross(&logical.Values{})
	var out []logical.Node
	names := make([]string, len(x.Columns))
	for i, c := range x.Columns {
		names[i] = c.Name
	}
	for _, r := range x.Rows {
		out = append(out, &logical.Project{Input: p.domain, Exprs: append(p.domainCols(), p.overAll(r, same)...), Names: p.named(names)})
	}
	if len(out) == 1 {
		return out[0]
	}
	return &logical.UnionAll{Inputs: out}
}

// sort keeps the first rows of each value of the domain. Without LIMIT an order inside of
// a subquery has no effect.
func (p *pusher) sort(x *logical.Sort) logical.Node {
	in := p.push(x.Input)
	if x.Limit == logical.NoLimit && x.Offset == 0 {
		return in
	}
	k := len(p.params)
	top := x.Top()
	top.Input, top.PartitionBy = in, p.domainCols()
	top.Order = logical.MapSortKeys(x.Keys, func(e expr.Node) expr.Node { return p.over(e, plus(k)) })
	if mutant.On("LIMIT counts all rows of the query around together") {
		top.PartitionBy = nil
	}
	return top
}
