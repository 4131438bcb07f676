package bind

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// relation is a bound query.
type relation struct {
	plan  logical.Node
	spans []diag.Span // where each column was written
	// called is, of each column, what the queries of a set operation call it; it may be shorter.
	called [][]outName
}

// selectBinder binds one SELECT. Everything is bound over its input, to which windows
// and generators of the select list may append columns; results of aggregates have
// numbers from aggBase on, until regroup puts the columns of the Aggregate in place.
type selectBinder struct {
	b     *Binder
	stmt  *ast.Select
	query *ast.Query // around it, for ORDER BY; nil inside a set operation
	scope *scope
	input logical.Node
	items []selectItem
	made  *logical.Unnest // what the generators of the select list make; nil = there is none
	// generated are these generators one by one.
	generated []made

	windows []*timeWindow
	// badWindow: one could not be bound, so that names of its bounds are no further errors.
	badWindow bool
	timed     map[string]bool // times that have their NOT NULL filter
	hops      map[string]int  // column of the window start, by time and window
	// session is what makes the session window of GROUP BY; nil if there is none.
	session       *logical.Session
	sessionWindow *timeWindow
	sessionKeys   bool // the keys being bound may make it

	grouped bool
	// aggregated: a subquery aggregates columns of this SELECT alone.
	aggregated bool
	keys       []expr.Node
	keyAt      expr.Finder
	keyNames   []string
	keySpans   []diag.Span
	keysDone   bool             // no key is added any more
	binding    int              // the item being bound; those before it are seen as aliases
	byName     map[string][]int // the items by folded name, while there are as many as indexed
	indexed    int
	aliased    int                   // how many nodes references to aliases came to
	sets       []logical.GroupingSet // nil = all keys together
	aggs       []logical.Agg
	on         []expr.Node // the keys of DISTINCT ON
	onSpans    []diag.Span
	aggAt      expr.Finder
	posts      []postJoin // subqueries to join after grouping
	lates      []postJoin // and those that compare functions with OVER: after these
	overs      []overCall // calls with OVER
	overFound  expr.Finder
	overAt     []int     // their columns, once the nodes are made
	qualify    expr.Node // nil = none
	keying     bool      // GROUP BY is being bound: its subqueries are joined before
	cell       expr.Node // of PIVOT: which rows aggregates count; nil = all

	spans  map[*expr.Column]diag.Span // where columns were written, for "not grouped"
	within int                        // how many calls of functions written in SQL are around it
	ok     bool
}

// selectItem is one item of the select list, after stars are expanded.
type selectItem struct {
	ast   ast.SelectItem
	name  string
	nodes []expr.Node // bound; several for a generator with several columns
	names []string
	state itemState
	pick  *pick // of an item with COLUMNS
}

type itemState uint8

const (
	itemNew itemState = iota
	itemBinding
	itemDone
	itemFailed
)

// selectBody binds a SELECT with the ORDER BY and LIMIT around it.
func (b *Binder) selectBody(s *ast.Select, q *ast.Query, outer *scope) *relation {
	s, q = b.overGroups(s, q)
	mark := len(b.diags)
	sel := b.newSelect(s, q, outer)
	having, order := sel.bindClauses(), sel.bindOrder(q)
	if sel.aggregated && !sel.grouped { // found by a subquery: all of it is to be seen after grouping
		b.diags = b.diags[:mark]
		sel = b.newSelect(s, q, outer)
		sel.aggregated = true
		having, order = sel.bindClauses(), sel.bindOrder(q)
	}
	cut, ok := b.limits(q)
	if !sel.ok || !ok || sel.scope.broken {
		return nil
	}
	called := sel.outNames()
	r := sel.build(having, order, cut)
	if r != nil {
		r.called = called
	}
	return r
}

func (b *Binder) newSelect(s *ast.Select, q *ast.Query, outer *scope) *selectBinder {
	sel := &selectBinder{b: b, stmt: s, query: q, timed: map[string]bool{}, hops: map[string]int{},
		spans: map[*expr.Column]diag.Span{}, within: len(b.calls), ok: true}
	sel.input, sel.scope = b.from(s.From, outer)
	if s.Sample != nil && !sel.scope.broken {
		sel.input = b.sampled(sel.input, s.Sample)
	}
	sel.scope.parent = outer
	return sel
}

// bindClauses binds everything but ORDER BY, and returns HAVING.
func (sel *selectBinder) bindClauses() expr.Node {
	sel.expandItems()
	sel.bindWhere()
	sel.bindGroupBy()
	sel.keysDone = true
	for i := range sel.items {
		sel.bindItem(i)
	}
	having := sel.bindHaving()
	sel.bindQualify()
	sel.bindOn()
	return having
}

// bindQualify binds the condition on functions with OVER.
func (sel *selectBinder) bindQualify() {
	sel.checkWindows()
	if sel.stmt.Qualify == nil {
		return
	}
	if sel.qualify = sel.env(inQualify).condition(sel.stmt.Qualify, "QUALIFY"); sel.qualify == nil {
		sel.fail()
	}
}

func (sel *selectBinder) fail() { sel.ok = false }

func (sel *selectBinder) env(c clause) *env {
	return &env{b: sel.b, scope: sel.scope, sel: sel, clause: c}
}

// conditions binds the conjuncts of a condition. Subqueries among them become joins.
func (sel *selectBinder) conditions(x ast.Expr, c clause) []expr.Node {
	var plain []expr.Node
	for _, part := range sel.eachColumn(conjuncts(x)) {
		e, part := sel.picking(c, part.pick), part.x
		if isSubqueryTest(part) {
			if !e.subqueryTest(part) {
				sel.fail()
			}
			continue
		}
		n := e.condition(part, c.String())
		if n == nil {
			sel.fail()
			continue
		}
		if hasOverRef(n) {
			sel.fail()
			sel.b.errorf(diag.MisplacedWindow, part.Pos(), "%s uses an alias that is a function with OVER", c).
				WithHint("use QUALIFY for conditions on functions with OVER")
			continue
		}
		if c == inWhere && hasAggRef(n) {
			sel.fail()
			sel.b.errorf(diag.MisplacedAggregate, part.Pos(), "WHERE uses an alias that is an aggregate").
				WithHint("use HAVING for conditions on aggregates")
			continue
		}
		plain = append(plain, n)
	}
	return plain
}

// bindWhere filters the input.
func (sel *selectBinder) bindWhere() {
	if sel.stmt.Where == nil {
		return
	}
	plain := sel.conditions(sel.stmt.Where, inWhere)
	if len(plain) > 0 && sel.ok {
		sel.input = &logical.Filter{Input: sel.input, Predicate: expr.NewAnd(plain...)}
	}
}

// conjuncts splits a chain of AND.
func conjuncts(x ast.Expr) []ast.Expr {
	var out []ast.Expr
	for {
		bin, ok := x.(*ast.Binary)
		if !ok || bin.Op != ast.And {
			break
		}
		out = append(out, bin.R)
		x = bin.L
	}
	out = append(out, x)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// addWindow returns the window of a time, making it when it is new. A row without
// event time belongs to no window.
func (sel *selectBinder) addWindow(b *Binder, t expr.Node, spec windowSpec) *timeWindow {
	w := &timeWindow{}
	switch {
	case spec.cumulate: // the end tells the start
		w.end = sel.hop(t, spec)
		if w.end != nil {
			w.start = b.windowStart(b.lastMoment(spec.span, w.end), spec)
		}
	case spec.sliding():
		w.start = sel.hop(t, spec)
	default:
		sel.requireTime(t)
		w.start = b.windowStart(t, spec)
	}
	if w.start == nil {
		return nil
	}
	if !spec.cumulate {
		w.end = b.windowEnd(spec.span, w.start, spec.size)
	}
	if w.end == nil {
		return nil
	}
	for _, o := range sel.windows {
		if expr.Equal(o.start, w.start) && expr.Equal(o.end, w.end) {
			return o
		}
	}
	sel.windows = append(sel.windows, w)
	return w
}

// requireTime drops rows whose time is NULL, once.
func (sel *selectBinder) requireTime(t expr.Node) {
	key := fingerprint(t)
	if len(expr.ColumnsOf(t)) == 0 || sel.timed[key] {
		return
	}
	sel.timed[key] = true
	sel.input = &logical.Filter{Input: sel.input, Predicate: expr.NewIsNull(t, true)}
}

// hop appends the starts of the sliding windows of a time to the input.
func (sel *selectBinder) hop(t expr.Node, spec windowSpec) expr.Node {
	key := fingerprint(t) + "|" + expr.Interval(canonical(spec.size)).String() + "|" +
		expr.Interval(canonical(spec.slide)).String() + "|" + expr.Interval(canonical(spec.offset)).String()
	if spec.cumulate {
		key += "|cumulate"
	}
	at, ok := sel.hops[key]
	if !ok {
		col, plan := appendExpr(sel.input, t, "window_of")
		sel.input = hopOf(plan, col, spec, sel.b.set.Zone)
		at = len(sel.input.Schema()) - 1
		sel.hops[key] = at
	}
	return logical.Col(sel.input, at)
}

// hopOf multiplies rows by the windows that hold their times.
func hopOf(plan logical.Node, col int, spec windowSpec, zone *time.Location) logical.Node {
	if plan.Schema()[col].Type.Kind == types.TimestampNTZ {
		zone = nil // days of clock readings have 24 hours
	}
	if w := spec.windows(zone); w != nil {
		return &logical.Hop{Input: plan, Time: col, By: w}
	}
	size, slide := timewindow.Micros(spec.size), timewindow.Micros(spec.slide)
	return &logical.Hop{Input: plan, Time: col, Size: size, Slide: slide, Offset: timewindow.Micros(spec.offset) % slide}
}

// appendExpr makes an expression a column of the plan; a plain column is one already.
func appendExpr(plan logical.Node, n expr.Node, name string) (int, logical.Node) {
	if c, ok := n.(*expr.Column); ok && c.Index < aggBase {
		return c.Index, plan
	}
	exprs := append(logical.Columns(plan), n)
	names := append(columnNames(plan), name)
	return len(exprs) - 1, &logical.Project{Input: plan, Exprs: exprs, Names: names}
}

func columnNames(plan logical.Node) []string {
	cols := plan.Schema()
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// addAggregate registers an aggregate, once for equal calls.
func (sel *selectBinder) addAggregate(a logical.Agg) int {
	if i := sel.aggAt.Find(len(sel.aggs), func() uint64 { return hashAgg(a) }, func(i int) uint64 { return hashAgg(sel.aggs[i]) },
		func(i int) bool { return sameAgg(a, sel.aggs[i]) }); i >= 0 {
		return i
	}
	sel.aggs = append(sel.aggs, a)
	return len(sel.aggs) - 1
}

func hashAgg(a logical.Agg) uint64 {
	h := vec.CombineHash(vec.HashBytes([]byte(a.Func.Name)), expr.Hash(a.Args...))
	if a.Filter != nil {
		h = vec.CombineHash(h, expr.Hash(a.Filter))
	}
	for _, k := range a.Order {
		h = vec.CombineHash(h, expr.Hash(k.Expr))
	}
	return h
}

func sameAgg(a, o logical.Agg) bool {
	if a.Func != o.Func || a.Distinct != o.Distinct || len(a.Args) != len(o.Args) || len(a.Order) != len(o.Order) ||
		(a.Filter == nil) != (o.Filter == nil) || a.Filter != nil && !expr.Equal(a.Filter, o.Filter) {
		return false
	}
	for i := range a.Args {
		if !expr.Equal(a.Args[i], o.Args[i]) {
			return false
		}
	}
	for i := range a.Order {
		if !expr.Equal(a.Order[i].Expr, o.Order[i].Expr) || a.Order[i].Desc != o.Order[i].Desc || a.Order[i].NullsFirst != o.Order[i].NullsFirst {
			return false
		}
	}
	return true
}

// fingerprint is the text of an expression with column numbers for names.
func fingerprint(n expr.Node) string {
	return expr.Rewrite(n, func(x expr.Node) expr.Node {
		if c, ok := x.(*expr.Column); ok {
			return &expr.Column{Index: c.Index, Name: "#" + itoa(c.Index), T: c.T}
		}
		return x
	}).String()
}

// bindHaving binds HAVING; nil if there is none.
func (sel *selectBinder) bindHaving() expr.Node {
	if sel.stmt.Having == nil {
		return nil
	}
	plain := sel.conditions(sel.stmt.Having, inHaving)
	if len(plain) == 0 {
		return nil
	}
	return expr.NewAnd(plain...)
}

func foldName(s string) string { return strings.ToLower(s) }
