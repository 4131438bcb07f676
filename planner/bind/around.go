package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// What a subquery takes of the SELECT around beside its columns: the aliases of its select
// list, and aggregates of its columns alone, which are computed there, as the standard says.

// aliasAround resolves an alias of the select list of a query around.
func (e *env) aliasAround(s *scope, ref *ast.ColumnRef) (expr.Node, bool) {
	r := s.reader
	if r == nil || r.sel == nil || r.clause < inSelect || r.inAgg {
		return nil, false
	}
	n, ok := r.alias(ref)
	if n == nil {
		return nil, ok
	}
	return s.asOuter(e.b, n)
}

// asOuter is an expression of a query around as one of a subquery; not what has another value
// at each call, nor what is computed after the subquery is joined.
func (s *scope) asOuter(b *Binder, n expr.Node) (expr.Node, bool) {
	late := func(i int) bool {
		_, _, outer := logical.Outer(i)
		return !outer && i >= outerBase
	}
	if expr.Volatility(n) == fn.Volatile || slices.ContainsFunc(expr.ColumnsOf(n), late) {
		return nil, false
	}
	id := s.number(b)
	return expr.MapColumns(n, func(i int) int {
		if _, _, outer := logical.Outer(i); outer {
			return i
		}
		return logical.OuterIndex(id, i)
	}), true
}

// aggregateAround computes an aggregate in the query around whose columns it aggregates.
func (e *env) aggregateAround(s *scope, x *ast.Call, f *fn.Aggregate) expr.Node {
	sel := s.reader.sel
	n := s.reader.aggregate(x, f)
	if n == nil {
		return nil
	}
	if !sel.grouped {
		sel.aggregated = true
	}
	n, _ = s.asOuter(e.b, n)
	return n
}

// aggregatedAround is the scope around of which an aggregate reads all its columns; nil if it
// is one of this query.
func (e *env) aggregatedAround(x *ast.Call) *scope {
	if e.scope.parent == nil {
		return nil
	}
	var from *scope
	own := false
	list := slices.Concat(x.Args, []ast.Expr{x.Filter})
	for _, o := range x.OrderBy {
		list = append(list, o.Expr)
	}
	for _, a := range list {
		own = own || a != nil && hasSubquery(a)
		e.b.freeColumns(a, func(ref *ast.ColumnRef) {
			if !own {
				s := e.scopeOf(ref)
				own = s == nil || from != nil && s != from
				from = s
			}
		})
	}
	if own || from == nil || from.reader == nil || from.reader.sel == nil {
		return nil
	}
	return from
}

// scopeOf is the scope around that has a column; nil if the name may mean something here.
func (e *env) scopeOf(ref *ast.ColumnRef) *scope {
	first := ref.Parts[0].Name
	if m, _ := e.scope.lookup(ref.Parts); len(m) > 0 || e.scope.hasTable(first) || e.scope.invoked != nil {
		return nil
	}
	if e.sel != nil && slices.ContainsFunc(e.sel.aliasNames(), func(a string) bool { return strings.EqualFold(a, first) }) {
		return nil
	}
	for s := e.scope.parent; s != nil && s.invoked == nil; s = s.parent {
		if m, _ := s.lookup(ref.Parts); len(m) > 0 {
			return s
		}
	}
	return nil
}

// aggregates reports an aggregate of this SELECT in an expression.
func (sel *selectBinder) aggregates(x ast.Expr) bool {
	found := false
	walkExpr(x, func(n ast.Expr) bool {
		if c, ok := n.(*ast.Call); ok && sel.b.isAggregate(c) {
			found = found || sel.env(inSelect).aggregatedAround(sel.b.unchained(c)) == nil
		}
		return !found
	})
	return found
}

// wholeRowAround is wholeRow of a table of a query around.
func (e *env) wholeRowAround(ref *ast.ColumnRef) (expr.Node, bool) {
	for s := e.scope.parent; s != nil && len(ref.Parts) == 1; s = s.parent {
		if !s.hasTable(ref.Parts[0].Name) {
			continue
		}
		n, ok := (&env{b: e.b, scope: s}).wholeRow(ref)
		if n == nil {
			return nil, ok
		}
		return s.asOuter(e.b, n)
	}
	return nil, false
}
