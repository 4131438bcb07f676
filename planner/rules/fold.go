package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// foldConstants computes once what is the same for all rows: calls with constant arguments,
// conjunctions with FALSE, disjunctions with TRUE, branches of CASE that are never, or
// always, taken. What fails to compute stays, and fails where a row meets it.
func foldConstants(c *Context, n logical.Node) logical.Node {
	switch n.(type) {
	case *logical.Filter, *logical.Project, *logical.Join, *logical.Aggregate:
	default:
		return n
	}
	changed := false
	out := logical.MapExprs(n, func(e expr.Node) expr.Node {
		folded := expr.Rewrite(e, func(x expr.Node) expr.Node { return fold(c, x) })
		if folded == e || !folded.Type().Equal(e.Type()) {
			return e
		}
		changed = true
		return folded
	})
	if !changed {
		return n
	}
	return out
}

// fold simplifies a node whose children are simple.
func fold(c *Context, n expr.Node) expr.Node {
	switch x := n.(type) {
	case *expr.And:
		return foldLogic(x.Args, n, false, expr.NewAnd)
	case *expr.Or:
		return foldLogic(x.Args, n, true, expr.NewOr)
	case *expr.Case:
		return foldCase(x)
	case *expr.Const, *expr.Column, *expr.Lambda:
		return n
	}
	return c.Resolver.Fold(n)
}

// foldLogic decides a conjunction by a FALSE, a disjunction by a TRUE, and leaves out the
// opposite.
func foldLogic(args []expr.Node, n expr.Node, decides bool, again func(...expr.Node) expr.Node) expr.Node {
	neutral := false
	for _, a := range args {
		k, ok := a.(*expr.Const)
		if !ok || k.IsNull() {
			continue
		}
		if k.V.IsTrue(0) == decides {
			return k
		}
		neutral = true
	}
	if !neutral {
		return n
	}
	return again(args...)
}

// foldCase leaves out branches that are never taken, and those behind one that always is.
func foldCase(x *expr.Case) expr.Node {
	var conds, thens []expr.Node
	otherwise := x.Else
	for i, c := range x.Conds {
		k, ok := c.(*expr.Const)
		if !ok {
			conds, thens = append(conds, c), append(thens, x.Thens[i])
			continue
		}
		if !k.IsNull() && k.V.IsTrue(0) {
			otherwise = x.Thens[i]
			break
		}
	}
	switch {
	case len(conds) == 0:
		return otherwise
	case len(conds) == len(x.Conds):
		return x
	}
	return expr.NewCase(conds, thens, otherwise)
}
