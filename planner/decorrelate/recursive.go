package decorrelate

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// recursive computes a recursion for every value of the domain, whose columns its rows get.
// Within the step the domain is that of the rows of the last round: for a value whose
// recursion has ended nothing is computed any more.
func (p *pusher) recursive(x *logical.Recursive) logical.Node {
	outer, covers := p.domain, p.plain
	defer func() { p.domain, p.plain = outer, covers }()
	p.plain = true // a value that is not in the domain may have a recursion without end
	out := *x
	out.Base = p.push(x.Base)
	of := *x.Of
	of.Columns = out.Base.Schema()
	out.Of = &of
	p.recursions[x.Of] = &of
	ref := p.reference(&logical.RecursiveRef{Of: x.Of, Part: logical.LastRound, Columns: lastRound(x)})
	p.domain = &logical.Distinct{Input: &logical.Project{Input: ref, Exprs: p.domainCols(), Names: p.names}}
	out.Step = p.push(x.Step)
	if x.Settle != nil {
		out.Settle = p.push(x.Settle)
	}
	return &out
}

// lastRound are the columns of the rows of the last round.
func lastRound(x *logical.Recursive) []types.Column {
	if x.Settle != nil && !x.All {
		return x.Settle.Schema()
	}
	return x.Of.Columns
}

// reference reads a recursion that is computed for every value of the domain.
func (p *pusher) reference(x *logical.RecursiveRef) logical.Node {
	c := *x
	c.Of = p.recursions[x.Of]
	c.Columns = append(slices.Clone(c.Of.Columns[:len(p.params)]), x.Columns...)
	return &c
}

// mentions reports that a plan reads the query around, or a recursion that is computed for
// every value of the domain.
func (p *pusher) mentions(n logical.Node) bool {
	if len(p.recursions) == 0 {
		return logical.Mentions(n, p.a.Scope)
	}
	found := logical.Mentions(n, p.a.Scope)
	logical.Walk(n, func(x logical.Node) {
		r, ok := x.(*logical.RecursiveRef)
		found = found || ok && p.recursions[r.Of] != nil
	})
	return found
}
