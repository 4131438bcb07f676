package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// join binds a join. The result keeps the written order of columns, whichever side is
// the stream.
func (b *Binder) join(x *ast.Join, outer *scope) (logical.Node, *scope) {
	if x.Kind == ast.FullJoin && x.On != nil && hasSubquery(x.On) {
		return b.fullByParts(x, outer)
	}
	switch {
	case x.Nearest != nil:
		return b.nearest(x, outer)
	case x.Kind == ast.PositionalJoin:
		return b.positional(x, outer)
	}
	x = nearestExists(x)
	l, ls := b.from(x.L, outer)
	if plan, s, ok := b.lateral(x, l, ls, outer); ok {
		return plan, s
	}
	if t, ok := x.R.(*ast.TableName); ok && t.AsOf != nil && !x.Asof && !ls.broken {
		if plan, s, ok := b.temporal(x, t, l, ls, outer); ok {
			return plan, s
		}
	}
	before := len(b.diags)
	r, rs := b.from(x.R, outer)
	if plan, s, ok := b.seesLeft(x, before, l, ls, outer); ok {
		return plan, s
	}
	b.timeOfTable(x, ls, outer)
	if ls.broken || rs.broken {
		s := ls.join(rs, logical.Width(l))
		s.broken = true
		return standIn(s), s
	}
	j := &joinBinder{b: b, x: x, l: l, r: r, ls: ls, rs: rs, scope: ls.join(rs, logical.Width(l))}
	if x.Asof {
		return j.bindAsof(outer)
	}
	return j.bind(outer)
}

// joinBinder binds one join.
type joinBinder struct {
	b      *Binder
	x      *ast.Join
	l, r   logical.Node
	ls, rs *scope
	scope  *scope // left columns, then right columns
	conds  []expr.Node
	// subqueries are the conditions with subqueries.
	subqueries []*onSubqueries
	rest       []expr.Node // of an ASOF join: what is no key, time or filter of a side
	merged     [][2]int    // of a full join: pairs of columns of scope that USING makes one
}

func (j *joinBinder) bind(outer *scope) (logical.Node, *scope) {
	j.scope.parent = outer
	if !j.condition() {
		j.scope.broken = true
		return standIn(j.scope), j.scope
	}
	kind, l, r, swapped := j.sides()
	node := &logical.Join{Kind: kind, L: l, R: r}
	j.split(node, swapped)
	j.b.scopes++
	plan := j.placeBeside(node, swapped, j.b.scopes)
	if kind == logical.Semi || kind == logical.Anti {
		return plan, j.ls
	}
	switch {
	case swapped:
		plan = j.restore(plan)
	case len(j.merged) > 0:
		plan = j.coalesced(node)
	}
	return j.placeAbove(plan), j.scope
}

// condition binds ON, USING and NATURAL over both sides.
func (j *joinBinder) condition() bool {
	using := j.x.Using
	if j.x.Natural {
		using = j.common()
	}
	rank := 1
	for _, c := range j.scope.cols {
		rank = max(rank, c.using+1)
	}
	for _, id := range using {
		if !j.using(id, rank) {
			return false
		}
	}
	if j.x.On == nil {
		return true
	}
	e := &env{b: j.b, scope: j.scope, clause: inOn}
	for _, part := range conjuncts(j.x.On) {
		if hasSubquery(part) {
			if !j.onSubquery(part) {
				return false
			}
			continue
		}
		n := e.condition(part, "ON")
		if n == nil {
			return false
		}
		for _, c := range splitAnd(n) {
			j.conds = append(j.conds, j.byBounds(c)...)
		}
	}
	return true
}

// byBounds compares windows by their bounds, of which NULL is the window of no time; the
// ends of windows of one size say nothing new.
func (j *joinBinder) byBounds(c expr.Node) []expr.Node {
	eq, ok := c.(*expr.Call)
	if !ok || len(eq.Args) != 2 || eq.F.Name != "=" {
		return []expr.Node{c}
	}
	a, ok := eq.Args[0].(*expr.Call)
	b, ok2 := eq.Args[1].(*expr.Call)
	if !ok || !ok2 || !isPair(a) || !isPair(b) {
		return []expr.Node{c}
	}
	out := []expr.Node{j.b.resolve(j.x.Span, "=", a.Args[0], b.Args[0])}
	ea, ok := a.Args[1].(*expr.Call)
	eb, ok2 := b.Args[1].(*expr.Call)
	if !ok || !ok2 || !expr.Equal(ea.Args[1], eb.Args[1]) {
		out = append(out, j.b.resolve(j.x.Span, "=", a.Args[1], b.Args[1]))
	}
	return out
}

func (j *joinBinder) common() []ast.Ident {
	var out []ast.Ident
	for _, c := range j.ls.cols {
		if len(j.rs.find("", c.name)) > 0 && !c.hidden {
			out = append(out, ast.Ident{Span: j.x.Span, Name: c.name})
		}
	}
	return out
}

// using adds the equality of two columns of one name, of which * shows one.
func (j *joinBinder) using(id ast.Ident, rank int) bool {
	lm, rm := j.ls.find("", id.Name), j.rs.find("", id.Name)
	if len(lm) != 1 || len(rm) != 1 {
		side, s, cols := "left", j.ls, lm
		if len(lm) == 1 {
			side, s, cols = "right", j.rs, rm
		}
		if len(cols) > 1 {
			j.b.errorf(diag.AmbiguousName, id.Span, "column %q is ambiguous on the %s side: it could be %s", id.Name, side, s.describe(cols)).
				WithHint("write ON, with the table in front of each column")
			return false
		}
		j.b.errorf(diag.UnknownColumn, id.Span, "USING needs a column %q on the %s side", id.Name, side).
			Hint = diag.HintDidYouMean(id.Name, s.names())
		return false
	}
	at := len(j.ls.cols) + rm[0]
	n := j.b.resolve(id.Span, "=", j.scope.ref(lm[0]), j.scope.ref(at))
	if n == nil {
		return false
	}
	j.conds = append(j.conds, n)
	if j.x.Kind == ast.FullJoin {
		return j.merge(lm[0], at, id.Span)
	}
	show, hide := lm[0], at
	if j.x.Kind == ast.RightJoin {
		show, hide = at, lm[0]
	}
	j.scope.cols[hide].hidden = true
	j.scope.cols[show].using = rank
	return true
}

// merge makes one column of two that USING equals: of a full join either may be NULL.
func (j *joinBinder) merge(l, r int, span diag.Span) bool {
	if j.b.resolve(span, "coalesce", j.scope.ref(l), j.scope.ref(r)) == nil {
		return false
	}
	j.merged = append(j.merged, [2]int{l, r})
	return true
}

// coalesced appends the merged columns of a full join to its row.
func (j *joinBinder) coalesced(node *logical.Join) logical.Node {
	p := &logical.Project{Input: node, Exprs: logical.Columns(node), Names: columnNames(node)}
	rank := 1
	for _, c := range j.scope.cols {
		rank = max(rank, c.using+1)
	}
	for _, m := range j.merged {
		l, r := &j.scope.cols[m[0]], &j.scope.cols[m[1]]
		n := j.b.resolve(j.x.Span, "coalesce", logical.Col(node, l.index), logical.Col(node, r.index))
		j.scope.cols = append(j.scope.cols, scopeCol{name: l.name, index: len(p.Exprs), typ: n.Type(), using: rank})
		for _, i := range m {
			j.scope.cols[i].hidden, j.scope.cols[i].using = true, 0
		}
		p.Exprs, p.Names = append(p.Exprs, n), append(p.Names, l.name)
	}
	return p
}

// sides decides which input is the left one of the logical join: the side that an outer
// join keeps, else the stream beside a table.
func (j *joinBinder) sides() (kind logical.JoinKind, l, r logical.Node, swapped bool) {
	kind = map[ast.JoinKind]logical.JoinKind{ast.LeftJoin: logical.Left, ast.RightJoin: logical.Left, ast.SemiJoin: logical.Semi,
		ast.AntiJoin: logical.Anti, ast.FullJoin: logical.Full}[j.x.Kind]
	swapped = j.x.Kind == ast.RightJoin || kind == logical.Inner && logical.IsFinite(j.l) && !logical.IsFinite(j.r)
	if swapped {
		return kind, j.r, j.l, true
	}
	return kind, j.l, j.r, false
}

func joinName(k ast.JoinKind) string {
	if k == ast.InnerJoin {
		return "JOIN"
	}
	return k.String() + " JOIN"
}

// split sorts the conditions into keys and the rest.
func (j *joinBinder) split(node *logical.Join, swapped bool) {
	nl := logical.Width(j.l)
	conds := j.conds
	if swapped {
		nr := logical.Width(j.r)
		conds = make([]expr.Node, len(j.conds))
		for i, c := range j.conds {
			conds[i] = expr.MapColumns(c, func(col int) int {
				if _, _, outer := logical.Outer(col); outer {
					return col
				}
				if col < nl {
					return col + nr
				}
				return col - nl
			})
		}
		nl = nr
	}
	joinKeys(node, conds, nl)
}

// joinKeys makes keys of equalities between the two sides; the rest is the residual.
func joinKeys(node *logical.Join, conds []expr.Node, nl int) {
	for _, c := range conds {
		l, r, nullSafe, ok := logical.Equality(c, nl)
		if !ok || logical.HasOuter(c) {
			node.Residual = conjunction(node.Residual, c)
			continue
		}
		node.LKeys = append(node.LKeys, l)
		node.RKeys = append(node.RKeys, expr.MapColumns(r, func(i int) int { return i - nl }))
		node.NullSafe = append(node.NullSafe, nullSafe)
	}
}

// restore puts the columns of a swapped join back in the written order.
func (j *joinBinder) restore(node logical.Node) logical.Node {
	nl, nr := logical.Width(j.l), logical.Width(j.r)
	exprs := make([]expr.Node, 0, nl+nr)
	names := make([]string, 0, nl+nr)
	for i := range nl + nr {
		c := logical.Col(node, (i+nr)%(nl+nr))
		exprs, names = append(exprs, c), append(names, c.Name)
	}
	return &logical.Project{Input: node, Exprs: exprs, Names: names}
}

func splitAnd(n expr.Node) []expr.Node {
	if a, ok := n.(*expr.And); ok {
		return a.Args
	}
	return []expr.Node{n}
}

// lateral binds a right side that sees the left one: generators, and queries without
// FROM of their own.
func (b *Binder) lateral(x *ast.Join, l logical.Node, ls, outer *scope) (logical.Node, *scope, bool) {
	switch r := x.R.(type) {
	case *ast.TableFunc:
		if query, ok := b.overQueries(r); ok {
			query.Lateral = true
			plan, s := b.lateralQuery(x, query, l, ls, outer)
			return plan, s, true
		}
		name := strings.ToLower(r.Call.Name.String())
		if f := b.cat.Function(name); f != nil && f.Query != nil && x.Kind != ast.RightJoin && x.Kind != ast.FullJoin {
			plan, s := b.sqlTableBeside(x, r, f, l, ls, outer)
			return plan, s, true
		}
		if _, ok := b.cat.Functions.Generator(name); !ok || !readsColumns(r.Call) && (x.Kind != ast.InnerJoin && x.Kind != ast.CrossJoin || x.On != nil && !isTrueLiteral(x.On)) {
			return nil, nil, false
		}
		if named := x.Natural || len(x.Using) > 0 || x.Asof; named && !readsColumns(r.Call) {
			return nil, nil, false
		} else if named || x.Kind == ast.LeftJoin && x.On != nil && !isTrueLiteral(x.On) {
			plan, s := b.onTrue(x, r, l, ls, outer)
			return plan, s, true
		}
		plan, s := b.unnest(x, r, l, ls)
		return plan, s, true
	case *ast.Derived:
		if !r.Lateral {
			return nil, nil, false
		}
		plan, s := b.lateralQuery(x, r, l, ls, outer)
		return plan, s, true
	}
	return nil, nil, false
}

// readsColumns tells that the arguments of a call read columns, or may.
func readsColumns(c *ast.Call) bool {
	found := false
	walkExpr(c, func(n ast.Expr) bool {
		switch n.(type) {
		case *ast.ColumnRef, *ast.Place, *ast.Subquery, *ast.Exists, *ast.Quantified:
			found = true
		}
		return !found
	})
	return found
}

// onTrue makes the condition of a join with a generator one of the rows that it makes.
func (b *Binder) onTrue(x *ast.Join, r *ast.TableFunc, l logical.Node, ls, outer *scope) (logical.Node, *scope) {
	rows := &ast.Select{Span: r.Span, Items: []ast.SelectItem{{Span: r.Span, Expr: &ast.Star{Span: r.Span}}}, From: r, Where: x.On}
	query := &ast.Derived{Span: r.Span, Lateral: true, Query: &ast.Query{Span: r.Span, Body: rows}, Alias: r.Alias}
	join := *x
	join.R, join.On = query, nil
	return b.lateralQuery(&join, query, l, ls, outer)
}

// appended extends a scope by the last columns of a plan.
func (s *scope) appended(plan logical.Node, table string) *scope {
	out := *s
	out.cols = append([]scopeCol(nil), s.cols...)
	cols := plan.Schema()
	first := 0
	for _, c := range s.cols {
		first = max(first, c.index+1)
	}
	for i := first; i < len(cols); i++ {
		out.cols = append(out.cols, scopeCol{table: table, name: cols[i].Name, index: i, typ: cols[i].Type})
	}
	return &out
}

// unnest binds a generator in FROM beside the rows that it takes its arguments from.
func (b *Binder) unnest(x *ast.Join, r *ast.TableFunc, l logical.Node, ls *scope) (logical.Node, *scope) {
	outer := x.Kind == ast.LeftJoin
	if !outer && x.Kind != ast.InnerJoin && x.Kind != ast.CrossJoin {
		b.errorf(diag.NotPlanned, x.Span, "%s with %s is not supported", joinName(x.Kind), r.Call.Name)
		return broken()
	}
	e := &env{b: b, scope: ls, clause: inOther}
	u := e.generator(r.Call, l)
	if u == nil {
		return broken()
	}
	u.Outer = u.Outer || outer
	u.Ordinality = r.Ordinality
	single := len(u.Names) == 1
	if u.Ordinality {
		u.Names = append(u.Names, "ordinality")
	}
	table := ""
	if r.Alias != nil {
		table = r.Alias.Name.Name
		if len(r.Alias.Columns) > len(u.Names) {
			b.errorf(diag.ColumnCount, r.Alias.Span, "%s makes %d columns, but %d names are given", r.Call.Name, len(u.Names), len(r.Alias.Columns))
			return broken()
		}
		for i, c := range r.Alias.Columns {
			u.Names[i] = c.Name
		}
		if len(r.Alias.Columns) == 0 && single && !hive(r.Call) {
			u.Names[0] = table
		}
	}
	s := ls.appended(u, table)
	if x.On == nil || isTrueLiteral(x.On) {
		return u, s
	}
	on := (&env{b: b, scope: s, clause: inOn}).condition(x.On, "ON")
	if on == nil {
		return broken()
	}
	return &logical.Filter{Input: u, Predicate: on}, s
}

// hive tells Hive's generators, whose columns keep their names (col) when only the table
// is named; those of the standard take the table's name.
func hive(c *ast.Call) bool {
	name := strings.ToLower(c.Name.String())
	return strings.HasPrefix(name, "explode") || strings.HasPrefix(name, "inline") || name == "stack" || name == "range" || name == "json_tuple"
}

func isTrueLiteral(x ast.Expr) bool {
	l, ok := x.(*ast.Literal)
	return ok && l.Kind == ast.LitBool && strings.EqualFold(l.Text, "true")
}
