package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Subqueries become dependent joins (logical.Apply) of what they stand beside: one that
// adds a column for a value, a mark join for a condition inside an expression, a semi or
// anti join for a condition of WHERE, HAVING or ON. What they read of the query around are
// outer references, with the scope of that query; planner/decorrelate removes both.

// isSubqueryTest recognises conditions that become semi and anti joins.
func isSubqueryTest(x ast.Expr) bool {
	x, _ = unwrapNot(x)
	switch x := x.(type) {
	case *ast.Exists:
		return true
	case *ast.In:
		return x.Query != nil
	case *ast.Quantified:
		_, ok := asIn(x)
		return ok
	}
	return false
}

func unwrapNot(x ast.Expr) (ast.Expr, bool) {
	not := false
	for {
		u, ok := x.(*ast.Unary)
		if !ok || u.Op != ast.Not {
			return x, not
		}
		x, not = u.X, !not
	}
}

// asIn is IN for = ANY, and NOT IN for <> ALL.
func asIn(x *ast.Quantified) (*ast.In, bool) {
	q, ok := x.R.(*ast.Subquery)
	if !ok || x.All != (x.Op == ast.NotEq) || x.Op != ast.Eq && x.Op != ast.NotEq {
		return nil, false
	}
	return &ast.In{Span: x.Span, X: x.L, Not: x.All, Query: q.Query}, true
}

// hasQuery tells ANY (query) from ANY (array).
func hasQuery(x *ast.Quantified) bool {
	_, ok := x.R.(*ast.Subquery)
	return ok
}

// hasSubquery reports a subquery in an expression.
func hasSubquery(x ast.Expr) bool {
	found := false
	walkExpr(x, func(n ast.Expr) bool {
		switch n := n.(type) {
		case *ast.Subquery, *ast.Exists:
			found = true
		case *ast.In:
			found = found || n.Query != nil
		case *ast.Quantified:
			found = found || hasQuery(n)
		}
		return !found
	})
	return found
}

// subqueryTest joins the input with a subquery that is a condition by itself.
func (e *env) subqueryTest(part ast.Expr) bool {
	x, not := unwrapNot(part)
	if q, ok := x.(*ast.Quantified); ok {
		x, _ = asIn(q)
	}
	in, isIn := x.(*ast.In)
	not = not != (isIn && in.Not)
	kind := logical.Semi
	if not {
		kind = logical.Anti
	}
	if !isIn {
		return e.exists(x.(*ast.Exists), kind) != nil
	}
	return e.in(in, kind) != nil
}

// subqueryExpr binds a subquery inside an expression.
func (e *env) subqueryExpr(x ast.Expr) expr.Node {
	if q, ok := x.(*ast.Quantified); ok && !hasQuery(q) {
		return e.quantifiedList(q)
	}
	if len(e.params) > 0 {
		e.b.errorf(diag.BadSubquery, x.Pos(), "a subquery is not allowed in a lambda, which is of elements").
			WithHint("compute it beside them: SELECT … FROM (SELECT …, (SELECT …) AS x …)")
		return nil
	}
	if e.sel == nil && e.on == nil {
		e.b.errorf(diag.BadSubquery, x.Pos(), "a subquery is not allowed here")
		return nil
	}
	switch x := x.(type) {
	case *ast.Subquery:
		return e.scalarSubquery(x)
	case *ast.ArrayQuery:
		return e.arrayQuery(x)
	case *ast.Exists:
		return e.exists(x, logical.Mark)
	case *ast.In:
		n := e.in(x, logical.Mark)
		if n != nil && x.Not {
			return expr.NewNot(n)
		}
		return n
	}
	return e.quantified(x.(*ast.Quantified))
}

// inner binds the query of a subquery; nil means that an error was reported.
func (e *env) inner(q *ast.Query) logical.Node {
	around := e.scope.reader
	e.scope.reader = e
	r := e.b.query(q, e.scope)
	e.scope.reader = around
	if r == nil {
		return nil
	}
	return r.plan
}

// attach puts a dependent join on what the expression stands over, and returns a
// reference to the first column that it adds; a constant if it adds none.
func (e *env) attach(a *logical.Apply, span diag.Span) expr.Node {
	a.Scope, a.Span = e.scope.number(e.b), e.b.place(span)
	base := 0
	if e.on != nil {
		base = e.on.attach(a)
	} else {
		base = e.sel.attach(e, a, span)
	}
	switch a.Kind {
	case logical.Semi, logical.Anti:
		return expr.Bool(true)
	case logical.Mark:
		return &expr.Column{Index: base, Name: logical.MarkColumn, T: types.Of(types.Bool)}
	}
	c := logical.Col(a.R, 0)
	c.Index = base
	return c
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return itoa(n) + " " + word + "s"
}

// scalarSubquery is the one value of a subquery, NULL if it has no row.
func (e *env) scalarSubquery(x *ast.Subquery) expr.Node {
	plan := e.inner(x.Query)
	if plan == nil {
		return nil
	}
	if n := len(plan.Schema()); n != 1 {
		e.b.errorf(diag.BadSubquery, x.Pos(), "a subquery used as a value must have one column, it has %d", n).
			WithHint("leave one column in its select list, or make one of them: struct(a, b)")
		return nil
	}
	return e.attach(&logical.Apply{Join: logical.Join{Kind: logical.Left, R: plan, Single: true}}, x.Span)
}

func (e *env) exists(x *ast.Exists, kind logical.JoinKind) expr.Node {
	plan := e.inner(x.Query)
	if plan == nil {
		return nil
	}
	return e.attach(&logical.Apply{Join: logical.Join{Kind: kind, R: plan}}, x.Span)
}

// in compares a value, or a row of them, with the rows of a subquery: by the rules of
// NULL, but for a semi join, where unknown is as good as false.
func (e *env) in(x *ast.In, kind logical.JoinKind) expr.Node {
	left := []ast.Expr{x.X}
	if r, ok := x.X.(*ast.Row); ok {
		left = r.Elems
	}
	values, plan := e.exprs(left), e.inner(x.Query)
	if values == nil || plan == nil {
		return nil
	}
	values = e.oneValue(x.X, values, plan)
	if n := len(plan.Schema()); n != len(values) {
		e.b.errorf(diag.BadSubquery, x.Query.Span, "IN compares %s with a subquery of %d columns", plural(len(values), "value"), n).
			WithHint("leave as many columns in its select list, or write (a, b) IN (SELECT a, b …)")
		return nil
	}
	j := logical.Join{Kind: kind, R: plan}
	for i, v := range values {
		l, r, ok := e.comparable(x.Span, "IN", v, logical.Col(plan, i))
		if !ok {
			return nil
		}
		j.LKeys, j.RKeys, j.NullSafe = append(j.LKeys, l), append(j.RKeys, r), append(j.NullSafe, false)
	}
	if kind != logical.Semi {
		j.NullAware = len(values)
	}
	return e.attach(&logical.Apply{Join: j}, x.Span)
}

// oneValue makes one value of a row that is compared with rows in one column.
func (e *env) oneValue(x ast.Expr, values []expr.Node, plan logical.Node) []expr.Node {
	cols := plan.Schema()
	row, ok := x.(*ast.Row)
	if !ok || len(cols) != 1 || cols[0].Type.Kind != types.Struct || len(cols[0].Type.Fields) != len(values) {
		return values
	}
	var args []expr.Node
	for i, v := range values {
		args = append(args, expr.Text(cols[0].Type.Fields[i].Name), v)
	}
	if n := e.b.resolve(row.Span, "named_struct", args...); n != nil {
		return []expr.Node{n}
	}
	return values
}

// comparable casts two values to the type in which they are compared.
func (e *env) comparable(span diag.Span, what string, l, r expr.Node) (expr.Node, expr.Node, bool) {
	t, ok := types.ComparisonType(l.Type(), r.Type())
	if !ok {
		e.b.errorf(diag.TypeMismatch, span, "%s cannot compare %s with %s", what, typeOf(l), typeOf(r))
		return nil, nil, false
	}
	l, r = e.b.cast(span, l, t), e.b.cast(span, r, t)
	return l, r, l != nil && r != nil
}

// number gives a scope the number of its outer references.
func (s *scope) number(b *Binder) int {
	if s.invoked != nil {
		return s.invoked.caller.number(b)
	}
	if s.id == 0 {
		b.scopes++
		s.id = b.scopes
	}
	return s.id
}
