package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// similarPattern turns a pattern of SIMILAR TO into a regular expression.
func similarPattern(pattern string, escape byte) string {
	var b strings.Builder
	b.WriteString(`(?s)^(?:`)
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == escape && i+1 < len(pattern):
			i++
			if strings.IndexByte(`\.+*?()|[]{}^$`, pattern[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(pattern[i])
		case class:
			class = c != ']'
			b.WriteByte(c)
		case c == '%':
			b.WriteString(".*")
		case c == '_':
			b.WriteByte('.')
		case strings.IndexByte(`.^$\`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			class = c == '['
			b.WriteByte(c)
		}
	}
	b.WriteString(`)$`)
	return b.String()
}

// overlaps is (a, b) OVERLAPS (c, d): whether two spans of time have a moment in common;
// a span has its start, not its end, and one of no length its only moment.
func (e *env) overlaps(x *ast.Binary) expr.Node {
	l, r := e.span(x.L), e.span(x.R)
	if l == nil || r == nil {
		return nil
	}
	is := func(op string, a, b expr.Node) expr.Node { return e.b.resolve(x.Span, op, a, b) }
	parts := []expr.Node{is("=", l[0], r[0]), is("<", l[0], r[0]), is("<", r[0], l[1]), is("<", r[0], l[0]), is("<", l[0], r[1])}
	for _, p := range parts {
		if p == nil {
			return nil
		}
	}
	return expr.NewOr(parts[0], expr.NewAnd(parts[1], parts[2]), expr.NewAnd(parts[3], parts[4]))
}

// span is the two bounds of a side of OVERLAPS, the earlier one first. The second one may be
// an interval.
func (e *env) span(x ast.Expr) []expr.Node {
	row, ok := x.(*ast.Row)
	if !ok || len(row.Elems) != 2 {
		e.b.errorf(diag.WrongArguments, x.Pos(), "a side of OVERLAPS is two times, or a time and an interval, in brackets")
		return nil
	}
	a, b := e.expr(row.Elems[0]), e.expr(row.Elems[1])
	if a == nil || b == nil {
		return nil
	}
	if b.Type().Kind == types.Interval {
		if b = e.b.resolve(x.Pos(), "+", a, b); b == nil {
			return nil
		}
	}
	swapped := e.b.resolve(x.Pos(), ">", a, b)
	if swapped == nil {
		return nil
	}
	lo, err := e.b.res.Case([]expr.Node{swapped}, []expr.Node{b}, a)
	hi, err2 := e.b.res.Case([]expr.Node{swapped}, []expr.Node{a}, b)
	if err != nil || err2 != nil {
		e.b.errorf(diag.TypeMismatch, x.Pos(), "OVERLAPS cannot compare %s with %s", typeOf(a), typeOf(b))
		return nil
	}
	return []expr.Node{lo, hi}
}
