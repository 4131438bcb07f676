package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// createFunction reads the rest of CREATE FUNCTION and CREATE MACRO:
//
//	name (a [type] [DEFAULT expr], …) [RETURNS type | RETURNS TABLE [(columns)]] RETURN expr
//	name (a, b := expr) AS expr
//	name (a) AS TABLE query
func (p *parser) createFunction(c creation) ast.Statement {
	node := &ast.CreateFunction{OrReplace: c.replace, Temporary: c.temporary, IfNotExists: c.notExists, Name: p.name("the name of a function")}
	if p.isOp("(") {
		p.parenList(true, func() { node.Params = append(node.Params, p.funcParam()) })
	}
	if p.accept("RETURNS") {
		p.returns(node)
	}
	for !p.failed && p.characteristic(node) {
	}
	p.functionBody(node)
	for !p.failed && p.characteristic(node) {
	}
	node.Span = p.since(c.start)
	return node
}

func (p *parser) funcParam() ast.FuncParam {
	start := p.pos
	a := ast.FuncParam{Name: p.ident("a parameter")}
	if !p.failed && !p.isOp(",") && !p.isOp(")") && !p.isOp(":=") && !p.isWord("DEFAULT") {
		a.Type = p.typeName()
	}
	if p.acceptOp(":=") || p.accept("DEFAULT") {
		a.Default = p.plainExpr()
	}
	a.Span = p.since(start)
	return a
}

func (p *parser) returns(node *ast.CreateFunction) {
	if !p.accept("TABLE") {
		node.Returns = p.typeName()
		return
	}
	node.Table = true
	if p.isOp("(") {
		p.parenList(false, func() {
			start := p.pos
			f := ast.TypeField{Name: p.ident("a column")}
			f.Type = p.typeName()
			f.Span = p.since(start)
			node.Columns = append(node.Columns, f)
		})
	}
}

// characteristic reads what says nothing that the body does not say.
func (p *parser) characteristic(node *ast.CreateFunction) bool {
	switch {
	case p.accept("LANGUAGE"):
		id := p.ident("a language")
		node.Language = &id
	case p.accept("NOT", "DETERMINISTIC"), p.accept("DETERMINISTIC"), p.accept("CONTAINS", "SQL"), p.accept("READS", "SQL", "DATA"),
		p.accept("IMMUTABLE"), p.accept("STABLE"):
	case p.accept("COMMENT"):
		p.stringLit("a comment")
	default:
		return false
	}
	return true
}

func (p *parser) functionBody(node *ast.CreateFunction) {
	switch {
	case p.accept("RETURN"):
	case p.accept("AS"):
		if p.peek().isString() && p.wordAt(1, "LANGUAGE") || p.peek().isString() && node.Language != nil || p.peek().isString() && p.at1End() {
			node.External = p.stringLit("the text of the function")
			return
		}
		if p.isWord("TABLE") && (!p.opAt(1, "(") || p.anyWordAt(2, "SELECT", "WITH", "VALUES", "FROM")) {
			p.next()
			node.Table = true
		}
	case p.isWord("USING"):
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "CREATE FUNCTION … USING is not supported").
			WithHint("write RETURN and an expression, or register a Go function"))
		return
	default:
		p.unexpected("RETURN or AS or RETURNS")
		return
	}
	if node.Table || p.anyWordAt(0, "SELECT", "WITH", "VALUES", "FROM") {
		node.Table = true
		node.Query = p.plainQuery()
		return
	}
	node.Body = p.plainExpr()
}
