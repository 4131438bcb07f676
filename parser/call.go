package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// call collects the parts of a function call before its node is complete: the
// holes may only be made when no slice grows any more.
type call struct {
	node   *ast.Call
	start  int
	args   []operand
	named  []operand
	order  []operand
	filter *operand
	over   []arg
	table  bool // a table function: TABLE t, DESCRIPTOR(c) are allowed
	fields *ast.Struct
}

// named reads a column or a call.
func (p *parser) named() operand {
	start := p.pos
	first := p.take()
	path := p.path(first)
	if p.isOp("(") {
		return p.callOf(start, path)
	}
	node := &ast.ColumnRef{Span: path.Span, Parts: path.Parts}
	return p.nameLeaf(node, node.Span)
}

// callOf reads the arguments of a call, whose name is taken already, and what
// may follow the closing parenthesis.
func (p *parser) callOf(start int, name ast.Name) operand {
	c := &call{node: &ast.Call{Name: name}, start: start}
	p.arguments(c)
	p.afterCall(c)
	return p.carryCall(c)
}

// carryCall makes the node and its holes.
func (p *parser) carryCall(c *call) operand {
	span := p.since(c.start)
	if c.fields != nil {
		c.fields.Span = span
		return p.carryStruct(c.fields, c.args)
	}
	return p.carry(c.node, span, c.finish(span)...)
}

// finish completes the node and gives its holes with what fills them.
func (c *call) finish(span diag.Span) []arg {
	n := c.node
	n.Span = span
	if len(c.args) > 0 {
		n.Args = make([]ast.Expr, len(c.args))
	}
	args := fills(n.Args, c.args)
	for i := range c.named {
		args = append(args, fill(&n.Named[i].Value, c.named[i]))
	}
	args = append(args, orderArgs(n.OrderBy, c.order)...)
	if c.filter != nil {
		args = append(args, fill(&n.Filter, *c.filter))
	}
	return append(args, c.over...)
}

func orderArgs(items []ast.OrderItem, keys []operand) []arg {
	args := make([]arg, len(keys))
	for i := range keys {
		args[i] = fill(&items[i].Expr, keys[i])
	}
	return args
}

// arguments reads "(" ... ")".
func (p *parser) arguments(c *call) {
	defer p.leave()
	if !p.enter() {
		return
	}
	p.expectOp("(")
	if p.acceptOp(")") {
		return
	}
	if p.acceptAny("DISTINCT", "ALL") == "DISTINCT" {
		c.node.Distinct = true
	}
	if p.isOp("*") && (p.opAt(1, ")") || p.anyWordAt(1, "IGNORE", "RESPECT") && p.wordAt(2, "NULLS") && p.opAt(3, ")")) && !c.node.Distinct && !c.node.Name.Last().Is("columns") {
		p.next()
		c.node.Star = true
		p.nulls(c)
		p.closeList()
		return
	}
	if p.isWords("ORDER", "BY") { // rank(ORDER BY x)
		p.argumentTail(c)
		p.closeList()
		return
	}
	if star, args := p.columnsStar(c); star != nil {
		c.args = []operand{p.carry(star, star.Span, args...)}
		p.closeList()
		return
	}
	first := p.pos
	p.sepList(func() { p.argument(c) })
	p.argumentTail(c)
	p.closeList()
	p.unitArgument(c, first)
}

// namedArgument tells whether name => value is next.
func (p *parser) namedArgument() bool {
	return p.nameAt(0) && (p.opAt(1, "=>") || p.opAt(1, ":="))
}

// argument reads one argument.
func (p *parser) argument(c *call) {
	switch {
	case p.namedArgument():
		name := p.take()
		p.next()
		c.node.Named = append(c.node.Named, ast.NamedArg{Name: name})
		c.named = append(c.named, p.argumentValue(c))
		return
	case len(c.named) > 0:
		p.failf(diag.Unexpected, p.here(), "an argument without name cannot follow a named one")
		return
	case p.jsonMember(c):
		return
	}
	if star, args := p.star(); star != nil {
		c.args = append(c.args, p.carry(star, star.Span, args...))
		if c.fields != nil {
			c.fields.Fields = append(c.fields.Fields, ast.StructField{})
		}
		return
	}
	value := p.argumentValue(c)
	if p.isWord("AS") || c.fields != nil {
		p.structArgument(c, value)
		return
	}
	c.args = append(c.args, value)
}

func (p *parser) argumentValue(c *call) operand {
	if c.table {
		if o, ok := p.tableArgument(); ok {
			return o
		}
	}
	if p.startsLambda() {
		return p.lambda()
	}
	return p.nested()
}

// structArgument reads struct(v AS n); an argument without AS has no name.
func (p *parser) structArgument(c *call, value operand) {
	if c.fields == nil {
		if !strings.EqualFold(c.node.Name.String(), "struct") {
			p.fail(diag.Errorf(diag.Unexpected, p.here(), "AS is allowed only in the arguments of struct()").
				WithHint("a named argument is written name => value"))
			return
		}
		c.fields = &ast.Struct{Fields: make([]ast.StructField, len(c.args))}
	}
	field := ast.StructField{}
	if p.accept("AS") {
		name := p.anyIdent("a field name")
		field.Name = &name
	}
	c.fields.Fields = append(c.fields.Fields, field)
	c.args = append(c.args, value)
}

// argumentTail reads what may follow the last argument inside the parentheses.
func (p *parser) argumentTail(c *call) {
	for !p.failed {
		switch {
		case p.isWord("ORDER"):
			c.node.OrderBy, c.order = p.orderBy()
		case p.isWord("SEPARATOR") && p.at(1).isString():
			p.next()
			c.args = append(c.args, p.leaf(p.stringLit("a separator")))
		case p.isWord("RETURNING"):
			p.next()
			c.node.Returning = p.typeName()
		case p.nulls(c), p.jsonClause(c):
		default:
			return
		}
	}
}

// nulls reads IGNORE NULLS and RESPECT NULLS.
func (p *parser) nulls(c *call) bool {
	switch {
	case p.accept("IGNORE", "NULLS"):
		c.node.Nulls = ast.IgnoreNulls
	case p.accept("RESPECT", "NULLS"):
		c.node.Nulls = ast.RespectNulls
	default:
		return false
	}
	return true
}

// unitArgument turns the first argument of timestampdiff(MINUTE, a, b) and its
// like from a column into text. datediff counts other units than Spark's datediff(MINUTE,
// a, b) where its unit is in quotes: without them it is timestampdiff.
func (p *parser) unitArgument(c *call, first int) {
	name := strings.ToLower(c.node.Name.String())
	if !takesUnit(name) || len(c.args) != 3 || p.failed || p.toks[first].kind != tokWord {
		return
	}
	t := p.toks[first]
	if !bareUnit(p.text(t)) || p.text(p.toks[first+1]) != "," || t.end-t.start == 1 && p.unitLast() {
		return
	}
	c.args[0] = p.leaf(&ast.Literal{Span: t.span(), Kind: ast.LitString, Text: strings.ToUpper(p.text(t))})
	if name == "datediff" || name == "date_diff" {
		c.node.Name.Parts[len(c.node.Name.Parts)-1].Name = "timestampdiff"
	}
}

// takesUnit tells whether the first of three arguments may be a unit, without quotes.
func takesUnit(name string) bool {
	switch name {
	case "timestampdiff", "timestampadd", "datediff", "dateadd", "date_diff", "date_add":
		return true
	}
	return false
}

// unitLast tells whether a call ends with a unit, so that d in date_diff(d, e, DAY) is a column.
func (p *parser) unitLast() bool {
	last := p.toks[p.pos-2]
	return p.text(p.toks[p.pos-3]) == "," && last.end-last.start > 1 && bareUnit(p.text(last))
}

// bareUnit tells whether a word can stand for a unit as an argument.
func bareUnit(word string) bool {
	word = strings.ToLower(word)
	if _, ok := unitOf(word); ok || word == "dayofyear" {
		return true
	}
	unit, ok := strings.CutPrefix(word, "sql_tsi_")
	if ok {
		_, ok = unitOf(unit)
	}
	return ok
}

// afterCall reads WITHIN GROUP, FILTER, IGNORE NULLS and OVER.
func (p *parser) afterCall(c *call) {
	for !p.failed {
		switch {
		case p.isWord("WITHIN") && p.wordAt(1, "GROUP"):
			p.withinGroup(c)
		case p.isWord("FILTER") && p.opAt(1, "("):
			p.filterClause(c)
		case p.nulls(c):
		case p.isWord("OVER") && (p.opAt(1, "(") || p.nameAt(1)):
			p.next()
			c.node.Over, c.over = p.windowSpec()
			return
		default:
			return
		}
	}
}

func (p *parser) withinGroup(c *call) {
	p.pos += 2
	p.expectOp("(")
	if len(c.order) > 0 {
		p.failf(diag.ClauseOrder, p.here(), "ORDER BY is given twice")
	}
	c.node.OrderBy, c.order = p.orderBy()
	c.node.WithinGroup = true
	p.expectOp(")")
}

func (p *parser) filterClause(c *call) {
	p.pos += 2
	if !p.accept("WHERE") {
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected WHERE, found %s", p.describe(p.peek())).
			WithHint("write FILTER (WHERE condition)"))
		return
	}
	if c.filter != nil {
		p.failf(diag.ClauseOrder, p.here(), "FILTER is given twice")
	}
	o := p.nested()
	c.filter = &o
	p.closeList()
}
