package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// readsTime reports a projection over rows that may be retracted whose expressions read
// the trigger's time: what they gave for a row changes with it.
func (l *Lowerer) readsTime(in *lowered, exprs []expr.Node) bool {
	if in.props().Kind == physical.AppendOnly || l.opt.Finite {
		return false
	}
	return slices.ContainsFunc(exprs, hasNow) &&
		!slices.ContainsFunc(exprs, func(e expr.Node) bool { return expr.Volatility(e) == fn.Volatile })
}

// moving adds a projection that is computed again as time passes. Rows of any age come and
// go then: no frontier passes.
func (l *Lowerer) moving(in *lowered, exprs []expr.Node, names []string) *lowered {
	n := &physical.Moving{Input: in.node, Exprs: exprs}
	out := &lowered{node: n, cols: make([]int, len(exprs)), delay: in.delay, id: in.id.projected(exprs)}
	out.id.base = "moving " + out.id.base
	n.P.Kind = physical.Retract
	for i, e := range exprs {
		out.cols[i] = i
		n.P.Columns = append(n.P.Columns, types.Column{Name: names[i], Type: e.Type()})
	}
	n.P.Columns = unique(n.P.Columns)
	n.P.Keys = projectKeys(in.props().Keys, exprs)
	l.dynamic = true
	n.OpID = hashOf("moving", in.id.rows(), joinTexts(in.id.cols), in.id.texts(exprs))
	return out
}

// timeAbove is an inner join with its conditions on the current time above it; nil if it
// has none.
func timeAbove(j *logical.Join) *logical.Filter {
	if j.Kind != logical.Inner || j.Residual == nil || !hasNow(j.Residual) {
		return nil
	}
	var above, rest []expr.Node
	for _, c := range conjuncts(j.Residual) {
		if hasNow(c) {
			above = append(above, c)
		} else {
			rest = append(rest, c)
		}
	}
	below := *j
	if below.Residual = nil; len(rest) > 0 {
		below.Residual = expr.NewAnd(rest...)
	}
	return &logical.Filter{Input: &below, Predicate: expr.NewAnd(above...)}
}
