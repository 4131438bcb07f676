package build

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// join configures the join of two changing inputs.
func (g *Graph) join(p *physical.Join) stateful.JoinConfig {
	c := stateful.JoinConfig{Name: opName(p), Kind: joinKind(p.Kind), Types: [2][]types.Type{columnTypes(p.L), columnTypes(p.R)},
		Keys: [2][]int{p.LKeys, p.RKeys}, NullSafe: p.NullSafe, Residual: p.Residual, NullAware: p.NullAware, Single: p.Single,
		EmitOnExpiry: p.EmitOnExpiry, Unlogged: g.Unlogged()}
	for _, k := range p.LKeys {
		c.KeyTypes = append(c.KeyTypes, c.Types[0][k])
	}
	for side, s := range p.Sides {
		to := &c.Sides[side]
		to.Retract = s.Retract
		if s.Late != nil {
			to.Late = &stateful.JoinLate{Col: s.Late.Col, Front: s.Late.Front}
		}
		if k := s.Keep; k != nil {
			to.Keep = &stateful.JoinKeep{Col: k.Col, Front: k.Front, Shift: k.Shift}
			if k.Front == physical.Ended {
				to.Keep.Front = len(p.Children()[1-side].Props().Frontiers)
			}
		}
	}
	return c
}
