package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// walkExpr calls visit for an expression and, if that returns true, for its parts.
// Subqueries are not entered.
func walkExpr(x ast.Expr, visit func(ast.Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	for _, k := range parts(x) {
		walkExpr(k, visit)
	}
}

// freeColumns visits the names that an expression reads, but for the parameters of its own
// lambdas.
func (b *Binder) freeColumns(x ast.Expr, visit func(*ast.ColumnRef)) { b.columnsBut(nil, x, visit) }

func (b *Binder) columnsBut(params []ast.Ident, x ast.Expr, visit func(*ast.ColumnRef)) {
	if x == nil {
		return
	}
	switch y := x.(type) {
	case *ast.Lambda:
		params = append(slices.Clip(params), y.Params...)
	case *ast.Call:
		if f, ok := b.cat.Functions.Scalar(strings.ToLower(y.Name.String())); ok {
			x = literalLambdas(y, f.Syntax)
		}
	case *ast.ColumnRef:
		if !slices.ContainsFunc(params, func(p ast.Ident) bool { return y.Parts[0].Is(p.Name) }) {
			visit(y)
		}
	}
	for _, k := range parts(x) {
		b.columnsBut(params, k, visit)
	}
}

// parts lists the direct sub-expressions.
func parts(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.Unary:
		return []ast.Expr{x.X}
	case *ast.Binary:
		return []ast.Expr{x.L, x.R}
	case *ast.Between:
		return []ast.Expr{x.X, x.Lo, x.Hi}
	case *ast.In:
		return withOptional(append([]ast.Expr{x.X}, x.List...), x.Array)
	case *ast.Like:
		if x.Many != nil {
			return append([]ast.Expr{x.X}, x.Many...)
		}
		return withOptional([]ast.Expr{x.X, x.Pattern}, x.Escape)
	case *ast.Is:
		return []ast.Expr{x.X}
	case *ast.Cast:
		return []ast.Expr{x.X}
	case *ast.Call:
		return callParts(x)
	case *ast.Case:
		return caseParts(x)
	case *ast.IntervalExpr:
		return []ast.Expr{x.Value}
	case *ast.Quantified:
		return []ast.Expr{x.L}
	}
	return nestedParts(x)
}

func nestedParts(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.Subscript:
		return []ast.Expr{x.X, x.Index}
	case *ast.Slice:
		return withOptional(withOptional([]ast.Expr{x.X}, x.Lo), x.Hi)
	case *ast.Field:
		return []ast.Expr{x.X}
	case *ast.Array:
		return x.Elems
	case *ast.Map:
		return append(append([]ast.Expr(nil), x.Keys...), x.Values...)
	case *ast.Struct:
		var out []ast.Expr
		for _, f := range x.Fields {
			out = append(out, f.Value)
		}
		return out
	case *ast.Row:
		return x.Elems
	case *ast.Lambda:
		return []ast.Expr{x.Body}
	case *ast.AtTimeZone:
		return []ast.Expr{x.X, x.Zone}
	case *ast.ArrayQuery:
		return []ast.Expr{x.Query}
	case *ast.Collate:
		return []ast.Expr{x.X}
	case *ast.Star:
		return withOptional(nil, x.X)
	}
	return nil
}

func withOptional(list []ast.Expr, x ast.Expr) []ast.Expr {
	if x != nil {
		list = append(list, x)
	}
	return list
}

func callParts(x *ast.Call) []ast.Expr {
	out := append([]ast.Expr(nil), x.Args...)
	for _, n := range x.Named {
		out = append(out, n.Value)
	}
	for _, o := range x.OrderBy {
		out = append(out, o.Expr)
	}
	return append(withOptional(out, x.Filter), windowParts(x.Over)...)
}

// windowParts are the keys of a window.
func windowParts(w *ast.Window) []ast.Expr {
	if w == nil {
		return nil
	}
	out := append([]ast.Expr(nil), w.PartitionBy...)
	for _, o := range w.OrderBy {
		out = append(out, o.Expr)
	}
	return out
}

func caseParts(x *ast.Case) []ast.Expr {
	out := withOptional(nil, x.Operand)
	for _, w := range x.Whens {
		out = append(out, w.Cond, w.Then)
	}
	return withOptional(out, x.Else)
}
