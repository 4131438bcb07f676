package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// pivotStatementAt tells PIVOT input ON … and UNPIVOT input ON … n tokens ahead from what
// has a table of that name.
func (p *parser) pivotStatementAt(n int) bool {
	if !p.anyWordAt(n, "PIVOT", "UNPIVOT") {
		return false
	}
	n++
	for p.nameAt(n) && p.opAt(n+1, ".") {
		n += 2
	}
	if p.nameAt(n) || p.at(n).isString() {
		n++
	}
	if p.opAt(n, "(") && p.at(n).match >= 0 {
		n = int(p.at(n).match) + 1 - p.pos
	}
	if p.wordAt(n, "AS") {
		n++
	}
	if p.nameAt(n) && !p.anyWordAt(n, "INCLUDE", "EXCLUDE") {
		n++
	}
	return p.anyWordAt(n, "ON", "USING") || p.wordAt(n, "GROUP") && p.wordAt(n+1, "BY") || p.anyWordAt(n, "INCLUDE", "EXCLUDE") && p.wordAt(n+1, "NULLS")
}

// pivotCore reads PIVOT input ON … as SELECT * FROM it.
func (p *parser) pivotCore(q *ast.Query) rope {
	start := p.pos
	var table source
	if p.accept("UNPIVOT") {
		table = p.unpivotStatement(start)
	} else {
		p.next()
		table = p.pivotStatement(start)
	}
	span := p.since(start)
	out := newRope("SELECT ", span.Start)
	out.join(p.carry(&core{sel: &ast.Select{Span: span}, query: q}, span).rope)
	out.add(",", span.Start)
	out.join(p.starItem(span).rope)
	out.add(" FROM ", span.Start)
	out.join(table.rope)
	return out
}

func (p *parser) pivotStatement(start int) source {
	node := &ast.Pivot{Statement: true}
	args := []arg{fillTable(&node.Input, p.factor())}
	if p.accept("ON") {
		p.sepList(func() { args = p.statementAxis(node, args) })
	}
	if p.accept("USING") {
		args = p.pivotAggs(node, args)
	}
	if p.accept("GROUP", "BY") {
		p.sepList(func() { node.GroupBy = append(node.GroupBy, p.name("a column")) })
	}
	node.Span = p.since(start)
	return p.emitPivot(node, node.Span, args)
}

// statementAxis reads an expression, or several in parentheses, with or without IN (…).
func (p *parser) statementAxis(node *ast.Pivot, args []arg) []arg {
	start, end := p.pos, p.end
	axis := &ast.PivotAxis{}
	node.Axes = append(node.Axes, axis)
	in := p.inAhead()
	if in > 0 {
		p.end = in // IN is no part of the expression
	}
	var list []operand
	if p.isOp("(") && int(p.peek().match)+1 == p.end || p.tupleAhead() {
		list = p.bracketList("(", ")")
	} else {
		list = append(list, p.nested())
	}
	if p.pos < p.end && in > 0 && !p.failed {
		p.unexpected("IN")
	}
	if p.end = end; p.failed {
		p.pos = end
		return args
	}
	axis.On = make([]ast.Expr, len(list))
	args = fillAll(args, axis.On, list)
	if in > 0 {
		args = p.pivotIn(axis, args)
	}
	axis.Span = p.since(start)
	return args
}

// inAhead finds the IN of an axis, 0 if it has none.
func (p *parser) inAhead() int {
	cases := 0
	for i := p.pos; i < p.end; i++ {
		n := i - p.pos
		switch {
		case int(p.toks[i].match) > i:
			i = int(p.toks[i].match)
		case p.wordAt(n, "CASE"):
			cases++
		case p.wordAt(n, "END"):
			cases--
		case cases > 0:
		case p.wordAt(n, "IN"):
			return i
		case p.opAt(n, ","), p.opAt(n, ")"), p.anyWordAt(n, "USING", "GROUP", "ORDER", "LIMIT"):
			return 0
		}
	}
	return 0
}

// unpivotStatement reads UNPIVOT input [INCLUDE NULLS] ON … [INTO NAME n VALUE v, …].
func (p *parser) unpivotStatement(start int) source {
	node := &ast.Unpivot{Statement: true}
	args := []arg{fillTable(&node.Input, p.factor())}
	if p.accept("INCLUDE", "NULLS") {
		node.IncludeNulls = true
	} else {
		p.accept("EXCLUDE", "NULLS")
	}
	p.expect("ON")
	p.sepList(func() { args = p.unpivotColumns(node, args) })
	if p.accept("INTO") {
		p.expect("NAME")
		node.Name = p.ident("a name for the column of names")
		if p.acceptAny("VALUE", "VALUES") == "" {
			p.unexpected("VALUE")
		}
		p.sepList(func() { node.Values = append(node.Values, p.ident("a name for the values")) })
	} else {
		p.defaultNames(node)
	}
	p.checkUnpivot(node)
	node.Span = p.since(start)
	return p.emitPivot(node, node.Span, args)
}

// defaultNames are those of a statement without INTO.
func (p *parser) defaultNames(node *ast.Unpivot) {
	at := diag.Span{}
	node.Name = ast.Ident{Span: at, Name: "name"}
	node.Values = []ast.Ident{{Span: at, Name: "value"}}
	if len(node.In) == 0 {
		return
	}
	for i := 1; i < len(node.In[0].Columns); i++ {
		node.Values = append(node.Values, ast.Ident{Span: at, Name: "value" + string(rune('1'+i))})
	}
}
