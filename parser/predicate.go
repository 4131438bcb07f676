package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// predicate reads what may follow an operand at the level of comparisons: IS,
// IN, BETWEEN and the pattern operators, each with NOT.
func (p *parser) predicate(left operand) (operand, bool) {
	negated := p.isWord("NOT")
	n := 0
	if negated {
		n = 1
	}
	switch {
	case p.wordAt(n, "IN"):
		p.pos += n + 1
		return p.in(left, negated), true
	case p.wordAt(n, "BETWEEN"):
		p.pos += n + 1
		return p.between(left, negated), true
	case negated && p.wordAt(1, "NULL") && !p.inColumn:
		return p.nullTest(left), true
	case negated && !p.patternAt(1):
		return left, false
	case p.isWord("IS"):
		p.next()
		return p.is(left), true
	case p.isWord("ISNULL"), p.isWord("NOTNULL"):
		return p.nullTest(left), true
	}
	if !negated && p.isOp("^@") {
		p.next()
		right := p.binary(precConcat)
		return p.made("starts_with", diag.Join(left.span, right.span), left, right), true
	}
	if op, not, ok := p.patternOp(n); ok {
		return p.pattern(left, op, negated != not), true
	}
	return left, false
}

// patternAt tells whether a pattern operator is n ahead.
func (p *parser) patternAt(n int) bool {
	return p.wordAt(n, "LIKE") || p.wordAt(n, "ILIKE") && p.wordAt(n+1, "ALL") && p.opAt(n+2, "(") ||
		p.anyWordAt(n, "ILIKE", "RLIKE", "REGEXP") && p.operandAt(n+1) ||
		p.wordAt(n, "SIMILAR") && p.wordAt(n+1, "TO")
}

// patternOp takes a pattern operator that is n ahead.
func (p *parser) patternOp(n int) (op ast.LikeOp, negated, ok bool) {
	if p.patternAt(n) {
		p.pos += n
		switch p.upper(p.next()) {
		case "LIKE":
			return ast.LikePattern, false, true
		case "ILIKE":
			return ast.ILikePattern, false, true
		case "SIMILAR":
			p.next()
			return ast.SimilarTo, false, true
		}
		return ast.Regex, false, true
	}
	if p.at(n).kind != tokOp {
		return 0, false, false
	}
	switch p.text(p.at(n)) {
	case "~":
		op = ast.Regex
	case "!~":
		op, negated = ast.Regex, true
	case "~*":
		op = ast.RegexI
	case "!~*":
		op, negated = ast.RegexI, true
	case "~~":
		op = ast.LikePattern
	case "!~~":
		op, negated = ast.LikePattern, true
	case "~~*":
		op = ast.ILikePattern
	case "!~~*":
		op, negated = ast.ILikePattern, true
	default:
		return 0, false, false
	}
	p.pos += n + 1
	return op, negated, true
}

func (p *parser) pattern(left operand, op ast.LikeOp, negated bool) operand {
	if p.anyWordAt(0, "ANY", "SOME", "ALL") && p.opAt(1, "(") {
		return p.patterns(left, op, negated)
	}
	node := &ast.Like{Op: op, Not: negated}
	right := p.binary(precConcat)
	node.Span = diag.Join(left.span, right.span)
	args := []arg{fill(&node.X, left), fill(&node.Pattern, right)}
	if p.accept("ESCAPE") {
		escape := p.binary(precConcat)
		node.Span = diag.Join(node.Span, escape.span)
		args = append(args, fill(&node.Escape, escape))
	}
	return p.carry(node, node.Span, args...)
}

// patterns reads LIKE ANY (a, b), ~ ANY (array) and the same with ALL.
func (p *parser) patterns(left operand, op ast.LikeOp, negated bool) operand {
	node := &ast.Like{Op: op, Not: negated, All: p.upper(p.next()) == "ALL"}
	start := p.pos
	list := p.bracketList("(", ")")
	node.Span = diag.Join(left.span, p.since(start))
	if len(list) == 0 {
		p.failf(diag.Unexpected, p.since(start), "LIKE ANY and LIKE ALL need a pattern")
		return operand{}
	}
	node.Many = make([]ast.Expr, len(list))
	return p.carry(node, node.Span, append([]arg{fill(&node.X, left)}, fills(node.Many, list)...)...)
}

// negation is the keyword NOT in front of a native predicate.
func negation(negated bool) string {
	if negated {
		return " NOT"
	}
	return ""
}

func (p *parser) in(left operand, negated bool) operand {
	if !p.isOp("(") && p.operandAt(0) {
		return p.inArray(left, negated)
	}
	if !p.isOp("(") {
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected a list in parentheses after IN, found %s", p.describe(p.peek())).
			WithHint("write IN (a, b), IN (SELECT …), or an array behind IN"))
		return operand{}
	}
	if p.opAt(1, ")") {
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "the list after IN is empty").WithHint("write FALSE, or a query that may have no rows"))
		return operand{}
	}
	out := left.atLeast(levelBit)
	at := p.here().Start
	out.add(negation(negated)+" IN ", at)
	if p.queryParen(0) {
		q, span := p.queryInParens()
		out.join(q.bracketed(span))
	} else {
		list := rope{}
		p.parenList(false, func() {
			if list.head != nil {
				list.add(",", p.here().Start)
			}
			list.join(p.nested().rope)
		})
		out.join(list.wrapped())
	}
	return operand{out, diag.Span{Start: left.span.Start, End: p.since(p.pos - 1).End}, levelPred}
}

// inArray reads x IN array, as in DuckDB.
func (p *parser) inArray(left operand, negated bool) operand {
	if p.isWord("ROW") && p.opAt(1, "(") {
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "IN takes values in parentheses, a query or an array").WithHint("write IN (a, b), or IN array(a, b)"))
	}
	right := p.binary(precConcat)
	node := &ast.In{Span: diag.Join(left.span, right.span), Not: negated}
	return p.carry(node, node.Span, fill(&node.X, left), fill(&node.Array, right))
}

func (p *parser) between(left operand, negated bool) operand {
	start := p.pos - 1
	symmetric := p.isWord("SYMMETRIC") && p.operandAt(1) && p.accept("SYMMETRIC")
	if !symmetric && p.isWord("ASYMMETRIC") && p.operandAt(1) {
		p.next()
	}
	low := p.binary(precConcat)
	p.expect("AND")
	high := p.binary(precConcat)
	span := diag.Join(left.span, high.span)
	if symmetric {
		node := &ast.Between{Span: span, Not: negated, Symmetric: true}
		return p.carry(node, span, fill(&node.X, left), fill(&node.Lo, low), fill(&node.Hi, high))
	}
	at := int(p.toks[start].start)
	out := left.atLeast(levelBit)
	out.add(negation(negated)+" BETWEEN ", at)
	out.join(low.atLeast(levelBit))
	out.add(" AND ", at)
	out.join(high.atLeast(levelBit))
	return operand{out, span, levelPred}
}

// is reads what follows IS.
func (p *parser) is(left operand) operand {
	at := p.here().Start
	negated := p.accept("NOT")
	if p.accept("DISTINCT", "FROM") {
		return p.distinctFrom(left, negated)
	}
	if p.accept("JSON") {
		return p.isJSON(left, negated)
	}
	word := p.acceptAny("NULL", "UNKNOWN", "TRUE", "FALSE")
	if word == "" {
		p.unexpected("NULL or TRUE or FALSE or UNKNOWN or DISTINCT FROM")
		return operand{}
	}
	if word == "UNKNOWN" {
		word = "NULL"
	}
	result := levelExpr
	if word == "NULL" {
		result = levelBool
	}
	out := left.atLeast(levelBool)
	out.add(" IS"+negation(negated)+" "+word, at)
	return operand{out, diag.Span{Start: left.span.Start, End: p.since(p.pos - 1).End}, result}
}

func (p *parser) distinctFrom(left operand, negated bool) operand {
	right := p.binary(precConcat)
	op := ast.Distinct
	if negated {
		op = ast.NotDistinct
	}
	node := &ast.Binary{Span: diag.Join(left.span, right.span), Op: op}
	return p.carry(node, node.Span, fill(&node.L, left), fill(&node.R, right))
}

// nullTest reads ISNULL, NOTNULL and NOT NULL.
func (p *parser) nullTest(left operand) operand {
	t := p.next()
	negated := p.upper(t) != "ISNULL"
	if p.upper(t) == "NOT" {
		t = p.next()
	}
	out := left.atLeast(levelBool)
	out.add(" IS"+negation(negated)+" NULL", int(t.start))
	return operand{out, diag.Span{Start: left.span.Start, End: int(t.end)}, levelBool}
}
