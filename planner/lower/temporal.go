package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// filter keeps rows. Conditions on the current time are operators of their own, above the
// others.
func (l *Lowerer) filter(f *logical.Filter, need []bool) *lowered {
	below := append([]bool(nil), need...)
	use(below, f.Predicate)
	in := l.node(f.Input, below)
	var still, moving, other []expr.Node
	for _, c := range conjuncts(onto(in, f.Predicate)) {
		switch {
		case isNotNullNow(c):
		case !hasNow(c) || l.opt.Finite:
			still = append(still, c)
		case isComparison(c):
			moving = append(moving, c)
		default:
			other = append(other, c)
		}
	}
	if len(still) > 0 {
		in = l.keep(in, expr.NewAnd(still...))
	}
	for _, leaves := range []bool{true, false} { // rows that leave first keep the state of the others small
		for _, c := range moving {
			in = l.temporal(in, c, leaves)
		}
	}
	if len(other) > 0 {
		in = l.reconsidered(in, expr.NewAnd(other...))
	}
	return in
}

// reconsidered keeps the rows for which a condition holds at the time of each trigger.
func (l *Lowerer) reconsidered(in *lowered, cond expr.Node) *lowered {
	cols := in.cols
	in, at := l.withColumn(in, cond)
	out := l.keep(in, column(in, at))
	out.cols = cols
	return out
}

func isComparison(c expr.Node) bool {
	_, ok := compared(c)
	return ok
}

func conjuncts(n expr.Node) []expr.Node {
	if a, ok := n.(*expr.And); ok {
		return a.Args
	}
	return []expr.Node{n}
}

// keep is a filter whose condition says the same at all times; a row of a key may vanish
// when it changes, unless the condition reads the key alone.
func (l *Lowerer) keep(in *lowered, pred expr.Node) *lowered {
	l.checkStable(in, pred)
	n := &physical.Filter{Input: in.node, Predicate: pred}
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: in.id.filtered(pred)}
	p := in.props()
	n.P.Columns, n.P.Keys, n.P.Kind = p.Columns, p.Keys, p.Kind
	if n.P.Kind == physical.NoDelete && !(len(p.Keys) > 0 && containsAll(p.Keys[0], expr.ColumnsOf(pred))) {
		n.P.Kind = physical.Retract
	}
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("filter", out.id.rows())
	return out
}

// isNotNullNow reports a condition that always holds: the trigger has a time.
func isNotNullNow(e expr.Node) bool {
	t, ok := e.(*expr.IsNull)
	return ok && t.Negated && isNow(t.X)
}

// hasNow reports an expression that reads the trigger's time.
func hasNow(e expr.Node) bool { return expr.Volatility(e) == fn.Stable }

// comparison is x op bound: a value of the row, and a function of now().
type comparison struct {
	x, bound expr.Node
	op       string
}

// flipped are the comparisons read from the other side.
func flipped(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// compared recognises a comparison of a value of the row with a bound that never
// retreats.
func compared(n expr.Node) (comparison, bool) {
	c, ok := n.(*expr.Call)
	if !ok || len(c.Args) != 2 {
		return comparison{}, false
	}
	switch c.F.Name {
	case "<", "<=", ">", ">=", "=":
	default:
		return comparison{}, false
	}
	out := comparison{x: c.Args[0], bound: c.Args[1], op: c.F.Name}
	if hasNow(out.x) {
		out = comparison{x: out.bound, bound: out.x, op: flipped(out.op)}
	}
	ok = expr.Volatility(out.x) == fn.Immutable && advances(out.bound) && out.x.Type().Phys() == types.PhysInt64
	return out, ok
}

// advances reports an expression over the trigger's time, or the day of it, that never
// decreases.
func advances(e expr.Node) bool {
	if len(expr.ColumnsOf(e)) > 0 || e.Type().Phys() != types.PhysInt64 {
		return false
	}
	_, ok := expr.MonotoneIn(expr.Rewrite(e, func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Call); ok && len(c.Args) == 0 && c.F.Volatility == fn.Stable {
			return &expr.Column{Index: 0, Name: c.F.Name, T: x.Type()}
		}
		return x
	}), true)
	return ok
}

// temporal adds the operator of one condition, if it is one from which rows leave, or
// enter, as asked for; = is both.
func (l *Lowerer) temporal(in *lowered, cond expr.Node, leaves bool) *lowered {
	c, _ := compared(cond)
	if leaves != (c.op == ">" || c.op == ">=") && c.op != "=" {
		return in
	}
	in, col := l.withColumn(in, c.x)
	n := &physical.Temporal{Input: in.node, Col: col, Bound: c.bound, Leaves: leaves,
		Past: c.op == ">" || c.op == "<=" || c.op == "=" && !leaves}
	text := in.id.cols[col] + " " + c.op + " " + c.bound.String()
	out := &lowered{node: n, cols: in.cols, delay: in.delay, id: identity{base: in.id.rows() + " while " + text, cols: in.id.cols}}
	p := in.props()
	n.P.Columns, n.P.Keys, n.P.Kind = p.Columns, p.Keys, p.Kind
	if leaves || n.P.Kind == physical.NoDelete {
		n.P.Kind = physical.Retract
	}
	l.temporalFrontier(in, n, out)
	l.dynamic = true
	n.OpID = hashOf("temporal", out.id.base)
	return out
}

// temporalFrontier is that of the column that rows wait for: what enters later is not below
// the bound. Rows of any age enter and leave later, so no other frontier passes; and where
// rows leave, none that has passed is left to be final.
func (l *Lowerer) temporalFrontier(in *lowered, n *physical.Temporal, out *lowered) {
	at := in.props().FrontierOf(n.Col)
	if n.Leaves || at < 0 || !isTriggerTime(n.Bound) {
		return
	}
	n.P.Frontiers = []physical.Frontier{{Col: n.Col, Rules: []physical.FrontierInput{
		{Child: physical.TriggerTime, Expr: overTrigger(n.Bound)}, {Child: 0, Front: at}}}}
	out.hard = []bool{in.hard[at]}
}

// withColumn finds the column of an expression over the edge, or computes it behind the
// others.
func (l *Lowerer) withColumn(in *lowered, e expr.Node) (*lowered, int) {
	if c, ok := e.(*expr.Column); ok {
		return in, c.Index
	}
	width := len(in.props().Columns)
	exprs, names := make([]expr.Node, 0, width+1), make([]string, 0, width+1)
	for i, c := range in.props().Columns {
		exprs, names = append(exprs, column(in, i)), append(names, c.Name)
	}
	exprs, names = append(exprs, e), append(names, e.String())
	add := l.project
	if hasNow(e) {
		add = l.moving
	}
	out := add(in, exprs, names)
	out.cols = in.cols
	return out, width
}
