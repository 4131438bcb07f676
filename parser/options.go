package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// props reads "(" [ key = value { "," key = value } ] ")" and appends to list.
func (p *parser) props(list []ast.Option) []ast.Option {
	if !p.expectOp("(") || p.acceptOp(")") {
		return list
	}
	p.sepList(func() {
		opt := p.prop()
		for _, before := range list {
			if strings.EqualFold(before.Key, opt.Key) && !p.failed {
				p.report(diag.Errorf(diag.BadOption, opt.KeySpan, "the option %q is given twice", opt.Key))
				break
			}
		}
		list = append(list, opt)
	})
	if !p.acceptOp(")") {
		p.unexpected(`"," or ")"`)
	}
	return list
}

func (p *parser) prop() ast.Option {
	start := p.pos
	opt := ast.Option{}
	opt.Key, opt.KeySpan = p.key()
	if !p.acceptOp("=") && !p.acceptOp("=>") && !p.peek().isString() { // OPTIONS (path 'in') of Spark
		p.unexpected(`"="`)
	}
	opt.Value = p.propValue()
	opt.Span = p.since(start)
	return opt
}

// key reads a string, or words with dots and hyphens between them.
func (p *parser) key() (string, diag.Span) {
	t := p.peek()
	if t.isString() {
		id := p.textName("the name of an option")
		return id.Name, id.Span
	}
	if !t.isName() {
		p.unexpected("the name of an option")
		return "", diag.Span{}
	}
	start := p.pos
	key := p.take().Name
	for (p.isOp(".") || p.isOp("-")) && p.at(1).isName() {
		key += p.text(p.next())
		key += p.take().Name
	}
	return key, p.since(start)
}

// propValue reads a literal; a bare word is text.
func (p *parser) propValue() *ast.Literal {
	t := p.peek()
	switch {
	case t.isString():
		return p.stringLit("a value")
	case t.kind == tokNumber:
		p.next()
		return p.numberOf(t)
	case (p.isOp("-") || p.isOp("+")) && p.at(1).kind == tokNumber:
		sign := p.text(p.next())
		lit := p.numberOf(p.next())
		lit.Text = strings.TrimPrefix(sign, "+") + lit.Text
		lit.Start = int(t.start)
		return lit
	case p.isWord("TRUE"), p.isWord("FALSE"):
		p.next()
		return &ast.Literal{Span: t.span(), Kind: ast.LitBool, Text: strings.ToLower(p.text(t))}
	case t.isName() && !p.isWord("NULL"):
		id := p.take()
		return &ast.Literal{Span: t.span(), Kind: ast.LitString, Text: id.Name}
	}
	p.unexpected("a string, a number, TRUE or FALSE")
	return &ast.Literal{}
}
