package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// lateralQuery binds LATERAL (query): a dependent join, whose right side sees the columns
// of the left one.
func (b *Binder) lateralQuery(x *ast.Join, r *ast.Derived, l logical.Node, ls, outer *scope) (logical.Node, *scope) {
	if x.Kind != ast.InnerJoin && x.Kind != ast.CrossJoin && x.Kind != ast.LeftJoin {
		b.errorf(diag.NotPlanned, r.Span, "%s with LATERAL is not supported", joinName(x.Kind)).
			WithHint("LATERAL can follow a comma, JOIN, CROSS JOIN and LEFT JOIN")
		return broken()
	}
	around := *ls
	around.parent, around.id = outer, 0
	rel := b.query(r.Query, &around)
	if rel == nil || ls.broken {
		return broken()
	}
	plan, rs := b.aliased(rel.plan, r.Alias, "", r.Watermark)
	if rs.broken {
		return broken()
	}
	j := &joinBinder{b: b, x: x, l: l, r: plan, ls: ls, rs: rs, scope: ls.join(rs, len(l.Schema()))}
	j.scope.parent = outer
	if !j.condition() {
		j.scope.broken = true
		return standIn(j.scope), j.scope
	}
	node := &logical.Join{Kind: logical.Inner, L: l, R: plan}
	if x.Kind == ast.LeftJoin {
		node.Kind = logical.Left
	}
	if len(j.conds) > 0 {
		node.Residual = expr.NewAnd(j.conds...)
	}
	a, ok := j.placeBeside(node, false, around.number(b)).(*logical.Apply)
	if !ok {
		a = &logical.Apply{Join: *node, Scope: around.number(b)}
	}
	a.Span = r.Span
	return j.placeAbove(a), j.scope
}
