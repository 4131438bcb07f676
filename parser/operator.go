package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Precedences of infix operators, loosest first. || binds looser than + as in
// PostgreSQL; the JSON arrows bind tightest, so that j->'a' can stand anywhere.
const (
	precOr = iota + 1
	precAnd
	precNot
	precCompare // also IS, IN, BETWEEN, LIKE
	precConcat
	precBitOr
	precBitAnd
	precShift
	precAdd
	precMul
	precZone // AT TIME ZONE
	precUnary
	precJSON
)

// binop is a plain infix operator. Native is its spelling for TiDB; an operator
// that TiDB lacks, or binds otherwise, has none and becomes a carrier.
type binop struct {
	prec   int
	op     ast.Op
	native string
}

// symbolOp finds the infix operator written as a symbol.
func symbolOp(text string) (binop, bool) {
	switch text {
	case "=", "==":
		return binop{precCompare, ast.Eq, "="}, true
	case "<>", "!=":
		return binop{precCompare, ast.NotEq, "<>"}, true
	case "<":
		return binop{precCompare, ast.Less, "<"}, true
	case "<=":
		return binop{precCompare, ast.LessEq, "<="}, true
	case ">":
		return binop{precCompare, ast.Greater, ">"}, true
	case ">=":
		return binop{precCompare, ast.GreaterEq, ">="}, true
	case "<=>":
		return binop{precCompare, ast.NotDistinct, "<=>"}, true
	case "||":
		return binop{precConcat, ast.Concat, ""}, true
	case "&&":
		return binop{precConcat, ast.Shares, ""}, true
	case "@>":
		return binop{precConcat, ast.Contains, ""}, true
	case "<@":
		return binop{precConcat, ast.ContainedIn, ""}, true
	}
	return arithmeticOp(text)
}

func arithmeticOp(text string) (binop, bool) {
	switch text {
	case "|":
		return binop{precBitOr, ast.BitOr, "|"}, true
	case "&":
		return binop{precBitAnd, ast.BitAnd, "&"}, true
	case "<<":
		return binop{precShift, ast.ShiftLeft, "<<"}, true
	case ">>":
		return binop{precShift, ast.ShiftRight, ">>"}, true
	case "+":
		return binop{precAdd, ast.Add, "+"}, true
	case "-":
		return binop{precAdd, ast.Sub, "-"}, true
	case "*":
		return binop{precMul, ast.Mul, "*"}, true
	case "/":
		return binop{precMul, ast.Div, "/"}, true
	case "//":
		return binop{precMul, ast.IntDiv, "DIV"}, true
	case "%":
		return binop{precMul, ast.Mod, "%"}, true
	case "->":
		return binop{precJSON, ast.JSONGet, ""}, true
	case "->>":
		return binop{precJSON, ast.JSONText, ""}, true
	case "#>":
		return binop{precJSON, ast.JSONPath, ""}, true
	case "#>>":
		return binop{precJSON, ast.JSONPathText, ""}, true
	}
	return binop{}, false
}

// wordOp finds the infix operator written as the word that is next.
func (p *parser) wordOp() (binop, bool) {
	switch word := p.upper(p.peek()); {
	case word == "OR":
		return binop{precOr, ast.Or, "OR"}, true
	case word == "AND":
		return binop{precAnd, ast.And, "AND"}, true
	case word == "DIV" && p.operandAt(1):
		return binop{precMul, ast.IntDiv, "DIV"}, true
	case word == "MOD" && p.operandAt(1):
		return binop{precMul, ast.Mod, "%"}, true
	case word == "OVERLAPS" && p.opAt(1, "("):
		return binop{precCompare, ast.Overlaps, ""}, true
	}
	return binop{}, false
}

// upper gives the upper-case text of an unquoted word that may be a keyword.
func (p *parser) upper(t token) string {
	if t.kind != tokWord || t.end-t.start > 24 {
		return ""
	}
	return strings.ToUpper(p.text(t))
}

// operandAt tells whether the token n ahead can begin an operand.
func (p *parser) operandAt(n int) bool {
	t := p.at(n)
	switch t.kind {
	case tokEnd, tokHint, tokBad:
		return false
	case tokOp:
		switch p.text(t) {
		case "(", "[", "{", "-", "+", "~", "~~":
			return true
		case ":":
			return p.at(n+1).isName() && p.at(n+1).start == t.end
		}
		return false
	case tokWord:
		return !isReserved(p.text(t)) || p.anyWordAt(n, "CASE", "CAST", "NULL", "TRUE", "FALSE", "EXISTS", "NOT")
	}
	return true
}

// refusedOperator fails if the next token is an operator on which systems
// disagree, or that is not supported.
func (p *parser) refusedOperator() bool {
	t := p.peek()
	hint := ""
	switch {
	case t.kind == tokWord:
		if !p.isWord("XOR") || !p.operandAt(1) {
			return false
		}
		hint = "write (a OR b) AND NOT (a AND b), or a <> b"
	case t.kind != tokOp:
		return false
	default:
		hint = refusal(p.text(t))
	}
	if hint == "" {
		return false
	}
	p.fail(diag.Errorf(diag.Ambiguous, t.span(), "the operator %s is not supported", p.text(t)).WithHint("%s", hint))
	return true
}

func refusal(op string) string {
	switch op {
	case "^":
		return "write power(a, b), or xor(a, b) for the bits"
	case "**":
		return "write power(a, b)"
	case "!":
		return "write NOT"
	case "|>":
		return "pipe syntax is not supported; write nested queries or WITH"
	case ":=":
		return "variables are not supported"
	}
	return ""
}
