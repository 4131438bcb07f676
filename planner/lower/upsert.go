package lower

import (
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// upserts reports a source whose rows replace one another.
func upserts(s *logical.Scan) bool {
	return s.Relation.Upserts() && !s.Versions
}

// upsert turns what a keyed source delivers into changes. A frontier stays what a
// watermark is, no promise: a row that is replaced may be older than it.
func (l *Lowerer) upsert(b *scanBuilder, in *lowered) *lowered {
	n := &physical.Upsert{Input: in.node, Keys: placed(b.s.Relation.Key, b.place)}
	n.P = *in.props()
	n.P.Keys, n.P.Frontiers = [][]int{n.Keys}, nil
	n.P.Kind = physical.NoDelete
	if b.s.Relation.Changelog {
		n.P.Kind = physical.Retract
	}
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: in.id}
	out.id.base = "upsert of (" + in.id.base + ")"
	passAll(in, &n.P, &out.hard)
	if !l.opt.Finite && !l.opt.Keep {
		n.Bound = firstBound(in)
	}
	n.OpID = hashOf("upsert", out.id.base, joinTexts(in.id.cols))
	return out
}
