package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// arrayLiteral reads [a, b], with ARRAY before it, or [a FOR x IN list]; start is the first
// token.
func (p *parser) arrayLiteral(start int) operand {
	p.expectOp("[")
	var list []operand
	if !p.isOp("]") {
		first := p.nested()
		if p.isWord("FOR") {
			return p.comprehension(start, first)
		}
		list = append(list, first)
		for p.acceptOp(",") && !p.isOp("]") { // a comma may stand behind the last one
			list = append(list, p.nested())
		}
	}
	p.closeBrackets("]")
	node := &ast.Array{Span: p.since(start), Elems: make([]ast.Expr, len(list))}
	return p.carry(node, node.Span, fills(node.Elems, list)...)
}

// mostTypeDepth is how deep the type of a constructor may be nested: to look further ahead
// from each array < x of a long text would take a time that grows with its square.
const mostTypeDepth = 32

// typedAhead tells BigQuery's ARRAY<T>[…] and STRUCT<a T>(…) from a comparison with a column.
func (p *parser) typedAhead() bool {
	if !p.isWord("ARRAY") && !p.isWord("STRUCT") || !p.opAt(1, "<") {
		return false
	}
	depth, n := 1, 2
	for ; depth > 0; n++ {
		switch t := p.at(n); {
		case depth > mostTypeDepth:
			return false
		case p.opAt(n, "<"):
			depth++
		case p.opAt(n, ">"):
			depth--
		case p.opAt(n, ">>"):
			depth -= 2
		case t.kind != tokWord && t.kind != tokQuoted && t.kind != tokNumber && !p.opAt(n, ",") && !p.opAt(n, ":") && !p.opAt(n, "(") && !p.opAt(n, ")"):
			return false
		}
	}
	return p.isWord("ARRAY") && p.opAt(n, "[") || p.isWord("STRUCT") && p.opAt(n, "(")
}

// typedConstructor reads ARRAY<T>[…] or STRUCT<a T>(…): the value, cast to the type.
func (p *parser) typedConstructor() operand {
	start := p.pos
	t := p.next()
	typ := &ast.TypeName{Name: p.canonicalType(t)}
	p.typeRest(typ, t)
	typ.Span = p.since(start)
	if p.failed {
		return operand{}
	}
	var x operand
	if values := p.pos; p.isOp("[") {
		x = p.arrayLiteral(values)
	} else {
		list := p.bracketList("(", ")")
		call := &ast.Call{Span: p.since(values), Args: make([]ast.Expr, len(list)),
			Name: ast.Name{Span: t.span(), Parts: []ast.Ident{{Span: t.span(), Name: "struct"}}}}
		x = p.carry(call, call.Span, fills(call.Args, list)...)
	}
	node := &ast.Cast{Type: typ, Span: p.since(start)}
	return p.carry(node, node.Span, fill(&node.X, x))
}

// bracketList reads a list of expressions, perhaps empty, in brackets.
func (p *parser) bracketList(open, closing string) []operand {
	var list []operand
	p.expectOp(open)
	if p.acceptOp(closing) {
		return nil
	}
	p.sepList(func() { list = append(list, p.nested()) })
	p.closeBrackets(closing)
	return list
}

// closeBrackets takes the end of a list, or says what is wrong before it.
func (p *parser) closeBrackets(closing string) {
	switch {
	case p.acceptOp(closing):
	case p.operandAt(0) && !p.failed:
		p.missingComma()
	default:
		p.unexpected(`"," or "` + closing + `"`)
	}
}

// comprehension reads the rest of [a FOR x IN list IF condition] or [a FOR x, i IN list]:
// list_transform(list, x -> a); with a condition its elements are arrays of one or none,
// flattened, so that a is computed only where the condition holds.
func (p *parser) comprehension(start int, value operand) operand {
	p.next()
	node := &ast.Lambda{}
	p.sepList(func() { node.Params = append(node.Params, p.ident("a name for the element")) })
	p.expect("IN")
	list := p.nested()
	keep := p.accept("IF")
	body := value
	if keep {
		cond := p.nested()
		some, none := &ast.Array{Span: value.span, Elems: make([]ast.Expr, 1)}, &ast.Array{Span: value.span}
		c := &ast.Case{Span: p.since(start), Whens: make([]ast.When, 1)}
		body = p.carry(c, c.Span, fill(&c.Whens[0].Cond, cond), fill(&c.Whens[0].Then, p.carry(some, some.Span, fill(&some.Elems[0], value))), fill(&c.Else, p.carry(none, none.Span)))
	}
	p.closeBrackets("]")
	node.Span = p.since(start)
	out := p.made("list_transform", node.Span, list, p.carry(node, node.Span, fill(&node.Body, body)))
	if keep {
		out = p.made("flatten", node.Span, out)
	}
	return out
}

// made is a call of a function that the text does not name.
func (p *parser) made(name string, span diag.Span, args ...operand) operand {
	node := &ast.Call{Span: span, Name: ast.Name{Span: span, Parts: []ast.Ident{{Span: span, Name: name}}}, Args: make([]ast.Expr, len(args))}
	return p.carry(node, span, fills(node.Args, args)...)
}

// mapLiteral reads MAP[k, v, ...] or MAP {k: v, ...}.
func (p *parser) mapLiteral() operand {
	start := p.pos
	p.next()
	var keys, values []operand
	if p.isOp("[") {
		at := p.here()
		list := p.bracketList("[", "]")
		if len(list)%2 != 0 {
			p.report(diag.Errorf(diag.Unexpected, at, "MAP[…] takes pairs of key and value"))
			list = list[1:]
		}
		for i := 0; i < len(list); i += 2 {
			keys, values = append(keys, list[i]), append(values, list[i+1])
		}
	} else {
		keys, values = p.pairs()
	}
	node := &ast.Map{Span: p.since(start), Keys: make([]ast.Expr, len(keys)), Values: make([]ast.Expr, len(values))}
	args := fillAll(fills(node.Keys, keys), node.Values, values)
	return p.carry(node, node.Span, args...)
}

// pairs reads {k: v, ...}.
func (p *parser) pairs() (keys, values []operand) {
	p.expectOp("{")
	if p.acceptOp("}") {
		return nil, nil
	}
	p.sepList(func() {
		keys = append(keys, p.pairKey())
		values = append(values, p.nested())
	})
	p.expectOp("}")
	return keys, values
}

func (p *parser) pairKey() operand {
	saved := p.colon
	p.colon = false
	key := p.expr()
	p.colon = saved
	p.expectOp(":")
	return key
}

// structLiteral reads {'a': 1, b: 2}; a key is a string or a name.
func (p *parser) structLiteral() operand {
	start := p.pos
	p.next()
	node := &ast.Struct{}
	var values []operand
	if !p.isOp("}") {
		p.sepList(func() {
			name := p.structKey()
			p.expectOp(":")
			node.Fields = append(node.Fields, ast.StructField{Name: &name})
			values = append(values, p.nested())
		})
	}
	p.expectOp("}")
	node.Span = p.since(start)
	return p.carryStruct(node, values)
}

func (p *parser) structKey() ast.Ident {
	if p.peek().isString() {
		return p.textName("a field name")
	}
	return p.anyIdent("a field name")
}

func (p *parser) carryStruct(node *ast.Struct, values []operand) operand {
	args := make([]arg, len(values))
	for i := range values {
		args[i] = fill(&node.Fields[i].Value, values[i])
	}
	return p.carry(node, node.Span, args...)
}

// lambdaParen tells whether (a, b) -> is next.
func (p *parser) lambdaParen() bool {
	m := int(p.peek().match)
	if m < 0 || m+1 >= p.end || p.text(p.toks[m+1]) != "->" {
		return false
	}
	for i := p.pos + 1; i < m; i += 2 {
		if !p.toks[i].isName() || i+1 < m && p.text(p.toks[i+1]) != "," {
			return false
		}
	}
	return true
}

// startsLambda tells whether an argument begins a lambda. A single name before
// -> and a constant is JSON access: j -> 'a'; a constant lambda is (x) -> 'a'.
func (p *parser) startsLambda() bool {
	if p.isOp("(") {
		return p.lambdaParen()
	}
	if p.startsColonLambda() {
		return true
	}
	after := p.at(2)
	return p.nameAt(0) && p.opAt(1, "->") && !after.isString() && after.kind != tokNumber
}

// startsColonLambda tells DuckDB's LAMBDA x, y: body.
func (p *parser) startsColonLambda() bool {
	n := 1
	for p.isWord("LAMBDA") && p.nameAt(n) && p.opAt(n+1, ",") {
		n += 2
	}
	return p.isWord("LAMBDA") && p.nameAt(n) && p.opAt(n+1, ":")
}

// lambda reads x -> body, (x, y) -> body or LAMBDA x, y: body.
func (p *parser) lambda() operand {
	start := p.pos
	node := &ast.Lambda{}
	arrow := "->"
	if p.startsColonLambda() {
		p.next()
		p.sepList(func() { node.Params = append(node.Params, p.ident("a parameter")) })
		arrow = ":"
	} else if p.acceptOp("(") {
		if !p.isOp(")") {
			p.sepList(func() { node.Params = append(node.Params, p.ident("a parameter")) })
		}
		p.expectOp(")")
	} else {
		node.Params = append(node.Params, p.ident("a parameter"))
	}
	p.expectOp(arrow)
	body := p.nested()
	node.Span = p.since(start)
	return p.carry(node, node.Span, fill(&node.Body, body))
}
