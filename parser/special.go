package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// specialCall reads the calls whose arguments have keywords; the name is next,
// the parenthesis behind it. Where the plain form is used it gives false.
func (p *parser) specialCall(word string) (operand, bool) {
	switch word {
	case "TRY_CAST", "SAFE_CAST":
		return p.cast(true), true
	case "ROW":
		return p.rowCall(), true
	case "EXTRACT":
		if unit := p.at(2); p.wordAt(3, "FROM") && (unit.isName() || unit.isString()) {
			return p.extract(), true
		}
	case "FLOOR", "CEIL", "CEILING":
		return p.keywordCall(p.floorTo), true
	case "SUBSTRING", "SUBSTR":
		return p.keywordCall(p.fromFor), true
	case "OVERLAY":
		return p.keywordCall(p.placing), true
	case "POSITION":
		return p.keywordCall(p.positionIn), true
	case "TRIM":
		return p.keywordCall(p.trimFrom), true
	}
	return operand{}, false
}

// rowCall reads ROW(a, b).
func (p *parser) rowCall() operand {
	start := p.pos
	p.next()
	p.expectOp("(")
	var list []operand
	if !p.acceptOp(")") {
		p.sepList(func() { list = append(list, p.rowElement()) })
		p.closeBrackets(")")
	}
	node := &ast.Row{Span: p.since(start), Elems: make([]ast.Expr, len(list))}
	return p.carry(node, node.Span, fills(node.Elems, list)...)
}

// rowElement reads an expression, or a star for the columns that it stands for.
func (p *parser) rowElement() operand {
	if star, args := p.star(); star != nil {
		return p.carry(star, star.Span, args...)
	}
	return p.nested()
}

// extract reads EXTRACT(unit FROM x) as extract('UNIT', x).
func (p *parser) extract() operand {
	c := p.beginCall()
	t := p.next()
	var unit *ast.Literal
	if t.isString() {
		unit = p.stringOf(t)
	} else {
		unit = &ast.Literal{Span: t.span(), Kind: ast.LitString, Text: strings.ToUpper(p.text(t))}
	}
	p.next()
	c.args = append(c.args, p.leaf(unit), p.nested())
	p.closeList()
	return p.carryCall(c)
}

// beginCall takes the name and the parenthesis.
func (p *parser) beginCall() *call {
	start := p.pos
	id := p.take()
	p.next()
	return &call{node: &ast.Call{Name: ast.Name{Span: id.Span, Parts: []ast.Ident{id}}}, start: start}
}

// keywordCall reads a call whose argument list may have the keyword form that
// rest knows; rest leaves the closing parenthesis.
func (p *parser) keywordCall(rest func(c *call)) operand {
	c := p.beginCall()
	switch {
	case p.isOp(")"):
	case p.namedArgument():
		p.argument(c)
		p.plain(c)
	default:
		rest(c)
	}
	p.closeList()
	p.afterCall(c)
	return p.carryCall(c)
}

// add reads one more argument.
func (p *parser) add(c *call) { c.args = append(c.args, p.nested()) }

// plain reads the remaining arguments of the plain form.
func (p *parser) plain(c *call) {
	for p.acceptOp(",") {
		p.argument(c)
	}
}

// floorTo reads x TO unit as x, 'UNIT'.
func (p *parser) floorTo(c *call) {
	p.add(c)
	if !p.accept("TO") {
		p.plain(c)
		return
	}
	unit, ok := p.unitAt(0)
	if !ok {
		p.noUnit("TO")
		return
	}
	t := p.next()
	c.args = append(c.args, p.leaf(&ast.Literal{Span: t.span(), Kind: ast.LitString, Text: unit.String()}))
}

// fromFor reads s FROM start [FOR length], and s FOR length, which is FROM 1.
func (p *parser) fromFor(c *call) {
	p.add(c)
	if at := p.here(); p.accept("FOR") {
		c.args = append(c.args, p.leaf(&ast.Literal{Span: at, Kind: ast.LitInt, Text: "1"}), p.nested())
		return
	}
	if !p.accept("FROM") {
		p.plain(c)
		return
	}
	p.add(c)
	if p.accept("FOR") {
		p.add(c)
	}
}

// placing reads s PLACING t FROM start [FOR length].
func (p *parser) placing(c *call) {
	p.add(c)
	if !p.accept("PLACING") {
		p.plain(c)
		return
	}
	p.add(c)
	p.expect("FROM")
	p.add(c)
	if p.accept("FOR") {
		p.add(c)
	}
}

// positionIn reads x IN s.
func (p *parser) positionIn(c *call) {
	saved := p.colon
	p.colon = true
	c.args = append(c.args, p.binary(precConcat))
	p.colon = saved
	if !p.accept("IN") {
		p.plain(c)
		return
	}
	p.add(c)
}

// trimFrom reads [BOTH | LEADING | TRAILING] [chars] FROM s, or PostgreSQL's [side] [FROM] s [, chars],
// as a call of trim, ltrim or rtrim with the text first.
func (p *parser) trimFrom(c *call) {
	side := ""
	if p.anyWordAt(0, "BOTH", "LEADING", "TRAILING") && (p.operandAt(1) || p.wordAt(1, "FROM")) {
		side = p.upper(p.next())
	}
	if !p.isWord("FROM") {
		p.add(c)
	}
	if p.accept("FROM") {
		chars := c.args
		c.args = nil
		p.add(c)
		c.args = append(c.args, chars...)
	}
	if len(c.args) == 1 || side == "" {
		p.plain(c)
	}
	if name := map[string]string{"LEADING": "ltrim", "TRAILING": "rtrim"}[side]; name != "" {
		c.node.Name.Parts[0].Name = name
	}
}
