package lower

import (
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// sharedKey is what a shared query was lowered for.
type sharedKey struct {
	plan *logical.Shared
	opt  Options
	feed physical.Kind
}

// once lowers a shared query, all its columns, the first time that it is met: whoever reads
// it in the same way later has the same node.
func (l *Lowerer) once(s *logical.Shared) *lowered {
	key := sharedKey{s, l.opt, l.feedKind}
	key.opt.Span = diag.Span{}
	in := l.shared[key]
	if in == nil {
		in = l.wholeRow(s.Input)
		l.shared[key] = in
	}
	out := *in
	return &out
}
