package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// present lays out a join with what the right side is when a left row comes. Where both
// sides are read at once it is the plain join.
func (l *Lowerer) present(p *logical.Present, need []bool) *lowered {
	j := p.Join()
	if l.opt.Finite {
		return l.join(joinLengths(j), need)
	}
	n := &physical.Present{NullSafe: p.NullSafe, Outer: p.Outer, Names: [2]string{relationsOf(p.L, "left"), relationsOf(p.R, "right")}}
	lneed, rneed := joinNeeds(j, need)
	left, right := l.node(p.L, lneed), l.node(p.R, rneed)
	left, n.LKeys = l.keyColumns(left, p.LKeys)
	right, n.RKeys = l.keyColumns(right, p.RKeys)
	n.L, n.R, n.Retract = left.node, right.node, left.props().Kind != physical.AppendOnly
	b := &joinBuilder{l: l, j: j, in: [2]*lowered{left, right}}
	if n.Residual = b.residual(); n.Residual != nil {
		b.checkPresent(n.Residual)
	}
	return b.presentOutput(n, need)
}

// checkPresent refuses conditions that have another value at each call.
func (b *joinBuilder) checkPresent(e expr.Node) {
	if hasNow(e) {
		b.l.refuse(diag.Errorf(diag.TemporalFilter, diag.Span{}, "%s changes as time passes, between rows that are joined", e).
			WithHint("put the condition on the current time into WHERE, over the columns of one input"))
	}
}

// presentOutput derives the properties of the output: a change of the right side changes
// nothing, so that the kind is that of the left one, and its frontiers hold.
func (b *joinBuilder) presentOutput(n *physical.Present, need []bool) *lowered {
	left, right := b.in[0], b.in[1]
	nl, width := logical.Width(b.j.L), b.width()
	out := &lowered{node: n, cols: slices.Clone(left.cols), delay: left.delay}
	n.P.Columns = unique(slices.Concat(left.props().Columns, right.props().Columns))
	for i := nl; i < len(need); i++ {
		at := right.cols[i-nl]
		if at >= 0 {
			at += width
		}
		out.cols = append(out.cols, at)
	}
	out.id.cols = slices.Clone(left.id.cols)
	for _, c := range right.id.cols {
		out.id.cols = append(out.id.cols, "present "+c)
	}
	n.P.Kind = left.props().Kind
	switch {
	case right.props().HasKey(n.RKeys):
		n.P.Keys = left.props().Keys
		if n.P.Kind == physical.NoDelete && !n.Outer {
			n.P.Kind = physical.Retract
		}
	case n.P.Kind == physical.NoDelete:
		n.P.Kind = physical.Retract
	}
	passAll(left, &n.P, &out.hard)
	b.identifyPresent(n, out)
	return out
}

func (b *joinBuilder) identifyPresent(n *physical.Present, out *lowered) {
	left, right := b.in[0], b.in[1]
	text := "present"
	if n.Outer {
		text += " left"
	}
	for i := range n.LKeys {
		text += " " + left.id.cols[n.LKeys[i]] + "=" + right.id.cols[n.RKeys[i]] + " " + n.L.Props().Columns[n.LKeys[i]].Type.String()
		if n.NullSafe[i] {
			text += " null-safe"
		}
	}
	if n.Residual != nil {
		both := identity{cols: slices.Clone(left.id.cols)}
		for _, c := range right.id.cols {
			both.cols = append(both.cols, "right "+c)
		}
		text += " " + both.text(n.Residual)
	}
	out.id.base = "(" + left.id.rows() + ") " + text + " (" + right.id.rows() + ")"
	n.OpID = hashOf("present", out.id.base, joinTexts(left.id.cols), joinTexts(right.id.cols))
}
