package build

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// present configures a join with what the right side is when a left row comes.
func (g *Graph) present(p *physical.Present) stateful.PresentConfig {
	return stateful.PresentConfig{Name: opName(p), Types: [2][]types.Type{columnTypes(p.L), columnTypes(p.R)}, Keys: [2][]int{p.LKeys, p.RKeys},
		NullSafe: p.NullSafe, Residual: p.Residual, Outer: p.Outer, Retract: p.Retract, Unlogged: g.Unlogged()}
}
