package lower

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// overBuilder lays out functions with OVER: a projection of what they read below, the
// operator above. The input comes whole, since equal rows are told apart by all columns.
type overBuilder struct {
	l    *Lowerer
	o    *logical.Over
	in   *lowered
	node *physical.Over
	kept []int // functions that are read

	exprs []expr.Node // over the logical input, one a column that the operator reads
	found expr.Finder // of exprs
	at    []int       // their physical columns
}

func (l *Lowerer) over(o *logical.Over, need []bool) *lowered {
	b := &overBuilder{l: l, o: o, node: &physical.Over{Keep: l.opt.Keep || l.opt.Finite}}
	width := logical.Width(o.Input)
	for i := range o.Funcs {
		if need[width+i] {
			b.kept = append(b.kept, i)
		}
	}
	if len(b.kept) == 0 {
		return l.withoutOver(o, need[:width])
	}
	b.lowerInput()
	b.columns()
	return b.finish()
}

// withoutOver leaves a node out whose functions nobody reads.
func (l *Lowerer) withoutOver(o *logical.Over, need []bool) *lowered {
	in := *l.node(o.Input, slices.Clone(need))
	in.cols = slices.Clone(in.cols)
	for range o.Funcs {
		in.cols = append(in.cols, -1)
	}
	return &in
}

// lowerInput adds what is computed for partition, order and functions as columns.
func (b *overBuilder) lowerInput() {
	b.exprs = append(b.exprs, b.o.PartitionBy...)
	for _, k := range b.o.Order {
		b.exprs = append(b.exprs, k.Expr)
	}
	for _, i := range b.kept {
		b.exprs = append(b.exprs, b.o.Funcs[i].Exprs()...)
	}
	in := b.l.wholeRow(b.o.Input)
	b.node.Visible = len(in.props().Columns)
	hidden := b.timeInPartition(in)
	b.exprs = append(b.exprs, hidden...)
	b.in, b.at = b.l.keyColumns(in, b.exprs)
	if len(hidden) > 0 {
		b.node.Partition = append(b.node.Partition, b.at[len(b.at)-1])
	}
}

// timeInPartition is the time inside a struct that is a partition column, when no such
// column is a time with a frontier itself.
func (b *overBuilder) timeInPartition(in *lowered) []expr.Node {
	if b.node.Keep {
		return nil
	}
	for _, p := range b.o.PartitionBy {
		for _, d := range b.l.frontiersOf(in, onto(in, p)) {
			if len(d.path) == 0 {
				return nil
			}
		}
	}
	for _, p := range b.o.PartitionBy {
		if ds := b.l.frontiersOf(in, onto(in, p)); len(ds) > 0 {
			for _, f := range ds[0].path {
				p = expr.NewField(p, f)
			}
			return []expr.Node{p}
		}
	}
	return nil
}

// column is where an expression over the logical input lies.
func (b *overBuilder) column(e expr.Node) int {
	if i := b.found.FindExpr(b.exprs, e); i >= 0 {
		return b.at[i]
	}
	panic("lower: a column of OVER was not laid out: " + e.String())
}

func (b *overBuilder) list(es []expr.Node) []int {
	out := make([]int, len(es))
	for i, e := range es {
		out[i] = b.column(e)
	}
	return out
}

func (b *overBuilder) columns() {
	n := b.node
	n.Partition = append(b.list(b.o.PartitionBy), n.Partition...)
	n.Order = b.sortKeys(b.o.Order)
	for _, i := range b.kept {
		f := b.o.Funcs[i]
		out := physical.OverFunc{N: f.Impl.N, Args: b.list(f.Args), Steered: f.Impl.Steered, Order: b.sortKeys(f.Order), IgnoreNulls: f.IgnoreNulls, Result: f.Type(), Text: f.String(),
			Frame: physical.OverFrame{Unit: f.Frame.Unit, Start: b.bound(f.Frame.Start), End: b.bound(f.Frame.End), Exclude: f.Frame.Exclude}}
		if f.Window != nil {
			out.Kind = f.Window.Kind
		} else {
			out.Agg = b.agg(f.Agg)
		}
		n.Funcs = append(n.Funcs, out)
	}
}

func (b *overBuilder) sortKeys(keys []logical.SortKey) []physical.SortKey {
	var out []physical.SortKey
	for _, k := range keys {
		out = append(out, physical.SortKey{Col: b.column(k.Expr), Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return out
}

func (b *overBuilder) bound(f logical.FrameBound) physical.OverBound {
	out := physical.OverBound{Kind: f.Kind, Offset: f.Offset, Limit: -1, Varies: f.Varies(), By: -1}
	if f.Limit != nil {
		out.Limit = b.column(f.Limit)
	}
	if f.By != nil {
		out.By = b.column(f.By)
	}
	return out
}

func (b *overBuilder) agg(g logical.Agg) *physical.Agg {
	out := &physical.Agg{Name: g.Func.Name, Impl: g.Impl, Args: b.list(g.Args), Filter: -1, Distinct: g.Distinct,
		Ordered: g.Func.Ordered, Text: g.String()}
	if g.Filter != nil {
		out.Filter = b.column(g.Filter)
	}
	out.Order = b.sortKeys(g.Order)
	return out
}

func (b *overBuilder) finish() *lowered {
	n, in := b.node, b.in
	n.Input = in.node
	out := &lowered{node: n, delay: in.delay, cols: make([]int, 0, n.Visible+len(b.o.Funcs))}
	n.P.Columns = slices.Clone(in.props().Columns[:n.Visible])
	for i := range n.Visible {
		out.cols = append(out.cols, i)
	}
	for range b.o.Funcs {
		out.cols = append(out.cols, -1)
	}
	b.identify(out)
	for k, i := range b.kept {
		out.cols[n.Visible+i] = len(n.P.Columns)
		n.P.Columns = append(n.P.Columns, types.Column{Name: n.Funcs[k].Text, Type: n.Funcs[k].Result})
	}
	n.P.Columns = unique(n.P.Columns)
	n.P.Kind = physical.Retract
	if b.l.opt.Finite {
		n.P.Kind = physical.AppendOnly
	}
	b.keys()
	if !n.Keep {
		b.frontiers(out)
	}
	if n.EmitOnClose {
		n.P.Kind = physical.AppendOnly
	}
	return out
}

// identify names the operator's state by the rows and the window, and the columns of
// functions by their call.
func (b *overBuilder) identify(out *lowered) {
	n, in := b.node, b.in
	text := func(e expr.Node) string { return in.id.cols[b.column(e)] }
	base := "over (" + in.id.rows() + " : " + joinTexts(in.id.cols) + ") partition"
	for _, c := range n.Partition {
		base += " " + in.id.cols[c]
	}
	for _, k := range b.o.Order {
		base += " order " + text(k.Expr) + map[bool]string{true: " desc"}[k.Desc] + map[bool]string{true: " nulls first"}[k.NullsFirst]
	}
	out.id = identity{base: base, cols: slices.Clone(in.id.cols[:n.Visible])}
	var id strings.Builder
	id.WriteString(base)
	begin := beginning{text: base}
	for _, i := range b.kept {
		f := b.o.Funcs[i].Map(func(e expr.Node) expr.Node { return &expr.Column{Name: text(e), T: e.Type()} }).String()
		id.WriteString(" " + f)
		out.id.cols = append(out.id.cols, begin.with("."+f))
	}
	n.OpID = hashOf("over", id.String())
}

// keys: every key of the input is one; so is the partition with a row number.
func (b *overBuilder) keys() {
	n, width := b.node, b.in.props()
	for _, k := range width.Keys {
		if !slices.ContainsFunc(k, func(c int) bool { return c >= n.Visible }) {
			n.P.Keys = append(n.P.Keys, k)
		}
	}
	part := b.list(b.o.PartitionBy)
	if slices.ContainsFunc(part, func(c int) bool { return c >= n.Visible }) {
		return
	}
	for k, f := range n.Funcs {
		if f.Agg == nil && f.Kind == fn.RowNumber && len(f.Order) == 0 { // else within a frame
			n.P.Keys = append(n.P.Keys, append(slices.Clone(part), n.Visible+k))
		}
	}
}
