package bind

import (
	"errors"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// expr binds an expression; nil means that an error was reported.
func (e *env) expr(x ast.Expr) expr.Node {
	switch x := x.(type) {
	case *ast.ColumnRef:
		return e.column(x)
	case *ast.Literal:
		return e.b.literal(x)
	case *ast.Interval:
		return e.b.interval(x)
	case *ast.Call:
		return e.call(x)
	case *ast.Unary:
		return e.unary(x)
	case *ast.Binary:
		return e.binary(x)
	case *ast.Cast:
		return e.castExpr(x)
	case *ast.Case:
		return e.caseExpr(x)
	case *ast.Subquery, *ast.Exists, *ast.Quantified, *ast.ArrayQuery:
		return e.subqueryExpr(x)
	}
	if n, ok := e.predicate(x); ok {
		return n
	}
	if n, ok := e.nested(x); ok {
		return n
	}
	return e.refused(x)
}

// predicate binds tests: IN, BETWEEN, LIKE, IS.
func (e *env) predicate(x ast.Expr) (expr.Node, bool) {
	switch x := x.(type) {
	case *ast.In:
		if x.Query != nil {
			return e.subqueryExpr(x), true
		}
		return e.inList(x), true
	case *ast.Between:
		return e.between(x), true
	case *ast.Like:
		return e.like(x), true
	case *ast.Is:
		return e.is(x), true
	}
	return nil, false
}

// nested binds constructors of and access to nested values.
func (e *env) nested(x ast.Expr) (expr.Node, bool) {
	switch x := x.(type) {
	case *ast.Subscript:
		return e.subscript(x), true
	case *ast.Slice:
		return e.slice(x), true
	case *ast.Field:
		if _, names := uncollated(x); len(names) > 0 {
			return e.collate(x), true
		}
		return e.b.field(e.expr(x.X), x.Name), true
	case *ast.Array:
		return e.function(x.Span, "array", x.Elems...), true
	case *ast.Map:
		return e.mapExpr(x), true
	case *ast.Struct:
		return e.structExpr(x), true
	case *ast.Row:
		return e.row(x), true
	case *ast.IntervalExpr:
		months, days, micros := x.Unit.Amount()
		unit := expr.Interval(types.IntervalValue{Months: int32(months), Days: int32(days), Micros: micros})
		return e.b.resolve(x.Span, "*", e.expr(x.Value), unit), true
	case *ast.AtTimeZone:
		return e.function(x.Span, "$at_time_zone", x.X, x.Zone), true
	case *ast.Place:
		return e.place(x), true
	case *ast.Collate:
		return e.collate(x), true
	case *ast.Lambda:
		e.b.errorf(diag.WrongArguments, x.Span, "a lambda may only be an argument of a function that takes one")
		return nil, true
	}
	return nil, false
}

// refused reports expressions that are known and not supported.
func (e *env) refused(x ast.Expr) expr.Node {
	what := "this expression"
	switch x := x.(type) {
	case *ast.Param:
		e.b.errorf(diag.NoValue, x.Span, "parameter %s has no value", x.Name).
			WithHint("PREPARE name AS …, then EXECUTE name (values)")
		return nil
	case *ast.Star:
		what = "* outside of a select list and count(*)"
	case *ast.Descriptor, *ast.TableArg:
		what = "a table argument outside of a table function"
	}
	e.b.errorf(diag.NotPlanned, x.Pos(), "%s is not supported", what)
	return nil
}

// function binds arguments and resolves a function.
func (e *env) function(span diag.Span, name string, args ...ast.Expr) expr.Node {
	nodes := e.exprs(args)
	if nodes == nil && len(args) > 0 {
		return nil
	}
	return e.b.resolve(span, name, nodes...)
}

// exprs binds a list; nil if one of it has an error.
func (e *env) exprs(list []ast.Expr) []expr.Node {
	out := make([]expr.Node, len(list))
	ok := true
	for i, x := range list {
		out[i] = e.argument(x)
		ok = ok && out[i] != nil
	}
	if !ok {
		return nil
	}
	return out
}

// errReported is of a lambda whose body has errors, which were reported.
var errReported = errors.New("a lambda has an error in its body")

// argument binds an argument of a function, which may be a lambda.
func (e *env) argument(x ast.Expr) expr.Node {
	l, ok := x.(*ast.Lambda)
	if !ok {
		return e.expr(x)
	}
	names := make([]string, len(l.Params))
	for i, p := range l.Params {
		names[i] = p.Name
	}
	first := len(e.params)
	return expr.NewLambda(first, names, func(params []types.Type) (expr.Node, error) {
		if len(params) != len(names) {
			return nil, &expr.ArgumentError{Func: "lambda", Msg: "takes another number of parameters"}
		}
		inner := *e
		inner.params = append([]*expr.Param(nil), e.params...)
		for i, t := range params {
			inner.params = append(inner.params, &expr.Param{ID: first + i, Name: names[i], T: t})
		}
		body := inner.expr(l.Body)
		if body == nil {
			return nil, errReported
		}
		return body, nil
	})
}

func (e *env) unary(x *ast.Unary) expr.Node {
	switch x.Op {
	case ast.Not:
		n := e.condition(x.X, "NOT")
		if n == nil {
			return nil
		}
		return expr.NewNot(n)
	case ast.Plus:
		n := e.expr(x.X)
		if n != nil && !n.Type().IsNumeric() && n.Type().Kind != types.Interval {
			e.b.errorf(diag.WrongArguments, x.Span, "+ needs a number, got %s", typeOf(n))
			return nil
		}
		return n
	case ast.Neg:
		if l, ok := x.X.(*ast.Literal); ok && isNumber(l) {
			neg := *l
			neg.Text = "-" + l.Text
			return e.b.literal(&neg)
		}
		return e.function(x.Span, "-", x.X)
	}
	return e.function(x.Span, "~", x.X)
}

func (e *env) castExpr(x *ast.Cast) expr.Node {
	n := e.expr(x.X)
	t, ok := e.b.typeOf(x.Type)
	if n == nil || !ok {
		return nil
	}
	if write := clockText(n, t); write != "" && !x.Try {
		e.b.errorf(diag.BadConstant, x.Span, "%s is no %s: a constant does not depend on the clock", n, t).WithHint("write %s", write)
		return nil
	}
	c, err := e.b.res.Cast(n, t, x.Try)
	if err != nil {
		e.b.report(err, x.Span)
		return nil
	}
	return c
}

// clockText is what to write for 'today' and its like as a date or time, which only other
// systems read; "" for other values.
func clockText(n expr.Node, t types.Type) string {
	text, ok := constText(n)
	if !ok || t.Kind != types.Date && t.Kind != types.Timestamp && t.Kind != types.TimestampNTZ {
		return ""
	}
	return map[string]string{"today": "current_date()", "now": "current_timestamp()", "yesterday": "current_date() - 1", "tomorrow": "current_date() + 1"}[strings.ToLower(strings.TrimSpace(text))]
}

func (e *env) caseExpr(x *ast.Case) expr.Node {
	var operand, otherwise expr.Node
	ok := true
	if x.Operand != nil {
		operand = e.expr(x.Operand)
		ok = operand != nil
	}
	var conds, thens []expr.Node
	for _, w := range x.Whens {
		var cond expr.Node
		if x.Operand == nil {
			cond = e.condition(w.Cond, "CASE WHEN")
		} else {
			cond = e.expr(w.Cond)
		}
		then := e.expr(w.Then)
		ok = ok && cond != nil && then != nil
		conds, thens = append(conds, cond), append(thens, then)
	}
	if x.Else != nil {
		otherwise = e.expr(x.Else)
		ok = ok && otherwise != nil
	}
	switch {
	case !ok:
		return nil
	case operand == nil:
		return e.branches(x, conds, thens, otherwise)
	}
	return e.once(x.Span, operand, append(slices.Concat(conds, thens), otherwise), func(v expr.Node) expr.Node {
		tests := make([]expr.Node, len(conds))
		for i, c := range conds {
			if tests[i] = e.b.resolve(x.Whens[i].Cond.Pos(), "=", v, c); tests[i] == nil {
				return nil
			}
		}
		return e.branches(x, tests, thens, otherwise)
	})
}

// branches makes CASE of conditions.
func (e *env) branches(x *ast.Case, conds, thens []expr.Node, otherwise expr.Node) expr.Node {
	n, err := e.b.res.Case(conds, thens, otherwise)
	if err != nil {
		e.b.refuseBranches(err, x, append(thens, otherwise))
		return nil
	}
	return n
}

// refuseBranches reports a CASE whose branches have no common type.
func (b *Binder) refuseBranches(err error, x *ast.Case, branches []expr.Node) {
	d := b.errorf(diag.TypeMismatch, x.Span, "%s", err.Error())
	branches = slices.DeleteFunc(branches, func(n expr.Node) bool { return n == nil })
	var unread *expr.Unreadable
	if errors.As(err, &unread) {
		b.mixed(d, "CASE", unread, branches)
	} else if len(branches) > 0 {
		d.WithHint("make one type of all of them, such as CAST(%s AS STRING)", branches[0])
	}
}
