package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// The clauses of the SQL standard inside the calls of JSON functions become named
// arguments, which the printer writes and the binder reads: DEFAULT 1 ON EMPTY is
// on_empty => 'DEFAULT', default_on_empty => 1.

// jsonCall tells whether the call is of one of the functions.
func (c *call) jsonCall(names ...string) bool {
	name := c.node.Name.String()
	for _, n := range names {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// jsonMember reads KEY name VALUE value, name VALUE value and name : value.
func (p *parser) jsonMember(c *call) bool {
	if !c.jsonCall("json_object", "json_objectagg") || len(c.named) > 0 {
		return false
	}
	if p.isWord("KEY") && (p.at(1).isName() || p.at(1).isString()) && !p.wordAt(1, "VALUE") {
		p.next()
	}
	saved := p.colon
	p.colon = false
	name := p.expr()
	p.colon = saved
	c.args = append(c.args, name)
	if p.accept("VALUE") || p.acceptOp(":") {
		c.args = append(c.args, p.argumentValue(c))
	}
	return true
}

// jsonClause reads one clause behind the arguments.
func (p *parser) jsonClause(c *call) bool {
	start := p.pos
	switch {
	case c.jsonCall("json_object", "json_objectagg", "json_array", "json_arrayagg"):
		if word := p.acceptAny("NULL", "ABSENT"); word != "" && p.accept("ON", "NULL") {
			p.jsonOption(c, start, "on_null", word)
			return true
		}
	case c.jsonCall("json_query") && p.jsonWrapper(c, start):
		return true
	case c.jsonCall("json_value", "json_query", "json_exists"):
		return p.jsonOnEvent(c, start)
	}
	p.pos = start
	return false
}

// jsonOnEvent reads what is given ON EMPTY or ON ERROR.
func (p *parser) jsonOnEvent(c *call, start int) bool {
	word := p.acceptAny("NULL", "ERROR", "TRUE", "FALSE", "UNKNOWN", "EMPTY", "DEFAULT")
	var def *operand
	switch word {
	case "":
		return false
	case "EMPTY":
		if word = "EMPTY ARRAY"; p.accept("OBJECT") {
			word = "EMPTY OBJECT"
		} else {
			p.accept("ARRAY")
		}
	case "DEFAULT":
		o := p.argumentValue(c)
		def = &o
	}
	if !p.accept("ON") {
		p.unexpected("ON EMPTY or ON ERROR")
		return true
	}
	event := p.acceptAny("EMPTY", "ERROR")
	if event == "" {
		p.unexpected("EMPTY or ERROR")
		return true
	}
	name := "on_" + strings.ToLower(event)
	p.jsonOption(c, start, name, word)
	if def != nil {
		c.node.Named = append(c.node.Named, ast.NamedArg{Name: ast.Ident{Span: p.since(start), Name: "default_" + name}})
		c.named = append(c.named, *def)
	}
	return true
}

// jsonWrapper reads WITHOUT WRAPPER, WITH [CONDITIONAL | UNCONDITIONAL] [ARRAY] WRAPPER.
func (p *parser) jsonWrapper(c *call, start int) bool {
	with := p.acceptAny("WITH", "WITHOUT")
	if with == "" {
		return false
	}
	kind := p.acceptAny("CONDITIONAL", "UNCONDITIONAL")
	p.accept("ARRAY")
	if !p.accept("WRAPPER") {
		p.unexpected("WRAPPER")
		return true
	}
	if with == "WITH" && kind == "CONDITIONAL" {
		with = kind
	}
	p.jsonOption(c, start, "wrapper", with)
	return true
}

// jsonOption adds a named argument that is a word.
func (p *parser) jsonOption(c *call, start int, name, word string) {
	span := p.since(start)
	for _, n := range c.node.Named {
		if n.Name.Name == name {
			p.fail(diag.Errorf(diag.ClauseOrder, span, "the clause is given twice"))
			return
		}
	}
	c.node.Named = append(c.node.Named, ast.NamedArg{Name: ast.Ident{Span: span, Name: name}})
	c.named = append(c.named, p.leaf(&ast.Literal{Span: span, Kind: ast.LitString, Text: word}))
}

// isJSON reads what follows IS JSON: a call of is_json.
func (p *parser) isJSON(left operand, negated bool) operand {
	kind := p.acceptAny("VALUE", "SCALAR", "OBJECT", "ARRAY")
	span := diag.Span{Start: left.span.Start, End: p.since(p.pos - 1).End}
	node := &ast.Call{Span: span, Name: ast.Name{Span: span, Parts: []ast.Ident{{Span: span, Name: "is_json"}}}}
	operands := []operand{left}
	if kind != "" {
		operands = append(operands, p.leaf(&ast.Literal{Span: p.since(p.pos - 1), Kind: ast.LitString, Text: kind}))
	}
	node.Args = make([]ast.Expr, len(operands))
	o := p.carry(node, span, fills(node.Args, operands)...)
	if !negated {
		return o
	}
	not := &ast.Unary{Span: span, Op: ast.Not}
	return p.carry(not, span, fill(&not.X, o))
}
