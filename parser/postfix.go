package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// postfix reads what binds to an operand from the right: casts, subscripts,
// fields, JSON paths, COLLATE.
func (p *parser) postfix(o operand) operand {
	for !p.failed {
		switch t := p.peek(); {
		case t.kind == tokWord:
			if !p.isWord("COLLATE") || !p.at(1).isName() {
				return o
			}
			o = p.collate(o)
		case t.kind != tokOp:
			return o
		case p.isOp("::"):
			o = p.doubleColon(o)
		case p.isOp("["):
			o = p.subscript(o)
		case p.isOp(".") && p.at(1).isName() && p.opAt(2, "("):
			o = p.method(o)
		case p.isOp(".") && p.at(1).isName():
			o = p.field(o)
		case p.isOp(".") && p.opAt(1, "*"):
			return p.fields(o)
		case p.isOp(".") && p.at(1).kind == tokNumber:
			p.fail(diag.Errorf(diag.NotSupported, p.here(), "a field by its number is not supported").
				WithHint("write its name: that of a value without one is .col%s", p.text(p.at(1))))
			return operand{}
		case p.isOp(":") && p.colon && p.at(1).isName():
			o = p.variant(o)
		default:
			return o
		}
	}
	return o
}

// reach is the span from the operand to the last token taken.
func (p *parser) reach(o operand) diag.Span {
	return diag.Join(o.span, p.since(p.pos-1))
}

func (p *parser) collate(o operand) operand {
	p.next()
	node := &ast.Collate{Name: p.take()}
	node.Span = p.reach(o)
	return p.carry(node, node.Span, fill(&node.X, o))
}

func (p *parser) doubleColon(o operand) operand {
	p.next()
	node := &ast.Cast{Type: p.typeName()}
	node.Span = p.reach(o)
	return p.carry(node, node.Span, fill(&node.X, o))
}

// method reads x.f(a, b), which is f(x, a, b).
func (p *parser) method(o operand) operand {
	p.next()
	name := p.take()
	if name.Is("row") && !name.Quoted {
		p.fail(diag.Errorf(diag.Unexpected, name.Span, "ROW is no function of a value").WithHint("write ROW(a, b)"))
	}
	c := &call{node: &ast.Call{Name: ast.Name{Span: name.Span, Parts: []ast.Ident{name}}}}
	p.arguments(c)
	if c.node.Star {
		p.fail(diag.Errorf(diag.Unexpected, p.since(p.pos-2), "%s(*) is of rows, and cannot be called on a value", name.Name).WithHint("write %s(*) alone", name.Name))
	}
	p.afterCall(c)
	c.args = append([]operand{o}, c.args...)
	span := p.reach(o)
	return p.carry(c.node, span, c.finish(span)...)
}

func (p *parser) field(o operand) operand {
	p.next()
	node := &ast.Field{Name: p.take()}
	node.Span = p.reach(o)
	return p.carry(node, node.Span, fill(&node.X, o))
}

// fields reads (x).*.
func (p *parser) fields(o operand) operand {
	p.next()
	p.next()
	node := &ast.Star{Span: p.reach(o)}
	return p.carry(node, node.Span, fill(&node.X, o))
}

// subscript reads [i] or [i:j]; inside, a colon at this depth makes a slice.
func (p *parser) subscript(o operand) operand {
	p.next()
	saved := p.colon
	p.colon = false
	defer func() { p.colon = saved }()
	var low, high *operand
	if !p.isOp(":") {
		x := p.expr()
		low = &x
	}
	if !p.acceptOp(":") {
		return p.index(o, low)
	}
	if !p.isOp("]") {
		x := p.expr()
		high = &x
	}
	p.expectOp("]")
	node := &ast.Slice{Span: p.reach(o)}
	args := []arg{fill(&node.X, o)}
	if low != nil {
		args = append(args, fill(&node.Lo, *low))
	}
	if high != nil {
		args = append(args, fill(&node.Hi, *high))
	}
	return p.carry(node, node.Span, args...)
}

func (p *parser) index(o operand, at *operand) operand {
	if !p.acceptOp("]") {
		p.unexpected(`"]"`)
		return operand{}
	}
	node := &ast.Subscript{Span: p.reach(o)}
	return p.carry(node, node.Span, fill(&node.X, o), fill(&node.Index, *at))
}

// variant reads j:a.b[0]: a chain of JSON accesses, of which the last gives text unless an
// arrow follows.
func (p *parser) variant(o operand) operand {
	p.next()
	for more := true; more; {
		var key *ast.Literal
		switch {
		case p.peek().isName():
			id := p.take()
			key = &ast.Literal{Span: id.Span, Kind: ast.LitString, Text: id.Name}
		case p.at(1).kind == tokNumber:
			p.next()
			key = p.numberOf(p.next())
			p.expectOp("]")
		default:
			p.next()
			key = p.stringLit("a key")
			p.expectOp("]")
		}
		node := &ast.Binary{Op: ast.JSONGet, Span: p.reach(o)}
		literal := p.isOp("[") && p.opAt(2, "]") && (p.at(1).kind == tokNumber || p.at(1).isString())
		member := p.isOp(".") && p.at(1).isName()
		if more = literal || member; !more && !p.isOp("->") && !p.isOp("->>") {
			node.Op = ast.JSONText
		}
		o = p.carry(node, node.Span, fill(&node.L, o), fill(&node.R, p.leaf(key)))
		if member {
			p.next()
		}
	}
	return o
}
