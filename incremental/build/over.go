package build

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func (g *Graph) over(p *physical.Over) stateful.OverConfig {
	in := columnTypes(p.Input)
	c := stateful.OverConfig{Name: opName(p), Types: in, Visible: p.Visible, Partition: p.Partition, Bound: -1, Whole: p.Whole,
		EmitOnClose: p.EmitOnClose, Unlogged: g.Unlogged()}
	c.Order = orderColumns(p.Order, in)
	for _, f := range p.Funcs {
		c.Funcs = append(c.Funcs, overFunc(f, in))
	}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
	}
	if p.Clean {
		t := in[p.Bound.Col]
		c.Keep = func(front int64) stateful.OverKeep {
			at := g.lowered(t, p.Ahead, front)
			return stateful.OverKeep{At: at, From: g.lowered(t, p.Back, at), Rows: p.KeepRows}
		}
	}
	return c
}

func orderColumns(keys []physical.SortKey, in []types.Type) []stateful.OrderColumn {
	var out []stateful.OrderColumn
	for _, k := range keys {
		out = append(out, stateful.OrderColumn{Col: k.Col, Type: in[k.Col], Order: order(k)})
	}
	return out
}

func overFunc(f physical.OverFunc, in []types.Type) stateful.OverFunc {
	bound := func(b physical.OverBound) stateful.OverBound {
		return stateful.OverBound{Kind: b.Kind, Offset: b.Offset, Limit: b.Limit, Varies: b.Varies, By: b.By}
	}
	out := stateful.OverFunc{Kind: f.Kind, N: f.N, Args: f.Args, Steered: f.Steered, Order: orderColumns(f.Order, in), IgnoreNulls: f.IgnoreNulls, Result: f.Result,
		Frame: stateful.OverFrame{Unit: f.Frame.Unit, Start: bound(f.Frame.Start), End: bound(f.Frame.End), Exclude: f.Frame.Exclude}}
	if a := f.Agg; a != nil {
		out.Agg = &stateful.AggregateSpec{Impl: a.Impl, Text: a.Text, Args: a.Args, Filter: a.Filter, Distinct: a.Distinct, Ordered: a.Ordered}
		out.Agg.OrderBy = orderColumns(a.Order, in)
	}
	return out
}

// lowered takes a frontier down by the greatest of some shifts.
func (g *Graph) lowered(t types.Type, shifts []expr.Node, front int64) int64 {
	if front == stateful.NoFrontier || front >= idle {
		return front
	}
	least := front
	for _, e := range shifts {
		b := &vec.Batch{N: 1, Cols: []*vec.Vector{{Type: t, N: 1, I64: []int64{front}}}}
		v, err := e.Eval(g.env.NewCtx(), b)
		if err != nil || v.IsNull(0) { // out of the type: nothing is forgotten
			return stateful.NoFrontier
		}
		least = min(least, v.Int(0))
	}
	return least
}
