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
	computed      bool // limit or offset is more than TiDB's LIMIT takes: both are carried
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
			p.limit(q, t)
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
			if t.computed && !p.failed {
				p.carryLimit(q, t)
			}
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
	if p.isWords("ORDER", "BY") && (p.wordAt(2, "ALL") || p.opAt(2, "*")) {
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

func (p *parser) limit(q *ast.Query, t *tail) {
	p.next()
	t.limited = true
	if p.accept("ALL") {
		return
	}
	n := p.count(t)
	t.limit = &n
	if p.isWord("PERCENT") || p.isOp("%") {
		p.next()
		q.Percent, t.computed = true, true
	}
	if p.isOp(",") {
		p.fail(diag.Errorf(diag.Ambiguous, p.here(), "LIMIT takes one number").
			WithHint("write LIMIT %s OFFSET %s", p.text(p.at(1)), p.src.Slice(n.span)))
	}
}

// count reads LIMIT and OFFSET: a whole number, a parameter, or an expression.
func (p *parser) count(t *tail) operand {
	start, computed := p.pos, !p.plainCount()
	var n operand
	if p.peek().kind == tokNumber && (p.opAt(1, "%") || p.wordAt(1, "PERCENT")) {
		n, computed = p.primary(), true
	} else {
		p.inLimit = true // where a % at the end is PERCENT
		n = p.expr()
		p.inLimit = false
	}
	t.computed = t.computed || computed || p.pos != start+1
	return n
}

// plainCount tells whether a whole number or a parameter is next.
func (p *parser) plainCount() bool {
	t := p.peek()
	switch {
	case t.kind == tokParam:
		return true
	case t.kind != tokNumber:
		return false
	}
	for _, c := range p.text(t) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// limitItem stands among the keys of ORDER BY for LIMIT and OFFSET that TiDB would not take.
type limitItem struct{}

// carryLimit brings LIMIT and OFFSET among the keys of ORDER BY.
func (p *parser) carryLimit(q *ast.Query, t *tail) {
	var args []arg
	span := diag.Span{}
	if t.limit != nil {
		args, span = append(args, fill(&q.Limit, *t.limit)), t.limit.span
	}
	if t.offset != nil {
		args, span = append(args, fill(&q.Offset, *t.offset)), diag.Join(span, t.offset.span)
	}
	lead := " ORDER BY "
	if t.ordered && q.OrderAll == nil {
		lead = ","
	}
	t.order.add(lead, span.Start)
	t.order.join(p.carry(&limitItem{}, span, args...).rope)
	t.limit, t.offset = nil, nil
}

// startsOffset tells OFFSET from a column or alias of that name.
func (p *parser) startsOffset() bool {
	if !p.isWord("OFFSET") {
		return false
	}
	k := p.at(1).kind
	return k == tokNumber || k == tokParam || k == tokString || p.opAt(1, ":") || p.wordAt(1, "NULL") || k == tokWord && p.opAt(2, "(") && !p.anyWordAt(1, "AS", "USING", "ON") ||
		p.opAt(1, "(") && (!p.at(2).isName() || p.anyWordAt(2, "SELECT", "WITH", "VALUES")) || p.opAt(1, "-")
}

func (p *parser) offset(t *tail) {
	p.next()
	n := p.count(t)
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
		n = p.fetchCount()
	}
	t.limit = &n
	if p.acceptAny("ROWS", "ROW") == "" {
		p.unexpected("ROWS")
	}
	if q.Ties = p.accept("WITH", "TIES"); !q.Ties {
		p.expect("ONLY")
	}
}

// fetchCount reads the number or parameter of FETCH.
func (p *parser) fetchCount() operand {
	t := p.peek()
	if t.kind == tokParam || p.isOp(":") {
		return p.primary()
	}
	if t.kind == tokNumber {
		if lit := p.numberOf(p.next()); lit.Kind == ast.LitInt {
			return p.leaf(lit)
		}
	}
	p.failf(diag.Unexpected, t.span(), "FETCH takes a whole number or a parameter, found %s", p.describe(t))
	return operand{}
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
