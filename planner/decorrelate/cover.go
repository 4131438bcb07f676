package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// cover is a filter whose equalities give the value of every parameter: those values take
// the place of the domain, which is then not computed. There are more of them than the
// domain has; the join above leaves those out. nil if it is not so.
func (p *pusher) cover(f *logical.Filter) logical.Node {
	if p.plain || p.mentions(f.Input) {
		return nil
	}
	by := make([]expr.Node, len(p.params))
	var rest, given []expr.Node
	for _, c := range conjuncts(f.Predicate) {
		outer, inner, nullSafe, ok := p.equality(c)
		at := -1
		if ok {
			at = p.index(outer)
		}
		if at < 0 || by[at] != nil {
			rest = append(rest, c)
			continue
		}
		by[at] = inner
		if nullSafe {
			p.nullable[at] = true
		} else {
			given = append(given, expr.NewIsNull(inner, true))
		}
	}
	for _, e := range by {
		if e == nil {
			return nil
		}
	}
	for _, c := range rest {
		given = append(given, p.inline(c, by))
	}
	return &logical.Project{Input: filtered(f.Input, given), Exprs: append(by, logical.Columns(f.Input)...),
		Names: p.named(columnNames(f.Input))}
}

// inline puts what parameters are equal to in their place.
func (p *pusher) inline(e expr.Node, by []expr.Node) expr.Node {
	if i := p.index(e); i >= 0 {
		return by[i]
	}
	kids := e.Children()
	if len(kids) == 0 {
		return e
	}
	next := make([]expr.Node, len(kids))
	for i, k := range kids {
		next[i] = p.inline(k, by)
	}
	return e.WithChildren(next)
}
