package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// versions gives all rows of a keyed source as they came, with whether each is a deletion.
func (l *Lowerer) versions(in *lowered) *lowered {
	n := &physical.Versions{Input: in.node}
	p := in.props()
	n.P = physical.Props{Kind: physical.AppendOnly, Columns: unique(append(slices.Clone(p.Columns), types.Column{Name: logical.DeletedColumn, Type: types.Of(types.Bool)}))}
	out := &lowered{node: n, cols: slices.Clone(in.cols), delay: in.delay}
	out.cols[len(out.cols)-1] = len(p.Columns)
	out.id = identity{base: "versions of (" + in.id.base + ")", cols: append(slices.Clone(in.id.cols), "deleted of "+in.id.base)}
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("versions", out.id.base, joinTexts(out.id.cols))
	return out
}
