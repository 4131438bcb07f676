package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// lookup lets the join ask for rows by key, if the table is declared so. What a stream
// takes back must be found as it was, and a table may have changed since.
func (b *staticJoinBuilder) lookup() {
	s := lookedUp(b.right.node)
	if s == nil || b.l.opt.Finite {
		return
	}
	n := b.node
	by, plain := b.lookupKeys()
	switch {
	case b.left.props().Kind != physical.AppendOnly:
		b.l.refuse(diag.Errorf(diag.VolatileRetract, diag.Span{},
			"rows of %q are found as they are in each trigger (lookup = true), but the rows that they are joined with can be retracted", s.Relation.Name).
			WithHint("join before the aggregation, over rows that are only added, or leave lookup out"))
	case !plain || len(by) == 0 || n.NullAware > 0:
		b.l.refuse(diag.Errorf(diag.OptionConflict, diag.Span{},
			"rows of %q are found by their keys (lookup = true), but this join does not compare columns of the table for equality alone", s.Relation.Name).
			WithHint("join ON a column of the table = an expression of the stream, with a view or subquery of filters and columns at most; or leave lookup out"))
	default:
		n.LookupBy = by
	}
}

// lookedUp is the scan of a table with lookup = true below a node, nil if there is none.
func lookedUp(n physical.Node) (found *physical.Scan) {
	physical.Walk(n, func(n physical.Node) {
		if s, ok := n.(*physical.Scan); ok && s.Relation.Common.Lookup != nil {
			found = s
		}
	})
	return found
}

// lookupKeys follows the keys of the table's side through filters and projections to
// columns that the connector delivers; false if they do not get there.
func (b *staticJoinBuilder) lookupKeys() ([]int, bool) {
	cols := append([]int(nil), b.node.StaticKeys...)
	for _, safe := range b.node.NullSafe {
		if safe {
			return nil, false
		}
	}
	for n := b.right.node; ; {
		switch x := n.(type) {
		case *physical.Filter:
			n = x.Input
		case *physical.Project:
			for i, c := range cols {
				col := widened(x.Exprs[c])
				if col == nil {
					return nil, false
				}
				cols[i] = col.Index
			}
			n = x.Input
		case *physical.Scan:
			for i, c := range cols {
				if c >= len(x.Need) {
					return nil, false
				}
				cols[i] = x.Need[c]
			}
			return cols, true
		default:
			return nil, false
		}
	}
}

// widened is the column that an expression is, or is a wider number of: equality is the
// same for both. nil = it is something else.
func widened(e expr.Node) *expr.Column {
	for {
		switch x := e.(type) {
		case *expr.Column:
			return x
		case *expr.Cast:
			from, to := x.X.Type(), x.Type()
			if !(from.IsInteger() && to.IsInteger() && from.Kind <= to.Kind || from.Kind == types.Float32 && to.Kind == types.Float64 ||
				from.Kind == types.Decimal && to.Kind == types.Decimal && to.Scale >= from.Scale && to.Prec-to.Scale >= from.Prec-from.Scale) {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}
