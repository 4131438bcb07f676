package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// clauses collects the parts of one SELECT until they are emitted in the order
// that the inner grammar wants.
type clauses struct {
	sel     *ast.Select
	items   rope
	from    rope
	where   *operand
	group   rope
	having  *operand
	qualify *operand
	args    []arg // of the core: DISTINCT ON and WINDOW
}

// selectCore reads one SELECT without set operators; FROM may come first, and
// SELECT * may then be left out.
func (p *parser) selectCore(q *ast.Query) rope {
	start := p.pos
	c := &clauses{sel: &ast.Select{}}
	rank := 0
	switch {
	case p.accept("SELECT"):
		p.selectHead(c)
	default:
		p.next()
		c.from = p.from()
		rank = 1
		if p.accept("SELECT") {
			p.selectHead(c)
		} else {
			c.items = p.starItem(p.since(start)).rope
		}
	}
	p.clauseList(c, rank)
	c.sel.Span = p.since(start)
	return p.emitSelect(c, q)
}

// clauseRank orders the clauses; those of one rank may come in any order.
func clauseRank(clause string) int {
	switch clause {
	case "FROM":
		return 1
	case "WHERE":
		return 2
	case "GROUP BY":
		return 3
	case "HAVING":
		return 4
	}
	return 5
}

// clause names the clause of a SELECT that the next token begins, or "".
func (p *parser) clause() string {
	switch word := p.upper(p.peek()); word {
	case "FROM", "WHERE", "HAVING", "QUALIFY":
		return word
	case "GROUP":
		return "GROUP BY"
	case "WINDOW":
		if p.startsWindow() {
			return word
		}
	case "USING":
		if p.startsSample() {
			return "USING SAMPLE"
		}
	}
	return ""
}

func (p *parser) startsWindow() bool {
	return p.isWord("WINDOW") && p.at(1).isName() && p.wordAt(2, "AS") && p.opAt(3, "(")
}

// clauseList reads the clauses behind the select list, checking their order.
func (p *parser) clauseList(c *clauses, rank int) {
	seen := map[string]bool{"FROM": rank == 1}
	last, at := "FROM", diag.Span{}
	for clause := p.clause(); clause != "" && !p.failed; clause = p.clause() {
		r := clauseRank(clause)
		switch {
		case seen[clause]:
			p.failf(diag.ClauseOrder, p.here(), "%s is given twice", clause)
			return
		case clause == "FROM" && rank > 1:
			p.failf(diag.ClauseOrder, at, "FROM must come before %s", last)
			return
		case r < rank:
			p.failf(diag.ClauseOrder, p.here(), "%s must come before %s", clause, last)
			return
		}
		seen[clause], rank, last, at = true, r, clause, p.here()
		p.readClause(c, clause)
		if !seen["FROM"] && !p.failed && (p.isOp(",") || p.isWord("AS")) {
			p.failf(diag.ClauseOrder, at, "%s stands in the select list, before FROM", clause)
		}
	}
	if p.workerClause() && !p.failed {
		p.fail(diag.Errorf(diag.WorkerClause, p.here(), "%s BY places rows on workers, which the engine does by itself", p.upper(p.peek())).
			WithHint("leave it out; for an order write ORDER BY, in a query that runs on with LIMIT"))
	}
}

func (p *parser) readClause(c *clauses, clause string) {
	at := p.here()
	switch clause {
	case "FROM":
		p.next()
		c.from = p.from()
	case "WHERE":
		p.next()
		c.where = p.condition()
	case "GROUP BY":
		c.group = p.groupBy(c.sel)
	case "HAVING":
		p.next()
		c.having = p.condition()
	case "QUALIFY":
		p.next()
		c.qualify = p.condition()
	case "WINDOW":
		p.windows(c)
	case "USING SAMPLE":
		c.sel.Sample = p.usingSample()
	}
	if c.from.head == nil && clause == "WINDOW" {
		p.failf(diag.Unexpected, at, "%s needs a FROM clause", clause)
	}
}

func (p *parser) condition() *operand {
	o := p.expr()
	return &o
}

// windows reads WINDOW w AS (...), ...
func (p *parser) windows(c *clauses) {
	p.next()
	p.sepList(func() {
		name := p.ident("a window name")
		p.expect("AS")
		spec, args := p.windowSpec()
		c.sel.Windows = append(c.sel.Windows, ast.NamedWindow{Name: name, Window: spec})
		c.args = append(c.args, args...)
	})
}

// emitSelect writes the SELECT for TiDB.
func (p *parser) emitSelect(c *clauses, q *ast.Query) rope {
	span := c.sel.Span
	head := "SELECT "
	if c.sel.Distinct {
		head = "SELECT DISTINCT "
	}
	out := newRope(head, span.Start)
	if c.from.head == nil { // TiDB takes no HAVING there
		c.args, c.having, c.qualify = append(c.args, c.conditions()...), nil, nil
	}
	out.join(p.carry(&core{sel: c.sel, query: q}, span, c.args...).rope)
	out.add(",", span.Start)
	out.join(c.items)
	if c.from.head != nil {
		out.add(" FROM ", c.from.head.source)
		out.join(c.from)
	}
	if c.where != nil {
		out.add(" WHERE ", c.where.span.Start)
		out.join(c.where.rope)
	}
	out.join(c.group)
	out.join(p.emitHaving(c))
	return out
}

// emitHaving writes HAVING; a QUALIFY makes a carrier of both conditions.
func (p *parser) emitHaving(c *clauses) rope {
	if c.having == nil && c.qualify == nil {
		return rope{}
	}
	if c.qualify == nil {
		out := newRope(" HAVING ", c.having.span.Start)
		out.join(c.having.rope)
		return out
	}
	out := newRope(" HAVING ", c.qualify.span.Start)
	out.join(p.carry(nil, c.qualify.span, c.conditions()...).rope)
	return out
}

// conditions fill HAVING and QUALIFY.
func (c *clauses) conditions() []arg {
	var args []arg
	if c.qualify != nil {
		args = append(args, fill(&c.sel.Qualify, *c.qualify))
	}
	if c.having != nil {
		args = append(args, fill(&c.sel.Having, *c.having))
	}
	return args
}

// selectHead reads what stands between SELECT and FROM.
func (p *parser) selectHead(c *clauses) {
	for p.peek().kind == tokHint {
		c.sel.Hints = append(c.sel.Hints, p.hint())
	}
	if p.startsStream() {
		p.next()
		c.sel.Stream = true
	}
	switch {
	case p.accept("DISTINCT"):
		if p.isWord("ON") && p.opAt(1, "(") {
			p.distinctOn(c)
		} else if p.isWord("ON") {
			p.fail(diag.Errorf(diag.Unexpected, p.here(), "DISTINCT ON takes columns in parentheses").WithHint("write DISTINCT ON (a, b)"))
		} else {
			c.sel.Distinct = true
		}
	case p.isWord("ALL"):
		p.next()
	case p.isWord("TOP") && p.at(1).kind == tokNumber:
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "TOP is not supported").WithHint("write LIMIT %s at the end", p.text(p.at(1))))
	}
	p.selectItems(c)
}

// startsStream tells SELECT STREAM from a column of that name.
func (p *parser) startsStream() bool {
	if !p.isWord("STREAM") {
		return false
	}
	if p.wordAt(1, "ALL") {
		return true
	}
	if p.opAt(1, "*") {
		return p.opAt(2, ",") || p.at(2).kind == tokEnd || p.anyWordAt(2, "FROM", "EXCEPT", "EXCLUDE", "REPLACE")
	}
	operator := p.anyWordAt(1, "COLLATE", "AT", "ILIKE", "RLIKE", "REGEXP", "SIMILAR", "DIV", "MOD", "OVERLAPS") && (p.operandAt(2) || p.wordAt(2, "ALL")) ||
		p.wordAt(1, "NOT") && (p.anyWordAt(2, "IN", "BETWEEN") || p.patternAt(2))
	return p.at(1).kind != tokOp && p.operandAt(1) && !operator
}

// hint takes a hint and gives the text inside.
func (p *parser) hint() string {
	text := p.text(p.next())
	return strings.TrimSpace(text[3 : len(text)-2])
}

func (p *parser) distinctOn(c *clauses) {
	p.next()
	list := p.bracketList("(", ")")
	if len(list) == 0 {
		p.failf(diag.Unexpected, p.here(), "DISTINCT ON takes at least one expression")
	}
	c.sel.DistinctOn = make([]ast.Expr, len(list))
	c.args = append(c.args, fills(c.sel.DistinctOn, list)...)
}

// selectItems reads the select list; a comma before FROM or the end is ignored.
func (p *parser) selectItems(c *clauses) {
	for first := true; first || p.acceptOp(","); first = false {
		if !first {
			if p.done() || p.isOp(")") || p.clause() != "" {
				return
			}
			c.items.add(",", p.here().Start)
		}
		item := p.selectItem()
		if c.items.head == nil {
			c.items = item.rope
		} else {
			c.items.join(item.rope)
		}
	}
	if p.operandAt(0) && !p.softClause() && !p.failed {
		p.missingComma()
	}
}

func (p *parser) selectItem() operand {
	start := p.pos
	if star, args := p.star(); star != nil {
		if p.patternAt(0) || p.isWord("NOT") && p.patternAt(1) {
			return p.starPattern(start, p.carry(star, star.Span, args...))
		}
		item := &ast.SelectItem{Span: star.Span, Expr: star, Text: p.folded(start)}
		return p.carry(item, item.Span, args...)
	}
	o := p.expr()
	item := &ast.SelectItem{Span: p.since(start), Text: p.folded(start)}
	p.itemAlias(item)
	return p.carry(item, item.Span, fill(&item.Expr, o))
}

// folded is the source text since token start, white space and comments folded.
func (p *parser) folded(start int) string {
	var b strings.Builder
	for i := start; i < p.pos; i++ {
		if i > start && p.toks[i].start > p.toks[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(p.text(p.toks[i]))
	}
	return b.String()
}

// itemAlias reads [AS] name or AS (a, b).
func (p *parser) itemAlias(item *ast.SelectItem) {
	switch {
	case p.accept("AS"):
		if p.isOp("(") {
			item.Aliases = p.identList("an alias")
			return
		}
		alias := p.label()
		item.Alias = &alias
	case p.nameAt(0) && !p.softClause():
		alias := p.take()
		item.Alias = &alias
	}
}

// label reads the alias behind AS: a name, a text, or a reserved word that nothing follows
// which it could introduce.
func (p *parser) label() ast.Ident {
	switch {
	case p.peek().isString():
		return p.textName("an alias")
	case p.reservedAt(0) && !p.operandAt(1) && !p.wordAt(1, "BY"):
		return p.take()
	}
	return p.ident("an alias")
}
