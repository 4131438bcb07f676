package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// asofBuilder lays out an ASOF join.
type asofBuilder struct {
	l     *Lowerer
	a     *logical.Asof
	node  *physical.Asof
	in    [2]*lowered
	ended [2]bool // the side is finite
}

func (l *Lowerer) asof(a *logical.Asof, need []bool) *lowered {
	b := &asofBuilder{l: l, a: a, ended: [2]bool{logical.IsFinite(a.L), logical.IsFinite(a.R)}}
	b.node = &physical.Asof{Ended: b.ended, Names: [2]string{relationsOf(a.L, "left"), relationsOf(a.R, "right")}, NullSafe: a.NullSafe, Forward: a.Forward,
		Strict: a.Strict, Outer: a.Outer, Front: [2]int{-1, -1}, Whole: l.opt.Keep || l.opt.Finite}
	lneed := slices.Clone(need[:logical.Width(a.L)])
	use(lneed, append(slices.Clone(a.LKeys), a.LTime)...)
	b.in[0] = l.node(a.L, lneed)
	b.in[1] = l.wholeRow(a.R) // ties are broken by the whole row
	b.columns()
	b.void()
	b.bounds()
	out := b.finish(need)
	return out
}

// columns makes columns of the keys and times.
func (b *asofBuilder) columns() {
	n := b.node
	for side, exprs := range [2][]expr.Node{append(slices.Clone(b.a.LKeys), b.a.LTime), append(slices.Clone(b.a.RKeys), b.a.RTime)} {
		b.l.checkStable(b.in[side], ontoAll(b.in[side], exprs)...)
		in, at := b.l.keyColumns(b.in[side], exprs)
		b.in[side] = in
		n.Retract[side] = in.props().Kind != physical.AppendOnly
		last := len(at) - 1
		if side == 0 {
			n.L, n.LKeys, n.LTime = in.node, at[:last], at[last]
		} else {
			n.R, n.RKeys, n.RTime = in.node, at[:last], at[last]
		}
	}
}

// void makes a column of what tells that a right row stands for none.
func (b *asofBuilder) void() {
	b.node.Void = -1
	if b.a.Void == nil {
		return
	}
	in, at := b.l.keyColumns(b.in[1], []expr.Node{b.a.Void})
	b.in[1], b.node.R, b.node.Void = in, in.node, at[0]
}

// bounds: with frontiers of both times, rows below both are forgotten; with that of the
// right one alone, left rows that cannot be retracted are.
func (b *asofBuilder) bounds() {
	n := b.node
	if n.Whole {
		return
	}
	for side, col := range [2]int{n.LTime, n.RTime} {
		if b.in[side].props().Columns[col].Type.Phys() == types.PhysInt64 {
			n.Front[side] = b.in[side].props().FrontierOf(col)
		}
	}
	both := n.Front[0] >= 0 && n.Front[1] >= 0
	if both {
		n.Late[0] = b.late(0)
	}
	if both || n.Front[1] >= 0 && !n.Retract[0] && !n.Forward {
		n.Late[1] = b.late(1)
	}
	n.EmitOnClose = b.l.opt.Close && both && !n.Forward && !n.Retract[0] && !b.settled()
}

// late is the column by which rows are refused: the one that the time is computed from, if
// it is that one plus a constant.
func (b *asofBuilder) late(side int) *physical.Bound {
	n := b.node
	if t, ok := b.plus(side); ok {
		if col, path, ok := access(t.plus); ok && len(path) == 0 {
			if front := b.in[side].props().FrontierOf(col); front >= 0 {
				return &physical.Bound{Col: col, Front: front}
			}
		}
	}
	return &physical.Bound{Col: [2]int{n.LTime, n.RTime}[side], Front: n.Front[side]}
}

// plus takes the time of a side apart: an expression plus a constant.
func (b *asofBuilder) plus(side int) (linear, bool) {
	zone := b.l.opt.Zone
	d := &differences{width: len(b.in[side].props().Columns), fixed: fixedZone(zone), utc: zone == nil || zone.String() == "UTC"}
	t, ok := d.linear(onto(b.in[side], [2]expr.Node{b.a.LTime, b.a.RTime}[side]))
	return t, ok && t.minus == nil && t.plus != nil && t.lo == t.hi
}

// settled tells that the match of a row is final when the row comes: the right side is a
// table.
func (b *asofBuilder) settled() bool { return b.ended[1] && !b.node.Retract[1] }

// finish derives the properties of the output.
func (b *asofBuilder) finish(need []bool) *lowered {
	n, left, right := b.node, b.in[0], b.in[1]
	width, nl := len(left.props().Columns), logical.Width(b.a.L)
	out := &lowered{node: n, cols: slices.Clone(left.cols), delay: longer(left.delay, right.delay)}
	n.P.Columns = unique(slices.Concat(left.props().Columns, right.props().Columns))
	for i := nl; i < len(need); i++ {
		out.cols = append(out.cols, right.cols[i-nl]+width)
	}
	b.kind()
	b.frontiers(out)
	b.identify(out)
	return out
}

// kind: a left row comes once, beside its match of the time; it stays, unless it comes for
// its match alone and that can go.
func (b *asofBuilder) kind() {
	n, left := b.node, b.in[0].props()
	n.P.Keys = left.Keys
	switch {
	case b.l.opt.Finite, n.EmitOnClose, b.settled() && !n.Retract[0]:
		n.P.Kind = physical.AppendOnly
	case len(n.P.Keys) > 0 && (n.Outer && left.Kind <= physical.NoDelete || !n.Retract[0] && !n.Retract[1] && n.Void < 0):
		n.P.Kind = physical.NoDelete
	default:
		n.P.Kind = physical.Retract
	}
}

// frontiers of the left columns: a new right row changes left rows from its time on.
func (b *asofBuilder) frontiers(out *lowered) {
	n := b.node
	if n.Whole || n.Forward && !b.ended[1] {
		return
	}
	for i, f := range b.in[0].props().Frontiers {
		if !b.in[0].hard[i] && !(n.Late[0] != nil && follows(b.in[0].node, i, n.Late[0].Front)) {
			continue
		}
		other := physical.FrontierInput{Child: 1, Front: physical.Ended}
		if !b.ended[1] {
			shift, ok := b.shift(f)
			if !ok || n.Front[1] < 0 {
				continue
			}
			other.Front, other.Shift = n.Front[1], shift
		}
		n.P.Frontiers = append(n.P.Frontiers, physical.Frontier{Col: f.Col, Path: f.Path, Rules: []physical.FrontierInput{{Child: 0, Front: i}, other}})
		out.hard = append(out.hard, true)
	}
}

// shift is what a left column is at least, from the time of a right row that reaches it on.
func (b *asofBuilder) shift(f physical.Frontier) (int64, bool) {
	n := b.node
	if f.Col == n.LTime && len(f.Path) == 0 {
		return 0, true
	}
	e := expr.Node(column(b.in[0], f.Col))
	for _, x := range f.Path {
		e = expr.NewField(e, x)
	}
	t, ok := b.plus(0)
	if !ok || !expr.Equal(t.plus, e) {
		return 0, false
	}
	return -t.hi, true
}

func (b *asofBuilder) identify(out *lowered) {
	n := b.node
	text := "asof " + b.a.Operator()
	if n.Outer {
		text += " left"
	}
	for i := range n.LKeys {
		text += " " + b.in[0].id.cols[n.LKeys[i]] + "=" + b.in[1].id.cols[n.RKeys[i]] + " " + n.L.Props().Columns[n.LKeys[i]].Type.String()
		if n.NullSafe[i] {
			text += " null-safe"
		}
	}
	text += " by " + b.in[0].id.cols[n.LTime] + ", " + b.in[1].id.cols[n.RTime]
	if n.Void >= 0 {
		text += " void if " + b.in[1].id.cols[n.Void]
	}
	out.id.base = "(" + b.in[0].id.rows() + ") " + text + " (" + b.in[1].id.rows() + ")"
	out.id.cols = slices.Clone(b.in[0].id.cols)
	for _, c := range b.in[1].id.cols {
		out.id.cols = append(out.id.cols, "asof "+c)
	}
	when := "at once"
	if n.EmitOnClose {
		when = "on close"
	}
	n.OpID = hashOf("asof", when, out.id.base, joinTexts(b.in[0].id.cols), joinTexts(b.in[1].id.cols))
}
