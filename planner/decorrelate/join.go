package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// join computes a join for every value of the domain: the side that reads the query
// around has the domain's columns, and if both do they must be equal.
func (p *pusher) join(x *logical.Join) logical.Node {
	k, nl, nr := len(p.params), logical.Width(x.L), logical.Width(x.R)
	scope := p.a.Scope
	right := p.mentions(x.R) || anyRefersTo(x.RKeys, scope) || x.Kind == logical.Full
	left := p.mentions(x.L) || anyRefersTo(x.LKeys, scope) || x.Kind != logical.Inner || !right
	j := *x
	lk, rk := 0, 0
	if left {
		j.L, lk = p.push(x.L), k
	}
	if right {
		j.R, rk = p.push(x.R), k
	}
	j.LKeys, j.RKeys = p.overAll(x.LKeys, plus(lk)), p.overAll(x.RKeys, plus(rk))
	j.NullSafe = append([]bool(nil), x.NullSafe...)
	if left && right {
		for i := range p.params {
			j.LKeys, j.RKeys = append(j.LKeys, p.col(i)), append(j.RKeys, p.col(i))
			j.NullSafe = append(j.NullSafe, !mutant.On("a NULL correlation finds nothing"))
		}
	}
	at := func(i int) int {
		if i < nl {
			return i + lk
		}
		return i + lk + rk
	}
	if x.Residual != nil {
		j.Residual = p.over(x.Residual, at)
		if !left { // the domain is on the right
			j.Residual = p.domainAt(x.Residual, nl, at)
		}
	}
	if x.Kind != logical.Inner && x.Kind != logical.Left && x.Kind != logical.Full {
		return &j
	}
	exprs := p.joined(x, left, right)
	for i, c := range x.Schema() {
		exprs = append(exprs, &expr.Column{Index: at(i), Name: c.Name, T: c.Type})
	}
	if left && !right {
		return &j
	}
	_ = nr
	return &logical.Project{Input: &j, Exprs: exprs, Names: p.named(columnNames(x))}
}

// domainAt is over for a domain that begins at another column.
func (p *pusher) domainAt(e expr.Node, first int, own func(i int) int) expr.Node {
	const far = 1 << 30
	moved := p.over(e, func(i int) int { return own(i) + far })
	return expr.MapColumns(moved, func(i int) int {
		_, _, outer := logical.Outer(i)
		switch {
		case outer:
			return i
		case i >= far:
			return i - far
		}
		return i + first
	})
}

// joined are the domain's columns of a join.
func (p *pusher) joined(x *logical.Join, left, right bool) []expr.Node {
	out := p.domainCols()
	k, nl := len(p.params), logical.Width(x.L)
	for i := range out {
		other := *p.col(i)
		other.Index = nl + i
		if left {
			other.Index += k
		}
		switch {
		case !left:
			out[i] = &other
		case x.Kind == logical.Full:
			out[i] = &expr.Coalesce{Args: []expr.Node{out[i], &other}}
		}
	}
	return out
}
