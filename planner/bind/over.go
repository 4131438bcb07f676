package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// overCall is a bound call with OVER: a column numbered overBase + its place in the
// list stands for it until the Over nodes are built.
type overCall struct {
	partition []expr.Node
	order     []logical.SortKey
	f         logical.OverFunc
	span      diag.Span
}

// overCall binds a call with OVER and returns a reference to its column.
func (e *env) overCall(x *ast.Call, name string) expr.Node {
	if !e.overAllowed(x) {
		return nil
	}
	inner := *e
	inner.inOver = true
	c := overCall{span: x.Span}
	ok := inner.windowKeys(&c, x)
	if !inner.overFunction(&c, x, name) || !ok {
		return nil
	}
	if c.readsOver() {
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER reads an alias that is a function with OVER itself", x.Name).
			WithHint("compute the inner one in a subquery: SELECT … FROM (SELECT …, f() OVER (…) AS x …)")
		return nil
	}
	n := e.sel.addOver(c)
	if f := c.f.Agg.Func; f != nil {
		return e.then(x, f, n)
	}
	return n
}

// overAllowed: functions with OVER are computed after grouping, for the select list,
// ORDER BY and QUALIFY.
func (e *env) overAllowed(x *ast.Call) bool {
	name := x.Name.String()
	switch {
	case e.inOver:
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER stands inside another call with OVER", name).
			WithHint("compute the inner one in a subquery: SELECT … FROM (SELECT …, f() OVER (…) AS x …)")
	case e.inAgg:
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER stands inside an aggregate", name).
			WithHint("compute it in a subquery: SELECT … FROM (SELECT …, f() OVER (…) AS x …)")
	case e.sel == nil || len(e.params) > 0 || e.clause == inOther:
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER is not allowed here", name)
	case e.clause == inWhere || e.clause == inHaving:
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER is not allowed in %s", name, e.clause).
			WithHint("use QUALIFY for conditions on functions with OVER")
	case e.clause == inGroupBy || e.clause == inOn:
		e.b.errorf(diag.MisplacedWindow, x.Span, "%s OVER is not allowed in %s", name, e.clause)
	default:
		return true
	}
	return false
}

// overFunction binds the function: a window function or an aggregate.
func (e *env) overFunction(c *overCall, x *ast.Call, name string) bool {
	if w, ok := e.b.cat.Functions.Window(name); ok {
		return e.windowFunction(c, x, w) && (!c.f.Framed() || e.frame(c, x))
	}
	f, ok := e.b.cat.Functions.Aggregate(name)
	if !ok {
		if _, scalar := e.b.cat.Functions.Scalar(name); scalar {
			e.b.errorf(diag.MisplacedWindow, x.Span, "%s is no aggregate and no window function: it takes no OVER", x.Name)
			return false
		}
		if !e.spelled(x, name) {
			e.b.unknownFunction(x.Name.String(), x.Name.Span)
		}
		return false
	}
	if c.f.Agg, ok = e.bindAggregate(x, e.b.ordered(x, f)); !ok {
		return false
	}
	return e.steady(x, c.f.Agg.Args) && e.frame(c, x)
}

// windowFunction binds row_number and its kin.
func (e *env) windowFunction(c *overCall, x *ast.Call, w *fn.Window) bool {
	if x = e.b.namedWindowArguments(x, w); x == nil {
		return false
	}
	if x.Star || x.Distinct || x.Filter != nil {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes no *, DISTINCT or FILTER", x.Name)
		return false
	}
	if x.Nulls != ast.NullsDefault && !w.Kind.TakesNulls() {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes no IGNORE NULLS or RESPECT NULLS", x.Name)
		return false
	}
	args := e.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return false
	}
	impl, err := w.Resolve(expr.Args(args))
	if err != nil {
		e.b.refuse(expr.Refused(w.Name, err), x.Span, w.Syntax, args)
		return false
	}
	args = valueArguments(args, impl)
	if err := e.b.res.Coerce(w.Name, impl.Args, args); err != nil {
		e.b.refuse(err, x.Span, w.Syntax, args)
		return false
	}
	c.f = logical.OverFunc{Window: w, Impl: impl, Args: args, IgnoreNulls: impl.IgnoreNulls || x.Nulls == ast.IgnoreNulls}
	c.forwards()
	return e.ownOrder(c, x) && e.steady(x, c.f.Exprs()) && e.checkSteering(c, x)
}

// namedWindowArguments puts named arguments in their places; a default without an offset is
// that of the next row. nil means that an error was reported.
func (b *Binder) namedWindowArguments(x *ast.Call, w *fn.Window) *ast.Call {
	if len(x.Named) == 0 {
		return x
	}
	call := *x
	has := func(name string) bool {
		return slices.ContainsFunc(x.Named, func(n ast.NamedArg) bool { return n.Name.Is(name) })
	}
	if has("default") && !has("offset") && len(x.Args) < 2 {
		one := &ast.Literal{Span: x.Span, Kind: ast.LitInt, Text: "1"}
		call.Named = append(slices.Clone(x.Named), ast.NamedArg{Name: ast.Ident{Span: x.Span, Name: "offset"}, Value: one})
	}
	return b.byArgument(&call, w.Syntax)
}

// valueArguments puts what steers the function last: the second, where there are three.
// A constant that the implementation has taken is left out.
func valueArguments(args []expr.Node, impl fn.WindowImpl) []expr.Node {
	if len(args) == 3 {
		args = []expr.Node{args[0], args[2], args[1]}
	}
	return args[:len(impl.Args)]
}

// ownOrder binds ORDER BY inside the call. That of fill, which looks at all of the
// partition, is the order of the window.
func (e *env) ownOrder(c *overCall, x *ast.Call) bool {
	for _, o := range x.OrderBy {
		n := e.key(o.Expr)
		if n == nil || !e.b.orders(n, o.Span) {
			return false
		}
		c.f.Order = append(c.f.Order, sortKey(n, o))
	}
	if len(c.f.Order) > 0 && !c.f.Window.Kind.Framed() {
		if w, ok := e.sel.window(x.Over, nil); ok && w.Frame != nil && w.Frame.Exclude != ast.ExcludeNothing {
			e.b.errorf(diag.BadFrame, w.Frame.Span, "%s takes the place of the row among those of the frame, from which EXCLUDE may not take any", x.Name)
			return false
		}
	}
	if c.f.Window.Kind != fn.Fill {
		return true
	}
	if len(c.f.Order) > 0 {
		c.order, c.f.Order = c.f.Order, nil
	}
	if len(c.order) != 1 {
		e.b.errorf(diag.WrongArguments, x.Span, "%s needs exactly one column in ORDER BY, got %d", x.Name, len(c.order)).
			WithHint("write %s", c.f.Window.Syntax[0])
		return false
	}
	if t := c.order[0].Expr.Type(); !t.IsNumeric() && !t.IsTime() && t.Kind != types.Time {
		e.b.errorf(diag.WrongArguments, x.Span, "%s needs a number or a time in ORDER BY, got %s", x.Name, t.WithArticle())
		return false
	}
	return true
}

// checkSteering: a number of tiles below 1 is an error of its row.
func (e *env) checkSteering(c *overCall, x *ast.Call) bool {
	if c.f.Window.Kind != fn.NTile || !c.f.Impl.Steered {
		return true
	}
	last := len(c.f.Args) - 1
	c.f.Args[last] = e.b.resolve(x.Span, "$tiles", c.f.Args[last])
	return c.f.Args[last] != nil
}

// forwards turns a lag that looks ahead into a lead, and the other way round.
func (c *overCall) forwards() {
	k := c.f.Window.Kind
	if c.f.Impl.N >= 0 || k != fn.Lag && k != fn.Lead {
		return
	}
	w := *c.f.Window
	w.Name, w.Kind = "lead", fn.Lead
	if k == fn.Lead {
		w.Name, w.Kind = "lag", fn.Lag
	}
	c.f.Window, c.f.Impl.N = &w, -c.f.Impl.N
}

// steady refuses what has another value at each call: a row is computed again when
// others come or go.
func (e *env) steady(x *ast.Call, nodes []expr.Node) bool {
	for _, n := range nodes {
		if expr.Volatility(n) == fn.Volatile {
			e.b.errorf(diag.VolatileRetract, x.Span, "%s OVER uses %s, which has another value at each call", x.Name, n).
				WithHint("compute it in a subquery: SELECT … FROM (SELECT …, %s AS r …)", n)
			return false
		}
	}
	return true
}

// windowKeys binds PARTITION BY and ORDER BY. Constants order nothing, but RANGE with an
// offset reads the only key.
func (e *env) windowKeys(c *overCall, x *ast.Call) bool {
	w, ok := e.sel.window(x.Over, nil)
	if !ok {
		return false
	}
	for _, p := range w.PartitionBy {
		n := e.key(p)
		if ok = ok && n != nil; n != nil && !expr.IsConst(n) && indexOf(c.partition, n) < 0 {
			c.partition = append(c.partition, n)
		}
	}
	for _, o := range w.OrderBy {
		n := e.key(o.Expr)
		switch {
		case n == nil:
			ok = false
		case !e.b.orders(n, o.Span):
			ok = false
		case !expr.IsConst(n) || len(w.OrderBy) == 1 && measures(w.Frame):
			c.order = append(c.order, sortKey(n, o))
		}
	}
	keys := append([]expr.Node(nil), c.partition...)
	for _, k := range c.order {
		keys = append(keys, k.Expr)
	}
	return ok && e.steady(x, keys)
}

// measures tells that a frame has a distance from the value of the order key.
func measures(f *ast.Frame) bool {
	return f != nil && (f.Unit == ast.FrameRange || f.Unit == ast.FrameSession) && (f.Start.Offset != nil || f.End.Offset != nil)
}

// window puts a window together with the named one that it is based on. using lists the
// names on the way.
func (sel *selectBinder) window(w *ast.Window, using []string) (*ast.Window, bool) {
	if w.Base == nil {
		return w, true
	}
	def, ok := sel.namedWindow(*w.Base, using)
	if !ok {
		return nil, false
	}
	base, ok := sel.window(def, append(using, strings.ToLower(w.Base.Name)))
	if !ok {
		return nil, false
	}
	if w.Bare {
		return base, true
	}
	what := ""
	switch {
	case len(w.PartitionBy) > 0:
		what = "PARTITION BY"
	case len(w.OrderBy) > 0 && len(base.OrderBy) > 0:
		what = "ORDER BY"
	case base.Frame != nil:
		what = "the frame"
	}
	if what != "" {
		sel.fail()
		sel.b.errorf(diag.UnknownWindow, w.Span, "%s of window %q cannot be changed where it is used", what, w.Base.Name)
		return nil, false
	}
	out := *base
	out.Span = w.Span
	if len(w.OrderBy) > 0 {
		out.OrderBy = w.OrderBy
	}
	if w.Frame != nil {
		out.Frame = w.Frame
	}
	return &out, true
}

// namedWindow finds a definition of the WINDOW clause.
func (sel *selectBinder) namedWindow(id ast.Ident, using []string) (*ast.Window, bool) {
	var found *ast.Window
	var names []string
	for _, d := range sel.stmt.Windows {
		names = append(names, d.Name.Name)
		if strings.EqualFold(d.Name.Name, id.Name) && found == nil {
			found = d.Window
		}
	}
	for _, u := range using {
		if strings.EqualFold(u, id.Name) {
			sel.fail()
			sel.b.errorf(diag.UnknownWindow, id.Span, "window %q is based on itself", id.Name)
			return nil, false
		}
	}
	if found == nil {
		sel.fail()
		d := sel.b.errorf(diag.UnknownWindow, id.Span, "unknown window %q", id.Name)
		if d.Hint = diag.HintDidYouMean(id.Name, names); d.Hint == "" {
			d.WithHint("define it behind HAVING: WINDOW %s AS (PARTITION BY … ORDER BY …)", id.Name)
		}
		return nil, false
	}
	return found, true
}

// checkWindows binds the definitions of the WINDOW clause that nobody uses, for their
// errors, and finds names that are defined twice.
func (sel *selectBinder) checkWindows() {
	seen := map[string]bool{}
	for _, d := range sel.stmt.Windows {
		name := strings.ToLower(d.Name.Name)
		if seen[name] {
			sel.fail()
			sel.b.errorf(diag.UnknownWindow, d.Name.Span, "WINDOW defines %q twice", d.Name.Name)
		}
		seen[name] = true
		sel.window(d.Window, []string{name})
	}
}

// aggregatesOver reports aggregates in QUALIFY and in windows: they group the SELECT.
func (sel *selectBinder) aggregatesOver() bool {
	found := sel.stmt.Qualify != nil && sel.b.hasAggregate(sel.stmt.Qualify)
	for _, d := range sel.stmt.Windows {
		for _, x := range windowParts(d.Window) {
			found = found || sel.b.hasAggregate(x)
		}
	}
	return found
}

// addOver registers a call, once for equal ones.
func (sel *selectBinder) addOver(c overCall) expr.Node {
	at := sel.overFound.Find(len(sel.overs), func() uint64 { return hashOver(c) }, func(i int) uint64 { return hashOver(sel.overs[i]) },
		func(i int) bool { return sameWindow(c, sel.overs[i]) && sameOver(c.f, sel.overs[i].f) })
	if at < 0 {
		at = len(sel.overs)
		sel.overs = append(sel.overs, c)
	}
	return &expr.Column{Index: overBase + at, Name: c.f.String(), T: c.f.Type()}
}

func hashOver(c overCall) uint64 { return vec.CombineHash(hashWindow(c), expr.Hash(c.f.Exprs()...)) }

func hashWindow(c overCall) uint64 {
	h := expr.Hash(c.partition...)
	for _, k := range c.order {
		h = vec.CombineHash(h, expr.Hash(k.Expr))
	}
	return h
}

func sameWindow(a, b overCall) bool {
	return sameExprs(a.partition, b.partition) && sameOrder(a.order, b.order)
}

func sameExprs(a, b []expr.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !expr.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameOrder(a, b []logical.SortKey) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Desc != b[i].Desc || a[i].NullsFirst != b[i].NullsFirst || !expr.Equal(a[i].Expr, b[i].Expr) {
			return false
		}
	}
	return true
}

func sameOver(a, b logical.OverFunc) bool {
	if (a.Window == nil) != (b.Window == nil) || a.IgnoreNulls != b.IgnoreNulls || !sameFrame(a.Frame, b.Frame) {
		return false
	}
	if a.Window == nil {
		return sameAgg(a.Agg, b.Agg)
	}
	return a.Window.Kind == b.Window.Kind && a.Impl.N == b.Impl.N && sameExprs(a.Args, b.Args) && sameOrder(a.Order, b.Order)
}

func sameFrame(a, b logical.Frame) bool {
	return a.Unit == b.Unit && a.Exclude == b.Exclude && sameBound(a.Start, b.Start) && sameBound(a.End, b.End)
}

func sameBound(a, b logical.FrameBound) bool {
	return a.Kind == b.Kind && a.Offset == b.Offset && sameOrNone(a.Limit, b.Limit) && sameOrNone(a.By, b.By)
}

func sameOrNone(a, b expr.Node) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return expr.Equal(a, b)
}

func hasOverRef(n expr.Node) bool {
	found := false
	expr.Walk(n, func(x expr.Node) bool {
		if c, ok := x.(*expr.Column); ok && c.Index >= overBase && c.Index < overEnd {
			found = true
		}
		return !found
	})
	return found
}

// readsOver reports a call that reads the column of another: through an alias.
func (c overCall) readsOver() bool {
	list := append(append([]expr.Node(nil), c.partition...), c.f.Exprs()...)
	for _, k := range c.order {
		list = append(list, k.Expr)
	}
	for _, n := range list {
		if hasOverRef(n) {
			return true
		}
	}
	return false
}
