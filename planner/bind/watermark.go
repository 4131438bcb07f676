package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// withWatermark states a watermark in a query: it goes down to the scan, through
// filters and projections, and overrides the one of the source for this use.
func (b *Binder) withWatermark(plan logical.Node, w *ast.Watermark, name string) logical.Node {
	sc := newScope(name, plan)
	e := &env{b: b, scope: sc}
	var at expr.Node
	var delay types.IntervalValue
	ok := true
	switch {
	case w.Delay != nil && w.Expr != nil:
		// ts + INTERVAL '1' HOUR AS et DELAY …: a new column.
		if at = e.expr(w.Expr); at == nil {
			return nil
		}
		plan = &logical.Project{Input: plan, Exprs: append(logical.Columns(plan), at), Names: append(columnNames(plan), w.Column.Last().Name)}
		at = logical.Col(plan, len(plan.Schema())-1)
		delay, ok = b.delay(w.Delay, w.Span)
	case w.Delay != nil:
		at = e.column(&ast.ColumnRef{Span: w.Column.Span, Parts: w.Column.Parts})
		delay, ok = b.delay(w.Delay, w.Span)
	default:
		at, delay, ok = e.watermarkExpr(w)
	}
	if at == nil || !ok || !b.checkEventTime(at, w.Column.Span) {
		return nil
	}
	c, isCol := at.(*expr.Column)
	if !isCol {
		b.errorf(diag.BadWatermark, w.Column.Span, "a watermark in a query needs a column").
			WithHint("compute it in a subquery: FROM (SELECT *, … AS et FROM t) WATERMARK et DELAY '…'")
		return nil
	}
	return b.push(plan, c.Index, delay, nil, w.Span)
}

// watermarkExpr reads WATERMARK FOR c AS c - INTERVAL '…' into column and delay.
func (e *env) watermarkExpr(w *ast.Watermark) (expr.Node, types.IntervalValue, bool) {
	at := e.column(&ast.ColumnRef{Span: w.Column.Span, Parts: w.Column.Parts})
	if at == nil {
		return nil, types.IntervalValue{}, false
	}
	base, sub := w.Expr, ast.Expr(nil)
	if bin, ok := w.Expr.(*ast.Binary); ok && bin.Op == ast.Sub {
		base, sub = bin.L, bin.R
	}
	n := e.expr(base)
	if n == nil {
		return nil, types.IntervalValue{}, false
	}
	if !expr.Equal(n, at) {
		e.b.errorf(diag.BadWatermark, w.Expr.Pos(), "a watermark must be its column, or its column minus a constant interval").
			WithHint("write WATERMARK FOR %s AS %s - INTERVAL '10' MINUTE", w.Column, w.Column)
		return nil, types.IntervalValue{}, false
	}
	if sub == nil {
		return at, types.IntervalValue{}, true
	}
	d := e.expr(sub)
	if d == nil {
		return nil, types.IntervalValue{}, false
	}
	v, ok := e.b.intervalOf(d)
	if !ok {
		e.b.errorf(diag.BadWatermark, sub.Pos(), "the delay of a watermark must be a constant interval")
		return nil, v, false
	}
	return at, v, e.b.checkDelay(v, sub.Pos())
}

func (b *Binder) delay(x *ast.Interval, span diag.Span) (types.IntervalValue, bool) {
	v, ok := intervalValue(x)
	if !ok {
		b.errorf(diag.BadWatermark, span, "the delay of a watermark is out of range")
		return v, false
	}
	return v, b.checkDelay(v, span)
}

func (b *Binder) checkDelay(v types.IntervalValue, span diag.Span) bool {
	if v.Months < 0 || v.Days < 0 || v.Micros < 0 {
		b.errorf(diag.BadWatermark, span, "the delay of a watermark must not be negative")
		return false
	}
	return true
}

func (b *Binder) checkEventTime(n expr.Node, span diag.Span) bool {
	t := n.Type()
	if t.Kind == types.Timestamp || t.Kind == types.TimestampNTZ {
		return true
	}
	d := b.errorf(diag.BadWatermark, span, "a watermark needs a TIMESTAMP column, got %s", typeOf(n))
	switch {
	case t.Kind == types.Date || t.Kind == types.String:
		d.WithHint("compute one: et AS CAST(… AS TIMESTAMP)")
	case t.IsNumeric():
		d.WithHint("compute one: et AS to_timestamp(seconds), or timestamp_millis(ms)")
	}
	return false
}

// push moves a watermark on column col down to the scans below. where collects the
// filters passed, over the node's columns; nil = none.
func (b *Binder) push(n logical.Node, col int, delay types.IntervalValue, where expr.Node, span diag.Span) logical.Node {
	switch x := n.(type) {
	case *logical.Scan:
		c := *x
		if !c.Finite {
			c.Watermark = &logical.Watermark{Col: col, Delay: delay, Where: where}
		}
		return &c
	case *logical.Filter:
		in := b.push(x.Input, col, delay, conjunction(where, x.Predicate), span)
		return withInput(x, in)
	case *logical.Project:
		return b.pushProject(x, col, delay, where, span)
	case *logical.UnionAll:
		out := make([]logical.Node, len(x.Inputs))
		for i, in := range x.Inputs {
			if out[i] = b.push(in, col, delay, where, span); out[i] == nil {
				return nil
			}
		}
		return &logical.UnionAll{Inputs: out}
	case *logical.Unnest:
		return b.pushThrough(x, x.Input, col, delay, where, span)
	case *logical.Join:
		if !logical.IsFinite(x.R) {
			b.aboveState(span)
			return nil
		}
		in := b.pushInput(x.L, col, delay, where, span)
		if in == nil {
			return nil
		}
		return x.WithChildren([]logical.Node{in, x.R})
	case *logical.Apply:
		in := b.pushInput(x.L, col, delay, where, span)
		if in == nil {
			return nil
		}
		return x.WithChildren([]logical.Node{in, x.R})
	case *logical.Values:
		return x
	}
	b.aboveState(span)
	return nil
}

func (b *Binder) aboveState(span diag.Span) {
	b.errorf(diag.WatermarkAboveState, span, "a watermark cannot be stated above an operator that keeps state").
		WithHint("state it on the source, below the aggregation: FROM t WATERMARK ts DELAY '…'")
}

func withInput(n logical.Node, in logical.Node) logical.Node {
	if in == nil {
		return nil
	}
	return n.WithChildren([]logical.Node{in})
}

// pushThrough passes a node that appends columns to its input's.
func (b *Binder) pushThrough(n, input logical.Node, col int, delay types.IntervalValue, where expr.Node, span diag.Span) logical.Node {
	return withInput(n, b.pushInput(input, col, delay, where, span))
}

func (b *Binder) pushInput(input logical.Node, col int, delay types.IntervalValue, where expr.Node, span diag.Span) logical.Node {
	if col >= len(input.Schema()) {
		b.errorf(diag.BadWatermark, span, "a watermark cannot be on a column that a join or UNNEST adds")
		return nil
	}
	if where != nil {
		for _, c := range expr.ColumnsOf(where) {
			if c >= len(input.Schema()) {
				where = nil
				break
			}
		}
	}
	return b.push(input, col, delay, where, span)
}

// pushProject passes a projection: a column is followed to its input, a computed
// column becomes an extra column of the scan.
func (b *Binder) pushProject(p *logical.Project, col int, delay types.IntervalValue, where expr.Node, span diag.Span) logical.Node {
	if where != nil {
		where = expr.Substitute(where, p.Exprs)
	}
	if c, ok := p.Exprs[col].(*expr.Column); ok {
		return withInput(p, b.push(p.Input, c.Index, delay, where, span))
	}
	in, at := b.extra(p.Input, p.Exprs[col], p.Names[col], delay, where, span)
	if in == nil {
		return nil
	}
	exprs := append([]expr.Node(nil), p.Exprs...)
	exprs[col] = logical.Col(in, at)
	return &logical.Project{Input: in, Exprs: exprs, Names: p.Names}
}

// extra adds a computed event time to the scan below filters and projections, and
// says in which column of the new plan it is.
func (b *Binder) extra(n logical.Node, at expr.Node, name string, delay types.IntervalValue, where expr.Node, span diag.Span) (logical.Node, int) {
	switch x := n.(type) {
	case *logical.Scan:
		c := *x
		c.Extra, c.Names = append(append([]expr.Node(nil), x.Extra...), at), append(append([]string(nil), x.Names...), name)
		col := len(c.Schema()) - 1
		if !c.Finite {
			c.Watermark = &logical.Watermark{Col: col, Delay: delay, Where: where}
		}
		return &c, col
	case *logical.Filter:
		in, col := b.extra(x.Input, at, name, delay, conjunction(where, x.Predicate), span)
		if in == nil {
			return nil, 0
		}
		return &logical.Filter{Input: in, Predicate: x.Predicate}, col
	case *logical.Project:
		if where != nil {
			where = expr.Substitute(where, x.Exprs)
		}
		in, col := b.extra(x.Input, expr.Substitute(at, x.Exprs), name, delay, where, span)
		if in == nil {
			return nil, 0
		}
		p := &logical.Project{Input: in, Exprs: append(append([]expr.Node(nil), x.Exprs...), logical.Col(in, col)),
			Names: append(append([]string(nil), x.Names...), name)}
		return p, len(p.Exprs) - 1
	}
	switch n.(type) {
	case *logical.Aggregate, *logical.Distinct, *logical.SetOp, *logical.Dedup, *logical.Sort:
		b.aboveState(span)
		return nil, 0
	}
	b.errorf(diag.BadWatermark, span, "a computed event time must be computed directly over its source").
		WithHint("declare it in the source: et AS …, WATERMARK FOR et AS et - INTERVAL '…'")
	return nil, 0
}
