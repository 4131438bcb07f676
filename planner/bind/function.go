package bind

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Functions written in SQL are bound again at each call: the arguments where they stand,
// once, and then the body in a scope that has nothing but the parameters, which stand for
// the bound arguments. So no name of an argument can mean something else in the body, and
// no name of the body a column of the caller.

// maxExpansion is how many nodes a call may come to: calls of calls double quickly.
const maxExpansion = 100_000

// maxTables is how many calls of table functions a statement may come to.
const maxTables = 1000

// invocation is a call whose body is being bound.
type invocation struct {
	f      *catalog.Function
	args   []expr.Node // by parameter
	used   []int       // how often the body reads each
	caller *scope      // which the columns of the arguments belong to
	at     diag.Span   // the call
	// defining: the body is checked where it is written, so errors point straight at it.
	defining bool
}

// find is the number of a parameter, −1 for another name.
func (fr *invocation) find(name string) int {
	for i, p := range fr.f.Params {
		if strings.EqualFold(p.Name, name) && i < len(fr.args) {
			return i
		}
	}
	return -1
}

// parameter resolves a name in the body itself.
func (e *env) parameter(fr *invocation, ref *ast.ColumnRef) expr.Node {
	i := fr.find(ref.Parts[0].Name)
	if i < 0 {
		if n, ok := e.b.bareFunction(ref); ok {
			return n
		}
		d := e.b.errorf(diag.UnknownColumn, ref.Span, "unknown column %q", pathOf(ref.Parts))
		d.Hint = hintParams(fr, ref.Parts[0].Name)
		return nil
	}
	if fr.args[i] == nil {
		return nil // reported where it stands
	}
	fr.used[i]++
	return e.fields(fr.args[i], ref.Parts[1:])
}

func hintParams(fr *invocation, name string) string {
	if len(fr.args) == 0 && len(fr.f.Params) > 0 {
		return "the default of a parameter is a value: it reads no other parameter"
	}
	var names []string
	for _, p := range fr.f.Params {
		names = append(names, p.Name)
	}
	if h := diag.HintDidYouMean(name, names); h != "" || len(names) == 0 {
		return h
	}
	return "a function sees its parameters alone: " + strings.Join(names, ", ")
}

// outerParameter resolves a name in a subquery of the body: the columns of the argument
// are those of a query around.
func (e *env) outerParameter(fr *invocation, ref *ast.ColumnRef) (expr.Node, bool) {
	i := fr.find(ref.Parts[0].Name)
	if i < 0 {
		return nil, false
	}
	if fr.args[i] == nil {
		return nil, true
	}
	fr.used[i]++
	bad := false
	n := expr.MapColumns(fr.args[i], func(c int) int {
		if _, _, outer := logical.Outer(c); outer {
			return c
		}
		bad = bad || c >= aggBase
		return logical.OuterIndex(fr.caller.number(e.b), c)
	})
	if bad {
		e.b.errorf(diag.NotPlanned, ref.Span, "an aggregate or subquery as the argument of a function that reads it in a subquery is not supported").
			WithHint("compute it in a subquery: SELECT %s(x) FROM (SELECT … AS x …)", fr.f.Name)
		return nil, true
	}
	return e.fields(n, ref.Parts[1:]), true
}

// sqlCall binds the call of a scalar function written in SQL.
func (e *env) sqlCall(x *ast.Call, f *catalog.Function) expr.Node {
	if f.Body == nil && !e.b.calling(f.Name) {
		e.b.errorf(diag.WrongObject, x.Span, "%s gives rows and stands in FROM", x.Name).
			WithHint("write FROM %s", f.Syntax())
		return nil
	}
	fr := e.invoke(x, f)
	if fr == nil {
		return nil
	}
	body := *e
	body.scope = &scope{invoked: fr}
	body.params = hidden(e.params)
	var n expr.Node
	e.b.inBody(fr, x.Span, func() {
		n = e.b.finishCall(fr, f.Body.Pos(), body.expr(f.Body))
	})
	return n
}

// hidden keeps the numbers of parameters of lambdas, without their names.
func hidden(params []*expr.Param) []*expr.Param {
	out := make([]*expr.Param, len(params))
	for i, p := range params {
		q := *p
		q.Name = ""
		out[i] = &q
	}
	return out
}

// inBody binds what belongs to the text of a function.
func (b *Binder) inBody(fr *invocation, call diag.Span, do func()) {
	if n := len(b.calls); len(b.views) == 0 && (n == 0 || b.calls[n-1].defining) {
		b.at = call
	}
	saved := b.ctes
	b.ctes, fr.at = nil, call
	b.calls = append(b.calls, fr)
	do()
	b.calls = b.calls[:len(b.calls)-1]
	b.ctes = saved
}

// finishCall checks what a body came to.
func (b *Binder) finishCall(fr *invocation, span diag.Span, n expr.Node) expr.Node {
	if n == nil || !b.steady(fr, span) {
		return nil
	}
	if size(n) > maxExpansion {
		b.errorf(diag.TooDeep, span, "the call comes to more than %d parts", maxExpansion)
		return nil
	}
	if fr.f.Returns == nil {
		return n
	}
	if !Storable(n.Type(), *fr.f.Returns) {
		b.errorf(diag.TypeMismatch, span, "the function returns %s, but its body gives %s", *fr.f.Returns, typeOf(n)).
			WithHint("write CAST(… AS %s)", *fr.f.Returns)
		return nil
	}
	return b.cast(span, n, *fr.f.Returns)
}

// steady refuses an argument that has another value wherever the body reads it.
func (b *Binder) steady(fr *invocation, span diag.Span) bool {
	for i, n := range fr.used {
		if n > 1 && expr.Volatility(fr.args[i]) == fn.Volatile {
			b.errorf(diag.VolatileRetract, span, "%q is read %d times, and the argument %s has another value at each call", fr.f.Params[i].Name, n, fr.args[i]).
				WithHint("compute the argument in a subquery: SELECT %s(x) FROM (SELECT … AS x FROM …)", fr.f.Name)
			return false
		}
	}
	return true
}

// size counts the nodes of an expression, up to a little more than the limit.
func size(n expr.Node) int {
	count := 0
	expr.Walk(n, func(expr.Node) bool {
		count++
		return count <= maxExpansion
	})
	return count
}

// invoke binds the arguments of a call; nil means that an error was reported.
func (e *env) invoke(x *ast.Call, f *catalog.Function) *invocation {
	if e.b.calling(f.Name) {
		e.b.errorf(diag.Recursion, x.Span, "function %q calls itself", f.Name).
			WithHint("a function written in SQL cannot be recursive: WITH RECURSIVE repeats a query")
		return nil
	}
	if what := notOfFunctions(x); what != "" {
		e.b.errorf(diag.WrongArguments, x.Span, "%s does not take %s", x.Name, what)
		return nil
	}
	given, ok := e.b.byParam(x, f)
	if !ok {
		return nil
	}
	fr := &invocation{f: f, args: make([]expr.Node, len(f.Params)), used: make([]int, len(f.Params)), caller: e.scope}
	for i, p := range f.Params {
		if given[i] != nil {
			fr.args[i] = e.argumentOf(f, p, given[i])
		} else {
			fr.args[i] = e.b.defaultOf(f, p, x.Span)
		}
		ok = ok && fr.args[i] != nil
	}
	if !ok {
		return nil
	}
	return fr
}

// calling reports a function whose body is being bound.
func (b *Binder) calling(name string) bool {
	for _, fr := range b.calls {
		if strings.EqualFold(fr.f.Name, name) {
			return true
		}
	}
	return false
}

// notOfFunctions names what only aggregates and window functions take.
func notOfFunctions(x *ast.Call) string {
	switch {
	case x.Over != nil:
		return "OVER: a function written in SQL is no aggregate"
	case x.Star:
		return "*"
	case x.Distinct:
		return "DISTINCT"
	case x.Filter != nil:
		return "FILTER"
	case len(x.OrderBy) > 0:
		return "ORDER BY"
	case x.Returning != nil:
		return "RETURNING"
	case x.Nulls != ast.NullsDefault:
		return "IGNORE NULLS"
	}
	return ""
}

// byParam brings arguments, by place and by name, into the order of the parameters; nil
// where the default stands.
func (b *Binder) byParam(x *ast.Call, f *catalog.Function) ([]ast.Expr, bool) {
	given := make([]ast.Expr, len(f.Params))
	if len(x.Args) > len(f.Params) {
		b.errorf(diag.WrongArguments, x.Span, "%s takes %d arguments, got %d", x.Name, len(f.Params), len(x.Args)).WithHint("write %s", f.Syntax())
		return nil, false
	}
	copy(given, x.Args)
	for _, n := range x.Named {
		i := (&invocation{f: f, args: make([]expr.Node, len(f.Params))}).find(n.Name.Name)
		if i < 0 {
			b.errorf(diag.WrongArguments, n.Name.Span, "%s has no parameter %q", x.Name, n.Name.Name).WithHint("write %s", f.Syntax())
			return nil, false
		}
		if given[i] != nil {
			b.errorf(diag.WrongArguments, n.Name.Span, "parameter %q is given twice", n.Name.Name)
			return nil, false
		}
		given[i] = n.Value
	}
	for i, p := range f.Params {
		if given[i] == nil && p.Default == nil {
			b.errorf(diag.WrongArguments, x.Span, "%s needs a value for %q", x.Name, p.Name).WithHint("write %s", f.Syntax())
			return nil, false
		}
	}
	return given, true
}

// argumentOf binds an argument and brings it to the type of its parameter.
func (e *env) argumentOf(f *catalog.Function, p catalog.Param, x ast.Expr) expr.Node {
	if l, ok := x.(*ast.Lambda); ok {
		e.b.errorf(diag.WrongArguments, l.Span, "a lambda cannot be an argument of %s", f.Name)
		return nil
	}
	return e.b.toParam(f, p, e.expr(x), x.Pos())
}

func (b *Binder) toParam(f *catalog.Function, p catalog.Param, n expr.Node, span diag.Span) expr.Node {
	if n == nil || p.Type == nil {
		return n
	}
	if _, text := n.(*expr.Const); !Storable(n.Type(), *p.Type) && !(text && n.Type().Kind == types.String) {
		b.errorf(diag.TypeMismatch, span, "%s needs %s as %q, got %s", f.Name, *p.Type, p.Name, typeOf(n)).
			WithHint("write CAST(… AS %s)", *p.Type)
		return nil
	}
	return b.cast(span, n, *p.Type)
}

// defaultOf binds the default of a parameter.
func (b *Binder) defaultOf(f *catalog.Function, p catalog.Param, call diag.Span) (n expr.Node) {
	fr := &invocation{f: f}
	b.inBody(fr, call, func() {
		e := &env{b: b, scope: &scope{invoked: fr}}
		n = b.toParam(f, p, e.expr(p.Default), p.Default.Pos())
	})
	return n
}

// sqlTable binds a table function written in SQL, beside the rows of around: its query
// sees them through its arguments. nil means that an error was reported.
func (b *Binder) sqlTable(x *ast.Call, f *catalog.Function, around *scope) logical.Node {
	if f.Query == nil {
		b.errorf(diag.WrongObject, x.Name.Span, "%s gives one value and stands in no FROM", x.Name).
			WithHint("write SELECT %s", f.Syntax())
		return nil
	}
	e := &env{b: b, scope: around}
	fr := e.invoke(x, f)
	if fr == nil {
		return nil
	}
	var plan logical.Node
	if b.expanded++; b.expanded > maxTables {
		if b.expanded == maxTables+1 {
			b.errorf(diag.TooDeep, x.Span, "the statement comes to more than %d calls of table functions", maxTables)
		}
		return nil
	}
	b.inBody(fr, x.Span, func() { plan = b.tableBody(fr) })
	return plan
}

// tableBody binds the query of a table function, and names its columns.
func (b *Binder) tableBody(fr *invocation) logical.Node {
	f := fr.f
	r := b.query(f.Query, &scope{invoked: fr})
	if r == nil || !b.steady(fr, f.Query.Span) {
		return nil
	}
	if f.Columns == nil {
		return r.plan
	}
	have := r.plan.Schema()
	if len(have) != len(f.Columns) {
		b.errorf(diag.ColumnCount, f.Query.Span, "the function returns %d columns, but its query gives %d", len(f.Columns), len(have))
		return nil
	}
	want := make([]types.Type, len(have))
	for i, c := range f.Columns {
		want[i] = c.Type
		if !Storable(have[i].Type, c.Type) {
			b.errorf(diag.TypeMismatch, f.Query.Span, "column %q of the function is %s, but its query gives %s", c.Name, c.Type, have[i].Type).
				WithHint("write CAST(… AS %s)", c.Type)
			return nil
		}
	}
	return b.castColumns(r.plan, want, f.Columns)
}

// inFunction says in which function, and where in its text, an error lies.
func (fr *invocation) inFunction(span diag.Span) string {
	if fr.f.Source == nil {
		return fmt.Sprintf("in function %q: ", fr.f.Name)
	}
	line, column := fr.f.Source.Position(span.Start)
	at := fmt.Sprintf("%d:%d", line, column)
	if fr.f.Source.Name != "" {
		at = fr.f.Source.Name + ":" + at
	}
	return fmt.Sprintf("in function %q, at %s (%s): ", fr.f.Name, at, excerpt(fr.f.Source.Slice(span)))
}

// excerpt is a short piece of text on one line.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 40 {
		text = string(r[:39]) + "…"
	}
	return text
}

// bodyScope is the scope of a constant in the text being bound: it has the parameters of
// the function, if it is one.
func (b *Binder) bodyScope() *scope {
	if n := len(b.calls); n > 0 {
		return &scope{invoked: b.calls[n-1]}
	}
	return &scope{}
}

// sqlTableBeside joins a table function with the rows that its arguments may read.
func (b *Binder) sqlTableBeside(x *ast.Join, r *ast.TableFunc, f *catalog.Function, l logical.Node, ls, outer *scope) (logical.Node, *scope) {
	alias := r.Alias
	if alias == nil {
		alias = &ast.Alias{Span: r.Span, Name: r.Call.Name.Last()}
	}
	d := &ast.Derived{Span: r.Span, Lateral: true, Watermark: r.Watermark, Alias: alias}
	return b.lateralPlan(x, d, l, ls, outer, func(around *scope) logical.Node { return b.sqlTable(r.Call, f, around) })
}

// sqlAggregate reports a function written in SQL whose body calls an aggregate.
func (b *Binder) sqlAggregate(name string) bool {
	f := b.cat.Function(name)
	if f == nil || f.Body == nil || b.calling(name) {
		return false
	}
	b.calls = append(b.calls, &invocation{f: f})
	defer func() { b.calls = b.calls[:len(b.calls)-1] }()
	return b.hasAggregate(f.Body)
}
