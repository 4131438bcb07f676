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
		l.same(s)
		in = l.wholeRow(s.Input)
		l.shared[key] = in
	}
	out := *in
	return &out
}

// same refuses a second copy of what has another value at each call.
func (l *Lowerer) same(s *logical.Shared) {
	v := l.varies.In(s)
	if v == nil {
		return
	}
	for k := range l.shared {
		if k.plan == s {
			l.refuse(diag.Errorf(diag.VolatileRetract, diag.Span{}, "%q is computed twice, and %s has another value at each call", s.Name, v).
				WithHint("compute it in a table first: CREATE TABLE … AS SELECT …"))
			return
		}
	}
}
