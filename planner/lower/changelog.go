package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// changelog makes rows of changes. All columns of the input are read: a change of any of
// them is one.
func (l *Lowerer) changelog(c *logical.Changelog) *lowered {
	in := l.wholeRow(c.Input)
	p := in.props()
	n := &physical.Changelog{Input: in.node}
	if len(p.Keys) > 0 && p.Kind != physical.AppendOnly {
		n.Key = p.Keys[0]
	}
	n.P = physical.Props{Kind: physical.AppendOnly, Columns: unique(append(slices.Clone(p.Columns), types.Column{Name: logical.OpColumn, Type: types.Of(types.Int16)}))}
	out := &lowered{node: n, cols: append(slices.Clone(in.cols), len(p.Columns)), delay: in.delay}
	out.id = identity{base: "changelog of (" + in.id.rows() + ")", cols: append(slices.Clone(in.id.cols), "op of "+in.id.base)}
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("changelog", out.id.base, joinTexts(out.id.cols))
	return out
}
