package lower

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// topN keeps the first rows of each partition, kept up to date.
func (l *Lowerer) topN(t *logical.TopN, need []bool) *lowered {
	b := &topNBuilder{l: l, t: t, visible: logical.Width(t.Input)}
	b.node = &physical.TopN{Ranking: physical.Ranking(t.Ranking), Limit: t.Limit, Offset: t.Offset, Keep: l.opt.Keep,
		Carry: t.Rank != "" && need[b.visible]}
	b.columns()
	return b.finish()
}

type topNBuilder struct {
	l       *Lowerer
	t       *logical.TopN
	visible int // columns of the logical input
	in      *lowered
	node    *physical.TopN
}

// columns lays out the input: the whole row, which breaks ties, then what the partition
// and the order compute.
func (b *topNBuilder) columns() {
	exprs := append([]expr.Node(nil), b.t.PartitionBy...)
	for _, k := range b.t.Order {
		exprs = append(exprs, k.Expr)
	}
	in := b.l.wholeRow(b.t.Input)
	b.l.checkStable(in, ontoAll(in, exprs)...)
	in, at := b.l.keyColumns(in, exprs)
	b.in = in
	n := len(b.t.PartitionBy)
	b.node.Partition = at[:n:n]
	b.node.Retract = in.props().Kind != physical.AppendOnly
	b.hiddenTime()
	for i, k := range b.t.Order {
		b.node.Order = append(b.node.Order, physical.SortKey{Col: at[n+i], Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	b.node.Input = b.in.node
}

func ontoAll(in *lowered, exprs []expr.Node) []expr.Node {
	out := make([]expr.Node, len(exprs))
	for i, e := range exprs {
		out[i] = onto(in, e)
	}
	return out
}

// hiddenTime makes the time inside a struct a partition column of its own, when no other is
// a time with a frontier: it follows from the struct, and makes partitions final.
func (b *topNBuilder) hiddenTime() {
	if b.l.opt.Keep || b.frontOf() >= 0 {
		return
	}
	for _, f := range b.in.props().Frontiers {
		if len(f.Path) == 0 || !contains(b.node.Partition, f.Col) {
			continue
		}
		b.in = b.l.withField(b.in, f)
		b.node.Partition = append(b.node.Partition, len(b.in.props().Columns)-1)
		return
	}
}

// frontOf is the frontier of the first partition column that has one of its own, −1 if
// there is none.
func (b *topNBuilder) frontOf() int {
	p := b.in.props()
	for i, f := range p.Frontiers {
		if len(f.Path) == 0 && contains(b.node.Partition, f.Col) && p.Columns[f.Col].Type.Phys() == types.PhysInt64 {
			return i
		}
	}
	return -1
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// finish derives the properties of the output.
func (b *topNBuilder) finish() *lowered {
	n, p := b.node, b.in.props()
	out := &lowered{node: n, delay: b.in.delay, cols: make([]int, b.visible)}
	for i := range out.cols {
		out.cols[i] = i
	}
	n.P.Columns = p.Columns
	out.id = identity{base: b.base(), cols: b.in.id.cols}
	if n.Carry {
		n.P.Columns = unique(append(append([]types.Column(nil), p.Columns...), b.t.Schema()[b.visible]))
		out.id.cols = append(append([]string(nil), out.id.cols...), out.id.base+".rank")
		out.cols = append(out.cols, len(p.Columns))
	} else if b.t.Rank != "" {
		out.cols = append(out.cols, -1)
	}
	b.kind()
	b.bound(out)
	n.OpID = hashOf("topn", out.id.base)
	return out
}

// base is the row set in terms of the sources.
func (b *topNBuilder) base() string {
	n, cols := b.node, b.in.id.cols
	text := fmt.Sprintf("topn %s limit %d offset %d by", b.t.Ranking, n.Limit, n.Offset)
	for _, c := range n.Partition {
		text += " " + cols[c] + " " + b.in.props().Columns[c].Type.String()
	}
	for _, k := range n.Order {
		text += fmt.Sprintf(" order %s %t %t", cols[k.Col], k.Desc, k.NullsFirst)
	}
	return text + " of (" + b.in.id.rows() + ": " + joinTexts(cols) + ")"
}

// kind finds the keys of the output, and how its rows change. The first row of each
// partition of append-only input is replaced, and never goes away; other rows are
// pushed out.
func (b *topNBuilder) kind() {
	n, keys := b.node, b.in.props().Keys
	partition := append([]int{}, n.Partition[:len(b.t.PartitionBy)]...)
	n.P.Kind = physical.Retract
	single := n.Ranking == physical.ByPosition && n.Limit == 1
	switch {
	case single && n.Offset == 0 && !n.Retract:
		n.P.Kind, n.P.Keys = physical.NoDelete, [][]int{partition}
		return
	case single:
		n.P.Keys = append(n.P.Keys, partition)
	case n.Carry && n.Ranking == physical.ByPosition:
		n.P.Keys = append(n.P.Keys, append(partition, len(n.P.Columns)-1))
	}
	n.P.Keys = append(n.P.Keys, keys...)
}

// bound: partitions below a frontier are final. Frontiers of partition columns pass, where
// they are promises.
func (b *topNBuilder) bound(out *lowered) {
	n, in := b.node, b.in
	if b.l.opt.Finite {
		n.P.Kind = physical.AppendOnly
	}
	if n.Keep {
		return
	}
	if at := b.frontOf(); at >= 0 {
		n.Bound = &physical.Bound{Col: in.props().Frontiers[at].Col, Front: at}
	}
	for i, f := range in.props().Frontiers {
		if !contains(n.Partition, f.Col) || !in.hard[i] && (n.Bound == nil || n.Bound.Front != i && !sameTime(in, f, n.Bound)) {
			continue
		}
		addFrontiers(&n.P, &out.hard, f.Col, []derived{{path: f.Path, rule: physical.FrontierInput{Child: 0, Front: i}, hard: true}})
	}
	if b.l.opt.Close && n.Bound != nil {
		n.EmitOnClose, n.P.Kind = true, physical.AppendOnly
	}
}
