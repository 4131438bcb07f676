package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// literalLambdas gives a call with x -> 10 * x as a lambda where the function takes one.
// The parser, which knows no functions, reads the access to JSON (x -> 10), times x.
func literalLambdas(x *ast.Call, syntax []string) *ast.Call {
	out := x
	for i, a := range x.Args {
		if !lambdaAt(syntax, i) {
			continue
		}
		if l := literalLambda(a); l != nil {
			if out == x {
				call := *x
				call.Args, out = append([]ast.Expr(nil), x.Args...), &call
			}
			out.Args[i] = l
		}
	}
	return out
}

// lambdaAt tells whether a form of a function has a lambda of one parameter as argument i.
func lambdaAt(syntax []string, i int) bool {
	return slices.ContainsFunc(syntax, func(form string) bool {
		params := fn.Params(form)
		return i < len(params) && params[i].Lambda
	})
}

// literalLambda makes the lambda x -> 10 … of an expression that begins with the access
// x -> 10; nil if it does not.
func literalLambda(x ast.Expr) *ast.Lambda {
	var param *ast.ColumnRef
	body := withoutAccess(x, &param)
	if param == nil || param.Start != x.Pos().Start {
		return nil // CAST(x -> 10 AS …): it begins inside
	}
	return &ast.Lambda{Span: x.Pos(), Params: param.Parts, Body: body}
}

// withoutAccess gives an expression without the x -> at its begin, and where x is.
func withoutAccess(x ast.Expr, param **ast.ColumnRef) ast.Expr {
	if b, ok := x.(*ast.Binary); ok && b.Op == ast.JSONGet {
		if ref, ok := b.L.(*ast.ColumnRef); ok && len(ref.Parts) == 1 {
			*param = ref
			return b.R
		}
	}
	c, first := leftmost(x)
	if first != nil {
		*first = withoutAccess(*first, param)
	}
	return c
}

// leftmost copies an expression that begins with an operand, and gives the operand's place in
// the copy; nil for others.
func leftmost(x ast.Expr) (ast.Expr, *ast.Expr) {
	switch x := x.(type) {
	case *ast.Binary:
		c := *x
		return &c, &c.L
	case *ast.Between:
		c := *x
		return &c, &c.X
	case *ast.In:
		c := *x
		return &c, &c.X
	case *ast.Like:
		c := *x
		return &c, &c.X
	case *ast.Is:
		c := *x
		return &c, &c.X
	case *ast.Cast:
		c := *x
		return &c, &c.X
	case *ast.Quantified:
		c := *x
		return &c, &c.L
	}
	return x, nil
}
