package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// hop gives a row for each window of a row.
func (l *Lowerer) hop(h *logical.Hop, need []bool) *lowered {
	width := logical.Width(h.Input)
	below := append([]bool(nil), need[:width]...)
	below[h.Time] = true
	in := l.node(h.Input, below)
	at := in.cols[h.Time]
	w := physical.Window{Size: h.Size, Slide: h.Slide, Offset: h.Offset}
	n := &physical.Hop{Input: in.node, Time: at, Window: w, By: h.By}
	p := in.props()
	n.P.Kind = p.Kind
	if n.P.Kind == physical.NoDelete {
		n.P.Kind = physical.Retract
	}
	n.P.Columns = unique(append(append([]types.Column(nil), p.Columns...), types.Column{Name: h.Column(), Type: p.Columns[at].Type}))
	out := &lowered{node: n, delay: in.delay, cols: append(append([]int(nil), in.cols...), len(p.Columns))}
	text := "hop " + h.Describe() + " of " + in.id.cols[at]
	out.id = identity{base: in.id.base + " " + text, filters: in.id.filters,
		cols: append(append([]string(nil), in.id.cols...), text)}
	for _, key := range p.Keys {
		n.P.Keys = append(n.P.Keys, append(append([]int(nil), key...), len(p.Columns)))
	}
	passAll(in, &n.P, &out.hard)
	if f := p.FrontierOf(at); f >= 0 {
		t := &expr.Column{Index: 0, Name: p.Columns[at].Name, T: p.Columns[at].Type}
		open := firstOpen(h, t)
		addFrontiers(&n.P, &out.hard, len(p.Columns), []derived{{rule: physical.FrontierInput{Child: 0, Front: f, Expr: open}, hard: in.hard[f]}})
	}
	n.OpID = hashOf("hop", out.id.rows())
	return out
}

// firstOpen is the least window that a row at or after t may be in: its start, or the end of
// a cumulating one.
func firstOpen(h *logical.Hop, t expr.Node) expr.Node {
	if h.By == nil {
		return call(&timewindow.FirstOpen, t, interval(h.Size), interval(h.Slide), interval(h.Offset))
	}
	f := &timewindow.FirstOpen
	if h.By.Cumulate {
		f = &timewindow.NextEnd
	}
	return call(f, t, expr.Interval(h.By.Size), expr.Interval(h.By.Slide), expr.Interval(h.By.Offset))
}
