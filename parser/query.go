package parser

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// core is what the first field of every SELECT in the text for TiDB stands for:
// it carries what the inner grammar has no place for. Exactly one of sel, values
// and paren is set.
type core struct {
	sel    *ast.Select
	values *ast.Values
	paren  *ast.Query   // a parenthesised query with clauses around it
	query  *ast.Query   // of the first core of a query: the query's own node
	match  ast.SetMatch // of the set operator before this core
}

// queryAt tells whether the token at index i opens parentheses around a query,
// and not around an expression or a join.
func (p *parser) queryAt(i, depth int) bool {
	if i+1 >= p.end || depth > maxNesting || p.toks[i].kind != tokOp || p.text(p.toks[i]) != "(" {
		return false
	}
	n := i + 1 - p.pos
	switch {
	case p.anyWordAt(n, "SELECT", "WITH", "FROM"), p.pivotStatementAt(n):
		return true
	case p.wordAt(n, "VALUES"):
		return p.opAt(n+1, "(") || p.valueAt(n+1)
	case p.wordAt(n, "TABLE"):
		return p.nameAt(n + 1)
	case !p.opAt(n, "("):
		return false
	}
	after := int(p.toks[i+1].match) + 1 - p.pos
	if after <= 0 || !p.queryAt(i+1, depth+1) {
		return false
	}
	return p.opAt(after, ")") || p.anyWordAt(after, "UNION", "INTERSECT", "EXCEPT", "MINUS", "ORDER", "LIMIT", "OFFSET", "FETCH")
}

// valueAt tells whether the token n ahead begins a literal, a CASE or a CAST: what cannot
// stand behind a column called values.
func (p *parser) valueAt(n int) bool {
	t := p.at(n)
	return t.kind == tokNumber || t.isString() || p.anyWordAt(n, "NULL", "TRUE", "FALSE", "CAST", "CASE") || t.kind == tokWord && p.at(n+1).isString()
}

// queryParen is queryAt for the token n ahead.
func (p *parser) queryParen(n int) bool { return p.queryAt(p.pos+n, 0) }

// queryInParens reads "(" query ")" and gives the rope without parentheses.
func (p *parser) queryInParens() (rope, diag.Span) {
	start := p.pos
	p.expectOp("(")
	emit, colon := p.emit, p.colon
	p.emit, p.colon = nil, true
	out := p.query()
	p.emit, p.colon = emit, colon
	if !p.acceptOp(")") {
		p.afterQuery()
	}
	return out, p.since(start)
}

// afterQuery fails because a query does not go on like this.
func (p *parser) afterQuery() {
	switch {
	case p.failed:
	case p.startsEmit():
		p.fail(diag.Errorf(diag.ClauseOrder, p.here(), "%s is allowed only at the end of the statement", p.upper(p.peek())))
	case p.done():
		p.unexpected(`")"`)
	default:
		p.unexpectedHere()
	}
}

// unexpectedHere fails because nothing more was expected.
func (p *parser) unexpectedHere() {
	switch {
	case p.isWord("FOR") && p.anyWordAt(1, "UPDATE", "SHARE"):
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "locking reads (FOR %s) are not supported", p.upper(p.at(1))).
			WithHint("leave it out: reading takes no locks"))
	case p.isWord("INTO"):
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "SELECT … INTO is not supported").WithHint("write INSERT INTO sink SELECT …"))
	case p.refusedOperator():
	case p.operandAt(0):
		p.missingComma()
	default:
		p.failf(diag.Unexpected, p.here(), "unexpected %s", strings.TrimPrefix(p.describe(p.peek()), "a "))
	}
}

// query rewrites a query. With emit set, the clauses of a continuous query are
// taken from among its last clauses.
func (p *parser) query() rope {
	defer p.leave()
	if !p.enter() {
		return rope{}
	}
	start := p.pos
	q := &ast.Query{}
	out := p.with()
	body, inner := p.body(q)
	q.Span = p.since(start)
	tail := p.queryTail(q, start)
	if inner != nil && out.head == nil && tail.head == nil && q.OrderAll == nil {
		return *inner
	}
	if inner != nil {
		body = p.parenCore(q, *inner, q.Span)
	}
	out.join(body)
	out.join(tail)
	return out
}

// parenCore emits a parenthesised query as an operand of a set operator, or as a
// body with clauses around it.
func (p *parser) parenCore(q *ast.Query, inner rope, span diag.Span) rope {
	c := &core{query: q}
	out := newRope("SELECT ", span.Start)
	out.join(p.carry(c, span, fillQuery(&c.paren, inner)).rope)
	return out
}

// with reads WITH [RECURSIVE] name [(columns)] AS (query), ...
func (p *parser) with() rope {
	if !p.isWord("WITH") {
		return rope{}
	}
	out := newRope("WITH ", p.here().Start)
	p.next()
	if p.isWord("RECURSIVE") && p.nameAt(1) {
		out.add("RECURSIVE ", p.here().Start)
		p.next()
	}
	for first := true; first || p.acceptOp(","); first = false {
		if !first {
			out.add(",", p.here().Start)
		}
		out.join(p.cte())
	}
	out.add(" ", p.here().Start)
	return out
}

func (p *parser) cte() rope {
	start := p.pos
	node := &ast.CTE{Name: p.ident("a name")}
	if p.isOp("(") {
		node.Columns = p.identList("a column name")
	}
	key := p.usingKey(node)
	p.expect("AS")
	if p.isWord("MATERIALIZED") || p.isWords("NOT", "MATERIALIZED") {
		materialized := !p.accept("NOT")
		p.next()
		node.Materialized = &materialized
	}
	var q rope
	if p.isWords("CHANGELOG", "FROM") {
		q = p.changelogOf()
	} else {
		q, _ = p.queryInParens()
	}
	node.Span = p.since(start)
	out := p.nameLeaf(node, node.Span).rope
	out.add(" AS ", node.Span.Start)
	out.join(q.wrapped())
	if key.head != nil {
		out.join(key)
	}
	return out
}

// cteKey stands for the USING KEY of the query before it: a query whose items they are.
type cteKey struct{}

// usingKey reads USING KEY (column or aggregate [AS column], …). The inner grammar has no
// place for it, but for one more query of the WITH.
func (p *parser) usingKey(node *ast.CTE) rope {
	start := p.pos
	if !p.accept("USING", "KEY") {
		return rope{}
	}
	p.expectOp("(")
	c := &clauses{sel: &ast.Select{}}
	p.selectItems(c)
	p.expectOp(")")
	c.sel.Span = p.since(start)
	out := newRope(",", c.sel.Start)
	out.join(p.nameLeaf(cteKey{}, c.sel.Span).rope)
	out.add(" AS (", c.sel.Start)
	out.join(p.emitSelect(c, &ast.Query{}))
	out.add(")", c.sel.Start)
	return out
}

// body reads SELECTs and set operators. A single parenthesised query is given
// back as inner, not yet emitted.
func (p *parser) body(q *ast.Query) (out rope, inner *rope) {
	first, span, paren := p.bodyOperand(q)
	op, match := p.setOperator()
	if paren && op == "" {
		return rope{}, &first
	}
	out = p.operandRope(q, first, span, paren)
	for ; op != ""; op, match = p.setOperator() {
		out.add(" "+op+" ", p.here().Start)
		at := len(p.side)
		r, span, paren := p.bodyOperand(nil)
		out.join(p.operandRope(nil, r, span, paren))
		p.markMatch(at, match)
	}
	return out, nil
}

func (p *parser) operandRope(q *ast.Query, r rope, span diag.Span, paren bool) rope {
	if !paren {
		return r
	}
	return p.parenCore(q, r, span)
}

// markMatch tells the core of the operand just read, the last one stored, how the
// operator before it matches columns.
func (p *parser) markMatch(from int, match ast.SetMatch) {
	for i := len(p.side) - 1; i >= from; i-- {
		if c, ok := p.side[i].node.(*core); ok {
			c.match = match
			return
		}
	}
}

// bodyOperand reads SELECT, VALUES, TABLE t, or a parenthesised query, for which
// the rope is that of the query inside.
func (p *parser) bodyOperand(q *ast.Query) (out rope, span diag.Span, paren bool) {
	start := p.pos
	switch {
	case p.isOp("("):
		out, span = p.queryInParens()
		return out, span, true
	case p.isWord("VALUES"):
		out = p.values(q)
	case p.isWord("TABLE"):
		out = p.tableCore(q)
	case p.isWord("SELECT"), p.isWord("FROM"):
		out = p.selectCore(q)
	case p.pivotStatementAt(0):
		out = p.pivotCore(q)
	default:
		p.unexpected("SELECT")
	}
	return out, p.since(start), false
}

// setOperator reads UNION, INTERSECT, EXCEPT or MINUS, with ALL, DISTINCT, BY NAME,
// CORRESPONDING.
func (p *parser) setOperator() (op string, match ast.SetMatch) {
	switch {
	case p.isWord("MINUS") && p.startsMinus():
		op = "EXCEPT"
	case p.anyWordAt(0, "UNION", "INTERSECT", "EXCEPT"):
		op = p.upper(p.peek())
	default:
		return "", match
	}
	p.next()
	if p.acceptAny("ALL", "DISTINCT") == "ALL" {
		op += " ALL"
	}
	match.ByName = p.accept("BY", "NAME")
	if match.Corresponding = !match.ByName && p.accept("CORRESPONDING"); match.Corresponding && p.accept("BY") {
		match.By = p.identList("a column name")
	}
	return op, match
}

func (p *parser) startsMinus() bool {
	return p.anyWordAt(1, "SELECT", "FROM", "VALUES", "ALL", "DISTINCT", "TABLE") || p.opAt(1, "(")
}

// values reads VALUES (a, b), (c, d); rows of one value need no brackets.
func (p *parser) values(q *ast.Query) rope {
	start := p.pos
	p.next()
	node := &ast.Values{}
	var cells []operand
	p.rowList(func() {
		at := p.here()
		row := p.row()
		at.End = p.since(p.pos - 1).End
		p.checkRow(node, len(row), at)
		cells = append(cells, row...)
	})
	node.Span = p.since(start)
	var args []arg
	for i := range node.Rows {
		n := len(node.Rows[i])
		if n > len(cells) {
			break
		}
		args = fillAll(args, node.Rows[i], cells[:n])
		cells = cells[n:]
	}
	out := newRope("SELECT ", node.Span.Start)
	out.join(p.carry(&core{values: node, query: q}, node.Span, args...).rope)
	return out
}

func (p *parser) row() []operand {
	if p.isOp("(") {
		return p.bracketList("(", ")")
	}
	return []operand{p.nested()}
}

// rowList reads rows with commas between them; a comma may follow the last one.
func (p *parser) rowList(row func()) {
	for row(); p.acceptOp(",") && !p.done() && !p.isOp(";") && !p.isOp(")"); row() {
	}
}

// checkRow adds a row of n cells to VALUES; all rows have the same length.
func (p *parser) checkRow(node *ast.Values, n int, at diag.Span) {
	if len(node.Rows) > 0 && len(node.Rows[0]) != n {
		p.report(diag.Errorf(diag.BadArity, at, "this row has %s, the first has %d", plural(n, "value"), len(node.Rows[0])))
	}
	if n == 0 && !p.failed {
		p.report(diag.Errorf(diag.BadArity, at, "a row needs at least one value"))
	}
	node.Rows = append(node.Rows, make([]ast.Expr, n))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// changelogOf reads CHANGELOG FROM t, RisingWave's spelling of a query over changelog(TABLE t).
func (p *parser) changelogOf() rope {
	start := p.pos
	p.pos += 2
	name := p.name("a table")
	span := p.since(start)
	call := &ast.Call{Span: span, Name: ast.Name{Span: span, Parts: []ast.Ident{{Span: span, Name: "changelog"}}},
		Args: []ast.Expr{&ast.TableArg{Span: name.Span, Table: &name}}}
	return p.starOver(&ast.Query{Span: span}, p.nameLeaf(&ast.TableFunc{Span: span, Call: call}, span), span)
}

// tableCore reads TABLE t as SELECT * FROM t.
func (p *parser) tableCore(q *ast.Query) rope {
	start := p.pos
	p.next()
	name := p.name("a table")
	span := p.since(start)
	return p.starOver(q, p.nameLeaf(&ast.TableName{Span: name.Span, Name: name}, name.Span), span)
}

// starOver is SELECT * over a table.
func (p *parser) starOver(q *ast.Query, table operand, span diag.Span) rope {
	out := newRope("SELECT ", span.Start)
	out.join(p.carry(&core{sel: &ast.Select{Span: span}, query: q}, span).rope)
	out.add(",", span.Start)
	out.join(p.starItem(span).rope)
	out.add(" FROM ", span.Start)
	out.join(table.rope)
	return out
}

// starItem is the select item * that was not written.
func (p *parser) starItem(span diag.Span) operand {
	return p.carry(&ast.SelectItem{Span: span, Expr: &ast.Star{Span: span}, Text: "*"}, span)
}
