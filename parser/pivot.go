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
	for first := true; first || !p.failed && (p.nameAt(0) || p.isOp("(")); first = false {
		args = p.pivotAxis(node, args)
	}
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

// pivotAxis reads a column, or several in parentheses, and IN (…).
func (p *parser) pivotAxis(node *ast.Pivot, args []arg) []arg {
	start := p.pos
	axis := &ast.PivotAxis{}
	node.Axes = append(node.Axes, axis)
	p.columnTuple(func() {
		n := p.name("a column")
		axis.On = append(axis.On, &ast.ColumnRef{Span: n.Span, Parts: n.Parts})
	})
	if p.isOp(")") || p.isWords("GROUP", "BY") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "PIVOT without a list of values is not supported").
			WithHint("list them: FOR … IN (…); IN (ANY) takes those that a table has"))
		return args
	}
	args = p.pivotIn(axis, args)
	axis.Span = p.since(start)
	return args
}

// pivotIn reads IN (values), IN (query) or IN (ANY).
func (p *parser) pivotIn(axis *ast.PivotAxis, args []arg) []arg {
	p.expect("IN")
	switch {
	case p.queryParen(0):
		q, _ := p.queryInParens()
		return append(args, fillQuery(&axis.Query, q))
	case p.opAt(0, "(") && p.wordAt(1, "ANY") && p.opAt(2, ")"):
		p.pos += 3
		return args
	}
	p.parenList(false, func() { args = p.pivotValue(axis, args) })
	return args
}

func (p *parser) pivotValue(axis *ast.PivotAxis, args []arg) []arg {
	start := p.pos
	var list []operand
	if len(axis.On) > 1 && p.isOp("(") {
		list = p.bracketList("(", ")")
	} else {
		list = append(list, p.nested())
	}
	v := ast.PivotValue{Exprs: make([]ast.Expr, len(list)), Span: p.since(start)}
	if len(list) != len(axis.On) && !p.failed {
		p.failf(diag.Unexpected, v.Span, "values given: %d, needed: %d, one for each column that PIVOT compares", len(list), len(axis.On))
	}
	v.Alias = p.valueAlias("")
	axis.Values = append(axis.Values, v)
	return fillAll(args, v.Exprs, list)
}

// valueAlias reads [AS] name, where the name may be a string; the word stop is none.
func (p *parser) valueAlias(stop string) *ast.Ident {
	as := p.accept("AS")
	if p.peek().isString() && as {
		id := p.textName("an alias")
		return &id
	}
	if !as && (!p.nameAt(0) || p.isWord(stop) || p.softClause()) {
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
	args := []arg{fillTable(&node.Input, in)}
	p.parenList(false, func() { args = p.unpivotColumns(node, args) })
	p.checkUnpivot(node)
	p.closeList()
	node.Alias = p.pivotAlias()
	node.Span = diag.Join(in.span, p.since(p.pos-1))
	return p.emitPivot(node, node.Span, args)
}

// unpivotColumns reads an element of IN: an expression, several in parentheses, or a star,
// which is COLUMNS(*).
func (p *parser) unpivotColumns(node *ast.Unpivot, args []arg) []arg {
	start := p.pos
	var list []operand
	if star, args := p.star(); star != nil {
		list = append(list, p.allColumns(star, args))
	} else if p.tupleAhead() {
		list = p.bracketList("(", ")")
	} else {
		list = append(list, p.nested())
	}
	c := ast.UnpivotColumns{Columns: make([]ast.Expr, len(list)), Span: p.since(start)}
	c.Alias = p.valueAlias("INTO")
	node.In = append(node.In, c)
	return fillAll(args, c.Columns, list)
}

// tupleAhead tells a list in parentheses from an expression that begins with some.
func (p *parser) tupleAhead() bool {
	if !p.isOp("(") || p.peek().match < 0 {
		return false
	}
	after := int(p.peek().match) + 1 - p.pos
	return p.opAt(after, ",") || p.opAt(after, ")") || p.at(after).kind == tokEnd || p.at(after).kind != tokOp
}

// checkUnpivot counts the columns of each element.
func (p *parser) checkUnpivot(node *ast.Unpivot) {
	for _, c := range node.In {
		if n := len(node.Values); len(c.Columns) != n && !p.failed {
			p.failf(diag.Unexpected, c.Span, "columns given: %d, needed: %d, one for each column of values", len(c.Columns), n)
		}
	}
}

// emitPivot writes the node as a derived table.
func (p *parser) emitPivot(node ast.TableRef, span diag.Span, args []arg) source {
	out := newRope("(SELECT ", span.Start)
	out.join(p.carry(node, span, args...).rope)
	out.add(") AS `t`", max(span.Start, span.End-1))
	return source{rope: out, span: span}
}
