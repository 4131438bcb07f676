package planner

import "github.com/sqlstream/sqlstream/planner/logical"

// refresh makes changing inputs of the tables that are read again beside a stream. A query
// over tables alone reads each once.
func (p *planner) refresh() {
	if p.set.Batch {
		return
	}
	for _, o := range p.outs {
		if logical.IsFinite(o.plan) {
			continue
		}
		o.plan = logical.Rewrite(o.plan, func(n logical.Node) logical.Node {
			s, ok := n.(*logical.Scan)
			if !ok || !s.Finite || s.Relation.Common.Refresh == nil {
				return n
			}
			c := *s
			c.Finite = false
			return &c
		})
	}
}
