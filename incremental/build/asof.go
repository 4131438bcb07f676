package build

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// asof configures an ASOF join.
func (g *Graph) asof(p *physical.Asof) stateful.AsofConfig {
	c := stateful.AsofConfig{Name: opName(p), Types: [2][]types.Type{columnTypes(p.L), columnTypes(p.R)}, Keys: [2][]int{p.LKeys, p.RKeys},
		NullSafe: p.NullSafe, Time: [2]int{p.LTime, p.RTime}, Void: p.Void, Forward: p.Forward, Strict: p.Strict, Outer: p.Outer, Front: p.Front,
		Retract: p.Retract, EmitOnClose: p.EmitOnClose, Unlogged: g.Unlogged()}
	for side, kid := range p.Children() {
		if c.Front[side] < 0 && p.Ended[side] && !p.Whole { // the end, which comes after the frontiers
			c.Front[side] = len(kid.Props().Frontiers)
		}
	}
	for side, b := range p.Late {
		if b != nil {
			c.Late[side] = &stateful.JoinLate{Col: b.Col, Front: b.Front}
		}
	}
	return c
}
