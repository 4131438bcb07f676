package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// quantified is x op ANY (query) and x op ALL (query), which is the negation of ANY with
// the opposite comparison. Equality is IN. The other comparisons need of the subquery
// only its least and greatest value, and how many of its values are NULL: an aggregate,
// which is maintained in the same way whatever the number of rows.
func (e *env) quantified(x *ast.Quantified) expr.Node {
	q := x.R.(*ast.Subquery)
	if in, ok := asIn(x); ok {
		return e.subqueryExpr(in)
	}
	if row, ok := x.L.(*ast.Row); ok {
		return e.quantifiedRow(x, row, q.Query)
	}
	op := x.Op
	if x.All {
		op = opposite[op]
	}
	if op == 0 || op < ast.NotEq || op > ast.GreaterEq {
		e.b.errorf(diag.NotPlanned, x.Span, "%s cannot be used with ANY and ALL", x.Op).
			WithHint("write EXISTS (SELECT … WHERE … %s …)", x.Op)
		return nil
	}
	n := e.any(x, op, q.Query)
	if n != nil && x.All {
		return expr.NewNot(n)
	}
	return n
}

// quantifiedRow is (a, b) op ANY (query) and ALL: the comparison with each row. ANY is
// decided by one that is true, ALL by one that is false; else one that is unknown tells.
func (e *env) quantifiedRow(x *ast.Quantified, row *ast.Row, q *ast.Query) expr.Node {
	plan := e.inner(q)
	if plan == nil {
		return nil
	}
	if n := len(plan.Schema()); n != len(row.Elems) {
		e.b.errorf(diag.BadSubquery, q.Span, "%s compares %d values with a subquery of %s", x.Op, len(row.Elems), plural(n, "column"))
		return nil
	}
	w := written{x.Span}
	rows, other := w.alias("$rows"), &ast.Row{Span: x.Span}
	for i := range row.Elems {
		column := "$row" + itoa(i+1)
		rows.Columns = append(rows.Columns, w.name(column))
		other.Elems = append(other.Elems, w.column(column))
	}
	tests := w.query(&ast.Binary{Span: x.Span, Op: x.Op, L: row, R: other}, &boundQuery{&ast.Derived{Span: x.Span, Alias: rows}, plan})
	is := w.alias("$tests")
	is.Columns = []ast.Ident{w.name("$is")}
	decides := ast.Expr(w.call("bool_or", w.column("$is")))
	if x.All {
		decides = &ast.Unary{Span: x.Span, Op: ast.Not, X: w.call("bool_and", w.column("$is"))}
	}
	unknown := &ast.Binary{Span: x.Span, Op: ast.Greater, L: countStar(x.Span), R: w.call("count", w.column("$is"))}
	result := &ast.Case{Span: x.Span, Else: w.boolean(x.All), Whens: []ast.When{
		{Cond: decides, Then: w.boolean(!x.All)}, {Cond: unknown, Then: &ast.Literal{Span: x.Span, Kind: ast.LitNull}}}}
	return e.scalarSubquery(&ast.Subquery{Span: x.Span, Query: w.query(result, &ast.Derived{Span: x.Span, Query: tests, Alias: is})})
}

// quantifiedList is x op ANY (array), a test of each element.
func (e *env) quantifiedList(x *ast.Quantified) expr.Node {
	return e.each(x.Span, x.All, x.L, x.R, func(v, elem ast.Expr) ast.Expr {
		return &ast.Binary{Span: x.Span, Op: x.Op, L: v, R: elem}
	})
}

// each is a test of v with the elements of an array, of which one has to be true, or all.
// A subquery, which no lambda has, and what has another value at each call, such as random(),
// is computed before.
func (e *env) each(span diag.Span, all bool, v, array ast.Expr, test func(v, elem ast.Expr) ast.Expr) expr.Node {
	some := "exists"
	if all {
		some = "forall"
	}
	w := written{span}
	if hasSubquery(v) || e.b.mayVary(v) {
		body := w.call(some, w.column("$array"), w.lambda(test(w.column("$v"), w.column("$x")), "$x"))
		return e.function(span, "invoke", w.lambda(body, "$v", "$array"), v, array)
	}
	elem := unused(v, "x")
	return e.function(span, some, array, w.lambda(test(v, w.column(elem)), elem))
}

// mayVary reports a call that may have another value each time: of a function written in SQL too.
func (b *Binder) mayVary(x ast.Expr) bool {
	found := false
	walkExpr(x, func(n ast.Expr) bool {
		if c, ok := n.(*ast.Call); ok {
			f, builtin := b.cat.Functions.Scalar(strings.ToLower(c.Name.Last().Name))
			found = found || !builtin || f.Volatility == fn.Volatile
		}
		return !found
	})
	return found
}

// unused is a name that no column in an expression begins with.
func unused(x ast.Expr, name string) string {
	free := true
	walkExpr(x, func(n ast.Expr) bool {
		if ref, ok := n.(*ast.ColumnRef); ok && ref.Parts[0].Is(name) {
			free = false
		}
		return free
	})
	if free {
		return name
	}
	return unused(x, name+"_")
}

var opposite = map[ast.Op]ast.Op{ast.Less: ast.GreaterEq, ast.LessEq: ast.Greater, ast.Greater: ast.LessEq,
	ast.GreaterEq: ast.Less, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}

// any is x op ANY (query): TRUE if the comparison with the value that makes it easiest
// is, else NULL if a comparison is unknown, else FALSE.
func (e *env) any(x *ast.Quantified, op ast.Op, q *ast.Query) expr.Node {
	l, plan := e.expr(x.L), e.inner(q)
	if l == nil || plan == nil {
		return nil
	}
	if n := len(plan.Schema()); n != 1 {
		e.b.errorf(diag.BadSubquery, q.Span, "%s compares a value with a subquery of %d columns", x.Op, n)
		return nil
	}
	l, r, ok := e.comparable(x.Span, x.Op.String(), l, logical.Col(plan, 0))
	if !ok {
		return nil
	}
	agg := &logical.Aggregate{Input: plan}
	for _, f := range []string{"min", "max", "count"} {
		if !e.addAny(agg, x.Span, f, r) {
			return nil
		}
	}
	if !e.addAny(agg, x.Span, "count") {
		return nil
	}
	first, ok := e.attach(&logical.Apply{Join: logical.Join{Kind: logical.Left, R: agg}}, x.Span).(*expr.Column)
	if !ok {
		return nil
	}
	return e.anyOf(x.Span, op, l, func(i int) expr.Node {
		c := logical.Col(agg, i)
		c.Index = first.Index + i
		return c
	})
}

func (e *env) addAny(a *logical.Aggregate, span diag.Span, name string, args ...expr.Node) bool {
	f, _ := e.b.cat.Functions.Aggregate(name)
	impl, err := f.Resolve(expr.Args(args))
	if err == nil {
		err = e.b.res.Coerce(name, impl.Args, args)
	}
	if err != nil {
		e.b.report(err, span)
		return false
	}
	a.Aggs = append(a.Aggs, logical.Agg{Func: f, Impl: impl, Args: args})
	return true
}

// anyOf is the test over the columns least, greatest, values, rows.
func (e *env) anyOf(span diag.Span, op ast.Op, l expr.Node, col func(i int) expr.Node) expr.Node {
	var hit expr.Node
	switch op {
	case ast.NotEq:
		least, greatest := e.b.resolve(span, "<>", l, col(0)), e.b.resolve(span, "<>", l, col(1))
		if least == nil || greatest == nil {
			return nil
		}
		hit = expr.NewOr(least, greatest)
	case ast.Greater, ast.GreaterEq:
		hit = e.b.resolve(span, op.String(), l, col(0))
	default:
		hit = e.b.resolve(span, op.String(), l, col(1))
	}
	none := e.b.resolve(span, "=", col(3), expr.Int(col(3).Type(), 0))
	nulls := e.b.resolve(span, "<", col(2), col(3))
	if hit == nil || none == nil || nulls == nil {
		return nil
	}
	unknown := expr.NewOr(expr.NewIsNull(l, false), nulls)
	n, err := e.b.res.Case([]expr.Node{none, hit, unknown}, []expr.Node{expr.Bool(false), expr.Bool(true), expr.Null(hit.Type())}, expr.Bool(false))
	if err != nil {
		e.b.report(err, span)
		return nil
	}
	return n
}
