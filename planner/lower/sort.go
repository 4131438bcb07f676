package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// sort orders and cuts a finite relation, or the whole result in complete mode. Elsewhere
// an order without a cut is left out, or refused where a sink would see it.
func (l *Lowerer) sort(s *logical.Sort, need []bool, root bool) *lowered {
	if !l.opt.Finite && !(root && l.opt.Materialize) {
		if s.Limit != logical.NoLimit || s.Offset > 0 {
			if cut := l.limit(s, need); cut != nil {
				return cut
			}
			return l.topN(s.Top(), need)
		}
		if !root || l.opt.Unordered {
			l.orderIdle()
			return l.node(s.Input, need)
		}
		l.refuseSort()
	}
	if l.opt.Finite {
		if first := l.firstOfRecursion(s, need); first != nil {
			return first
		}
	}
	if s.Ties || !l.opt.Finite && s.Limit != logical.NoLimit && l.wholeRow(s.Input).props().Kind == physical.AppendOnly {
		// Only the first rows are kept, not all of the stream.
		return l.sort(&logical.Sort{Input: s.Top(), Keys: s.Keys, Limit: logical.NoLimit}, need, root)
	}
	keys := make([]expr.Node, len(s.Keys))
	for i, k := range orderLengths(s.Keys) {
		keys[i] = k.Expr
	}
	in, at := l.keyColumns(l.wholeRow(s.Input), keys)
	n := &physical.Materialize{Input: in.node, Limit: s.Limit, Offset: s.Offset}
	var text strings.Builder
	for i, k := range s.Keys {
		n.Order = append(n.Order, physical.SortKey{Col: at[i], Desc: k.Desc, NullsFirst: k.NullsFirst})
		fmt.Fprintf(&text, " %s %t %t", in.id.cols[at[i]], k.Desc, k.NullsFirst)
	}
	p := in.props()
	n.P.Columns, n.P.Keys, n.P.Kind = p.Columns, p.Keys, physical.Retract
	if l.opt.Finite {
		n.P.Kind = physical.AppendOnly
	}
	out := &lowered{node: n, cols: in.cols}
	out.id = identity{base: fmt.Sprintf("sort%s limit %d offset %d of (%s)", &text, s.Limit, s.Offset, in.id.rows()), cols: in.id.cols}
	n.OpID = hashOf("materialize", out.id.base)
	return out
}

// wholeRow lowers an input to all its columns in their order, needed or not: equal keys
// are ordered by the whole row as the query has it.
func (l *Lowerer) wholeRow(input logical.Node) *lowered {
	all := make([]bool, logical.Width(input))
	for i := range all {
		all[i] = true
	}
	return l.aligned(input, all)
}

// orderIdle says that rows which are read by other operators, or kept in a view, have no
// order that could be kept.
func (l *Lowerer) orderIdle() {
	l.refuse(diag.Infof(diag.OrderOnStream, diag.Span{}, "ORDER BY without LIMIT has no effect in a subquery or a materialised view over a stream: order the rows where they are read"))
}

func (l *Lowerer) refuseSort() {
	l.refuse(diag.Errorf(diag.OrderOnStream, diag.Span{}, "ORDER BY without LIMIT needs the whole result, and a stream never ends").
		WithHint("add a LIMIT, leave ORDER BY out, or use EMIT COMPLETE over an aggregate"))
}

// Materialize keeps the whole result of a plan, for complete mode.
func Materialize(n physical.Node) physical.Node {
	if hasMaterialize(n) {
		return n
	}
	m := &physical.Materialize{Input: n, Limit: logical.NoLimit}
	m.OpID = hashOf("materialize", n.ID())
	m.P = *n.Props()
	m.P.Frontiers = nil
	m.P.Kind = physical.Retract
	return m
}

// hasMaterialize: ORDER BY put one at the root already.
func hasMaterialize(n physical.Node) bool {
	switch x := n.(type) {
	case *physical.Materialize:
		return true
	case *physical.Project:
		return hasMaterialize(x.Input)
	}
	return false
}

// Deletes reports that deletions of a scan reach the node's output as they are: a finite
// result must have taken them in before it is shown.
func Deletes(n physical.Node) bool {
	seen := map[physical.Node]bool{} // what is shared is looked at once
	var deletes func(n physical.Node) bool
	deletes = func(n physical.Node) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		switch x := n.(type) {
		case *physical.Aggregate, *physical.Distinct, *physical.SetOp, *physical.TopN, *physical.Over, *physical.Materialize:
			return false
		case *physical.Scan:
			return x.P.Kind != physical.AppendOnly
		}
		return slices.ContainsFunc(n.Children(), deletes)
	}
	return deletes(n)
}
