package bind

import (
	"slices"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// bindGroupBy binds the keys, or finds that the SELECT aggregates without any.
func (sel *selectBinder) bindGroupBy() {
	g := sel.stmt.GroupBy
	sel.grouped = g != nil || sel.stmt.Having != nil || sel.aggregated
	for i := range sel.items {
		sel.grouped = sel.grouped || sel.aggregates(sel.items[i].ast.Expr)
	}
	if sel.query != nil {
		for _, o := range sel.query.OrderBy {
			sel.grouped = sel.grouped || sel.aggregates(o.Expr)
		}
	}
	sel.grouped = sel.grouped || sel.aggregatesOver()
	if g == nil {
		return
	}
	sel.keying = true
	defer func() { sel.keying = false }()
	if g.All {
		sel.groupByAll()
		return
	}
	sel.groupItems(g.Items)
}

// groupByAll groups by every item without an aggregate, its own or one that it reads by an
// alias, and without OVER, which is of the groups; constants alone are the key of what rows
// there are.
func (sel *selectBinder) groupByAll() {
	var constant expr.Node
	for _, i := range sel.sessionsLast() {
		if sel.aggregates(sel.items[i].ast.Expr) {
			continue
		}
		sel.sessionKeys = hasSessionCall(sel.items[i].ast.Expr)
		sel.bindItem(i)
		sel.sessionKeys = false
		for j, n := range sel.items[i].nodes {
			switch {
			case expr.IsConst(n):
				constant = n
			case !hasAggRef(n) && !hasOverRef(n):
				sel.addKey(n, sel.items[i].names[j], sel.items[i].ast.Span)
			}
		}
	}
	if constant != nil && len(sel.keys) == 0 && !slices.ContainsFunc(sel.items, func(it selectItem) bool { return sel.aggregates(it.ast.Expr) }) {
		sel.addKey(constant, constant.String(), sel.stmt.GroupBy.Span)
	}
}

// groupBy adds one key, an ordinal, a column, an alias or an expression, and returns its
// number; none after an error.
func (sel *selectBinder) groupBy(x ast.Expr) []int {
	if l, ok := x.(*ast.Literal); ok && l.Kind == ast.LitInt {
		return sel.groupByOrdinal(l)
	}
	n := sel.env(inGroupBy).key(x)
	if n == nil {
		sel.fail()
		return nil
	}
	return sel.addKey(n, sel.keyName(x, n), x.Pos())
}

func (sel *selectBinder) keyName(x ast.Expr, n expr.Node) string {
	if ref, ok := x.(*ast.ColumnRef); ok {
		return ref.Parts[len(ref.Parts)-1].Name
	}
	return n.String()
}

func (sel *selectBinder) groupByOrdinal(l *ast.Literal) []int {
	i, at, ok := sel.ordinal(l, "GROUP BY")
	if !ok {
		sel.fail()
		return nil
	}
	sel.bindItem(i)
	if it := sel.items[i]; at < len(it.nodes) {
		return sel.addKey(it.nodes[at], it.names[at], l.Span)
	}
	return nil
}

// ordinal turns a number into the index of an item and of a column of it: a position counts
// the columns of the result.
func (sel *selectBinder) ordinal(l *ast.Literal, clause string) (item, at int, ok bool) {
	n, err := strconv.Atoi(l.Text)
	all := 0
	for i := range sel.items {
		width := sel.width(i)
		if err == nil && n > all && n <= all+width {
			return i, n - all - 1, true
		}
		all += width
	}
	sel.b.errorf(diag.BadOrdinal, l.Span, "%s position %s is not in the select list, which has %d items", clause, l.Text, all)
	return 0, 0, false
}

// width is of how many columns an item is.
func (sel *selectBinder) width(i int) int {
	if call, ok := sel.items[i].ast.Expr.(*ast.Call); ok && sel.isGenerator(call) {
		sel.bindItem(i)
	}
	return max(1, len(sel.items[i].nodes))
}

func (sel *selectBinder) addKey(n expr.Node, name string, span diag.Span) []int {
	if hasOverRef(n) {
		sel.fail()
		sel.b.errorf(diag.MisplacedWindow, span, "GROUP BY %s groups by a function with OVER", n).
			WithHint("compute it in a subquery: SELECT … FROM (SELECT …, f() OVER (…) AS x …) GROUP BY x")
		return nil
	}
	if hasAggRef(n) {
		sel.fail()
		sel.b.errorf(diag.MisplacedAggregate, span, "GROUP BY %s groups by an aggregate", n)
		return nil
	}
	if i := found(&sel.keyAt, sel.keys, n); i >= 0 {
		return []int{i}
	}
	sel.keys = append(sel.keys, n)
	sel.keyNames = append(sel.keyNames, name)
	sel.keySpans = append(sel.keySpans, span)
	return []int{len(sel.keys) - 1}
}

// hasAggRef reports what is known after grouping alone: an aggregate, GROUPING, or a subquery
// that reads one.
func hasAggRef(n expr.Node) bool {
	return slices.ContainsFunc(expr.ColumnsOf(n), ofGroups)
}

func ofGroups(c int) bool {
	return c == setIndex || c >= aggBase && c < outerBase || ofSubquery(c)
}

// ofSubquery reports a column of a subquery that is joined after grouping.
func ofSubquery(c int) bool { return c >= postBase && c < overBase }

// regroup turns an expression over the input into one over the Aggregate: sub-expressions
// that are keys become key columns.
func (sel *selectBinder) regroup(n expr.Node, span diag.Span) expr.Node {
	if i := sel.keyAt.FindExpr(sel.keys, n); i >= 0 {
		return &expr.Column{Index: i, Name: sel.keyNames[i], T: sel.keys[i].Type()}
	}
	if x := sel.regroupWindow(n); x != nil {
		return x
	}
	if x := sel.regroupNegation(n); x != nil {
		return x
	}
	if c, ok := n.(*expr.Column); ok {
		return sel.regroupColumn(c, span)
	}
	kids := n.Children()
	if len(kids) == 0 {
		return n
	}
	next := make([]expr.Node, len(kids))
	for i, k := range kids {
		if next[i] = sel.regroup(k, span); next[i] == nil {
			return nil
		}
	}
	return n.WithChildren(next)
}

// regroupWindow finds the bounds of a window when the window itself is a key: the
// key is its start, so that every form of it is a function of the key.
func (sel *selectBinder) regroupWindow(n expr.Node) expr.Node {
	for i, k := range sel.keys {
		if c, ok := k.(*expr.Call); ok && isPair(c) {
			for f, bound := range c.Args {
				if expr.Equal(n, bound) {
					return expr.NewField(&expr.Column{Index: i, Name: sel.keyNames[i], T: k.Type()}, f)
				}
			}
		}
	}
	return nil
}

// regroupNegation finds the negation of a key: NOT (x IS NULL) is bound as x IS NOT NULL,
// and NOT NOT x as x, which no longer contain the key.
func (sel *selectBinder) regroupNegation(n expr.Node) expr.Node {
	if n.Type().Kind != types.Bool {
		return nil
	}
	if _, ok := n.(*expr.Const); ok {
		return nil
	}
	if i := sel.keyAt.FindExpr(sel.keys, expr.NewNot(n)); i >= 0 {
		return expr.NewNot(&expr.Column{Index: i, Name: sel.keyNames[i], T: sel.keys[i].Type()})
	}
	return nil
}

func (sel *selectBinder) regroupColumn(c *expr.Column, span diag.Span) expr.Node {
	switch {
	case c.Index >= postBase:
		// Comes after the columns of the Aggregate, whose number is known when every
		// expression is bound.
		return c
	case c.Index >= outerBase:
		return c
	case c.Index == setIndex:
		return &expr.Column{Index: len(sel.keys), Name: c.Name, T: c.T}
	case c.Index >= aggBase:
		a := sel.aggs[c.Index-aggBase]
		return &expr.Column{Index: sel.keyCount() + c.Index - aggBase, Name: a.String(), T: a.Impl.Result}
	}
	if s, ok := sel.spans[c]; ok {
		span = s
	}
	sel.fail()
	d := sel.b.errorf(diag.NotGrouped, span, "column %q is neither in GROUP BY nor inside an aggregate", c.Name)
	switch {
	case sel.stmt.GroupBy != nil:
		d.WithHint("add it to GROUP BY, or use any_value(%s)", c.Name)
	case len(sel.aggs) == 0:
		d.WithHint("for a condition on rows write WHERE instead of HAVING")
	default:
		d.WithHint("write GROUP BY %s, or use any_value(%s)", c.Name, c.Name)
	}
	return nil
}

// build puts the nodes together.
func (sel *selectBinder) build(having expr.Node, order []orderKey, c *cut) *relation {
	plan, exprs, names, spans := sel.input, []expr.Node{}, []string{}, []diag.Span{}
	for _, it := range sel.items {
		for j, n := range it.nodes {
			exprs, names, spans = append(exprs, n), append(names, it.names[j]), append(spans, it.ast.Span)
		}
	}
	sorts := make([]expr.Node, len(order))
	for i, o := range order {
		sorts[i] = o.node
	}
	placed := places(exprs, sorts)
	if sel.grouped {
		plan = sel.aggregateNode()
		ok := sel.regroupAll(exprs, spans)
		ok = sel.regroupAll(sorts, nil) && ok
		ok = sel.regroupAll(sel.on, sel.onSpans) && ok
		if having != nil {
			having = sel.regroup(having, sel.stmt.Having.Pos())
			ok = having != nil && ok
		}
		ok = sel.regroupOvers() && ok
		if ok = sel.regroupPosts() && ok; !ok {
			return nil
		}
	}
	plan, shift := sel.joinPosts(plan)
	if having != nil {
		plan = &logical.Filter{Input: plan, Predicate: shift(having)}
	}
	for _, list := range [][]expr.Node{exprs, sorts, sel.on} {
		for i, n := range list {
			list[i] = shift(n)
		}
	}
	plan = sel.windowed(plan, shift, exprs, sorts, sel.on)
	if len(sel.on) > 0 && len(order) > 0 {
		plan = sel.firstOfEach(plan, exprs, sorts, order)
		if c.all() && !logical.IsFinite(plan) {
			sorts = nil // the order has served
		}
	}
	for i := range sorts {
		if placed[i] >= 0 {
			sorts[i] = exprs[placed[i]]
		}
	}
	r := sel.finish(plan, exprs, names, sorts, order, c)
	if r != nil {
		r.spans = spans
	}
	return r
}

func (sel *selectBinder) regroupAll(list []expr.Node, spans []diag.Span) bool {
	ok := true
	for i, n := range list {
		span := sel.stmt.Span
		if spans != nil {
			span = spans[i]
		}
		if list[i] = sel.regroup(n, span); list[i] == nil {
			ok = false
		}
	}
	return ok
}

// finish projects, removes duplicates, sorts and cuts.
func (sel *selectBinder) finish(plan logical.Node, exprs []expr.Node, names []string, sorts []expr.Node, order []orderKey,
	c *cut) *relation {
	visible := len(exprs)
	arrival := len(sel.stmt.DistinctOn) > 0 && len(order) == 0 // of each key, the row that came first
	distinct := sel.stmt.Distinct || arrival
	keys := make([]logical.SortKey, len(sorts))
	var items expr.Finder
	for i, n := range sorts {
		at := found(&items, exprs[:visible], n)
		if at < 0 && distinct {
			if n = ofItems(n, exprs[:visible], names); n != nil {
				keys[i] = logical.SortKey{Expr: n, Desc: order[i].desc, NullsFirst: order[i].nullsFirst}
				continue
			}
			sel.b.errorf(diag.NotGrouped, order[i].span, "ORDER BY of SELECT DISTINCT must use columns of the select list")
			return nil
		}
		if at < 0 {
			at = len(exprs)
			exprs, names = append(exprs, n), append(names, n.String())
		}
		keys[i] = logical.SortKey{Expr: &expr.Column{Index: at, Name: names[at], T: exprs[at].Type()}, Desc: order[i].desc, NullsFirst: order[i].nullsFirst}
	}
	if arrival {
		plan = sel.distinctOn(plan, exprs, names)
	} else {
		plan = &logical.Project{Input: plan, Exprs: exprs, Names: names}
		if distinct {
			plan = &logical.Distinct{Input: plan}
		}
	}
	if plan == nil {
		return nil
	}
	if plan = sel.b.sorted(plan, keys, c, sel.query != nil && sel.query.Ties); plan == nil {
		return nil
	}
	if len(exprs) > visible {
		plan = &logical.Project{Input: plan, Exprs: logical.Columns(plan)[:visible], Names: names[:visible]}
	}
	return &relation{plan: plan}
}

// ofItems computes an expression from the items of the select list alone; nil if that cannot be.
func ofItems(n expr.Node, items []expr.Node, names []string) expr.Node {
	if at := indexOf(items, n); at >= 0 {
		return &expr.Column{Index: at, Name: names[at], T: n.Type()}
	}
	if _, column := n.(*expr.Column); column || expr.Volatility(n) == fn.Volatile {
		return nil
	}
	kids := slices.Clone(n.Children())
	for i, k := range kids {
		if kids[i] = ofItems(k, items, names); kids[i] == nil {
			return nil
		}
	}
	return n.WithChildren(kids)
}

// places are where the list has each of others, −1 = nowhere: by now, what an alias stands for
// is the very node of its item, though it may have another value at each call.
func places(list, others []expr.Node) []int {
	out := make([]int, len(others))
	var f expr.Finder
	for i, n := range others {
		out[i] = found(&f, list, n)
	}
	return out
}

func indexOf(list []expr.Node, n expr.Node) int {
	return slices.IndexFunc(list, func(x expr.Node) bool { return x == n || expr.Equal(x, n) })
}

// found is indexOf in a list that is asked for many expressions.
func found(f *expr.Finder, list []expr.Node, n expr.Node) int {
	return f.Find(len(list), func() uint64 { return expr.Hash(n) }, func(i int) uint64 { return expr.Hash(list[i]) },
		func(i int) bool { return list[i] == n || expr.Equal(list[i], n) })
}

// distinctOn keeps the first row of each key, by arrival.
func (sel *selectBinder) distinctOn(plan logical.Node, exprs []expr.Node, names []string) logical.Node {
	visible := len(exprs)
	var keys []int
	for _, n := range sel.on {
		at := indexOf(exprs, n)
		if at < 0 {
			at = len(exprs)
			exprs, names = append(exprs, n), append(names, n.String())
		}
		keys = append(keys, at)
	}
	plan = &logical.Project{Input: plan, Exprs: exprs, Names: names}
	plan = &logical.Dedup{Input: plan, Keys: keys, Name: "DISTINCT ON"}
	if len(exprs) > visible {
		plan = &logical.Project{Input: plan, Exprs: logical.Columns(plan)[:visible], Names: names[:visible]}
	}
	return plan
}
