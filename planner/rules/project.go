package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// mergeProjects computes two projections at once, unless that would compute
// something costly or volatile twice.
func mergeProjects(c *Context, n logical.Node) logical.Node {
	outer, ok := n.(*logical.Project)
	if !ok {
		return n
	}
	in, ok := outer.Input.(*logical.Project)
	if !ok || !mayInline(in.Exprs, outer.Exprs) {
		return n
	}
	exprs := make([]expr.Node, len(outer.Exprs))
	for i, e := range outer.Exprs {
		exprs[i] = substitute(c, e, in.Exprs)
	}
	return &logical.Project{Input: in.Input, Exprs: exprs, Names: outer.Names}
}

// substitute puts expressions in the place of columns, takes fields of structs that
// are built on the spot directly, and folds constants.
func substitute(c *Context, n expr.Node, with []expr.Node) expr.Node {
	return expr.Rewrite(n, func(x expr.Node) expr.Node {
		switch x := x.(type) {
		case *expr.Column:
			return with[x.Index]
		case *expr.Field:
			return Field(x.X, x.Index)
		}
		return c.Resolver.Fold(x)
	})
}

// Field takes a field; of a struct that is built on the spot, the value itself.
func Field(x expr.Node, i int) expr.Node {
	call, ok := x.(*expr.Call)
	if ok && call.F == &timewindow.Pair {
		return call.Args[i]
	}
	if ok && call.F.Name == "named_struct" && len(call.Args) > 2*i+1 && call.Args[2*i+1].Type().Equal(call.Type().Fields[i].Type) {
		return call.Args[2*i+1]
	}
	return expr.NewField(x, i)
}

// mayInline: what is used more than once must be cheap, and nothing volatile may be
// computed twice or not at all.
func mayInline(inner []expr.Node, outer []expr.Node) bool {
	uses := make([]int, len(inner))
	for _, e := range outer {
		expr.Walk(e, func(x expr.Node) bool {
			if c, ok := x.(*expr.Column); ok {
				uses[c.Index]++
			}
			return true
		})
	}
	for i, e := range inner {
		if uses[i] != 1 && expr.Volatility(e) == fn.Volatile || uses[i] > 1 && !cheap(e) {
			return false
		}
	}
	return true
}

// cheap expressions may be computed again: columns, fields, constants, windows.
func cheap(n expr.Node) bool {
	ok := true
	expr.Walk(n, func(x expr.Node) bool {
		switch x := x.(type) {
		case *expr.Column, *expr.Const, *expr.Field, *expr.Param:
		case *expr.Call:
			ok = ok && cheapCall(x)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

func cheapCall(x *expr.Call) bool {
	switch x.F {
	case &timewindow.Start, &timewindow.End, &timewindow.Pair:
		return true
	}
	return len(x.Args) == 0 && x.F.Volatility == fn.Stable || x.Type().IsTime() && (x.F.Name == "-" || x.F.Name == "+")
}
