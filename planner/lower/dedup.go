package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// distinct keeps each row once; every column of its input is part of the row.
func (l *Lowerer) distinct(d *logical.Distinct, above []bool) *lowered {
	need := make([]bool, logical.Width(d.Input))
	for i := range need {
		need[i] = true
	}
	in := l.aligned(d.Input, need)
	if n := l.distinctLengths(d, in); n != nil {
		return l.node(n, above)
	}
	visible := len(in.props().Columns)
	in = l.withTime(in)
	n := &physical.Distinct{Input: in.node, Retract: in.props().Kind != physical.AppendOnly, Keep: l.opt.Keep}
	out := &lowered{node: n, delay: in.delay, cols: make([]int, visible)}
	for i := range out.cols {
		out.cols[i] = i
	}
	out.id = identity{base: "distinct " + joinTexts(in.id.cols) + " of (" + in.id.rows() + ")", cols: in.id.cols}
	n.P.Columns = in.props().Columns
	n.P.Keys = [][]int{out.cols}
	if n.Retract {
		n.P.Kind = physical.Retract
	}
	if !l.opt.Keep {
		n.Bound = firstBound(in)
		l.afterBound(in, n.Bound, &n.P, out)
	}
	n.OpID = hashOf("distinct", out.id.base)
	return out
}

// withTime appends the time inside a struct column, when no column is a time with a
// frontier.
func (l *Lowerer) withTime(in *lowered) *lowered {
	if l.opt.Keep || firstBound(in) != nil {
		return in
	}
	p := in.props()
	if len(p.Frontiers) == 0 {
		return in
	}
	f := p.Frontiers[0]
	for i := range p.Frontiers {
		if !physical.IsDynamic(in.node, i) {
			f = p.Frontiers[i]
			break
		}
	}
	exprs := make([]expr.Node, len(p.Columns))
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		exprs[i], names[i] = column(in, i), c.Name
	}
	e := expr.Node(column(in, f.Col))
	for _, x := range f.Path {
		e = expr.NewField(e, x)
	}
	out := l.project(in, append(exprs, e), append(names, e.String()))
	out.cols = in.cols
	return out
}

// firstBound is the first column with a frontier of its own, if possible one that does
// not wait for the state of an operator.
func firstBound(in *lowered) *physical.Bound {
	var found *physical.Bound
	for i, f := range in.props().Frontiers {
		if len(f.Path) > 0 || in.props().Columns[f.Col].Type.Phys() != types.PhysInt64 {
			continue
		}
		b := &physical.Bound{Col: f.Col, Front: i}
		if !physical.IsDynamic(in.node, i) {
			return b
		}
		if found == nil {
			found = b
		}
	}
	return found
}

// afterBound passes the frontier of the bound, which is a promise from here on, and
// those that were promises before.
func (l *Lowerer) afterBound(in *lowered, bound *physical.Bound, p *physical.Props, out *lowered) {
	for i, f := range in.props().Frontiers {
		if in.hard[i] || bound != nil && bound.Front == i {
			addFrontiers(p, &out.hard, f.Col, []derived{{path: f.Path, rule: physical.FrontierInput{Child: 0, Front: i}, hard: true}})
		}
	}
	if bound == nil {
		return
	}
	// Bound.Front is of the input edge, and the same column has its frontier here.
	for i, f := range in.props().Frontiers {
		if !in.hard[i] && i != bound.Front && sameTime(in, f, bound) {
			addFrontiers(p, &out.hard, f.Col, []derived{{path: f.Path, rule: physical.FrontierInput{Child: 0, Front: i}, hard: true}})
		}
	}
}

// sameTime reports that a frontier is about the very value of the bound column.
func sameTime(in *lowered, f physical.Frontier, bound *physical.Bound) bool {
	e := expr.Node(column(in, f.Col))
	for _, x := range f.Path {
		e = expr.NewField(e, x)
	}
	return in.id.text(e) == in.id.cols[bound.Col]
}

// dedup keeps the first row of each key. It is late by the watermark of its input,
// even where that is neither a key nor read further on.
func (l *Lowerer) dedup(d *logical.Dedup, need []bool) *lowered {
	below := append([]bool(nil), need...)
	for _, k := range d.Keys {
		below[k] = true
	}
	for _, c := range eventTimes(d.Input) {
		below[c] = true
	}
	in := l.node(d.Input, below)
	if !l.opt.Finite {
		in = l.withTime(in)
	}
	if in.props().Kind != physical.AppendOnly && (!l.opt.Finite || Deletes(in.node)) {
		l.refuse(diag.Errorf(diag.DedupRetract, diag.Span{}, "%s needs rows that are only added, but its input can change", d.Name).
			WithHint("deduplicate before the aggregation, or use SELECT DISTINCT"))
	}
	n := &physical.Dedup{Input: in.node, Within: d.Within && !l.opt.Finite}
	out := &lowered{node: n, delay: in.delay, cols: in.cols}
	base := "dedup"
	for _, k := range d.Keys {
		n.Keys = append(n.Keys, in.cols[k])
		base += " " + in.id.cols[in.cols[k]]
	}
	if d.Within {
		base += " within"
	}
	out.id = identity{base: base + " of (" + in.id.rows() + ")", cols: in.id.cols}
	n.P.Columns = in.props().Columns
	n.P.Keys = append([][]int{n.Keys}, in.props().Keys...)
	if d.Within {
		n.P.Keys = in.props().Keys // a key may come again
	}
	l.dedupBound(d, n, in, out)
	n.OpID = hashOf("dedup", out.id.base)
	return out
}

func (l *Lowerer) dedupBound(d *logical.Dedup, n *physical.Dedup, in, out *lowered) {
	if l.opt.Finite || l.opt.Keep && !d.Within {
		return
	}
	n.Bound = firstBound(in)
	for i, f := range in.props().Frontiers {
		for _, k := range n.Keys {
			if f.Col == k && len(f.Path) == 0 && !n.Clean && in.props().Columns[k].Type.Phys() == types.PhysInt64 {
				n.Bound, n.Clean = &physical.Bound{Col: k, Front: i}, true
			}
		}
	}
	n.Clean = n.Clean || n.Bound != nil && insideKey(in, n)
	if d.Within {
		n.Clean, n.Delay = false, in.delay
	}
	l.afterBound(in, n.Bound, &n.P, out)
	if d.Within && n.Bound == nil {
		l.refuse(diag.Errorf(diag.NoWatermark, diag.Span{}, "%s needs a watermark on its input", d.Name).
			WithHint("declare WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE in the source, or FROM t WATERMARK ts DELAY '10 minutes'"))
	}
}

// insideKey reports that the bound is the time inside a struct that is a key.
func insideKey(in *lowered, n *physical.Dedup) bool {
	for _, f := range in.props().Frontiers {
		for _, k := range n.Keys {
			if f.Col == k && len(f.Path) > 0 && sameTime(in, f, n.Bound) {
				return true
			}
		}
	}
	return false
}

// eventTimes lists the columns of a logical plan that carry a watermark.
func eventTimes(n logical.Node) []int {
	switch x := n.(type) {
	case *logical.Scan:
		if x.Watermark != nil && !x.Finite {
			return []int{x.Watermark.Col}
		}
	case *logical.Changelog, *logical.Filter, *logical.Dedup, *logical.Distinct, *logical.Unnest, *logical.Hop, *logical.Session, *logical.Join, *logical.Asof, *logical.Present, *logical.SetOp, *logical.Over:
		return eventTimes(n.Children()[0])
	case *logical.Project:
		return projectedTimes(x)
	case *logical.UnionAll:
		return eventTimes(x.Inputs[0])
	}
	return nil
}

func projectedTimes(p *logical.Project) []int {
	below := map[int]bool{}
	for _, c := range eventTimes(p.Input) {
		below[c] = true
	}
	var out []int
	for i, e := range p.Exprs {
		if c, ok := e.(*expr.Column); ok && below[c.Index] {
			out = append(out, i)
		}
	}
	return out
}
