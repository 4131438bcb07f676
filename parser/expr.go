package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// expr rewrites one expression of any kind.
func (p *parser) expr() operand {
	defer p.leave()
	if !p.enter() {
		return operand{}
	}
	return p.binary(precOr)
}

// nested is expr inside brackets, where a colon behind an operand is JSON access and NOT NULL
// a test.
func (p *parser) nested() operand {
	colon, inColumn := p.colon, p.inColumn
	p.colon, p.inColumn = true, false
	o := p.expr()
	p.colon, p.inColumn = colon, inColumn
	return o
}

// binary reads operands and the infix operators that bind at least as tightly
// as least. Operators of one level associate to the left.
func (p *parser) binary(least int) operand {
	left := p.prefix(least)
	for !p.failed {
		next, ok := p.infix(left, least)
		if !ok {
			break
		}
		left = next
	}
	return left
}

// prefix reads NOT or an operand with its signs.
func (p *parser) prefix(least int) operand {
	if !p.isWord("NOT") {
		return p.unary()
	}
	defer p.leave()
	if !p.enter() {
		return operand{}
	}
	t := p.next()
	if least > precNot {
		p.fail(diag.Errorf(diag.Ambiguous, t.span(), "NOT is not an operand here").WithHint("put it into parentheses: (NOT …)"))
		return operand{}
	}
	x := p.binary(precNot)
	out := newRope("NOT ", int(t.start))
	out.join(x.rope)
	return operand{out, diag.Span{Start: int(t.start), End: x.span.End}, levelExpr}
}

// unary reads an operand with its signs.
func (p *parser) unary() operand {
	t := p.peek()
	if t.kind != tokOp || !p.isOp("-") && !p.isOp("+") && !p.isOp("~") && !p.isOp("~~") {
		return p.postfix(p.primary())
	}
	defer p.leave()
	if !p.enter() {
		return operand{}
	}
	p.next()
	x := p.binary(precUnary)
	sign := " " + p.text(t)
	if sign == " ~~" { // two signs here, LIKE elsewhere
		sign = " ~ ~"
	}
	out := newRope(sign, int(t.start))
	out.join(x.atLeast(levelSimple))
	return operand{out, diag.Span{Start: int(t.start), End: x.span.End}, levelSimple}
}

// infix reads one infix operator and what follows it, if the next token is one
// that binds tightly enough.
func (p *parser) infix(left operand, least int) (operand, bool) {
	t := p.peek()
	if t.kind != tokOp && t.kind != tokWord {
		return left, false
	}
	if p.refusedOperator() {
		return left, false
	}
	op, ok := binop{}, false
	if t.kind == tokOp {
		op, ok = symbolOp(p.text(t))
	} else {
		op, ok = p.wordOp()
	}
	if ok {
		if op.prec < least || p.inLimit && p.isOp("%") && (!p.operandAt(1) || p.wordAt(1, "OFFSET")) {
			return left, false
		}
		return p.binop(left, op), true
	}
	if least <= precCompare {
		if out, ok := p.predicate(left); ok {
			return out, true
		}
	}
	if least <= precZone && p.isWords("AT", "TIME", "ZONE") {
		return p.atTimeZone(left), true
	}
	return left, false
}

// binop reads the right side of a plain infix operator.
func (p *parser) binop(left operand, op binop) operand {
	t := p.next()
	if op.prec == precCompare && p.anyWordAt(0, "ANY", "ALL", "SOME") && p.opAt(1, "(") {
		return p.quantified(left, op.op)
	}
	right := p.binary(op.prec + 1)
	span := diag.Join(left.span, right.span)
	if op.native == "" {
		node := &ast.Binary{Span: span, Op: op.op}
		return p.carry(node, span, fill(&node.L, left), fill(&node.R, right))
	}
	l, r, result := nativeLevels(op.prec)
	out := left.atLeast(l)
	out.add(" "+op.native+" ", int(t.start))
	out.join(right.atLeast(r))
	return operand{out, span, result}
}

// nativeLevels are the levels that TiDB's grammar wants left and right of an
// operator, and that of the result.
func nativeLevels(prec int) (left, right, result level) {
	switch prec {
	case precOr, precAnd:
		return levelExpr, levelExpr, levelExpr
	case precCompare:
		return levelBool, levelPred, levelBool
	}
	return levelBit, levelBit, levelBit
}

// quantified reads ANY (…) or ALL (…) behind a comparison.
func (p *parser) quantified(left operand, op ast.Op) operand {
	all := p.isWord("ALL")
	p.next()
	node := &ast.Quantified{Op: op, All: all}
	right := p.parenOperand()
	node.Span = p.reach(left)
	return p.carry(node, node.Span, fill(&node.L, left), fill(&node.R, right))
}

// parenOperand reads (query) or (expr).
func (p *parser) parenOperand() operand {
	if p.queryParen(0) {
		return p.subquery()
	}
	p.expectOp("(")
	o := p.nested()
	p.expectOp(")")
	return o
}

func (p *parser) atTimeZone(left operand) operand {
	p.pos += 3
	zone := p.binary(precZone + 1)
	node := &ast.AtTimeZone{Span: diag.Join(left.span, zone.span)}
	return p.carry(node, node.Span, fill(&node.X, left), fill(&node.Zone, zone))
}
