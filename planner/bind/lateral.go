package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// lateralQuery binds LATERAL (query): a dependent join, whose right side sees the columns
// of the left one.
func (b *Binder) lateralQuery(x *ast.Join, r *ast.Derived, l logical.Node, ls, outer *scope) (logical.Node, *scope) {
	return b.lateralPlan(x, r, l, ls, outer, func(around *scope) logical.Node {
		if rel := b.query(r.Query, around); rel != nil {
			return rel.plan
		}
		return nil
	})
}

// lateralPlan is lateralQuery of what bind makes of the rows around.
func (b *Binder) lateralPlan(x *ast.Join, r *ast.Derived, l logical.Node, ls, outer *scope, bind func(*scope) logical.Node) (logical.Node, *scope) {
	if x.Kind != ast.InnerJoin && x.Kind != ast.CrossJoin && x.Kind != ast.LeftJoin {
		b.errorf(diag.NotPlanned, r.Span, "%s with LATERAL is not supported", joinName(x.Kind)).
			WithHint("LATERAL can follow a comma, JOIN, CROSS JOIN and LEFT JOIN")
		return broken()
	}
	around := *ls
	around.parent, around.id = outer, 0
	rel := bind(&around)
	if rel == nil || ls.broken {
		return broken()
	}
	plan, rs := b.aliased(rel, r.Alias, "", r.Watermark)
	if rs.broken {
		return broken()
	}
	j := &joinBinder{b: b, x: x, l: l, r: plan, ls: ls, rs: rs, scope: ls.join(rs, len(l.Schema()))}
	j.scope.parent = outer
	if !j.condition() {
		j.scope.broken = true
		return standIn(j.scope), j.scope
	}
	j.conds = slices.DeleteFunc(j.conds, isTrue) // ON true
	if len(j.subqueries) == 0 {
		if rows := rowWise(plan, l, around.number(b), x.Kind == ast.LeftJoin, len(j.conds) > 0); rows != nil {
			if len(j.conds) > 0 {
				rows = &logical.Filter{Input: rows, Predicate: expr.NewAnd(j.conds...)}
			}
			return rows, j.scope
		}
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
	a.Span = b.place(r.Span)
	return j.placeAbove(a), j.scope
}

func isTrue(n expr.Node) bool {
	c, ok := n.(*expr.Const)
	return ok && c.Type().Kind == types.Bool && !c.IsNull() && c.V.IsTrue(0)
}

// grafting puts a query that has no FROM of its own on the rows that it reads.
type grafting struct {
	l       logical.Node
	n       int // columns of l
	scope   int // of its references to l
	unnests []*logical.Unnest
	filters int
	plain   bool // it only passes on what its generators make
}

// rowWise makes LATERAL (SELECT … ) without FROM what it is, something done with each row:
// no join, and nothing to remember. nil if the query is more than that.
func rowWise(plan, l logical.Node, scope int, left, conditional bool) logical.Node {
	g := &grafting{l: l, n: len(l.Schema()), scope: scope, plain: true}
	out := g.graft(plan)
	if out == nil || !left {
		return out
	}
	switch {
	case conditional || g.filters > 0 || len(g.unnests) > 1:
		return nil
	case len(g.unnests) == 1 && !g.plain:
		return nil // what is computed of no row would not be NULL
	case len(g.unnests) == 1:
		g.unnests[0].Outer = true
	}
	return out
}

func (g *grafting) graft(plan logical.Node) logical.Node {
	switch p := plan.(type) {
	case *logical.Values:
		if len(p.Rows) == 1 && len(p.Rows[0]) == 0 {
			return g.l
		}
	case *logical.Project:
		if in := g.graft(p.Input); in != nil {
			return g.project(p, in)
		}
	case *logical.Filter:
		if in := g.graft(p.Input); in != nil {
			g.filters++
			return &logical.Filter{Input: in, Predicate: g.moved(p.Predicate)}
		}
	case *logical.Unnest:
		if in := g.graft(p.Input); in != nil {
			u := *p
			u.Input, u.Args = in, make([]expr.Node, len(p.Args))
			for i, a := range p.Args {
				u.Args[i] = g.moved(a)
			}
			g.unnests = append(g.unnests, &u)
			return &u
		}
	}
	return nil
}

func (g *grafting) project(p *logical.Project, in logical.Node) logical.Node {
	out := &logical.Project{Input: in, Exprs: logical.Columns(in)[:g.n:g.n], Names: columnNames(in)[:g.n:g.n]}
	for i, x := range p.Exprs {
		x = g.moved(x)
		c, column := x.(*expr.Column)
		g.plain = g.plain && column && c.Index >= g.n
		out.Exprs, out.Names = append(out.Exprs, x), append(out.Names, p.Names[i])
	}
	return out
}

// moved is an expression over the rows of l with the columns of the query behind them.
func (g *grafting) moved(x expr.Node) expr.Node {
	return expr.MapColumns(x, func(i int) int {
		scope, col, outer := logical.Outer(i)
		switch {
		case !outer:
			return i + g.n
		case scope == g.scope:
			return col
		}
		return i
	})
}
