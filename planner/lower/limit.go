package lower

import (
	"fmt"

	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// limit cuts a stream of rows that never change, in the order of arrival; nil where
// the order or a change of rows would matter.
func (l *Lowerer) limit(s *logical.Sort, need []bool) *lowered {
	if len(s.Keys) > 0 || s.Limit == logical.NoLimit && s.Offset == 0 {
		return nil
	}
	in := l.node(s.Input, need)
	if in.props().Kind != physical.AppendOnly {
		return nil
	}
	n := &physical.Limit{Input: in.node, Limit: s.Limit, Offset: s.Offset}
	n.P = *in.props()
	n.P.Frontiers = nil
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: in.id}
	passAll(in, &n.P, &out.hard)
	out.id.base = fmt.Sprintf("limit %d offset %d of (%s)", s.Limit, s.Offset, in.id.rows())
	out.id.filters = nil
	n.OpID = hashOf("limit", out.id.base)
	return out
}
