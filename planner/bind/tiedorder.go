package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// extremes are the aggregates that take a value of the row with the least or the greatest
// other one.
var extremes = map[string]struct{ greatest, skipNull bool }{
	"min_by": {}, "max_by": {greatest: true}, "arg_min": {skipNull: true}, "arg_max": {greatest: true, skipNull: true},
}

// tied is max_by(x, y [, n] ORDER BY k), whose ORDER BY says which of several rows with the
// greatest y it takes: first(x ORDER BY y DESC, k), or the first n of the list in that order.
// It is nil of any other call.
func (e *env) tied(x *ast.Call, f *fn.Aggregate) func() expr.Node {
	how, ok := extremes[f.Name]
	if !ok || len(x.OrderBy) == 0 || x.WithinGroup || x.Distinct || len(x.Args) < 2 || len(x.Args) > 3 {
		return nil
	}
	call := *x
	call.Args = x.Args[:1]
	call.OrderBy = append([]ast.OrderItem{{Span: x.Args[1].Pos(), Expr: x.Args[1], Desc: how.greatest}}, x.OrderBy...)
	call.Filter = notNull(x.Args[1], x.Filter)
	if how.skipNull || x.Nulls == ast.IgnoreNulls {
		call.Filter = notNull(x.Args[0], call.Filter)
	}
	call.Nulls = ast.NullsDefault
	name := map[int]string{2: "first", 3: "list"}[len(x.Args)]
	g, ok := e.b.cat.Functions.Aggregate(name)
	if !ok {
		return nil
	}
	return func() expr.Node {
		n := e.aggregate(&call, g)
		if n == nil || len(x.Args) == 2 {
			return n
		}
		size := e.expr(x.Args[2])
		if size == nil {
			return nil
		}
		return e.b.resolve(x.Span, "slice", n, expr.Int(types.Of(types.Int32), 1), size)
	}
}

// notNull is x IS NOT NULL AND and.
func notNull(x, and ast.Expr) ast.Expr {
	is := &ast.Is{Span: x.Pos(), X: x, Not: true}
	if and == nil {
		return is
	}
	return &ast.Binary{Span: x.Pos(), Op: ast.And, L: is, R: and}
}
