package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// cteScope is the list of common table expressions in scope, innermost first.
type cteScope struct {
	cte    *ast.CTE
	around *cteScope // what the CTE's own query sees
	next   *cteScope
	busy   bool
	outer  *scope          // of the query around the one with WITH
	from   *ast.Query      // the one with WITH
	plan   *logical.Shared // it is read several times and large
	self   bool            // WITH RECURSIVE, and the query reads itself
	ref    *recursionScope // while its step is bound
}

// query binds a query; nil means that an error was reported.
func (b *Binder) query(q *ast.Query, outer *scope) *relation {
	saved := b.ctes
	defer func() { b.ctes = saved }()
	if q.With != nil {
		b.pushWith(q, outer)
	}
	switch body := q.Body.(type) {
	case *ast.Select:
		return b.selectBody(body, q, outer)
	default:
		r := b.body(body, outer)
		if r == nil {
			return nil
		}
		return b.sortQuery(r, q)
	}
}

// pushWith brings CTEs into scope, each seeing those before it.
func (b *Binder) pushWith(q *ast.Query, outer *scope) {
	w := q.With
	for i, c := range w.CTEs {
		if slices.ContainsFunc(w.CTEs[:i], func(o *ast.CTE) bool { return strings.EqualFold(o.Name.Name, c.Name.Name) }) {
			b.errorf(diag.ObjectExists, c.Name.Span, "WITH defines %q twice", c.Name.Name)
		}
		s := &cteScope{cte: c, around: b.ctes, next: b.ctes, outer: outer, from: q, self: w.Recursive && (len(c.Key) > 0 || mentions(c.Query, c.Name.Name))}
		if len(c.Key) > 0 && !w.Recursive {
			b.errorf(diag.Recursion, c.Name.Span, "USING KEY belongs to WITH RECURSIVE").WithHint("WITH RECURSIVE %s … USING KEY …", c.Name.Name)
		}
		if s.self {
			s.around = s
		}
		b.ctes = s
	}
}

// mentions reports whether a name is read anywhere in a query.
func mentions(q *ast.Query, name string) bool { return reads(q, name) > 0 }

// reads counts the places of a query where a name is read.
func reads(q *ast.Query, name string) int {
	n := 0
	walkQuery(q, func(t *ast.TableName) {
		parts := t.Name.Parts
		if len(parts) == 1 && parts[0].Is(name) || len(parts) == 2 && parts[0].Is(recurring) && parts[1].Is(name) {
			n++
		}
	})
	return n
}

// walkQuery visits the tables of a query and of those that WITH gives it.
func walkQuery(q *ast.Query, visit func(*ast.TableName)) {
	if q.With != nil {
		for _, c := range q.With.CTEs {
			walkQuery(c.Query, visit)
		}
	}
	walkTables(q.Body, visit)
	walkOrder(q.OrderBy, visit)
	walkSubqueries(q.Limit, visit)
	walkSubqueries(q.Offset, visit)
}

func walkTables(body ast.Body, visit func(*ast.TableName)) {
	switch x := body.(type) {
	case *ast.Select:
		walkFrom(x.From, visit)
		for _, e := range []ast.Expr{x.Where, x.Having, x.Qualify} {
			walkSubqueries(e, visit)
		}
		for _, it := range x.Items {
			walkSubqueries(it.Expr, visit)
		}
		for _, e := range x.DistinctOn {
			walkSubqueries(e, visit)
		}
		if x.GroupBy != nil {
			walkGroups(x.GroupBy.Items, visit)
		}
	case *ast.Values:
		for _, row := range x.Rows {
			for _, e := range row {
				walkSubqueries(e, visit)
			}
		}
	case *ast.SetOp:
		walkTables(x.L, visit)
		walkTables(x.R, visit)
	case *ast.Query:
		walkQuery(x, visit)
	}
}

func walkOrder(items []ast.OrderItem, visit func(*ast.TableName)) {
	for _, o := range items {
		walkSubqueries(o.Expr, visit)
	}
}

func walkGroups(items []ast.GroupItem, visit func(*ast.TableName)) {
	for _, it := range items {
		for _, e := range it.Exprs {
			walkSubqueries(e, visit)
		}
		walkGroups(it.Items, visit)
	}
}

// walkSubqueries visits the tables of the subqueries of an expression, and of the arguments
// TABLE t.
func walkSubqueries(x ast.Expr, visit func(*ast.TableName)) {
	walkExpr(x, func(n ast.Expr) bool {
		switch n := n.(type) {
		case *ast.Subquery:
			walkQuery(n.Query, visit)
		case *ast.Exists:
			walkQuery(n.Query, visit)
		case *ast.In:
			if n.Query != nil {
				walkQuery(n.Query, visit)
			}
		case *ast.Quantified:
			walkSubqueries(n.R, visit)
		case *ast.TableArg:
			if n.Query != nil {
				walkQuery(n.Query, visit)
			}
			if n.Table != nil {
				visit(&ast.TableName{Span: n.Span, Name: *n.Table})
			}
		}
		return true
	})
}

func walkFrom(ref ast.TableRef, visit func(*ast.TableName)) {
	switch x := ref.(type) {
	case *ast.TableName:
		visit(x)
	case *ast.Derived:
		walkQuery(x.Query, visit)
	case *ast.TableFunc:
		walkSubqueries(x.Call, visit)
		if len(x.Call.Args) > 0 { // TUMBLE(t, …) is TUMBLE(TABLE t, …)
			if c, ok := x.Call.Args[0].(*ast.ColumnRef); ok {
				visit(&ast.TableName{Span: c.Span, Name: ast.Name{Span: c.Span, Parts: c.Parts}})
			}
		}
	case *ast.Join:
		walkFrom(x.L, visit)
		walkFrom(x.R, visit)
		walkSubqueries(x.On, visit)
		if x.Nearest != nil {
			walkSubqueries(x.Nearest.By, visit)
		}
	case *ast.Pivot:
		walkFrom(x.Input, visit)
		for _, a := range x.Axes {
			if a.Query != nil {
				walkQuery(a.Query, visit)
			}
		}
	case *ast.Unpivot:
		walkFrom(x.Input, visit)
	}
}

// body binds the part of a query before ORDER BY.
func (b *Binder) body(x ast.Body, outer *scope) *relation {
	switch x := x.(type) {
	case *ast.Select:
		return b.selectBody(x, nil, outer)
	case *ast.Query:
		return b.query(x, outer)
	case *ast.Values:
		return b.values(x, outer)
	case *ast.SetOp:
		return b.setOp(x, outer)
	}
	b.errorf(diag.NotPlanned, x.Pos(), "this query is not supported")
	return nil
}

// setOp binds UNION, INTERSECT and EXCEPT. Nested unions become one.
func (b *Binder) setOp(x *ast.SetOp, outer *scope) *relation {
	l, r := b.body(x.L, outer), b.body(x.R, outer)
	if l == nil || r == nil {
		return nil
	}
	right, first := r.plan, l
	switch {
	case x.ByName:
		l, right = b.withMissing(l, r.plan)
		if right = b.byName(x, l.plan, right); right == nil {
			return nil
		}
	case x.Corresponding:
		if l, right = b.corresponding(x, l, r.plan); l == nil {
			return nil
		}
	}
	left, right := b.sameTypes(x, l, right)
	if left == nil || right == nil {
		return nil
	}
	var plan logical.Node
	switch {
	case x.Op != ast.Union:
		plan = &logical.SetOp{Intersect: x.Op == ast.Intersect, All: x.All, L: left, R: right}
	case x.All:
		plan = &logical.UnionAll{Inputs: append(unionInputs(left), unionInputs(right)...)}
	default:
		plan = &logical.Distinct{Input: &logical.UnionAll{Inputs: append(unionInputs(left), unionInputs(right)...)}}
	}
	return &relation{plan: plan, spans: l.spans, called: calledBy(x, plan, first, r)}
}

// sameTypes brings two inputs to common types, and gives the right one the names of the
// left; nil after an error.
func (b *Binder) sameTypes(x *ast.SetOp, l *relation, right logical.Node) (logical.Node, logical.Node) {
	span, lc, rc := x.Span, l.plan.Schema(), right.Schema()
	if len(lc) != len(rc) {
		b.errorf(diag.ColumnCount, span, "%s of queries with %d and %d columns", x.Op, len(lc), len(rc)).
			WithHint("they are (%s) and (%s)", columnList(lc), columnList(rc))
		return nil, nil
	}
	want := make([]types.Type, len(lc))
	for i := range lc {
		t, ok := types.CommonType(lc[i].Type, rc[i].Type)
		if !ok {
			at := span
			if i < len(l.spans) {
				at = l.spans[i]
			}
			b.errorf(diag.TypeMismatch, at, "%s column %d %q has no common type for %s and %s", x.Op, i+1, lc[i].Name, lc[i].Type, rc[i].Type).
				WithHint("the columns are (%s) and (%s); CAST makes two types one", columnList(lc), columnList(rc))
			return nil, nil
		}
		want[i] = t
	}
	return b.castColumns(l.plan, want, lc), b.castColumns(right, want, lc)
}

// columnList spells columns with their types.
func columnList(cols []types.Column) string {
	list := make([]string, len(cols))
	for i, c := range cols {
		list[i] = c.Name + " " + c.Type.String()
	}
	return strings.Join(list, ", ")
}

func unionInputs(n logical.Node) []logical.Node {
	if u, ok := n.(*logical.UnionAll); ok {
		return u.Inputs
	}
	return []logical.Node{n}
}

// castColumns gives a plan the wanted types and names; the plan itself if it has them.
func (b *Binder) castColumns(plan logical.Node, want []types.Type, names []types.Column) logical.Node {
	same := true
	exprs := make([]expr.Node, len(want))
	out := make([]string, len(want))
	for i, c := range plan.Schema() {
		same = same && c.Type.Equal(want[i]) && c.Name == names[i].Name
		out[i] = names[i].Name
		if exprs[i] = b.cast(diag.Span{}, logical.Col(plan, i), want[i]); exprs[i] == nil {
			return nil
		}
	}
	if same {
		return plan
	}
	return &logical.Project{Input: plan, Exprs: exprs, Names: out}
}

// values binds VALUES. Columns are called col1, col2, …
func (b *Binder) values(v *ast.Values, outer *scope) *relation {
	if slices.ContainsFunc(v.Rows, func(row []ast.Expr) bool { return slices.ContainsFunc(row, hasSubquery) }) {
		return b.body(rowQueries(v), outer)
	}
	e := &env{b: b, scope: &scope{parent: outer}}
	rows := make([][]expr.Node, len(v.Rows))
	ok := true
	for i, r := range v.Rows {
		if len(r) != len(v.Rows[0]) {
			b.errorf(diag.BadArity, v.Span, "VALUES has rows of %d and %d values", len(v.Rows[0]), len(r))
			return nil
		}
		if rows[i] = e.insertRow(r, b.defaults[v]); rows[i] == nil {
			ok = false
		}
	}
	if !ok || len(rows) == 0 {
		return nil
	}
	out := &logical.Values{Rows: rows}
	for c := range rows[0] {
		if !b.storeColumn(v, rows, c) && !b.unifyColumn(v, rows, c) {
			return nil
		}
		out.Columns = append(out.Columns, types.Column{Name: "col" + itoa(c+1), Type: rows[0][c].Type()})
	}
	return &relation{plan: out, spans: make([]diag.Span, len(out.Columns))}
}

// insertRow binds a row of VALUES, in which DEFAULT may stand for a value of INSERT.
func (e *env) insertRow(row []ast.Expr, defaults []expr.Node) []expr.Node {
	out, ok := make([]expr.Node, len(row)), true
	for i, x := range row {
		if ref, is := x.(*ast.ColumnRef); is && i < len(defaults) && len(ref.Parts) == 1 && !ref.Parts[0].Quoted && ref.Parts[0].Is("default") {
			out[i] = defaults[i]
			continue
		}
		out[i] = e.argument(x)
		ok = ok && out[i] != nil
	}
	if !ok {
		return nil
	}
	return out
}

// storeColumn brings a column to the type that INSERT wants, if every value can be.
func (b *Binder) storeColumn(v *ast.Values, rows [][]expr.Node, c int) bool {
	want := b.wanted[v]
	if c >= len(want) {
		return false
	}
	column := make([]expr.Node, len(rows))
	for i, r := range rows {
		if !Storable(r[c].Type(), want[c]) {
			return false
		}
		n, err := b.res.Cast(r[c], want[c], false)
		if err != nil {
			return false // told when it is computed
		}
		if expr.IsConst(r[c]) && !expr.IsConst(n) && !b.set.NullOnError { // the cast failed
			b.errorf(diag.TypeMismatch, v.Rows[i][c].Pos(), "%s is no %s", r[c], want[c])
		}
		column[i] = n
	}
	for i := range rows {
		rows[i][c] = column[i]
	}
	return true
}

func (b *Binder) unifyColumn(v *ast.Values, rows [][]expr.Node, c int) bool {
	column := make([]expr.Node, len(rows))
	for i, r := range rows {
		column[i] = r[c]
	}
	column, err := b.res.Unify("VALUES column "+itoa(c+1), column)
	if err != nil {
		b.errorf(diag.TypeMismatch, v.Span, "%s", err.Error())
		return false
	}
	for i := range rows {
		rows[i][c] = column[i]
	}
	return true
}

// hasAggregate reports a call of an aggregate in an expression, subqueries excluded.
func (b *Binder) hasAggregate(x ast.Expr) bool {
	found := false
	walkExpr(x, func(n ast.Expr) bool {
		if c, ok := n.(*ast.Call); ok {
			found = found || b.isAggregate(c)
		}
		return !found
	})
	return found
}

func (b *Binder) isAggregate(c *ast.Call) bool {
	name := strings.ToLower(b.unchained(c).Name.String())
	_, agg := b.cat.Functions.Aggregate(name)
	return c.Over == nil && (agg || b.sqlAggregate(name))
}
