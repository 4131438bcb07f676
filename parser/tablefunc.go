package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// tableFunc reads f(…) or TABLE(f(…)) in FROM, with WITH ORDINALITY or AT BATCH.
func (p *parser) tableFunc(start int, lateral bool) *tableFactor {
	wrapped := p.isWord("TABLE") && p.opAt(1, "(")
	if wrapped {
		p.pos += 2
		lateral = lateral || p.isWord("UNNEST")
	}
	if !p.callAhead() {
		p.unexpected("a table function")
		return nil
	}
	at := p.pos
	c := &call{node: &ast.Call{Name: p.name("a table function")}, start: at, table: true}
	p.arguments(c)
	if p.failed {
		return nil
	}
	if c.fields != nil {
		p.failf(diag.Unexpected, p.since(at), "expected a table function, found struct()")
		return nil
	}
	if c.node.Nulls != ast.NullsDefault {
		p.failf(diag.Unexpected, p.since(at), "IGNORE NULLS and RESPECT NULLS are of aggregates and window functions, not of table functions")
		return nil
	}
	node := &ast.TableFunc{Call: c.node, Lateral: lateral}
	args := c.finish(p.since(at))
	if wrapped {
		p.closeList()
	}
	p.tableFuncTail(node)
	return &tableFactor{node: node, span: &node.Span, alias: &node.Alias, watermark: &node.Watermark,
		args: append([]arg{}, args...)}
}

func (p *parser) tableFuncTail(node *ast.TableFunc) {
	if p.accept("WITH", "ORDINALITY") {
		node.Ordinality = true
	}
	if p.isWords("AT", "BATCH") {
		p.pos += 2
		t := p.peek()
		if t.kind != tokNumber {
			p.unexpected("a batch number")
			return
		}
		p.next()
		node.AtBatch = p.numberOf(t)
	}
}

// tableArgument reads TABLE t or DESCRIPTOR(c), if one of them is next.
func (p *parser) tableArgument() (operand, bool) {
	switch {
	case p.isWord("DESCRIPTOR") && p.opAt(1, "("):
		start := p.pos
		p.next()
		node := &ast.Descriptor{}
		p.parenList(false, func() { node.Columns = append(node.Columns, p.name("a column")) })
		node.Span = p.since(start)
		return p.leaf(node), true
	case p.isWord("TABLE") && (p.nameAt(1) || p.queryParen(1)):
		return p.tableArg(), true
	}
	return operand{}, false
}

// tableArg reads TABLE name|(query) [PARTITION BY …] [ORDER BY …].
func (p *parser) tableArg() operand {
	start := p.pos
	p.next()
	node := &ast.TableArg{}
	var args []arg
	if p.isOp("(") {
		q, _ := p.queryInParens()
		args = append(args, fillQuery(&node.Query, q))
	} else {
		name := p.name("a table")
		node.Table = &name
	}
	if p.accept("PARTITION", "BY") {
		list := p.partitionList()
		node.PartitionBy = make([]ast.Expr, len(list))
		args = fillAll(args, node.PartitionBy, list)
	}
	if p.isWords("ORDER", "BY") {
		p.pos += 2
		var keys []operand
		for first := true; first || p.nextColumn(); first = false {
			item, key := p.orderItem()
			node.OrderBy, keys = append(node.OrderBy, item), append(keys, key)
		}
		args = append(args, orderArgs(node.OrderBy, keys)...)
	}
	node.Span = p.since(start)
	return p.carry(node, node.Span, args...)
}

// partitionList reads a, b or (a, b).
func (p *parser) partitionList() []operand {
	if p.isOp("(") {
		return p.bracketList("(", ")")
	}
	list := []operand{p.nested()}
	for p.nextColumn() {
		list = append(list, p.nested())
	}
	return list
}

// nextColumn takes a comma if a plain column follows, and not the next argument
// of the table function.
func (p *parser) nextColumn() bool {
	if !p.isOp(",") || !p.nameAt(1) || p.wordAt(1, "INTERVAL") || p.opAt(2, "(") || p.opAt(2, "=>") || p.at(2).isString() {
		return false
	}
	p.next()
	return true
}
