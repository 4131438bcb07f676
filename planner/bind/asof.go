package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// bindAsof binds an ASOF join: equalities between the sides are keys, and one inequality
// compares their times. It stands in ON or in MATCH_CONDITION; of USING alone, the last
// column is compared by >=.
func (j *joinBinder) bindAsof(outer *scope) (logical.Node, *scope) {
	j.scope.parent = outer
	if j.x.Kind == ast.SemiJoin || j.x.Kind == ast.AntiJoin {
		j.asofRefuse(j.x.Span, "an ASOF %s JOIN needs ON", j.x.Kind)
		j.scope.broken = true
		return standIn(j.scope), j.scope
	}
	kept := j.x.Kind == ast.LeftJoin || j.x.Kind == ast.FullJoin
	if j.x.Kind == ast.FullJoin {
		j.r = marked(j.r)
	}
	node := &logical.Asof{L: j.l, R: j.r, Outer: kept}
	if !j.asofConditions() || !j.asofSplit(node) {
		j.scope.broken = true
		return standIn(j.scope), j.scope
	}
	var plan logical.Node = node
	if len(j.rest) > 0 {
		plan = j.asofAmong(node)
	}
	if j.x.Kind == ast.RightJoin || j.x.Kind == ast.FullJoin {
		plan = j.withUnmatched(plan)
	}
	return plan, j.scope
}

// asofAmong binds an ASOF join with further conditions, which the nearest row has to meet:
// of the right rows that meet all of them, for each left row the first one in the order of
// nearness.
func (j *joinBinder) asofAmong(node *logical.Asof) logical.Node {
	nl := len(j.l.Schema())
	j.b.scopes++
	scope := j.b.scopes
	beside := expr.MapColumns(expr.NewAnd(j.conds...), func(i int) int {
		if i < nl {
			return logical.OuterIndex(scope, i)
		}
		return i - nl
	})
	top := &logical.TopN{Input: &logical.Filter{Input: j.r, Predicate: beside}, Limit: 1,
		Order: []logical.SortKey{{Expr: node.RTime, Desc: !node.Forward}}} // of one time the least row
	kind := logical.Inner
	if node.Outer {
		kind = logical.Left
	}
	return &logical.Apply{Join: logical.Join{Kind: kind, L: j.l, R: top}, Scope: scope, Span: j.b.place(j.x.Span)}
}

// marked adds a column that is NULL only where an outer join has no row of r.
func marked(r logical.Node) logical.Node {
	return &logical.Project{Input: r, Exprs: append(logical.Columns(r), expr.Bool(true)), Names: append(columnNames(r), "$matched")}
}

// withUnmatched adds, to an ASOF join, the right rows that are the nearest one of no left
// row. Of a full join plan has the column of marked, since a right row of NULLs is not what stands
// beside a left row without a match.
func (j *joinBinder) withUnmatched(plan logical.Node) logical.Node {
	nl, all, found := len(j.l.Schema()), logical.Columns(plan), plan
	if j.x.Kind == ast.FullJoin {
		found = &logical.Filter{Input: plan, Predicate: expr.NewIsNull(all[len(all)-1], true)}
	}
	matched := &logical.Project{Input: found, Exprs: all[nl:], Names: columnNames(j.r)}
	anti := &logical.Join{Kind: logical.Anti, L: j.r, R: matched}
	for i := range j.r.Schema() {
		anti.LKeys, anti.RKeys = append(anti.LKeys, logical.Col(j.r, i)), append(anti.RKeys, logical.Col(matched, i))
		anti.NullSafe = append(anti.NullSafe, true)
	}
	rest := &logical.Project{Input: anti, Names: columnNames(plan)}
	for _, c := range j.l.Schema() {
		rest.Exprs = append(rest.Exprs, expr.Null(c.Type))
	}
	rest.Exprs = append(rest.Exprs, logical.Columns(anti)...)
	union := &logical.UnionAll{Inputs: []logical.Node{plan, rest}}
	if j.x.Kind != ast.FullJoin {
		return union
	}
	n := len(all) - 1
	return &logical.Project{Input: union, Exprs: logical.Columns(union)[:n], Names: columnNames(union)[:n]}
}

// nearestExists makes a semi join of ASOF SEMI JOIN … ON, an anti join of ASOF ANTI JOIN: a
// row has a nearest one if it has any.
func nearestExists(x *ast.Join) *ast.Join {
	if !x.Asof || x.Kind != ast.SemiJoin && x.Kind != ast.AntiJoin || x.On == nil {
		return x
	}
	out := *x
	out.Asof, out.Match = false, nil
	if x.Match != nil {
		out.On = &ast.Binary{Span: x.On.Pos(), Op: ast.And, L: x.On, R: x.Match}
	}
	return &out
}

// asofConditions binds ON, USING and MATCH_CONDITION.
func (j *joinBinder) asofConditions() bool {
	for _, x := range []ast.Expr{j.x.On, j.x.Match} {
		if x != nil && hasSubquery(x) {
			j.asofRefuse(x.Pos(), "a subquery in ON of an ASOF JOIN is not supported")
			return false
		}
	}
	if !j.condition() {
		return false
	}
	if len(j.merged) > 0 {
		j.asofRefuse(j.x.Span, "an ASOF FULL JOIN takes ON, not USING")
		return false
	}
	if n := len(j.x.Using); n > 0 && j.x.Match == nil && j.x.On == nil {
		last := j.conds[n-1].(*expr.Call)
		j.conds[n-1] = j.b.resolve(j.x.Using[n-1].Span, ">=", last.Args...)
	}
	if j.x.Match == nil {
		return true
	}
	e := &env{b: j.b, scope: j.scope, clause: inOn}
	n := e.condition(j.x.Match, "MATCH_CONDITION")
	if n == nil {
		return false
	}
	j.conds = append(slices.Clone(splitAnd(n)), j.conds...) // its inequality is the one that tells the nearest row
	return true
}

// asofSplit sorts the conditions: those of one side alone filter it, if that says the
// same; others are left in rest.
func (j *joinBinder) asofSplit(node *logical.Asof) bool {
	nl := len(j.l.Schema())
	keepsRight := j.x.Kind == ast.RightJoin || j.x.Kind == ast.FullJoin
	var keys, left, right []expr.Node
	for _, c := range j.conds {
		_, _, _, equal := logical.Equality(c, nl)
		switch {
		case logical.HasOuter(c):
			j.asofRefuse(j.x.Span, "ON of an ASOF JOIN cannot read columns of the query around")
			return false
		case isTrueConst(c):
		case equal:
			keys = append(keys, c)
		case j.compares(node, c, nl):
		case logical.SideOf(c, nl) == 2 && !keepsRight:
			right = append(right, expr.MapColumns(c, func(i int) int { return i - nl }))
		case logical.SideOf(c, nl) == 1 && !node.Outer:
			left = append(left, c)
		default:
			j.rest = append(j.rest, c)
		}
	}
	if node.LTime == nil {
		j.asofRefuse(j.x.Span, "this ASOF JOIN has no inequality between its sides, which tells the nearest row")
		return false
	}
	split := &logical.Join{}
	joinKeys(split, keys, nl)
	node.LKeys, node.RKeys, node.NullSafe = split.LKeys, split.RKeys, split.NullSafe
	if len(left) > 0 {
		node.L = &logical.Filter{Input: node.L, Predicate: expr.NewAnd(left...)}
	}
	if len(right) > 0 {
		node.R = &logical.Filter{Input: node.R, Predicate: expr.NewAnd(right...)}
	}
	return true
}

func (j *joinBinder) asofRefuse(span diag.Span, text string, args ...any) {
	j.b.errorf(diag.AsofJoin, span, text, args...).
		WithHint("ON a.k = b.k AND a.ts >= b.ts takes the last row of b not after that of a")
}

func isTrueConst(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	return ok && !c.IsNull() && c.Type().Kind == types.Bool && c.V.IsTrue(0)
}

func isComparison(n expr.Node) bool {
	c, ok := n.(*expr.Call)
	return ok && len(c.Args) == 2 && (c.F.Name == "<" || c.F.Name == "<=" || c.F.Name == ">" || c.F.Name == ">=")
}

// compares takes the inequality between the sides.
func (j *joinBinder) compares(node *logical.Asof, n expr.Node, nl int) bool {
	if node.LTime != nil || !isComparison(n) {
		return false
	}
	c := n.(*expr.Call)
	l, r, op := c.Args[0], c.Args[1], c.F.Name
	if logical.SideOf(l, nl) == 2 && logical.SideOf(r, nl) == 1 {
		l, r = r, l
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if logical.SideOf(l, nl) != 1 || logical.SideOf(r, nl) != 2 || !l.Type().Equal(r.Type()) {
		return false
	}
	node.LTime, node.RTime = l, expr.MapColumns(r, func(i int) int { return i - nl })
	node.Forward, node.Strict = op == "<" || op == "<=", op == "<" || op == ">"
	return true
}
