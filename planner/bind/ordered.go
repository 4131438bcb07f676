package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// ordered is an aggregate as a call with ORDER BY means it: of values that are equally
// frequent, mode(x ORDER BY y) takes the one that comes first, which the list of the values
// tells.
func (b *Binder) ordered(x *ast.Call, f *fn.Aggregate) *fn.Aggregate {
	if f.Name != "mode" || len(x.OrderBy) == 0 || x.WithinGroup || len(x.Args) != 1 {
		return f
	}
	list, ok := b.cat.Functions.Aggregate("array_agg")
	if !ok {
		return f
	}
	first := *list
	first.Then = "$first_mode"
	return &first
}

// descending makes percentile(x, p ORDER BY x DESC), which counts from the greatest value, the
// form that says so by an argument.
func descending(x *ast.Call, f *fn.Aggregate) *ast.Call {
	if f.Name != "percentile" && f.Name != "percentile_disc" || len(x.OrderBy) != 1 || len(x.Args) != 2 || !x.OrderBy[0].Desc {
		return x
	}
	by, ok := x.OrderBy[0].Expr.(*ast.ColumnRef)
	of, column := x.Args[0].(*ast.ColumnRef)
	if !ok || !column || !slices.EqualFunc(by.Parts, of.Parts, func(a, b ast.Ident) bool { return strings.EqualFold(a.Name, b.Name) }) {
		return x
	}
	call := *x
	call.OrderBy = nil
	call.Args = append(slices.Clone(x.Args), &ast.Literal{Span: x.OrderBy[0].Span, Kind: ast.LitString, Text: "desc"})
	return &call
}

// aggregateOptions refuses what would change nothing, or is not one thing: IGNORE NULLS of
// an aggregate that never sees NULL, and an order of different values by something else.
func (e *env) aggregateOptions(x *ast.Call, f *fn.Aggregate) bool {
	if x.Nulls != ast.NullsDefault && !f.Ordered && f.Name != "any_value" && f.Name != "min_by" && f.Name != "max_by" {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes no IGNORE NULLS or RESPECT NULLS", x.Name).
			WithHint("FILTER (WHERE x IS NOT NULL) leaves rows out")
		return false
	}
	return true
}

// distinctOrder refuses an order of different values by what the arguments do not tell: the
// rows of one value may have several.
func (e *env) distinctOrder(x *ast.Call, n expr.Node, args []expr.Node) bool {
	if !x.Distinct || x.Over != nil || indexOf(args, n) >= 0 {
		return true
	}
	known := expr.ColumnsOf(args...)
	varies := func(a expr.Node) bool { return expr.Volatility(a) == fn.Volatile }
	if !slices.ContainsFunc(args, varies) && !slices.ContainsFunc(expr.ColumnsOf(n), func(c int) bool { return !slices.Contains(known, c) }) && expr.Volatility(n) != fn.Volatile {
		return true
	}
	e.b.errorf(diag.WrongArguments, x.Span, "with DISTINCT, %s can be ordered by its arguments only, not by %s", x.Name, n)
	return false
}
