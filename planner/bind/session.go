package bind

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// sessionCalls are the functions of session windows in a SELECT.
var sessionCalls = []string{"session_window", "session", "session_start", "session_end", "session_rowtime"}

func isSessionCall(x ast.Expr) bool {
	c, ok := x.(*ast.Call)
	if !ok {
		return false
	}
	for _, n := range sessionCalls {
		if strings.EqualFold(c.Name.String(), n) {
			return true
		}
	}
	return false
}

// sessionItemsLast puts the elements of GROUP BY that have the session window after the
// others, which partition the sessions.
func (sel *selectBinder) sessionItemsLast(items []ast.GroupItem) []ast.GroupItem {
	var first, last []ast.GroupItem
	for _, it := range items {
		if sel.itemMakesSession(&it) {
			last = append(last, it)
		} else {
			first = append(first, it)
		}
	}
	return append(first, last...)
}

func (sel *selectBinder) sessionExprsLast(list []ast.Expr) []ast.Expr {
	var first, last []ast.Expr
	for _, x := range list {
		if sel.makesSession(x) {
			last = append(last, x)
		} else {
			first = append(first, x)
		}
	}
	return append(first, last...)
}

func (sel *selectBinder) itemMakesSession(it *ast.GroupItem) bool {
	for _, x := range it.Exprs {
		if sel.makesSession(x) {
			return true
		}
	}
	for i := range it.Items {
		if sel.itemMakesSession(&it.Items[i]) {
			return true
		}
	}
	return false
}

// sessionsLast lists the items of GROUP BY ALL, those with the session window after the
// others.
func (sel *selectBinder) sessionsLast() []int {
	var first, last []int
	for i := range sel.items {
		if hasSessionCall(sel.items[i].ast.Expr) {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// makesSession tells that a grouping expression has a session window in it, by itself
// or through an alias or ordinal: such keys come after the others, which partition the
// sessions.
func (sel *selectBinder) makesSession(top ast.Expr) bool {
	found := false
	walkExpr(top, func(x ast.Expr) bool {
		switch y := x.(type) {
		case *ast.ColumnRef:
			for _, i := range sel.called(y.Parts[0].Name) {
				if it := sel.items[i]; it.ast.Alias != nil && it.ast.Expr != x {
					found = found || hasSessionCall(it.ast.Expr)
				}
			}
		case *ast.Literal:
			if i, err := strconv.Atoi(y.Text); err == nil && y.Kind == ast.LitInt && x == top && i >= 1 && i <= len(sel.items) {
				found = found || hasSessionCall(sel.items[i-1].ast.Expr)
			}
		}
		found = found || isSessionCall(x)
		return !found
	})
	return found
}

func hasSessionCall(x ast.Expr) bool {
	found := false
	walkExpr(x, func(x ast.Expr) bool {
		found = found || isSessionCall(x)
		return !found
	})
	return found
}

// sessionWindow is session_window(ts, gap), or SESSION(ts, gap), in a SELECT with GROUP
// BY: its sessions are those of each combination of the other keys.
func (e *env) sessionWindow(x *ast.Call) *timeWindow {
	if len(x.Args) != 2 {
		e.b.errorf(diag.BadWindow, x.Span, "%s takes a time and a gap, got %d arguments", x.Name, len(x.Args))
		return nil
	}
	t, end, ok := e.sessionBounds(x.Args[0], x.Args[1])
	if !ok {
		if e.sel != nil {
			e.sel.badWindow = true
		}
		return nil
	}
	return e.addSession(x, t, end)
}

// addSession returns the session window of the SELECT, which GROUP BY makes.
func (e *env) addSession(x *ast.Call, t, end expr.Node) *timeWindow {
	sel := e.sel
	switch {
	case sel == nil || e.inAgg || len(e.params) > 0 || e.clause == inWhere || e.clause == inOn:
		e.b.errorf(diag.BadWindow, x.Span, "a session window is not allowed here")
		return nil
	case sel.session == nil && !sel.sessionKeys && sel.stmt != nil && sel.stmt.GroupBy == nil && !sel.grouped:
		sel.requireTime(t)
		return &timeWindow{start: t, end: end} // each row's own
	case sel.session == nil && !sel.sessionKeys:
		sel.badWindow = true
		e.b.errorf(diag.BadWindow, x.Span, "a session window must be in GROUP BY").
			WithHint("for rows with the bounds of their sessions write FROM SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), '5 minutes')")
		return nil
	case sel.session == nil:
		sel.session = &logical.Session{Input: sel.sessionInput(t, end), Time: t, End: end, Partition: append([]expr.Node(nil), sel.keys...)}
		at := sel.session.Start()
		sel.input = sel.session
		sel.sessionWindow = &timeWindow{start: logical.Col(sel.input, at), end: logical.Col(sel.input, at+1)}
		sel.windows = append(sel.windows, sel.sessionWindow)
	case !expr.Equal(sel.session.Time, t) || !expr.Equal(sel.session.End, end):
		e.b.errorf(diag.BadWindow, x.Span, "a SELECT can have one session window only").
			WithHint("put the other one into a subquery, or use SESSION(TABLE t, …) in FROM")
		return nil
	}
	return sel.sessionWindow
}

// sessionInput drops rows that are in no session: without time or gap, or with a gap
// that is not positive.
func (sel *selectBinder) sessionInput(t, end expr.Node) logical.Node {
	sel.requireTime(t)
	if c, ok := end.(*expr.Call); ok && len(c.Args) == 2 && expr.IsConst(c.Args[1]) {
		return sel.input
	}
	longer := sel.b.resolve(diag.Span{}, "<", t, end)
	return &logical.Filter{Input: sel.input, Predicate: longer}
}

// sessionBounds binds the time of a row and the end of the stretch that it covers.
func (e *env) sessionBounds(at, gap ast.Expr) (t, end expr.Node, ok bool) {
	t = e.windowInput(at)
	g := e.sessionGap(gap)
	if t == nil || g == nil {
		return nil, nil, false
	}
	end = e.b.resolve(gap.Pos(), "+", t, g)
	return t, end, end != nil
}

// sessionGap is a duration: a constant, or an expression of the row that is an INTERVAL
// or text for one.
func (e *env) sessionGap(x ast.Expr) expr.Node {
	n := e.expr(x)
	if n == nil {
		return nil
	}
	if v, ok := e.b.intervalOf(n); ok {
		if v.Span().Sign() <= 0 {
			e.b.errorf(diag.BadWindow, x.Pos(), "the gap of a session must be positive")
			return nil
		}
		return expr.Interval(v)
	}
	switch n.Type().Kind {
	case types.Interval:
		return n
	case types.String:
		if !expr.IsConst(n) {
			return e.b.cast(x.Pos(), n, types.Of(types.Interval))
		}
	}
	e.b.errorf(diag.BadWindow, x.Pos(), "the gap of a session must be a duration such as '5 minutes', or an INTERVAL of the row, got %s", typeOf(n))
	return nil
}

// sessionTable is SESSION(TABLE t [PARTITION BY k], DESCRIPTOR(ts), gap): the rows with
// the bounds of their sessions. DESCRIPTOR(k) before the gap says the same as PARTITION BY.
func (b *Binder) sessionTable(x *ast.TableFunc) (logical.Node, *scope) {
	params := []string{"data", "timecol", "gap"}
	if len(x.Call.Args) == 4 || hasNamed(x.Call, "key") {
		params = []string{"data", "timecol", "key", "gap"}
	}
	t := b.arguments(x.Call, params...)
	if t == nil {
		return broken()
	}
	partition := takePartition(t.args)
	plan, s := t.input()
	if s.broken {
		return plan, s
	}
	cols, gap := t.columns(s, t.args[1]), t.args[len(params)-1]
	if len(cols) != 1 || gap == nil {
		b.errorf(diag.BadWindow, x.Span, "SESSION needs a table, a time column and a gap").
			WithHint("write SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), '5 minutes')")
		return broken()
	}
	if len(params) == 4 {
		partition = append(partition, t.columns(s, t.args[2])...)
	}
	sel := &selectBinder{b: b, scope: s, input: plan, timed: map[string]bool{}, hops: map[string]int{}, spans: map[*expr.Column]diag.Span{}, within: len(b.calls)}
	e := &env{b: b, scope: s, sel: sel, clause: inGroupBy}
	sel.sessionKeys = true
	for _, p := range partition {
		n := e.expr(p)
		if n == nil {
			return broken()
		}
		sel.keys = append(sel.keys, n)
	}
	at, end, ok := e.sessionBounds(cols[0], gap)
	if !ok {
		return broken()
	}
	return b.windowColumns(x, sel, e.addSession(x.Call, at, end), len(plan.Schema()))
}

func hasNamed(x *ast.Call, name string) bool {
	for _, n := range x.Named {
		if strings.EqualFold(n.Name.Name, name) {
			return true
		}
	}
	return false
}

// takePartition removes PARTITION BY from the table argument, and returns it.
func takePartition(args []ast.Expr) []ast.Expr {
	arg, ok := args[0].(*ast.TableArg)
	if !ok || len(arg.PartitionBy) == 0 {
		return nil
	}
	c := *arg
	c.PartitionBy = nil
	args[0] = &c
	return arg.PartitionBy
}
