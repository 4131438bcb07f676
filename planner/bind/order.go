package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// orderKey is one key of ORDER BY over the input of the select list.
type orderKey struct {
	node             expr.Node
	desc, nullsFirst bool
	span             diag.Span
}

// bindOrder binds ORDER BY of a SELECT: ordinals, aliases, then columns.
func (sel *selectBinder) bindOrder(q *ast.Query) []orderKey {
	if q == nil {
		return nil
	}
	var out []orderKey
	if q.OrderAll != nil {
		for _, it := range sel.items {
			for _, n := range it.nodes {
				if !sel.b.orders(n, q.OrderAll.Span) {
					sel.fail()
					continue
				}
				out = append(out, newOrderKey(n, *q.OrderAll))
			}
		}
	}
	for _, o := range q.OrderBy {
		for _, part := range sel.eachColumn([]ast.Expr{o.Expr}) {
			n := sel.ordered(part, "ORDER BY")
			if n == nil || !sel.b.orders(n, o.Span) {
				sel.fail()
				continue
			}
			out = append(out, newOrderKey(n, o))
		}
	}
	return out
}

func newOrderKey(n expr.Node, o ast.OrderItem) orderKey {
	k := sortKey(n, o)
	return orderKey{node: n, desc: k.Desc, nullsFirst: k.NullsFirst, span: o.Span}
}

// ordered binds an expression of a clause in which numbers are positions.
func (sel *selectBinder) ordered(part columnsPart, clause string) expr.Node {
	x, names := uncollated(part.x)
	if l, ok := x.(*ast.Literal); ok && l.Kind == ast.LitInt {
		i, at, ok := sel.ordinal(l, clause)
		if !ok || at >= len(sel.items[i].nodes) {
			return nil
		}
		return sel.b.collated(part.x.Pos(), names, sel.items[i].nodes[at])
	}
	return sel.b.collated(part.x.Pos(), names, sel.picking(inOrderBy, part.pick).expr(x))
}

// sortQuery orders the result of a query that is not a plain SELECT: by its columns.
func (b *Binder) sortQuery(r *relation, q *ast.Query) *relation {
	cut, ok := b.limits(q)
	e := &env{b: b, scope: newScope("", r.plan), clause: inOrderBy}
	var keys []logical.SortKey
	items := q.OrderBy
	for _, o := range items {
		x, names := uncollated(o.Expr)
		n := b.columnOrdinal(r.plan, x)
		if n == nil {
			n = r.calledColumn(x)
		}
		if n == nil {
			n = e.expr(x)
		}
		n = b.collated(o.Expr.Pos(), names, n)
		if n == nil || !b.orders(n, o.Span) {
			ok = false
			continue
		}
		keys = append(keys, sortKey(n, o))
	}
	if q.OrderAll != nil {
		for _, c := range logical.Columns(r.plan) {
			ok = b.orders(c, q.OrderAll.Span) && ok
			keys = append(keys, sortKey(c, *q.OrderAll))
		}
	}
	if !ok {
		return nil
	}
	return &relation{plan: b.sorted(r.plan, keys, cut, q.Ties), spans: r.spans, called: r.called}
}

func (b *Binder) columnOrdinal(plan logical.Node, x ast.Expr) expr.Node {
	l, ok := x.(*ast.Literal)
	if !ok || l.Kind != ast.LitInt {
		return nil
	}
	n := b.literal(l)
	c, ok := n.(*expr.Const)
	if !ok || c.Type().Kind != types.Int32 {
		return nil
	}
	i := int(c.V.Int(0))
	if i < 1 || i > len(plan.Schema()) {
		b.errorf(diag.BadOrdinal, l.Span, "ORDER BY position %s is not in the select list, which has %d items", l.Text, len(plan.Schema()))
		return nil
	}
	return logical.Col(plan, i-1)
}
