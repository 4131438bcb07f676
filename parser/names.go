package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// isReserved tells whether an unquoted word cannot be a name by itself. Behind a
// dot, any word can.
func isReserved(word string) bool {
	if len(word) < 2 || len(word) > 9 {
		return false
	}
	switch strings.ToUpper(word) {
	case "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CREATE", "CROSS", "DISTINCT", "EXCEPT", "EXISTS",
		"FALSE", "FROM", "GROUP", "HAVING", "IN", "INNER", "INTERSECT", "INTO", "IS", "JOIN", "LIKE", "LIMIT",
		"NATURAL", "NOT", "NULL", "ON", "OR", "ORDER", "QUALIFY", "SELECT", "TRUE", "UNION", "USING", "WHERE", "WITH":
		return true
	}
	return false
}

// reservedAt tells whether the token n ahead is an unquoted reserved word.
func (p *parser) reservedAt(n int) bool {
	t := p.at(n)
	return t.kind == tokWord && isReserved(p.text(t))
}

// nameAt tells whether the token n ahead can be a name by itself.
func (p *parser) nameAt(n int) bool {
	t := p.at(n)
	return t.kind == tokQuoted || t.kind == tokWord && !isReserved(p.text(t))
}

// take turns the next token, which is a name, into an identifier.
func (p *parser) take() ast.Ident {
	t := p.next()
	return p.identOf(t)
}

func (p *parser) identOf(t token) ast.Ident {
	text := p.text(t)
	if t.kind == tokQuoted {
		return ast.Ident{Span: t.span(), Name: undouble(text[1:len(text)-1], text[0]), Quoted: true}
	}
	return ast.Ident{Span: t.span(), Name: text}
}

// ident reads a name of its own; what says which for the message.
func (p *parser) ident(what string) ast.Ident {
	if p.nameAt(0) {
		return p.take()
	}
	p.noName(what)
	return ast.Ident{}
}

// noName fails because the next token is no name.
func (p *parser) noName(what string) {
	switch t := p.peek(); {
	case t.kind == tokWord:
		word := p.text(t)
		d := diag.Errorf(diag.Reserved, p.here(), "expected %s, found the reserved word %s", what, strings.ToUpper(word))
		if !p.operandAt(1) {
			d.WithHint("a name that is a reserved word is quoted: %q", word)
		}
		p.fail(d)
	case t.kind == tokString:
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected %s, found a string", what).
			WithHint("names are written without quotes or in double quotes"))
	case p.isOp("["):
		p.fail(diag.Errorf(diag.Unexpected, p.here(), "expected %s, found \"[\"", what).
			WithHint("a name is quoted with double quotes: \"name\""))
	default:
		p.unexpected(what)
	}
}

// name reads a dotted path.
func (p *parser) name(what string) ast.Name {
	first := p.ident(what)
	return p.path(first)
}

// path reads the rest of a dotted path after its first part.
func (p *parser) path(first ast.Ident) ast.Name {
	parts := []ast.Ident{first}
	span := first.Span
	for p.isOp(".") && p.at(1).isName() {
		p.next()
		part := p.take()
		span.End = part.End
		parts = append(parts, part)
	}
	return ast.Name{Span: span, Parts: parts}
}

// identList reads "(" name {"," name} ")".
func (p *parser) identList(what string) []ast.Ident {
	var list []ast.Ident
	p.parenList(false, func() { list = append(list, p.ident(what)) })
	return list
}

// stringLit reads a string literal.
func (p *parser) stringLit(what string) *ast.Literal {
	t := p.peek()
	if !t.isString() {
		p.unexpected(what)
		return &ast.Literal{}
	}
	p.next()
	return p.stringOf(t)
}

// textName reads a name that is written as a text.
func (p *parser) textName(what string) ast.Ident {
	t := p.peek()
	name := p.stringLit(what).Text
	if name == "" {
		p.report(diag.Errorf(diag.BadLiteral, t.span(), "%s cannot be empty", what))
	}
	return ast.Ident{Span: t.span(), Name: name, Quoted: true}
}

// stringOf gives the literal of a string token.
func (p *parser) stringOf(t token) *ast.Literal {
	value, d := stringValue(t, p.text(t), t.span())
	if d != nil {
		p.report(d)
	}
	kind := ast.LitString
	if t.kind == tokBytes {
		kind = ast.LitBytes
	}
	if n := p.peek(); n.isString() {
		p.fail(diag.Errorf(diag.Ambiguous, p.here(), "two strings side by side are not joined").
			WithHint("write || between them, or a comma"))
	}
	return &ast.Literal{Span: t.span(), Kind: kind, Text: value}
}

// numberOf gives the literal of a number token.
func (p *parser) numberOf(t token) *ast.Literal {
	lit, d := readNumber(p.text(t), t.span())
	if d != nil {
		p.report(d)
		return &ast.Literal{Span: t.span(), Kind: ast.LitInt, Text: "0"}
	}
	return lit
}
