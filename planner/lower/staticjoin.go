package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// staticJoinBuilder lays out a static join.
type staticJoinBuilder struct {
	l     *Lowerer
	j     *logical.Join
	left  *lowered
	right *lowered
	node  *physical.StaticJoin
}

// staticJoin looks the rows of a delta up in a finite relation.
func (l *Lowerer) staticJoin(j *logical.Join, need []bool) *lowered {
	b := &staticJoinBuilder{l: l, j: j, node: &physical.StaticJoin{Kind: physical.JoinKind(j.Kind), NullSafe: j.NullSafe,
		NullAware: j.NullAware, Single: j.Single}}
	lneed, rneed := joinNeeds(j, need)
	b.left = l.node(j.L, lneed)
	b.right = l.static(j.R, rneed)
	b.keys()
	return b.finish(need)
}

// static lowers the finite side as a plan of its own.
func (l *Lowerer) static(n logical.Node, need []bool) *lowered {
	saved := l.opt
	l.opt.Finite, l.opt.Keep, l.opt.Close, l.opt.Materialize = true, true, false, true
	out := l.node(n, need)
	l.opt = saved
	return out
}

// keys makes columns of the keys on both sides.
func (b *staticJoinBuilder) keys() {
	b.left, b.node.InputKeys = b.l.keyColumns(b.left, b.j.LKeys)
	saved := b.l.opt
	b.l.opt.Finite = true
	b.right, b.node.StaticKeys = b.l.keyColumns(b.right, b.j.RKeys)
	b.l.opt = saved
}

func (b *staticJoinBuilder) finish(need []bool) *lowered {
	n, left, right := b.node, b.left, b.right
	n.Input, n.Static = left.node, right.node
	width := len(left.props().Columns)
	nl := logical.Width(b.j.L)
	out := &lowered{node: n, delay: left.delay, cols: append([]int(nil), left.cols...)}
	p := left.props()
	n.P.Kind = p.Kind
	n.P.Columns = append([]types.Column(nil), p.Columns...)
	out.id.cols = append([]string(nil), left.id.cols...)
	if n.Kind == physical.Mark {
		b.mark(out)
	}
	if n.Kind == physical.Inner || n.Kind == physical.Left {
		n.P.Columns = append(n.P.Columns, right.props().Columns...)
		for i := nl; i < len(need); i++ {
			at := right.cols[i-nl]
			if at >= 0 {
				at += width
			}
			out.cols = append(out.cols, at)
		}
		for _, c := range right.id.cols {
			out.id.cols = append(out.id.cols, "static "+c)
		}
	}
	n.P.Columns = unique(n.P.Columns)
	b.residual(nl, width)
	b.lookup()
	b.kindAndKeys()
	b.identify(out)
	passAll(left, &n.P, &out.hard)
	return out
}

// mark is the column that a mark join adds: its text is the question that it answers.
func (b *staticJoinBuilder) mark(out *lowered) {
	out.cols = append(out.cols, len(b.node.P.Columns))
	b.node.P.Columns = append(b.node.P.Columns, types.Column{Name: logical.MarkColumn, Type: types.Of(types.Bool)})
	out.id.cols = append(out.id.cols, "mark "+b.condition())
}

// residual is the rest of the condition over both sides, which it names apart.
func (b *staticJoinBuilder) residual(nl, width int) {
	if b.j.Residual == nil {
		return
	}
	both := unique(append(append([]types.Column(nil), b.left.props().Columns...), b.right.props().Columns...))
	b.node.Residual = over(b.j.Residual, func(i int) *expr.Column {
		at := 0
		if i < nl {
			at = b.left.cols[i]
		} else {
			at = b.right.cols[i-nl] + width
		}
		return &expr.Column{Index: at, Name: both[at].Name, T: both[at].Type}
	})
	b.l.checkStable(b.left, b.node.Residual)
}

// kindAndKeys: at most one match for a left row keeps its keys; else a row is known by
// the left key and the right row. A change of a left row may make rows vanish, unless
// its matches depend on its key alone, or it stays even without any.
func (b *staticJoinBuilder) kindAndKeys() {
	n, p := b.node, b.left.props()
	single := n.Kind == physical.Semi || n.Kind == physical.Anti || n.Kind == physical.Mark || n.Single || b.right.props().HasKey(n.StaticKeys)
	if single {
		n.P.Keys = p.Keys
	} else {
		n.P.Keys = b.jointKeys()
	}
	if n.P.Kind == physical.NoDelete && !(n.Kind == physical.Left && single) && n.Kind != physical.Mark && !b.stable() {
		n.P.Kind = physical.Retract
	}
}

// stable reports that the matches of a left row are a function of its key.
func (b *staticJoinBuilder) stable() bool {
	width := len(b.left.props().Columns)
	reads := append([]int(nil), b.node.InputKeys...)
	if b.node.Residual != nil {
		for _, c := range expr.ColumnsOf(b.node.Residual) {
			if c < width {
				reads = append(reads, c)
			}
		}
	}
	for _, key := range b.left.props().Keys {
		if containsAll(key, reads) {
			return true
		}
	}
	return false
}

// jointKeys are a left key with the right row: equal right rows are told apart by
// their multiplicity alone. Columns that equal left ones are left out.
func (b *staticJoinBuilder) jointKeys() [][]int {
	width := len(b.left.props().Columns)
	equal := map[int]bool{}
	for _, c := range b.node.StaticKeys {
		equal[c] = true
	}
	var out [][]int
	for _, lk := range b.left.props().Keys {
		key := append([]int(nil), lk...)
		for c := range b.right.props().Columns {
			if !equal[c] {
				key = append(key, c+width)
			}
		}
		out = append(out, key)
	}
	return out
}

func (b *staticJoinBuilder) identify(out *lowered) {
	n := b.node
	out.id.base = b.left.id.base + " join " + b.condition()
	out.id.filters = b.left.id.filters
	n.OpID = hashOf("join", out.id.rows())
}

// condition is the kind, the ON condition and the static rows in terms of the sources.
func (b *staticJoinBuilder) condition() string {
	n := b.node
	text := n.Kind.String() + b.j.Flags()
	for i := range n.InputKeys {
		text += " " + b.left.id.cols[n.InputKeys[i]] + "=" + b.right.id.cols[n.StaticKeys[i]]
	}
	if n.Residual != nil {
		both := identity{cols: append(append([]string(nil), b.left.id.cols...), b.right.id.cols...)}
		text += " " + both.text(n.Residual)
	}
	return text + " (" + b.right.id.rows() + ")"
}
