package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// cut is LIMIT and OFFSET: numbers, or queries of one row where they depend on tables or
// on the number of rows.
type cut struct {
	limit, offset int64
	rows          logical.Node // limit and offset, as far as they are not constant
	limitAt       expr.Node    // over rows; nil = limit
	offsetAt      expr.Node    // over rows; nil = offset
	percent       bool         // limitAt is a share of the rows
	span          diag.Span
}

func (c *cut) all() bool { return c.rows == nil && c.limit == logical.NoLimit && c.offset == 0 }

// limits binds LIMIT and OFFSET. NULL is no limit.
func (b *Binder) limits(q *ast.Query) (*cut, bool) {
	c := &cut{limit: logical.NoLimit}
	if q == nil {
		return c, true
	}
	ok := true
	if q.Limit != nil {
		c.span = q.Limit.Pos()
		c.limit, c.limitAt, ok = b.limit(c, q.Limit, "LIMIT", q.Percent, logical.NoLimit)
		c.percent = c.limitAt != nil && q.Percent
	}
	if q.Offset != nil {
		var fine bool
		c.offset, c.offsetAt, fine = b.limit(c, q.Offset, "OFFSET", false, 0)
		ok = ok && fine
	}
	if q.Ties && (q.Offset != nil || len(q.OrderBy) == 0 && q.OrderAll == nil) {
		b.errorf(diag.BadLimit, q.Limit.Pos(), "WITH TIES needs ORDER BY, which says what is tied, and takes no OFFSET")
		ok = false
	}
	return c, ok
}

// limit binds one of both: a constant, or a column of the rows of c. none stands for NULL.
func (b *Binder) limit(c *cut, x ast.Expr, what string, percent bool, none int64) (int64, expr.Node, bool) {
	if hasSubquery(x) {
		n := b.limitQuery(c, x, percent)
		return none, n, n != nil
	}
	e := &env{b: b, scope: b.bodyScope()}
	n := e.expr(x)
	if n == nil {
		return 0, nil, false
	}
	if k, ok := n.(*expr.Const); ok && k.IsNull() {
		return none, nil, true
	}
	if percent && expr.IsConst(n) {
		return none, b.share(c, n), b.percentage(n, x)
	}
	if calls := len(b.calls); calls > 0 && !expr.IsConst(n) {
		return none, nil, b.limitOfArgument(b.calls[calls-1], what, x)
	}
	if !expr.IsConst(n) {
		n = b.limitQuery(c, x, percent)
		return none, n, n != nil
	}
	if n = b.whole(n, x.Pos()); n == nil {
		return 0, nil, false
	}
	k, ok := n.(*expr.Const)
	if !ok || k.IsNull() || !k.Type().IsInteger() || k.V.Int(0) < 0 {
		b.errorf(diag.BadLimit, x.Pos(), "%s needs a constant whole number of at least 0, or a subquery", what)
		return 0, nil, false
	}
	return k.V.Int(0), nil, true
}

// limitOfArgument tells whether a function may have a LIMIT of a parameter: where it is written,
// since a call may give a constant; not in a call that gives none.
func (b *Binder) limitOfArgument(fr *invocation, what string, x ast.Expr) bool {
	if !fr.defining {
		b.errorf(diag.BadLimit, x.Pos(), "%s in %s takes an argument that is a constant", what, fr.f.Name).
			WithHint("or number the rows in the function: QUALIFY row_number() OVER (ORDER BY …) <= n")
	}
	return fr.defining
}

// whole makes a BIGINT of a number or a text; a fraction is rounded.
func (b *Binder) whole(n expr.Node, span diag.Span) expr.Node {
	switch t := n.Type(); {
	case t.IsInteger() || t.Kind == types.Null:
		return n
	case t.IsNumeric():
		n = b.resolve(span, "round", n)
	case t.Kind != types.String:
		b.errorf(diag.BadLimit, span, "LIMIT and OFFSET need a number, got %s", t)
		return nil
	}
	if n = b.cast(span, n, types.Of(types.Int64)); n == nil {
		return nil
	}
	return b.res.Fold(n)
}

// percentage checks a constant share.
func (b *Binder) percentage(n expr.Node, x ast.Expr) bool {
	if k, ok := b.share(&cut{}, n).(*expr.Const); ok && !k.IsNull() && k.V.Float(0) >= 0 && k.V.Float(0) <= 100 {
		return true
	}
	b.errorf(diag.BadLimit, x.Pos(), "LIMIT PERCENT needs a constant number from 0 to 100, or a subquery")
	return false
}

// share is a constant share as a DOUBLE. c then has rows, which have no columns.
func (b *Binder) share(c *cut, n expr.Node) expr.Node {
	if c.rows == nil {
		c.rows = &logical.Values{Rows: [][]expr.Node{{}}}
	}
	n = b.cast(diag.Span{}, n, types.Of(types.Float64))
	if n == nil {
		return nil
	}
	return b.res.Fold(n)
}

// limitQuery makes a number with subqueries a column of a query of one row.
func (b *Binder) limitQuery(c *cut, x ast.Expr, percent bool) expr.Node {
	r := b.selectBody(&ast.Select{Span: x.Pos(), Items: []ast.SelectItem{{Span: x.Pos(), Expr: x}}}, nil, nil)
	if r == nil {
		return nil
	}
	want := types.Of(types.Int64)
	if percent {
		want = types.Of(types.Float64)
	}
	var n expr.Node = logical.Col(r.plan, 0)
	if !percent && n.Type().Kind == types.String {
		b.errorf(diag.BadLimit, x.Pos(), "LIMIT and OFFSET need a number, got %s", n.Type())
		return nil
	}
	if !percent {
		n = b.whole(n, x.Pos())
	}
	if n == nil {
		return nil
	}
	if n = b.cast(x.Pos(), n, want); n != nil {
		n = b.resolve(x.Pos(), "$limit", n)
	}
	if n == nil {
		return nil
	}
	plan := &logical.Project{Input: r.plan, Exprs: []expr.Node{n}, Names: []string{"n"}}
	if c.rows == nil || len(c.rows.Schema()) == 0 {
		c.rows = plan
		return logical.Col(plan, 0)
	}
	c.rows = &logical.Join{Kind: logical.Inner, L: c.rows, R: plan}
	return logical.Col(c.rows, 1)
}

// sorted puts rows in order and cuts them.
func (b *Binder) sorted(plan logical.Node, keys []logical.SortKey, c *cut, ties bool) logical.Node {
	limit, offset := c.limit, c.offset
	if c.rows != nil {
		if plan = b.cutBy(plan, keys, c); plan == nil {
			return nil
		}
		limit, offset = logical.NoLimit, 0
	}
	if len(keys) == 0 && limit == logical.NoLimit && offset == 0 {
		return plan
	}
	cut := &logical.Sort{Input: plan, Keys: keys, Limit: limit, Offset: offset, Ties: ties}
	if len(keys) == 0 {
		if ordered := cutOrdered(plan, cut); ordered != nil {
			return ordered
		}
	}
	return cut
}

// cutOrdered cuts a relation whose rows come of a query with ORDER BY, in that order, where
// only projections and filters are between; nil if there is no such order.
func cutOrdered(plan logical.Node, cut *logical.Sort) logical.Node {
	switch x := plan.(type) {
	case *logical.Project:
		if in := cutOrdered(x.Input, cut); in != nil {
			return x.WithChildren([]logical.Node{in})
		}
	case *logical.Filter:
		if in := below(x); in != nil {
			return cutOrdered(in, cut)
		}
	case *logical.Sort:
		if x.Limit == logical.NoLimit && x.Offset == 0 && len(x.Keys) > 0 {
			return &logical.Sort{Input: x.Input, Keys: x.Keys, Limit: cut.Limit, Offset: cut.Offset}
		}
	}
	return nil
}

// below brings a filter below a projection or an order, where it says the same; nil if there
// is none.
func below(f *logical.Filter) logical.Node {
	switch x := f.Input.(type) {
	case *logical.Filter:
		return below(&logical.Filter{Input: x.Input, Predicate: expr.NewAnd(x.Predicate, f.Predicate)})
	case *logical.Sort:
		if x.Limit == logical.NoLimit && x.Offset == 0 {
			return x.WithChildren([]logical.Node{&logical.Filter{Input: x.Input, Predicate: f.Predicate}})
		}
	case *logical.Project:
		for _, e := range x.Exprs {
			if expr.Volatility(e) != fn.Immutable {
				return nil
			}
		}
		of := expr.Rewrite(f.Predicate, func(n expr.Node) expr.Node {
			if c, ok := n.(*expr.Column); ok && c.Index < len(x.Exprs) {
				return x.Exprs[c.Index]
			}
			return n
		})
		return x.WithChildren([]logical.Node{&logical.Filter{Input: x.Input, Predicate: of}})
	}
	return nil
}

// cutBy numbers the rows in their order, and leaves those whose numbers are within what
// the rows of c say.
func (b *Binder) cutBy(plan logical.Node, keys []logical.SortKey, c *cut) logical.Node {
	width := len(plan.Schema())
	numbered := b.numbered(plan, keys)
	total := numbered
	if c.percent {
		total = b.counted(numbered)
	}
	if total == nil {
		return nil
	}
	joined := total
	shift := func(n expr.Node) expr.Node { return n }
	if len(c.rows.Schema()) > 0 {
		shift = func(n expr.Node) expr.Node {
			return expr.MapColumns(n, func(i int) int { return i + len(total.Schema()) })
		}
		joined = &logical.Join{Kind: logical.Inner, L: total, R: c.rows}
	}
	number := logical.Col(joined, width)
	first := expr.Node(bigInt(c.offset))
	if c.offsetAt != nil {
		first = b.resolve(c.span, "coalesce", shift(c.offsetAt), bigInt(0))
	}
	pred := b.resolve(c.span, ">", number, first)
	if n := b.rowsOf(c, joined, width, shift); n != nil {
		pred = expr.NewAnd(pred, b.resolve(c.span, "<=", number, b.resolve(c.span, "+", n, first)))
	}
	filter := &logical.Filter{Input: joined, Predicate: pred}
	return &logical.Project{Input: filter, Exprs: logical.Columns(filter)[:width], Names: columnNames(plan)}
}

// rowsOf is the number of rows that LIMIT leaves; nil for all.
func (b *Binder) rowsOf(c *cut, joined logical.Node, width int, shift func(expr.Node) expr.Node) expr.Node {
	switch {
	case c.percent:
		part := b.resolve(c.span, "/", b.resolve(c.span, "*", logical.Col(joined, width+1), shift(c.limitAt)), bigInt(100))
		n := b.cast(c.span, b.resolve(c.span, "floor", part), types.Of(types.Int64))
		return b.resolve(c.span, "coalesce", n, logical.Col(joined, width+1))
	case c.limitAt != nil:
		return b.resolve(c.span, "coalesce", shift(c.limitAt), bigInt(1<<62))
	case c.limit != logical.NoLimit:
		return bigInt(c.limit)
	}
	return nil
}

// numbered adds row_number() in an order.
func (b *Binder) numbered(plan logical.Node, keys []logical.SortKey) logical.Node {
	w, _ := b.cat.Functions.Window("row_number")
	impl, err := w.Resolve(nil)
	if err != nil {
		return nil
	}
	return &logical.Over{Input: plan, Order: keys, Funcs: []logical.OverFunc{{Window: w, Impl: impl}}}
}

// counted adds the number of all rows.
func (b *Binder) counted(plan logical.Node) logical.Node {
	f, _ := b.cat.Functions.Aggregate("count")
	impl, err := f.Resolve(nil)
	if err != nil {
		return nil
	}
	whole := logical.Frame{Unit: fn.FrameRows, End: logical.FrameBound{Kind: fn.UnboundedFollowing}}
	return &logical.Over{Input: plan, Funcs: []logical.OverFunc{{Agg: logical.Agg{Func: f, Impl: impl}, Frame: whole}}}
}

func bigInt(n int64) expr.Node { return expr.Int(types.Of(types.Int64), n) }
