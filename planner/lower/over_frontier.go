package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// frontiers finds what makes rows final: a partition column with a frontier; else the
// first order column, if a change touches no row too far below it.
func (b *overBuilder) frontiers(out *lowered) {
	n, p := b.node, b.in.props()
	for i, f := range p.Frontiers {
		for _, c := range n.Partition {
			if f.Col == c && len(f.Path) == 0 && isInt(p.Columns[c].Type) && n.Bound == nil {
				n.Bound, n.Whole = &physical.Bound{Col: c, Front: i}, true
			}
		}
	}
	reach, touches := b.below()
	if n.Bound == nil {
		n.Why = b.orderBound(touches)
	}
	for i, f := range p.Frontiers {
		hard := b.in.hard[i] || n.Bound != nil && (n.Bound.Front == i || sameTime(b.in, f, n.Bound))
		if f.Col >= n.Visible || !hard {
			continue
		}
		rule := physical.FrontierInput{Child: 0, Front: i}
		if b.isPartition(f.Col) {
			addFrontiers(&n.P, &out.hard, f.Col, []derived{{path: f.Path, rule: rule, hard: true}})
			continue
		}
		if len(n.Order) == 0 || n.Order[0].Col != f.Col || len(f.Path) > 0 || touches != "" {
			continue
		}
		front := physical.Frontier{Col: f.Col, Rules: []physical.FrontierInput{rule}}
		for _, e := range reach {
			front.Rules = append(front.Rules, physical.FrontierInput{Child: 0, Front: i, Expr: e})
		}
		n.P.Frontiers, out.hard = append(n.P.Frontiers, front), append(out.hard, true)
	}
}

func (b *overBuilder) isPartition(col int) bool {
	for _, c := range b.node.Partition {
		if c == col {
			return true
		}
	}
	return false
}

// orderBound makes the first order column the bound where that is of use, and says why
// nothing is cleaned, if so.
func (b *overBuilder) orderBound(touches string) (why string) {
	n, p := b.node, b.in.props()
	front := -1
	if len(n.Order) > 0 {
		front = p.FrontierOf(n.Order[0].Col)
	}
	switch {
	case front < 0 || !isInt(p.Columns[n.Order[0].Col].Type):
		return "no column of PARTITION BY, and not the first of ORDER BY, is bounded by a watermark"
	case touches != "":
		return b.orderHeld(touches, front)
	}
	back, rows, why := b.back()
	clean := why == "" && !n.Order[0].Desc
	if why == "" && !clean {
		why = "rows are taken in descending order"
	}
	if !clean && !b.l.opt.Close {
		return why
	}
	n.Bound = &physical.Bound{Col: n.Order[0].Col, Front: front}
	if clean {
		n.Clean, n.Back, n.KeepRows = true, back, rows
		n.Ahead, _ = b.below()
	}
	return why
}

// orderHeld makes the operator hold rows until those ahead of them have come, which append
// mode can ask for where a frame counts rows.
func (b *overBuilder) orderHeld(touches string, front int) (why string) {
	n := b.node
	switch {
	case !b.l.opt.Close || !b.l.opt.Ahead || n.Order[0].Desc || !b.counted():
		return touches
	case b.o.Order[0].NullsFirst && !b.l.neverNull(b.in.node, b.node.Order[0].Col):
		return b.nullsFirst()
	}
	n.Bound, n.EmitOnClose = &physical.Bound{Col: n.Order[0].Col, Front: front}, true
	back, rows, why := b.back()
	if why == "" {
		n.Clean, n.Back, n.KeepRows = true, back, rows
	}
	return why
}

// counted reports functions that read a known number of rows, or a RANGE, ahead of a row.
func (b *overBuilder) counted() bool {
	for _, i := range b.kept {
		f := b.o.Funcs[i]
		if f.Framed() {
			if f.Frame.Start.Varies() || f.Frame.End.Varies() || f.Frame.End.Kind == fn.UnboundedFollowing {
				return false
			}
			continue
		}
		switch k := f.Window.Kind; {
		case k == fn.PercentRank, k == fn.CumeDist, k == fn.NTile, k == fn.Fill, f.Impl.Steered:
			return false
		}
	}
	return true
}

// below tells how far below a change rows are touched, in terms of the first order column:
// by the shifts of the expressions returned, at most; or why there is no bound.
func (b *overBuilder) below() (shifts []expr.Node, why string) {
	if len(b.o.Order) == 0 {
		return nil, "without ORDER BY every row of the partition depends on every other"
	}
	desc := b.o.Order[0].Desc
	nulls := false // a row whose order key is NULL touches others
	for _, i := range b.kept {
		f := b.o.Funcs[i]
		toward := f.Frame.End // the end of the frame that lies at greater keys
		if desc {
			toward = f.Frame.Start
		}
		switch {
		case !f.Framed():
			if why := awayBelow(f, desc); why != "" {
				return nil, why
			}
			nulls = true
		case f.Frame.Unit == fn.FrameSession:
			return nil, f.String() + " reads a whole session, which may begin at any earlier time"
		case toward.Varies():
			return nil, f.String() + " reaches another number of rows from each row"
		case toward.Kind == fn.UnboundedFollowing || toward.Kind == fn.UnboundedPreceding:
			return nil, f.String() + " reads rows without end after a row"
		case toward.Limit != nil && (toward.Kind == fn.Following) != desc:
			shifts = append(shifts, toward.Down)
		case f.Frame.Unit != fn.FrameRange && toward.Offset > 0 && (toward.Kind == fn.Following) != desc:
			return nil, f.String() + " counts rows after a row, which may come at any later time"
		}
		nulls = nulls || f.Frame.Unit != fn.FrameRange || f.Frame.Start.Kind == fn.UnboundedPreceding || f.Frame.End.Kind == fn.UnboundedFollowing
	}
	last := b.o.Order[0].NullsFirst == desc // NULLs are where no row depends on them
	if nulls && !last && !b.l.neverNull(b.in.node, b.node.Order[0].Col) {
		return nil, b.nullsFirst()
	}
	return shifts, ""
}

// nullsFirst says why rows whose order key is NULL keep others from being final.
func (b *overBuilder) nullsFirst() string {
	name := b.in.props().Columns[b.node.Order[0].Col].Name
	return "a row whose " + name + " is NULL may come at any time, before all others: add WHERE " + name + " IS NOT NULL, or NULLS LAST"
}

// awayBelow is below for functions without a frame.
func awayBelow(f logical.OverFunc, desc bool) string {
	switch k := f.Window.Kind; {
	case k == fn.PercentRank || k == fn.CumeDist || k == fn.NTile || k == fn.Fill:
		return f.String() + " depends on every row of the partition"
	case f.Impl.Steered:
		return f.String() + " looks another number of rows away from each row"
	case f.Impl.N == 0 && (k == fn.Lag || k == fn.Lead):
	case (k == fn.Lead) != desc:
		return f.String() + " depends on rows that may come at any later time"
	}
	return ""
}

// back tells how far back frames reach: by the shifts, and by how many rows; or why there
// is no bound.
func (b *overBuilder) back() (shifts []expr.Node, rows int64, why string) {
	for _, i := range b.kept {
		f := b.o.Funcs[i]
		framed := f.Framed()
		start := f.Frame.Start
		switch {
		case framed && f.Frame.Unit == fn.FrameSession: // one that is not over has all of its rows
		case framed && start.Varies():
			return nil, 0, f.String() + " reaches another number of rows from each row"
		case !framed && f.Window.Kind == fn.Lag && !f.IgnoreNulls:
			rows = max(rows, f.Impl.N)
		case !framed && f.Window.Kind == fn.Lead:
		case !framed:
			return nil, 0, f.String() + " depends on all rows before a row"
		case start.Kind == fn.UnboundedPreceding:
			return nil, 0, f.String() + " reads all rows before a row"
		case start.Kind != fn.Preceding:
		case f.Frame.Unit == fn.FrameGroups:
			return nil, 0, f.String() + " counts groups of rows"
		case start.Limit != nil:
			shifts = append(shifts, start.Down)
		default:
			rows = max(rows, start.Offset)
		}
	}
	return shifts, rows, ""
}

// neverNull proves that a column has no NULL.
func (l *Lowerer) neverNull(n physical.Node, col int) bool {
	switch x := n.(type) {
	case *physical.Filter:
		parts := []expr.Node{x.Predicate}
		if a, ok := x.Predicate.(*expr.And); ok {
			parts = a.Args
		}
		for _, p := range parts {
			if t, ok := p.(*expr.IsNull); ok && t.Negated {
				if c, ok := t.X.(*expr.Column); ok && c.Index == col {
					return true
				}
			}
		}
		return l.neverNull(x.Input, col)
	case *physical.Project:
		return l.neverNullExpr(x.Input, x.Exprs[col])
	case *physical.Scan:
		for _, c := range x.NotNull {
			if c == col {
				return true
			}
		}
	case *physical.Aggregate:
		return col < len(x.Keys) && l.neverNull(x.Input, x.Keys[col])
	case *physical.Dedup, *physical.Distinct, *physical.Limit, *physical.Close:
		return l.neverNull(n.Children()[0], col)
	case *physical.Over:
		return col < x.Visible && l.neverNull(x.Input, col)
	case *physical.StaticJoin:
		return col < len(x.Input.Props().Columns) && l.neverNull(x.Input, col)
	case *physical.Join:
		left := len(x.L.Props().Columns)
		switch {
		case col < left:
			return x.Kind != physical.Full && l.neverNull(x.L, col)
		case x.Kind == physical.Inner:
			return l.neverNull(x.R, col-left)
		}
	case *physical.UnionAll:
		for _, k := range x.Inputs {
			if !l.neverNull(k, col) {
				return false
			}
		}
		return true
	}
	return false
}

func (l *Lowerer) neverNullExpr(in physical.Node, e expr.Node) bool {
	switch x := e.(type) {
	case *expr.Column:
		return l.neverNull(in, x.Index)
	case *expr.Call:
		return (x.F == &timewindow.Start || x.F == &timewindow.End) && l.neverNullExpr(in, x.Args[0])
	}
	return false
}
