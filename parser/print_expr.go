package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// Precedences of printed expressions beyond those of the operators.
const (
	precPostfix = precJSON + 1
	precPrimary = precJSON + 2
)

func precOf(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Binary:
		return opPrec(e.Op)
	case *ast.Unary:
		if e.Op == ast.Not {
			return precNot
		}
		return precUnary
	case *ast.Is, *ast.In, *ast.Between, *ast.Like, *ast.Quantified:
		return precCompare
	case *ast.AtTimeZone:
		return precZone
	case *ast.Subscript, *ast.Slice, *ast.Field, *ast.Collate:
		return precPostfix
	case *ast.Star:
		if e.X != nil {
			return precPostfix - 1 // nothing stands behind it
		}
	case *ast.Lambda:
		return 0
	}
	return precPrimary
}

func opPrec(op ast.Op) int {
	switch op {
	case ast.Or:
		return precOr
	case ast.And:
		return precAnd
	case ast.Eq, ast.NotEq, ast.Less, ast.LessEq, ast.Greater, ast.GreaterEq, ast.Distinct, ast.NotDistinct, ast.Overlaps:
		return precCompare
	case ast.Concat, ast.Shares, ast.Contains, ast.ContainedIn:
		return precConcat
	}
	b, ok := arithmeticOp(op.String())
	if op == ast.IntDiv || !ok {
		return precMul
	}
	return b.prec
}

// expr prints an expression, in parentheses if it binds looser than least.
func (pr *printer) expr(e ast.Expr, least int) {
	if precOf(e) < least {
		pr.put("(")
		defer pr.put(")")
	}
	switch e := e.(type) {
	case *ast.Binary:
		pr.binary(e)
	case *ast.Unary:
		pr.unary(e)
	case *ast.Literal:
		pr.literal(e)
	case *ast.ColumnRef:
		pr.parts(e.Parts)
	case *ast.Call:
		pr.call(e)
	case *ast.Cast:
		pr.cast(e)
	case *ast.Case:
		pr.caseExpr(e)
	default:
		if !pr.predicate(e) && !pr.access(e) {
			pr.constructor(e)
		}
	}
}

func (pr *printer) exprs(list []ast.Expr) {
	pr.list(len(list), func(i int) { pr.expr(list[i], 0) })
}

func (pr *printer) binary(e *ast.Binary) {
	prec := opPrec(e.Op)
	if looksLikeLambda(e) && !pr.behindIn() {
		pr.put("((")
		pr.expr(e.L, 0)
		pr.put("))")
	} else {
		pr.expr(e.L, prec)
	}
	pr.put(" ", e.Op.String(), " ")
	if row, ok := e.R.(*ast.Row); e.Op == ast.Overlaps && !(ok && len(row.Elems) > 1) {
		pr.put("(")
		pr.expr(e.R, 0)
		pr.put(")")
		return
	}
	pr.expr(e.R, prec+1)
}

// behindIn tells that an array comes next, where what begins with a parenthesis is a list.
func (pr *printer) behindIn() bool { return strings.HasSuffix(pr.b.String(), " IN ") }

// looksLikeLambda tells whether x -> y or ROW(x, y) -> z, printed plainly, would be a lambda
// among the arguments of a call.
func looksLikeLambda(e *ast.Binary) bool {
	if _, ok := e.L.(*ast.Row); ok && e.Op == ast.JSONGet {
		return true
	}
	name, ok := e.L.(*ast.ColumnRef)
	if !ok || e.Op != ast.JSONGet || len(name.Parts) > 1 {
		return false
	}
	key, ok := e.R.(*ast.Literal)
	return !ok || key.Kind != ast.LitString && key.Kind != ast.LitInt && key.Kind != ast.LitDecimal && key.Kind != ast.LitDouble
}

func (pr *printer) unary(e *ast.Unary) {
	if e.Op == ast.Not {
		pr.put("NOT ")
		pr.expr(e.X, precNot)
		return
	}
	pr.put(e.Op.String())
	if x, ok := e.X.(*ast.Unary); ok && x.Op != ast.Not {
		pr.put(" ")
	}
	pr.expr(e.X, precUnary)
}

func not(negated bool) string {
	if negated {
		return " NOT"
	}
	return ""
}

// predicate prints the expressions at the level of comparisons.
func (pr *printer) predicate(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Is:
		pr.expr(e.X, precCompare)
		pr.put(" IS", not(e.Not), [...]string{" NULL", " TRUE", " FALSE"}[e.What])
	case *ast.In:
		pr.expr(e.X, precCompare)
		if e.Array != nil {
			pr.put(not(e.Not), " IN ")
			pr.expr(e.Array, precConcat)
			return true
		}
		pr.put(not(e.Not), " IN (")
		if e.Query != nil {
			pr.query(e.Query)
		} else {
			pr.exprs(e.List)
		}
		pr.put(")")
	case *ast.Between:
		pr.expr(e.X, precCompare)
		pr.put(not(e.Not), " BETWEEN ")
		if e.Symmetric {
			pr.put("SYMMETRIC ")
		}
		pr.expr(e.Lo, precConcat)
		pr.put(" AND ")
		pr.expr(e.Hi, precConcat)
	case *ast.Like:
		pr.like(e)
	case *ast.Quantified:
		pr.quantified(e)
	case *ast.Exists:
		pr.put("EXISTS (")
		pr.query(e.Query)
		pr.put(")")
	case *ast.ArrayQuery:
		pr.put("ARRAY ")
		pr.expr(e.Query, 0)
	case *ast.Subquery:
		pr.put("(")
		pr.query(e.Query)
		pr.put(")")
	default:
		return false
	}
	return true
}

func (pr *printer) like(e *ast.Like) {
	pr.expr(e.X, precCompare)
	switch {
	case e.Op == ast.RegexI && e.Not:
		pr.put(" !~* ")
	case e.Op == ast.RegexI:
		pr.put(" ~* ")
	case e.Op == ast.Regex && e.Many != nil:
		pr.put(map[bool]string{true: " !~ ", false: " ~ "}[e.Not])
	default:
		pr.put(not(e.Not), " ", e.Op.String(), " ")
	}
	if e.Many != nil {
		pr.put(map[bool]string{true: "ALL (", false: "ANY ("}[e.All])
		for i, m := range e.Many {
			if i > 0 {
				pr.put(", ")
			}
			pr.expr(m, 0)
		}
		pr.put(")")
		return
	}
	pr.expr(e.Pattern, precConcat)
	if e.Escape != nil {
		pr.put(" ESCAPE ")
		pr.expr(e.Escape, precConcat)
	}
}

func (pr *printer) quantified(e *ast.Quantified) {
	pr.expr(e.L, precCompare)
	pr.put(" ", e.Op.String(), " ")
	if e.All {
		pr.put("ALL ")
	} else {
		pr.put("ANY ")
	}
	if _, ok := e.R.(*ast.Subquery); ok {
		pr.expr(e.R, 0)
		return
	}
	pr.put("(")
	pr.expr(e.R, 0)
	pr.put(")")
}

func (pr *printer) cast(e *ast.Cast) {
	if e.Try {
		pr.put("TRY_")
	}
	pr.put("CAST(")
	pr.expr(e.X, 0)
	pr.put(" AS ")
	pr.typeName(e.Type)
	pr.put(")")
}

func (pr *printer) caseExpr(e *ast.Case) {
	pr.put("CASE ")
	if e.Operand != nil {
		pr.expr(e.Operand, 0)
		pr.put(" ")
	}
	for _, w := range e.Whens {
		pr.put("WHEN ")
		pr.expr(w.Cond, 0)
		pr.put(" THEN ")
		pr.expr(w.Then, 0)
		pr.put(" ")
	}
	if e.Else != nil {
		pr.put("ELSE ")
		pr.expr(e.Else, 0)
		pr.put(" ")
	}
	pr.put("END")
}

// access prints what stands behind an operand.
func (pr *printer) access(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Subscript:
		pr.expr(e.X, precPostfix)
		pr.put("[")
		pr.inBrackets(e.Index)
		pr.put("]")
	case *ast.Slice:
		pr.expr(e.X, precPostfix)
		pr.put("[")
		pr.inBrackets(e.Lo)
		pr.put(":")
		pr.inBrackets(e.Hi)
		pr.put("]")
	case *ast.Field:
		pr.fieldOperand(e.X)
		pr.put(".")
		pr.ident(e.Name, false)
	case *ast.Collate:
		pr.expr(e.X, precPostfix)
		pr.put(" COLLATE ")
		pr.ident(e.Name, true)
	case *ast.AtTimeZone:
		pr.expr(e.X, precZone)
		pr.put(" AT TIME ZONE ")
		pr.expr(e.Zone, precZone+1)
	default:
		return false
	}
	return true
}

// inBrackets prints a bound of a slice, in parentheses if it would begin with
// the colon of a parameter.
func (pr *printer) inBrackets(e ast.Expr) {
	if e == nil {
		return
	}
	text := Print(e)
	if strings.HasPrefix(text, ":") {
		text = "(" + text + ")"
	}
	pr.put(text)
}

// fieldOperand prints x of x.f; a path needs parentheses there, a number a blank.
func (pr *printer) fieldOperand(x ast.Expr) {
	switch x.(type) {
	case *ast.ColumnRef:
		pr.put("(")
		pr.expr(x, 0)
		pr.put(")")
	case *ast.Literal, *ast.Param, *ast.Place:
		pr.expr(x, 0)
		pr.put(" ")
	default:
		pr.expr(x, precPostfix)
	}
}

// constructor prints values that are built from others, and the rest.
func (pr *printer) constructor(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Interval:
		pr.interval(e)
	case *ast.IntervalExpr:
		pr.put("INTERVAL (")
		pr.expr(e.Value, 0)
		pr.put(") ", e.Unit.String())
	case *ast.Param:
		pr.param(e)
	case *ast.Place:
		pr.put("#", e.Number)
	case *ast.Array:
		pr.put("ARRAY[")
		pr.exprs(e.Elems)
		pr.put("]")
	case *ast.Map:
		pr.put("MAP[")
		pr.list(len(e.Keys), func(i int) {
			pr.expr(e.Keys[i], 0)
			pr.put(", ")
			pr.expr(e.Values[i], 0)
		})
		pr.put("]")
	case *ast.Struct:
		pr.structExpr(e)
	case *ast.Row:
		if len(e.Elems) < 2 || hasStar(e.Elems) {
			pr.put("ROW")
		}
		pr.put("(")
		pr.exprs(e.Elems)
		pr.put(")")
	case *ast.Lambda:
		pr.put("(")
		pr.idents(e.Params)
		pr.put(") -> ")
		pr.expr(e.Body, 0)
	case *ast.Star:
		pr.star(e)
	default:
		pr.tableArgument(e)
	}
}

func (pr *printer) param(e *ast.Param) {
	if isDigit(e.Name[0]) {
		pr.put("$", e.Name)
		return
	}
	pr.put(":", e.Name)
}

func (pr *printer) structExpr(e *ast.Struct) {
	if len(e.Fields) == 0 {
		pr.put("{}")
		return
	}
	pr.put("struct(")
	pr.list(len(e.Fields), func(i int) {
		pr.expr(e.Fields[i].Value, 0)
		if n := e.Fields[i].Name; n != nil {
			pr.put(" AS ")
			pr.ident(*n, false)
		}
	})
	pr.put(")")
}
