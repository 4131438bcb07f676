package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// operators are the names under which exec/fn knows the binary operators.
var operators = map[ast.Op]string{
	ast.Eq: "=", ast.NotEq: "<>", ast.Less: "<", ast.LessEq: "<=", ast.Greater: ">", ast.GreaterEq: ">=",
	ast.Concat: "||", ast.BitOr: "|", ast.BitAnd: "&", ast.ShiftLeft: "<<", ast.ShiftRight: ">>",
	ast.Add: "+", ast.Sub: "-", ast.Mul: "*", ast.Div: "/", ast.IntDiv: "div", ast.Mod: "%",
	ast.NotDistinct: "<=>", ast.JSONGet: "->", ast.JSONText: "->>", ast.JSONPath: "#>", ast.JSONPathText: "#>>",
}

func (e *env) binary(x *ast.Binary) expr.Node {
	switch x.Op {
	case ast.And, ast.Or:
		return e.logic(x)
	case ast.Distinct:
		n := e.compare(x.Span, "<=>", x.L, x.R)
		if n == nil {
			return nil
		}
		return expr.NewNot(n)
	case ast.JSONGet, ast.JSONText:
		return e.arrows(x)
	case ast.Overlaps:
		return e.overlaps(x)
	case ast.Shares:
		return e.shares(x)
	case ast.Contains:
		return e.contains(x, x.L, x.R)
	case ast.ContainedIn:
		return e.contains(x, x.R, x.L)
	}
	return e.compare(x.Span, operators[x.Op], x.L, x.R)
}

// shares is a && b: whether two arrays have an element in common.
func (e *env) shares(x *ast.Binary) expr.Node {
	a, b := e.expr(x.L), e.expr(x.R)
	if a == nil || b == nil {
		return nil
	}
	if a.Type().Kind != types.Array && b.Type().Kind != types.Array {
		e.b.errorf(diag.TypeMismatch, x.Span, "&& is of two arrays, got %s and %s", typeOf(a), typeOf(b)).WithHint("write AND between conditions")
		return nil
	}
	return e.b.resolve(x.Span, "list_has_any", a, b)
}

// contains is whole @> part and part <@ whole, of arrays or JSON.
func (e *env) contains(x *ast.Binary, whole, part ast.Expr) expr.Node {
	a, b := e.expr(whole), e.expr(part)
	if a == nil || b == nil {
		return nil
	}
	if a.Type().Kind == types.Array || b.Type().Kind == types.Array {
		return e.b.resolve(x.Span, "list_has_all", a, b)
	}
	return e.b.resolve(x.Span, "json_contains", a, b)
}

// logic binds a chain of AND or OR without recursion on its left side.
func (e *env) logic(x *ast.Binary) expr.Node {
	var parts []ast.Expr
	var collect func(n ast.Expr)
	collect = func(n ast.Expr) {
		for {
			bin, ok := n.(*ast.Binary)
			if !ok || bin.Op != x.Op {
				parts = append(parts, n)
				return
			}
			collect(bin.R)
			n = bin.L
		}
	}
	collect(x)
	args := make([]expr.Node, len(parts))
	ok := true
	for i := range parts {
		args[i] = e.condition(parts[len(parts)-1-i], x.Op.String())
		ok = ok && args[i] != nil
	}
	if !ok {
		return nil
	}
	if x.Op == ast.And {
		return expr.NewAnd(args...)
	}
	return expr.NewOr(args...)
}

// compare binds a binary operator; comparisons of rows compare field by field.
func (e *env) compare(span diag.Span, op string, l, r ast.Expr) expr.Node {
	lr, lok := l.(*ast.Row)
	rr, rok := r.(*ast.Row)
	if lok && rok && (op == "=" || op == "<>" || op == "<=>") {
		return e.compareRows(span, op, lr, rr)
	}
	if lok && rok && comparison(op) {
		return e.orderRows(span, op, lr, rr)
	}
	if comparison(op) {
		sides := e.compared(l, r)
		if sides == nil {
			return nil
		}
		return e.b.resolve(span, op, sides...)
	}
	a, b := e.expr(l), e.expr(r)
	if a == nil || b == nil {
		return nil
	}
	if op == "/" && a.Type().IsInteger() && b.Type().IsInteger() && !expr.IsConst(a) {
		e.b.note(diag.IntegerDivision, span, "%s / %s of whole numbers is a DOUBLE; DIV cuts off the fraction", a, b)
	}
	return e.b.resolve(span, op, a, b)
}

func (e *env) compareRows(span diag.Span, op string, l, r *ast.Row) expr.Node {
	if len(l.Elems) != len(r.Elems) {
		e.b.errorf(diag.ColumnCount, span, "rows of %d and %d values cannot be compared", len(l.Elems), len(r.Elems))
		return nil
	}
	equal := op
	if op == "<>" {
		equal = "="
	}
	var parts []expr.Node
	for i := range l.Elems {
		n := e.compare(span, equal, l.Elems[i], r.Elems[i])
		if n == nil {
			return nil
		}
		parts = append(parts, n)
	}
	if op == "<>" {
		return expr.NewNot(expr.NewAnd(parts...))
	}
	return expr.NewAnd(parts...)
}

// orderRows compares rows as structs are: by the first field that differs.
func (e *env) orderRows(span diag.Span, op string, l, r *ast.Row) expr.Node {
	if len(l.Elems) != len(r.Elems) {
		e.b.errorf(diag.ColumnCount, span, "rows of %d and %d values cannot be compared", len(l.Elems), len(r.Elems))
		return nil
	}
	a, b := e.exprs(l.Elems), e.exprs(r.Elems)
	if a == nil || b == nil {
		return nil
	}
	var left, right []expr.Node
	for i := range a {
		x, y, ok := e.comparable(span, op, a[i], b[i])
		if !ok {
			return nil
		}
		name := expr.Text("col" + itoa(i+1))
		left, right = append(left, name, x), append(right, name, y)
	}
	return e.b.resolve(span, op, e.b.resolve(span, "named_struct", left...), e.b.resolve(span, "named_struct", right...))
}

func (e *env) between(x *ast.Between) expr.Node {
	values := e.compared(x.X, x.Lo, x.Hi)
	if values == nil {
		return nil
	}
	v, lo, hi := values[0], values[1], values[2]
	n := e.once(x.Span, v, []expr.Node{lo, hi}, func(v expr.Node) expr.Node {
		n := e.within(x.Span, v, lo, hi)
		if !x.Symmetric || n == nil {
			return n
		}
		other := e.within(x.Span, v, hi, lo)
		if other == nil {
			return nil
		}
		return expr.NewOr(n, other)
	})
	if n != nil && x.Not {
		return expr.NewNot(n)
	}
	return n
}

// once makes an expression that uses v several times. What has another value at each call,
// such as random(), is computed once. others are the expressions beside it; where they have
// lambdas of their own, whose parameters have the same numbers, v is computed each time.
func (e *env) once(span diag.Span, v expr.Node, others []expr.Node, use func(v expr.Node) expr.Node) expr.Node {
	simple := expr.Volatility(v) == fn.Volatile
	for _, o := range others {
		if o == nil {
			continue
		}
		expr.Walk(o, func(n expr.Node) bool {
			_, lambda := n.(*expr.Lambda)
			simple = simple && !lambda
			return simple
		})
	}
	if !simple {
		return use(v)
	}
	first := len(e.params)
	body := expr.NewLambda(first, []string{"x"}, func(params []types.Type) (expr.Node, error) {
		n := use(&expr.Param{ID: first, Name: "x", T: params[0]})
		if n == nil {
			return nil, errReported
		}
		return n, nil
	})
	return e.b.resolve(span, "invoke", body, v)
}

func (e *env) within(span diag.Span, v, lo, hi expr.Node) expr.Node {
	a, b := e.b.resolve(span, ">=", v, lo), e.b.resolve(span, "<=", v, hi)
	if a == nil || b == nil {
		return nil
	}
	return expr.NewAnd(a, b)
}

func (e *env) inList(x *ast.In) expr.Node {
	var n expr.Node
	if x.Array != nil {
		n = e.inArray(x)
	} else if row, ok := x.X.(*ast.Row); ok {
		n = e.inRows(x, row)
	} else if values := e.compared(append([]ast.Expr{x.X}, x.List...)...); values != nil {
		n = e.once(x.Span, values[0], values[1:], func(v expr.Node) expr.Node {
			return e.b.resolve(x.Span, "in", append([]expr.Node{v}, values[1:]...)...)
		})
	}
	if n != nil && x.Not {
		return expr.NewNot(n)
	}
	return n
}

// inArray is x IN array. It follows DuckDB, the only one to have it: an element that is
// NULL makes nothing unknown.
func (e *env) inArray(x *ast.In) expr.Node {
	v, array := e.expr(x.X), e.expr(x.Array)
	if v == nil || array == nil {
		return nil
	}
	if k := array.Type().Kind; k != types.Array && k != types.Null {
		e.b.errorf(diag.WrongArguments, x.Array.Pos(), "IN needs a list in parentheses, or an array, got %s", array.Type()).
			WithHint("write IN (a, b), or = to compare with one value")
		return nil
	}
	return e.b.resolve(x.Span, "list_contains", array, v)
}

func (e *env) inRows(x *ast.In, row *ast.Row) expr.Node {
	var parts []expr.Node
	for _, el := range x.List {
		r, ok := el.(*ast.Row)
		if !ok {
			e.b.errorf(diag.TypeMismatch, el.Pos(), "the list must have rows of %d values", len(row.Elems))
			return nil
		}
		n := e.compareRows(r.Span, "=", row, r)
		if n == nil {
			return nil
		}
		parts = append(parts, n)
	}
	return expr.NewOr(parts...)
}

func (e *env) like(x *ast.Like) expr.Node {
	if x.Many != nil {
		return e.likeMany(x)
	}
	args := []ast.Expr{x.X, x.Pattern}
	if x.Escape != nil {
		args = append(args, x.Escape)
	}
	return e.matches(x, e.exprs(args))
}

// matchers are the functions of the pattern operators. That of RegexI gets a pattern that
// says so itself.
var matchers = map[ast.LikeOp]string{ast.LikePattern: "like", ast.ILikePattern: "ilike", ast.SimilarTo: "similar_to", ast.Regex: "rlike", ast.RegexI: "rlike"}

// matches compares a bound value with a pattern, in which a third one escapes.
func (e *env) matches(x *ast.Like, args []expr.Node) expr.Node {
	if args == nil {
		return nil
	}
	if x.Op == ast.RegexI {
		args = []expr.Node{args[0], e.b.resolve(x.Span, "concat", expr.Text("(?i)"), args[1])}
	}
	n := e.b.resolve(x.Span, matchers[x.Op], args...)
	if n != nil && x.Not {
		return expr.NewNot(n)
	}
	return n
}

// likeMany is LIKE ANY and LIKE ALL: the patterns one by one, with their NOT, or those of an
// array.
func (e *env) likeMany(x *ast.Like) expr.Node {
	patterns := e.exprs(x.Many)
	if patterns == nil {
		return nil
	}
	if len(patterns) == 1 && patterns[0].Type().Kind == types.Array {
		return e.each(x.Span, x.All, x.X, x.Many[0], func(v, pattern ast.Expr) ast.Expr {
			one := *x
			one.X, one.Pattern, one.Many = v, pattern, nil
			return &one
		})
	}
	v := e.expr(x.X)
	if v == nil {
		return nil
	}
	if len(patterns) > 1 && size(v) > maxExpansion/len(patterns) {
		e.b.errorf(diag.TooDeep, x.Span, "LIKE with %d patterns comes to more than %d parts", len(patterns), maxExpansion)
		return nil
	}
	return e.once(x.Span, v, patterns, func(v expr.Node) expr.Node {
		parts := make([]expr.Node, len(patterns))
		for i, p := range patterns {
			if parts[i] = e.matches(x, []expr.Node{v, p}); parts[i] == nil {
				return nil
			}
		}
		if x.All {
			return expr.NewAnd(parts...)
		}
		return expr.NewOr(parts...)
	})
}

func (e *env) is(x *ast.Is) expr.Node {
	if x.What == ast.IsNull {
		n := e.expr(x.X)
		if n == nil {
			return nil
		}
		return expr.NewIsNull(n, x.Not)
	}
	n := e.condition(x.X, "IS "+map[ast.IsWhat]string{ast.IsTrue: "TRUE", ast.IsFalse: "FALSE"}[x.What])
	if n == nil {
		return nil
	}
	if x.What == ast.IsFalse {
		n = expr.NewNot(n)
	}
	n = e.b.resolve(x.Span, "coalesce", n, expr.Bool(false))
	if n != nil && x.Not {
		return expr.NewNot(n)
	}
	return n
}

func (e *env) subscript(x *ast.Subscript) expr.Node {
	if l, ok := x.Index.(*ast.Literal); ok && l.Kind == ast.LitInt && strings.Trim(l.Text, "0") == "" {
		v := e.expr(x.X)
		if v == nil {
			return nil
		}
		if v.Type().Elem != nil && v.Type().Key == nil {
			e.b.errorf(diag.WrongArguments, l.Span, "arrays count from 1: there is no element 0").
				WithHint("Spark counts from 0: write get(array, 0), or [1] for the first element")
			return nil
		}
		return e.b.resolve(x.Span, "$at", v, e.expr(x.Index))
	}
	return e.function(x.Span, "$at", x.X, x.Index)
}

func (e *env) slice(x *ast.Slice) expr.Node {
	args := []expr.Node{e.expr(x.X), nil, nil}
	for i, bound := range []ast.Expr{x.Lo, x.Hi} {
		if bound == nil { // the array's own, from 1 to the last
			args[i+1] = expr.Int(intType, int64(1-2*i))
			continue
		}
		args[i+1] = e.expr(bound)
	}
	return e.b.resolve(x.Span, "$slice", args...)
}

func (e *env) mapExpr(x *ast.Map) expr.Node {
	var args []ast.Expr
	for i := range x.Keys {
		args = append(args, x.Keys[i], x.Values[i])
	}
	return e.function(x.Span, "map", args...)
}

func (e *env) structExpr(x *ast.Struct) expr.Node {
	var names []string
	var values []expr.Node
	for i, f := range x.Fields {
		if f.Name != nil && slices.ContainsFunc(x.Fields[:i], func(o ast.StructField) bool { return o.Name != nil && o.Name.Is(f.Name.Name) }) {
			e.b.errorf(diag.AmbiguousName, f.Name.Span, "the struct has two fields %q: neither could be read by its name", f.Name.Name)
			return nil
		}
		if star, is := f.Value.(*ast.Star); is && f.Name == nil {
			n, v, ok := e.starValues(star)
			if !ok {
				return nil
			}
			names, values = append(names, n...), append(values, v...)
			continue
		}
		v := e.expr(f.Value)
		if v == nil {
			return nil
		}
		names, values = append(names, fieldName(f, i)), append(values, v)
	}
	return e.b.namedRow(x.Span, names, values)
}

// fieldName is the name of a struct field: as given, else that of a plain column,
// else col1, col2, …
func fieldName(f ast.StructField, i int) string {
	if f.Name != nil {
		return f.Name.Name
	}
	return valueName(f.Value, i)
}

func (e *env) row(x *ast.Row) expr.Node {
	names, values, ok := e.spread(x.Elems)
	if !ok {
		return nil
	}
	return e.b.namedRow(x.Span, names, values)
}

// namedRow makes a STRUCT of values and the names of its fields.
func (b *Binder) namedRow(span diag.Span, names []string, values []expr.Node) expr.Node {
	var args []expr.Node
	for i, v := range values {
		args = append(args, expr.Text(names[i]), v)
	}
	return b.resolve(span, "named_struct", args...)
}
