package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// call binds a function call of any kind.
func (e *env) call(x *ast.Call) expr.Node {
	if e.safe(x) {
		return nil
	}
	x = e.b.unchained(x)
	name := strings.ToLower(x.Name.String())
	if f := e.b.cat.Function(name); f != nil || e.b.calling(name) {
		return e.sqlCall(x, cmp.Or(f, &catalog.Function{Name: name}))
	}
	if name == "columns" && e.pick != nil {
		return e.picked(x)
	}
	if x.Over != nil {
		return e.overCall(x, name)
	}
	if n, ok := e.windowCall(x, name); ok {
		return n
	}
	if agg, ok := e.b.cat.Functions.Aggregate(name); ok {
		return e.aggregate(x, agg)
	}
	if _, ok := e.b.cat.Functions.Generator(name); ok {
		if _, value := e.b.cat.Functions.Scalar(name); !value {
			return e.generatorCall(x)
		}
	}
	if _, ok := e.b.cat.Functions.Scalar(name); ok && e.spelled(x, name+"/"+strconv.Itoa(len(x.Args))) {
		return nil
	} else if !ok && len(x.Named) == 0 {
		if e.spelled(x, name) {
			return nil
		}
		if f := foreignFunction(name); f != nil && f.called() {
			d := f.report(e.b, x.Name.String(), x.Name.Span)
			d.Hint = spell(d.Hint, e.given(x.Args))
			return nil
		}
	}
	if name == "grouping" || name == "grouping_id" || name == "group_id" {
		return e.grouping(x, name)
	}
	if n, ok := e.jsonCall(x, name); ok {
		return n
	}
	if e.unitLast(x, name) {
		return nil
	}
	x = namedFields(x, name)
	if f, ok := e.b.cat.Functions.Scalar(name); ok {
		if x = e.b.byArgument(x, f.Syntax); x == nil {
			return nil
		}
		x = literalLambdas(x, f.Syntax)
	}
	if n, ok := e.starCall(x, name); ok {
		return n
	}
	if !e.plainCall(x) {
		return nil
	}
	if name == "struct" || name == "row" {
		return e.row(&ast.Row{Span: x.Span, Elems: x.Args})
	}
	inner := *e
	inner.called = name
	args := inner.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return nil
	}
	if name == "decode" && len(args) > 2 {
		return e.decode(x, args)
	}
	if _, ok := e.b.cat.Functions.Scalar(name); !ok {
		e.b.unknownFunction(x.Name.String(), x.Name.Span)
		return nil
	}
	return e.b.resolve(x.Span, name, args...)
}

// unchained makes f(t.x, a) of t.x.f(a), where no function is called t.x.f.
func (b *Binder) unchained(x *ast.Call) *ast.Call {
	last := len(x.Name.Parts) - 1
	if last < 1 {
		return x
	}
	if f := b.cat.Functions; b.cat.Function(strings.ToLower(x.Name.String())) != nil || !f.Has(x.Name.Parts[last].Name) && b.cat.Function(strings.ToLower(x.Name.Parts[last].Name)) == nil {
		return x
	}
	call := *x
	on := &ast.ColumnRef{Span: diag.Join(x.Name.Parts[0].Span, x.Name.Parts[last-1].Span), Parts: x.Name.Parts[:last]}
	call.Name = ast.Name{Span: x.Name.Parts[last].Span, Parts: x.Name.Parts[last:]}
	call.Args = append([]ast.Expr{on}, x.Args...)
	return &call
}

// namedFields turns the named arguments of functions that make fields of structs into
// pairs of a name and a value.
func namedFields(x *ast.Call, name string) *ast.Call {
	if len(x.Named) == 0 || name != "struct_pack" && name != "struct_insert" && name != "struct_update" {
		return x
	}
	call := *x
	call.Args, call.Named = append([]ast.Expr(nil), x.Args...), nil
	for _, n := range x.Named {
		call.Args = append(call.Args, &ast.Literal{Span: n.Name.Span, Kind: ast.LitString, Text: n.Name.Name}, n.Value)
	}
	return &call
}

// decode is decode(a, search, result, …, default): a CASE whose comparisons take NULL
// for a value. With two arguments the name is that of another function.
func (e *env) decode(x *ast.Call, args []expr.Node) expr.Node {
	var conds, thens []expr.Node
	rest := args[1:]
	for ; len(rest) >= 2; rest = rest[2:] {
		when := e.b.resolve(x.Span, "<=>", args[0], rest[0])
		if when == nil {
			return nil
		}
		conds, thens = append(conds, when), append(thens, rest[1])
	}
	var otherwise expr.Node
	if len(rest) == 1 {
		otherwise = rest[0]
	}
	n, err := e.b.res.Case(conds, thens, otherwise)
	if err != nil {
		e.b.report(err, x.Span)
		return nil
	}
	return n
}

// plainCall refuses what only aggregates take.
func (e *env) plainCall(x *ast.Call) bool {
	what := ""
	switch {
	case len(x.Named) > 0:
		what = "named arguments"
	case x.Star:
		what = "*"
	case x.Distinct:
		what = "DISTINCT"
	case x.Filter != nil:
		what = "FILTER"
	case len(x.OrderBy) > 0:
		what = "ORDER BY"
	case x.Nulls != ast.NullsDefault:
		what = "IGNORE NULLS or RESPECT NULLS"
	case x.Returning != nil:
		what = "RETURNING"
	}
	if what == "" {
		return true
	}
	if _, ok := e.b.cat.Functions.Scalar(x.Name.String()); !ok {
		e.b.unknownFunction(x.Name.String(), x.Name.Span)
		return false
	}
	e.b.errorf(diag.WrongArguments, x.Span, "%s does not take %s", x.Name, what)
	return false
}

// unknownFunction reports a name that is no function, with what was probably meant.
func (b *Binder) unknownFunction(name string, span diag.Span) *diag.Diagnostic {
	if w, ok := b.cat.Functions.Window(name); ok {
		return b.errorf(diag.MisplacedWindow, span, "%s needs OVER (…)", name).WithHint("write %s", w.Syntax[0])
	}
	if way := spellings[strings.ToLower(name)]; way != "" {
		return b.errorf(diag.UnknownFunction, span, "unknown function %q", name).WithHint("write %s", spell(way, nil))
	}
	if f := foreignFunction(name); f != nil {
		d := f.report(b, name, span)
		d.Hint = spell(d.Hint, nil)
		return d
	}
	if slices.Contains(relations, strings.ToLower(name)) {
		return b.errorf(diag.UnknownFunction, span, "%s gives rows, and no value", name).WithHint("it stands in FROM: SELECT … FROM %s(TABLE t, …)", name)
	}
	d := b.errorf(diag.UnknownFunction, span, "unknown function %q", name)
	d.Hint = diag.HintDidYouMean(name, b.cat.FunctionNames())
	return d
}

// bareFunction resolves CURRENT_DATE and its like, which need no parentheses, where
// the parser left them as names.
func (b *Binder) bareFunction(ref *ast.ColumnRef) (expr.Node, bool) {
	if len(ref.Parts) != 1 || ref.Parts[0].Quoted {
		return nil, false
	}
	switch strings.ToLower(ref.Parts[0].Name) {
	case "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user":
		return b.resolve(ref.Span, strings.ToLower(ref.Parts[0].Name)), true
	case "unknown":
		return expr.Null(types.Of(types.Bool)), true
	}
	return nil, false
}

// aggregate registers an aggregate of the SELECT and returns a reference to it.
func (e *env) aggregate(x *ast.Call, f *fn.Aggregate) expr.Node {
	if s := e.aggregatedAround(x); s != nil {
		return e.aggregateAround(s, x, f)
	}
	if !e.aggregateAllowed(x) {
		return nil
	}
	if e.ofLambda(x) {
		return nil
	}
	if tied := e.tied(x, f); tied != nil {
		return tied()
	}
	f = e.b.ordered(x, f)
	inner := *e
	inner.inAgg, inner.params = true, nil // it is of the rows, not of a lambda's elements
	agg, ok := inner.bindAggregate(x, f)
	if !ok {
		return nil
	}
	agg.Filter = conjunction(e.sel.cell, agg.Filter)
	e.sel.aggregated = true // also by what a function written in SQL made of its arguments
	i := e.sel.addAggregate(agg)
	return e.then(x, f, &expr.Column{Index: aggBase + i, Name: agg.String(), T: agg.Impl.Result})
}

// then finishes the result of an aggregate.
func (e *env) then(x *ast.Call, f *fn.Aggregate, n expr.Node) expr.Node {
	if f.Then == "" || n == nil {
		return n
	}
	return e.b.resolve(x.Span, f.Then, n)
}

func (e *env) aggregateAllowed(x *ast.Call) bool {
	name := x.Name.String()
	switch {
	case e.inAgg:
		e.b.errorf(diag.MisplacedAggregate, x.Span, "aggregate %s inside another aggregate", name).
			WithHint("compute the inner one in a subquery: SELECT … FROM (SELECT … GROUP BY …)")
	case e.sel == nil:
		e.b.errorf(diag.MisplacedAggregate, x.Span, "aggregate %s is not allowed here", name)
	case e.clause == inWhere:
		e.b.errorf(diag.MisplacedAggregate, x.Span, "aggregate %s is not allowed in WHERE", name).
			WithHint("use HAVING for conditions on aggregates")
	case e.clause == inGroupBy || e.clause == inOn:
		e.b.errorf(diag.MisplacedAggregate, x.Span, "aggregate %s is not allowed in %s", name, e.clause)
	default:
		return true
	}
	return false
}

// withinGroup brings f(…) WITHIN GROUP (ORDER BY x) into the form without: the order
// of a list, or the values of which percentile_cont(p) and its kin take one. nil = it
// is refused.
func (e *env) withinGroup(x *ast.Call, f *fn.Aggregate) *ast.Call {
	if !x.WithinGroup && len(x.Named) == 0 {
		return descending(x, f)
	}
	call := *x
	call.WithinGroup = false
	switch f.Name {
	case "string_agg", "group_concat", "array_agg", "list", "json_arrayagg":
		if len(x.Named) == 0 {
			return &call
		}
	case "percentile", "percentile_disc", "mode", "quantile_dd":
		if len(x.Named) == 0 && len(x.OrderBy) == 1 {
			if !e.sharesWithin(x, f) {
				return nil
			}
			call.Args, call.OrderBy = append([]ast.Expr{x.OrderBy[0].Expr}, x.Args...), nil
			if x.OrderBy[0].Desc {
				call.Args = append(call.Args, &ast.Literal{Span: x.OrderBy[0].Span, Kind: ast.LitString, Text: "desc"})
			}
			return &call
		}
	}
	e.b.errorf(diag.NotPlanned, x.Span, "%s with WITHIN GROUP or named arguments in this form is not supported", x.Name)
	return nil
}

// sharesWithin refuses the arguments that only the form without WITHIN GROUP takes: a second
// one, and a share below 0.
func (e *env) sharesWithin(x *ast.Call, f *fn.Aggregate) bool {
	if !strings.HasPrefix(f.Name, "percentile") || len(x.Args) == 0 {
		return true
	}
	if len(x.Args) > 1 && f.Name == "percentile" {
		e.b.errorf(diag.WrongArguments, x.Args[1].Pos(), "%s with WITHIN GROUP takes one argument; of several shares write array(…)", x.Name)
		return false
	}
	if u, ok := x.Args[0].(*ast.Unary); ok && u.Op == ast.Neg {
		e.b.errorf(diag.WrongArguments, u.Span, "%s with WITHIN GROUP takes a share from 0 to 1", x.Name).
			WithHint("ORDER BY … DESC counts from the greatest value")
		return false
	}
	return true
}

// ofLambda refuses an aggregate of a lambda's parameters: it is of rows.
func (e *env) ofLambda(x *ast.Call) (found bool) {
	if len(e.params) == 0 {
		return false
	}
	for _, a := range parts(x) {
		e.b.freeColumns(a, func(ref *ast.ColumnRef) {
			if found {
				return
			}
			found = slices.ContainsFunc(e.params, func(p *expr.Param) bool { return ref.Parts[0].Is(p.Name) })
			if m, _ := e.scope.lookup(ref.Parts); len(m) > 0 {
				found = false // a column of that name
			}
			if found {
				e.b.errorf(diag.MisplacedAggregate, ref.Span, "aggregate %s is of rows, and cannot read %q, a parameter of the lambda", x.Name, ref.Parts[0].Name).
					WithHint("array_sum, array_max and their like take an array")
			}
		})
	}
	return found
}

func (e *env) bindAggregate(x *ast.Call, f *fn.Aggregate) (logical.Agg, bool) {
	agg := logical.Agg{Func: f, Distinct: x.Distinct}
	x, absent, ok := e.jsonAggregate(x, f)
	if !ok {
		return agg, false
	}
	if x = e.withinGroup(x, f); x == nil || !e.aggregateOptions(x, f) {
		return agg, false
	}
	args := e.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return agg, false
	}
	impl, err := f.Resolve(expr.Args(args))
	if err != nil {
		e.b.refuse(expr.Refused(f.Name, err), x.Span, f.Syntax, args)
		return agg, false
	}
	if err := e.b.res.Coerce(f.Name, impl.Args, args); err != nil {
		e.b.refuse(err, x.Span, f.Syntax, args)
		return agg, false
	}
	agg.Impl, agg.Args = impl, args
	for i, a := range args {
		if hasOverRef(a) && !e.inOver {
			e.b.errorf(diag.MisplacedWindow, x.Args[i].Pos(), "%s aggregates an alias that is a function with OVER", x.Name).
				WithHint("compute the inner one in a subquery: SELECT … FROM (SELECT …, f() OVER (…) AS x …)")
			return agg, false
		}
		if slices.ContainsFunc(expr.ColumnsOf(a), ofSubquery) && !e.inOver {
			e.b.errorf(diag.MisplacedAggregate, x.Args[i].Pos(), "%s aggregates an alias that is a subquery, which is joined after grouping", x.Name).
				WithHint("write the subquery itself, or compute it in FROM: SELECT … FROM (SELECT …, (SELECT …) AS x …)")
			return agg, false
		}
		if e.aggregatesAlias(x, a, x.Args[i].Pos()) {
			return agg, false
		}
	}
	if onlyOuter(args) {
		e.b.errorf(diag.NotPlanned, x.Span, "%s of columns of the query around belongs to that query, and is not supported here", x.Name).
			WithHint("compute it in the query around: SELECT … FROM (SELECT …, %s(…) AS x …)", x.Name)
		return agg, false
	}
	if x.Filter != nil {
		if agg.Filter = e.condition(x.Filter, "FILTER"); agg.Filter == nil || e.aggregatesAlias(x, agg.Filter, x.Filter.Pos()) {
			return agg, false
		}
	}
	counted := agg.Filter
	if absent {
		agg.Filter = conjunction(agg.Filter, expr.NewIsNull(args[1], true))
	}
	if x.Nulls == ast.IgnoreNulls && len(args) > 0 {
		agg.Filter = conjunction(agg.Filter, expr.NewIsNull(args[0], true))
	}
	for _, o := range x.OrderBy {
		n := e.key(o.Expr)
		if n == nil || !e.b.orders(n, o.Span) || e.aggregatesAlias(x, n, o.Span) || !e.distinctOrder(x, n, args) {
			return agg, false
		}
		agg.Order = append(agg.Order, sortKey(n, o))
	}
	for i, a := range agg.Args {
		agg.Args[i] = e.b.where(counted, a)
	}
	for i, o := range agg.Order {
		agg.Order[i].Expr = e.b.where(counted, o.Expr)
	}
	return agg, true
}

// aggregatesAlias refuses a part of an aggregate that reads an alias of another one.
func (e *env) aggregatesAlias(x *ast.Call, part expr.Node, at diag.Span) bool {
	if !hasAggRef(part) || e.inOver {
		return false
	}
	e.b.errorf(diag.MisplacedAggregate, at, "%s aggregates an alias that is an aggregate itself", x.Name).
		WithHint("compute the inner one in a subquery: SELECT … FROM (SELECT … GROUP BY …)")
	return true
}

// where computes n, if that may fail, only for the rows that a FILTER lets through.
func (b *Binder) where(filter, n expr.Node) expr.Node {
	if filter == nil || !expr.MayFail(n) {
		return n
	}
	guarded, err := b.res.Case([]expr.Node{filter}, []expr.Node{n}, nil)
	if err != nil {
		return n
	}
	return guarded
}

// onlyOuter reports arguments that read columns, all of queries around.
func onlyOuter(args []expr.Node) bool {
	cols := expr.ColumnsOf(args...)
	for _, c := range cols {
		if _, _, outer := logical.Outer(c); !outer {
			return false
		}
	}
	return len(cols) > 0
}

// conjunction joins conditions, of which each may be nil.
func conjunction(a, b expr.Node) expr.Node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.NewAnd(a, b)
}

// orders reports a value that ORDER BY cannot order.
func (b *Binder) orders(n expr.Node, span diag.Span) bool {
	t := n.Type()
	if t.Ordered() {
		return true
	}
	b.errorf(diag.TypeMismatch, span, "%s has no order", t.WithArticle()).Hint = orderHint(n)
	return false
}

// orderHint is what to order by instead of a value that has no order; "" if n has one.
func orderHint(n expr.Node) string {
	switch t := n.Type(); {
	case t.Ordered():
		return ""
	case t.Kind == types.JSON:
		return fmt.Sprintf("order by a value in it: CAST(%s ->> 'name' AS type)", n)
	case t.Kind == types.Map:
		return fmt.Sprintf("order by its entries: array_sort(map_entries(%s))", n)
	}
	return "order by a value in it, or by its text: to_json(…)"
}

// sortKey applies the default: NULL is the smallest value.
func sortKey(n expr.Node, o ast.OrderItem) logical.SortKey {
	first := !o.Desc
	if o.Nulls != ast.NullOrderDefault {
		first = o.Nulls == ast.NullsFirst
	}
	return logical.SortKey{Expr: n, Desc: o.Desc, NullsFirst: first}
}

// valueName names a value without an alias inside a struct.
func valueName(x ast.Expr, i int) string {
	switch x := x.(type) {
	case *ast.ColumnRef:
		return x.Parts[len(x.Parts)-1].Name
	case *ast.Field:
		return x.Name.Name
	}
	return "col" + itoa(i+1)
}

// newField takes a field; of a window that was just made, the bound itself.
func newField(x expr.Node, i int) expr.Node {
	if c, ok := x.(*expr.Call); ok && isPair(c) {
		return c.Args[i]
	}
	if c, ok := x.(*expr.Call); ok && c.F.Name == "named_struct" && len(c.Args) > 2*i+1 && c.Args[2*i+1].Type().Equal(c.Type().Fields[i].Type) {
		return c.Args[2*i+1]
	}
	return expr.NewField(x, i)
}

// isWindowType reports the struct that window() makes.
func isWindowType(t types.Type) bool {
	return t.Kind == types.Struct && len(t.Fields) == 2 && strings.EqualFold(t.Fields[0].Name, "start") &&
		strings.EqualFold(t.Fields[1].Name, "end") && t.Fields[0].Type.IsTime() && t.Fields[1].Type.IsTime()
}
