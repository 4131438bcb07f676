package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// tail collects the last clauses of a query.
type tail struct {
	order         rope
	limit, offset *operand
	limited       bool // LIMIT or FETCH was given, perhaps LIMIT ALL
	ordered       bool
}

// queryTail reads ORDER BY, LIMIT, OFFSET and FETCH, and the clauses of a
// continuous query between them.
func (p *parser) queryTail(q *ast.Query, start int) rope {
	t := &tail{}
	for !p.failed {
		switch {
		case p.isWord("ORDER"):
			p.once(t.ordered, "ORDER BY")
			if t.limited || t.offset != nil {
				p.failf(diag.ClauseOrder, p.here(), "ORDER BY must come before LIMIT and OFFSET")
			}
			t.ordered = true
			t.order = p.queryOrder(q)
		case p.isWord("LIMIT"):
			p.once(t.limited, "LIMIT")
			p.limit(t)
		case p.startsOffset():
			p.once(t.offset != nil, "OFFSET")
			p.offset(t)
		case p.startsFetch():
			p.once(t.limited, "LIMIT")
			p.fetch(q, t)
		case p.emit != nil && p.emitClause():
			continue
		default:
			p.misplaced(t)
			return t.rope()
		}
		q.Span = p.since(start)
	}
	return rope{}
}

// once fails if a clause was given already.
func (p *parser) once(given bool, clause string) {
	if given {
		p.failf(diag.ClauseOrder, p.here(), "%s is given twice", clause)
	}
}

// misplaced fails if the next token begins a clause that belongs further left.
func (p *parser) misplaced(t *tail) {
	if p.failed || !t.ordered && !t.limited && t.offset == nil {
		return
	}
	last := "LIMIT"
	if t.ordered {
		last = "ORDER BY"
	}
	switch {
	case p.anyWordAt(0, "UNION", "INTERSECT", "EXCEPT"):
		p.fail(diag.Errorf(diag.ClauseOrder, p.here(), "%s before %s needs parentheses", last, p.upper(p.peek())).
			WithHint("put the SELECT with its %s into parentheses", last))
	case p.clause() != "":
		p.failf(diag.ClauseOrder, p.here(), "%s must come before %s", p.clause(), last)
	}
}

// queryOrder reads ORDER BY ALL or a list of keys.
func (p *parser) queryOrder(q *ast.Query) rope {
	start := p.pos
	if p.wordAt(2, "ALL") && p.isWords("ORDER", "BY") {
		p.pos += 3
		q.OrderAll = &ast.OrderItem{}
		p.orderDirection(q.OrderAll)
		q.OrderAll.Span = p.since(start)
		return rope{}
	}
	items, keys := p.orderBy()
	out := newRope(" ORDER BY ", p.since(start).Start)
	for i := range keys {
		if i > 0 {
			out.add(",", items[i].Start)
		}
		item := &items[i]
		out.join(p.carry(item, item.Span, fill(&item.Expr, keys[i])).rope)
	}
	return out
}

func (p *parser) limit(t *tail) {
	p.next()
	t.limited = true
	if p.accept("ALL") {
		return
	}
	n := p.count("LIMIT")
	t.limit = &n
	if p.isOp(",") {
		p.fail(diag.Errorf(diag.Ambiguous, p.here(), "LIMIT takes one number").
			WithHint("write LIMIT %s OFFSET %s", p.text(p.at(1)), p.src.Slice(n.span)))
	}
}

// count reads the number or parameter of LIMIT and OFFSET.
func (p *parser) count(clause string) operand {
	t := p.peek()
	if t.kind == tokParam || p.isOp(":") {
		return p.primary()
	}
	if t.kind == tokNumber {
		if lit := p.numberOf(p.next()); lit.Kind == ast.LitInt {
			return p.leaf(lit)
		}
	}
	p.failf(diag.Unexpected, t.span(), "%s takes a whole number or a parameter, found %s", clause, p.describe(t))
	return operand{}
}

// startsOffset tells OFFSET from a column or alias of that name.
func (p *parser) startsOffset() bool {
	k := p.at(1).kind
	return p.isWord("OFFSET") && (k == tokNumber || k == tokParam || p.opAt(1, ":"))
}

func (p *parser) offset(t *tail) {
	p.next()
	n := p.count("OFFSET")
	t.offset = &n
	p.acceptAny("ROWS", "ROW")
}

func (p *parser) startsFetch() bool { return p.isWord("FETCH") && p.anyWordAt(1, "FIRST", "NEXT") }

// fetch reads FETCH FIRST [n] ROWS ONLY|WITH TIES.
func (p *parser) fetch(q *ast.Query, t *tail) {
	span := p.here()
	p.pos += 2
	t.limited = true
	n := operand{}
	if p.anyWordAt(0, "ROW", "ROWS") {
		n = p.leaf(&ast.Literal{Span: span, Kind: ast.LitInt, Text: "1"})
	} else {
		n = p.count("FETCH")
	}
	t.limit = &n
	if p.acceptAny("ROWS", "ROW") == "" {
		p.unexpected("ROWS")
	}
	if q.Ties = p.accept("WITH", "TIES"); !q.Ties {
		p.expect("ONLY")
	}
}

// noLimit is the count that stands for OFFSET without LIMIT.
const noLimit = "18446744073709551615"

func (t *tail) rope() rope {
	out := t.order
	switch {
	case t.limit != nil:
		out.add(" LIMIT ", t.limit.span.Start)
		out.join(t.limit.rope)
	case t.offset != nil:
		out.add(" LIMIT "+noLimit, t.offset.span.Start)
	}
	if t.offset != nil {
		out.add(" OFFSET ", t.offset.span.Start)
		out.join(t.offset.rope)
	}
	return out
}
