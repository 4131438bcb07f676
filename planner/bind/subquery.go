package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// inner is a subquery as one side of a join: a plan, the select list over it, and
// conditions that also read the query around (columns from outerBase on).
type inner struct {
	plan  logical.Node
	exprs []expr.Node
	names []string
	corr  []expr.Node
	sel   *selectBinder // of a correlated aggregate, else nil
	span  diag.Span
}

// inner binds a subquery. list = false: the select list does not matter (EXISTS).
func (b *Binder) inner(q *ast.Query, outer *scope, list bool) *inner {
	s, ok := q.Body.(*ast.Select)
	if !ok || q.With != nil || q.Limit != nil || q.Offset != nil || len(q.OrderBy) > 0 || q.OrderAll != nil {
		return b.finite(wholeInner(b.query(q, nil), q.Span))
	}
	sel := b.newSelect(s, q, outer)
	having := sel.bindClauses()
	if !sel.ok || sel.scope.broken {
		return nil
	}
	if len(sel.corr) == 0 && !sel.readsOuter() {
		return b.finite(wholeInner(sel.build(having, nil, logical.NoLimit, 0), q.Span))
	}
	if list && sel.readsOuter() || sel.stmt.GroupBy != nil || having != nil || sel.grouped && !list {
		b.notYet(diag.CorrelatedSubquery, q.Span, "a correlated subquery of this form")
		return nil
	}
	in := &inner{plan: sel.input, corr: sel.corr, span: q.Span}
	if sel.grouped {
		in.sel = sel
	}
	for _, it := range sel.items {
		in.exprs, in.names = append(in.exprs, it.nodes...), append(in.names, it.names...)
	}
	return b.finite(in)
}

func wholeInner(r *relation, span diag.Span) *inner {
	if r == nil {
		return nil
	}
	return &inner{plan: r.plan, exprs: logical.Columns(r.plan), names: columnNames(r.plan), span: span}
}

// finite refuses subqueries over streams.
func (b *Binder) finite(in *inner) *inner {
	if in != nil && !logical.IsFinite(in.plan) {
		b.notYet(diag.StreamSubquery, in.span, "a subquery over a stream")
		return nil
	}
	return in
}

// readsOuter reports a column of the query around outside of WHERE.
func (sel *selectBinder) readsOuter() bool {
	for _, it := range sel.items {
		for _, n := range it.nodes {
			if hasOuterRef(n) {
				return true
			}
		}
	}
	for _, a := range sel.aggs {
		for _, n := range a.Args {
			if hasOuterRef(n) {
				return true
			}
		}
	}
	return false
}

func hasOuterRef(n expr.Node) bool {
	found := false
	expr.Walk(n, func(x expr.Node) bool {
		if c, ok := x.(*expr.Column); ok && c.Index >= outerBase && c.Index < postBase {
			found = true
		}
		return !found
	})
	return found
}

// isSubqueryTest recognises conditions that become semi and anti joins.
func isSubqueryTest(x ast.Expr) bool {
	x, _ = unwrapNot(x)
	switch x := x.(type) {
	case *ast.Exists:
		return true
	case *ast.In:
		return x.Query != nil
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

// whereSubquery joins the input with a subquery of WHERE.
func (sel *selectBinder) whereSubquery(part ast.Expr) bool {
	x, not := unwrapNot(part)
	node := &logical.Join{Kind: logical.Semi, L: sel.input}
	if in, ok := x.(*ast.In); ok {
		not = not != in.Not
		if not {
			node.Kind = logical.Anti
		}
		if !sel.inSubquery(in, node, not) {
			return false
		}
	} else {
		if not {
			node.Kind = logical.Anti
		}
		sub := sel.b.inner(x.(*ast.Exists).Query, sel.scope, false)
		if sub == nil {
			return false
		}
		node.R = sub.plan
		joinKeys(node, sub.conditions(len(sel.input.Schema())), len(sel.input.Schema()))
	}
	sel.input = node
	return true
}

// inSubquery adds the compared columns of IN, then the correlation.
func (sel *selectBinder) inSubquery(in *ast.In, node *logical.Join, not bool) bool {
	left := []ast.Expr{in.X}
	if r, ok := in.X.(*ast.Row); ok {
		left = r.Elems
	}
	values := sel.env(inWhere).exprs(left)
	sub := sel.b.inner(in.Query, sel.scope, true)
	if values == nil || sub == nil {
		return false
	}
	if len(sub.exprs) != len(values) {
		sel.b.errorf(diag.BadSubquery, in.Query.Span, "IN compares %d values with a subquery of %d columns", len(values), len(sub.exprs))
		return false
	}
	if sub.sel != nil {
		sel.b.notYet(diag.CorrelatedSubquery, in.Query.Span, "IN over a correlated aggregate")
		return false
	}
	node.R = sub.plan
	for i, v := range values {
		l, r, ok := sel.comparable(in.Span, v, sub.exprs[i])
		if !ok {
			return false
		}
		node.LKeys, node.RKeys, node.NullSafe = append(node.LKeys, l), append(node.RKeys, r), append(node.NullSafe, false)
	}
	if not {
		node.NullAware = len(values)
	}
	joinKeys(node, sub.conditions(len(sel.input.Schema())), len(sel.input.Schema()))
	if not && node.Residual != nil {
		sel.b.notYet(diag.CorrelatedSubquery, in.Query.Span, "NOT IN with a correlation that is not an equality")
		return false
	}
	return true
}

// comparable casts two values to the type in which they are compared.
func (sel *selectBinder) comparable(span diag.Span, l, r expr.Node) (expr.Node, expr.Node, bool) {
	t, ok := types.ComparisonType(l.Type(), r.Type())
	if !ok {
		sel.b.errorf(diag.TypeMismatch, span, "IN cannot compare %s with %s", typeOf(l), typeOf(r))
		return nil, nil, false
	}
	l, r = sel.b.cast(span, l, t), sel.b.cast(span, r, t)
	return l, r, l != nil && r != nil
}

// conditions are the correlations over nl left columns, then the columns of the plan.
func (in *inner) conditions(nl int) []expr.Node {
	out := make([]expr.Node, len(in.corr))
	for i, c := range in.corr {
		out[i] = expr.MapColumns(c, func(col int) int {
			if col >= outerBase {
				return col - outerBase
			}
			return col + nl
		})
	}
	return out
}

// subqueryExpr binds a subquery inside an expression: a scalar one becomes a column.
func (e *env) subqueryExpr(x ast.Expr) expr.Node {
	s, ok := x.(*ast.Subquery)
	if !ok {
		e.b.notYet(diag.MarkJoin, x.Pos(), "a subquery as a condition inside an expression")
		return nil
	}
	if e.sel == nil || len(e.params) > 0 {
		e.b.errorf(diag.BadSubquery, x.Pos(), "a subquery is not allowed here")
		return nil
	}
	in := e.b.inner(s.Query, e.scope, true)
	if in == nil {
		return nil
	}
	if len(in.exprs) != 1 {
		e.b.errorf(diag.BadSubquery, x.Pos(), "a subquery used as a value must have one column, it has %d", len(in.exprs))
		return nil
	}
	return e.sel.scalar(e, in)
}
