package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// startsPivot tells PIVOT (…) and UNPIVOT [INCLUDE|EXCLUDE NULLS] (…) from an alias.
func (p *parser) startsPivot() bool {
	switch {
	case p.opAt(1, "("):
		return p.anyWordAt(0, "PIVOT", "UNPIVOT")
	case p.isWord("UNPIVOT"):
		return p.anyWordAt(1, "INCLUDE", "EXCLUDE") && p.wordAt(2, "NULLS") && p.opAt(3, "(")
	}
	return false
}

// pivoted reads the PIVOT or UNPIVOT that follows a table reference or a join: it applies
// to all of it.
func (p *parser) pivoted(in source) source {
	if p.isWord("UNPIVOT") {
		return p.unpivot(in)
	}
	node := &ast.Pivot{}
	args := []arg{fillTable(&node.Input, in)}
	p.pos += 2
	args = p.pivotAggs(node, args)
	p.expect("FOR")
	p.columnTuple(func() { node.For = append(node.For, p.name("a column")) })
	args = p.pivotValues(node, args)
	if p.accept("GROUP", "BY") {
		p.sepList(func() { node.GroupBy = append(node.GroupBy, p.name("a column")) })
	}
	p.closeList()
	node.Alias = p.pivotAlias()
	node.Span = diag.Join(in.span, p.since(p.pos-1))
	return p.emitPivot(node, node.Span, args)
}

func (p *parser) pivotAggs(node *ast.Pivot, args []arg) []arg {
	var list []operand
	p.sepList(func() {
		start := p.pos
		list = append(list, p.nested())
		item := ast.SelectItem{Span: p.since(start), Text: p.folded(start)}
		item.Alias = p.valueAlias("FOR")
		node.Aggs = append(node.Aggs, item)
	})
	for i := range list {
		args = append(args, fill(&node.Aggs[i].Expr, list[i]))
	}
	return args
}

// columnTuple calls item for a single name or each of a list in parentheses.
func (p *parser) columnTuple(item func()) {
	if p.isOp("(") {
		p.parenList(false, item)
		return
	}
	item()
}

// pivotValues reads IN (…).
func (p *parser) pivotValues(node *ast.Pivot, args []arg) []arg {
	if p.isOp(")") || p.isWords("GROUP", "BY") || p.isWords("IN", "ANY") || p.isWord("IN") && p.queryParen(1) {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "PIVOT without a list of values is not supported").
			WithHint("list them: FOR %s IN (…); the columns of a result are fixed when its query starts", node.For[0]))
		return args
	}
	p.expect("IN")
	p.parenList(false, func() { args = p.pivotValue(node, args) })
	if p.nameAt(0) {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "PIVOT with several lists of values is not supported").
			WithHint("write one list of tuples: FOR (a, b) IN ((1, 2), (1, 3))"))
	}
	return args
}

func (p *parser) pivotValue(node *ast.Pivot, args []arg) []arg {
	start := p.pos
	var list []operand
	if len(node.For) > 1 && p.isOp("(") {
		list = p.bracketList("(", ")")
	} else {
		list = append(list, p.nested())
	}
	v := ast.PivotValue{Exprs: make([]ast.Expr, len(list)), Span: p.since(start)}
	if len(list) != len(node.For) && !p.failed {
		p.failf(diag.Unexpected, v.Span, "values given: %d, needed: %d, one for each column after FOR", len(list), len(node.For))
	}
	v.Alias = p.valueAlias("")
	node.Values = append(node.Values, v)
	return fillAll(args, v.Exprs, list)
}

// valueAlias reads [AS] name, where the name may be a string; the word stop is none.
func (p *parser) valueAlias(stop string) *ast.Ident {
	as := p.accept("AS")
	if t := p.peek(); t.isString() && as {
		id := ast.Ident{Span: t.span(), Name: p.stringLit("an alias").Text, Quoted: true}
		return &id
	}
	if !as && (!p.nameAt(0) || p.isWord(stop)) {
		return nil
	}
	id := p.ident("an alias")
	return &id
}

// pivotAlias reads the alias of the result.
func (p *parser) pivotAlias() *ast.Alias {
	if p.isWord("AS") || p.nameAt(0) && !p.tableSoft() {
		return p.tableAlias()
	}
	return nil
}

func (p *parser) unpivot(in source) source {
	node := &ast.Unpivot{}
	p.next()
	switch {
	case p.accept("INCLUDE", "NULLS"):
		node.IncludeNulls = true
	default:
		p.accept("EXCLUDE", "NULLS")
	}
	p.expectOp("(")
	p.columnTuple(func() { node.Values = append(node.Values, p.ident("a name for the values")) })
	p.expect("FOR")
	node.Name = p.ident("a name for the column of names")
	p.expect("IN")
	p.parenList(false, func() { node.In = append(node.In, p.unpivotColumns(len(node.Values))) })
	p.closeList()
	node.Alias = p.pivotAlias()
	node.Span = diag.Join(in.span, p.since(p.pos-1))
	return p.emitPivot(node, node.Span, []arg{fillTable(&node.Input, in)})
}

func (p *parser) unpivotColumns(n int) ast.UnpivotColumns {
	start := p.pos
	var c ast.UnpivotColumns
	p.columnTuple(func() { c.Columns = append(c.Columns, p.name("a column")) })
	c.Span = p.since(start)
	if len(c.Columns) != n && !p.failed {
		p.failf(diag.Unexpected, c.Span, "columns given: %d, needed: %d, one for each column of values", len(c.Columns), n)
	}
	c.Alias = p.valueAlias("")
	return c
}

// emitPivot writes the node as a derived table.
func (p *parser) emitPivot(node ast.TableRef, span diag.Span, args []arg) source {
	out := newRope("(SELECT ", span.Start)
	out.join(p.carry(node, span, args...).rope)
	out.add(") AS `t`", max(span.Start, span.End-1))
	return source{rope: out, span: span}
}
