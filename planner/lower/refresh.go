package lower

import "github.com/sqlstream/sqlstream/planner/physical"

// refresh makes changes of what a table has that is read again and again.
func (l *Lowerer) refresh(in *lowered) *lowered {
	n := &physical.Refresh{Input: in.node}
	n.P = *in.props()
	n.P.Kind = physical.Retract
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: in.id}
	out.id.base = "refresh of (" + in.id.base + ")"
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("refresh", out.id.base, joinTexts(in.id.cols))
	return out
}
