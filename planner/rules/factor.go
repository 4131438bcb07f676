package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// factorOr takes out of a disjunction what all of its parts demand: a = b AND x OR a = b
// AND y is a = b AND (x OR y), which also holds where some of it is NULL. So keys are found
// that are written once for each case.
func factorOr(_ *Context, n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Filter:
		if p, ok := factored(x.Predicate); ok {
			return &logical.Filter{Input: x.Input, Predicate: p}
		}
	case *logical.Join:
		if x.Residual == nil {
			return n
		}
		if p, ok := factored(x.Residual); ok {
			out := *x
			out.Residual = p
			return &out
		}
	}
	return n
}

// factored factors every disjunction among the conjuncts of a condition.
func factored(pred expr.Node) (expr.Node, bool) {
	var out []expr.Node
	changed := false
	for _, c := range conjuncts(pred) {
		or, ok := c.(*expr.Or)
		if !ok || expr.Volatility(c) != fn.Immutable {
			out = append(out, c)
			continue
		}
		common := shared(or.Args)
		if len(common) == 0 {
			out = append(out, c)
			continue
		}
		changed = true
		out = append(out, common...)
		out = append(out, rest(or.Args, common)...)
	}
	return expr.NewAnd(out...), changed
}

// shared are the conjuncts that all parts have.
func shared(parts []expr.Node) []expr.Node {
	var out []expr.Node
	for _, c := range conjuncts(parts[0]) {
		everywhere := !contains(out, c)
		for _, p := range parts[1:] {
			everywhere = everywhere && (contains(conjuncts(p), c) || mutant.On("what one part of OR demands all do"))
		}
		if everywhere {
			out = append(out, c)
		}
	}
	return out
}

// rest is the disjunction without the common conjuncts; nothing, if a part has no others.
func rest(parts, common []expr.Node) []expr.Node {
	var ors []expr.Node
	for _, p := range parts {
		var own []expr.Node
		for _, c := range conjuncts(p) {
			if !contains(common, c) {
				own = append(own, c)
			}
		}
		if len(own) == 0 {
			return nil
		}
		ors = append(ors, expr.NewAnd(own...))
	}
	return []expr.Node{expr.NewOr(ors...)}
}
