package build

import (
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func (g *Graph) session(p *physical.Session) stateful.SessionConfig {
	return stateful.SessionConfig{Name: opName(p), Types: columnTypes(p.Input), Partition: p.Partition, Time: p.Time, End: p.End,
		Front: front(p.Bound), EmitOnClose: p.EmitOnClose, Unlogged: g.Unlogged()}
}

func (g *Graph) sessionAggregate(p *physical.Aggregate) stateful.SessionAggregateConfig {
	in := columnTypes(p.Input)
	c := stateful.SessionAggregateConfig{Name: opName(p), Keys: p.Keys, Start: p.Sessions.Start, End: p.Sessions.End,
		Aggs: aggregateSpecs(p, in), Front: front(p.Sessions.Bound), EmitOnClose: p.EmitOnClose, Unlogged: g.Unlogged()}
	for _, k := range p.Keys {
		c.KeyTypes = append(c.KeyTypes, in[k])
	}
	return c
}

// derivesOwn reports that a frontier of the node's output depends on what its operator
// holds: such ones are derived when the operator has advanced.
func (n *node) derivesOwn() bool {
	for _, f := range n.plan.Props().Frontiers {
		for _, r := range f.Rules {
			if r.Child == physical.OperatorFront {
				return true
			}
		}
	}
	return false
}
