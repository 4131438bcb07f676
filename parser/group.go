package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

// groupBy reads GROUP BY; the whole clause is one carrier.
func (p *parser) groupBy(sel *ast.Select) rope {
	start := p.pos
	if !p.expect("GROUP", "BY") {
		return rope{}
	}
	node := &ast.GroupBy{}
	sel.GroupBy = node
	var keys []operand
	if p.allStar(0) || p.endsElement(1) && p.accept("ALL") {
		node.All = true
	} else {
		node.Distinct = p.acceptAny("ALL", "DISTINCT") == "DISTINCT"
		p.sepList(func() { node.Items = append(node.Items, p.groupItem(&keys)) })
		p.withRollup(node)
	}
	node.Span = p.since(start)
	args, _ := groupArgs(nil, node.Items, keys)
	out := newRope(" GROUP BY ", node.Start)
	out.join(p.carry(node, node.Span, args...).rope)
	return out
}

// allStar takes a * that stands for ALL, as in DuckDB, n tokens ahead.
func (p *parser) allStar(n int) bool {
	next := p.at(n + 1)
	if !p.opAt(n, "*") || next.kind != tokEnd && !p.opAt(n+1, ")") && !p.opAt(n+1, ";") && !(next.kind == tokWord && (isReserved(p.text(next)) || p.anyWordAt(n+1, "LIMIT", "OFFSET", "ASC", "DESC", "NULLS", "EMIT"))) {
		return false
	}
	p.pos += n + 1
	return true
}

// withRollup reads WITH ROLLUP and WITH CUBE behind the keys.
func (p *parser) withRollup(node *ast.GroupBy) {
	kind := ast.GroupRollup
	switch {
	case p.accept("WITH", "ROLLUP"):
	case p.accept("WITH", "CUBE"):
		kind = ast.GroupCube
	default:
		return
	}
	node.Items = []ast.GroupItem{{Span: node.Items[0].Span, Kind: kind, Items: node.Items}}
}

// groupItem reads one element and appends its expressions to keys.
func (p *parser) groupItem(keys *[]operand) ast.GroupItem {
	start := p.pos
	item := ast.GroupItem{}
	switch {
	case p.isWord("ROLLUP") && p.opAt(1, "("):
		item.Kind = ast.GroupRollup
		p.next()
		item.Items = p.groupList(keys)
	case p.isWord("CUBE") && p.opAt(1, "("):
		item.Kind = ast.GroupCube
		p.next()
		item.Items = p.groupList(keys)
	case p.isWords("GROUPING", "SETS") && p.opAt(2, "("):
		item.Kind = ast.GroupSets
		p.pos += 2
		item.Items = p.groupList(keys)
	case p.isOp("(") && !p.queryParen(0) && p.endsElement(int(p.peek().match)+1-p.pos):
		list := p.bracketList("(", ")")
		item.Exprs = make([]ast.Expr, len(list))
		*keys = append(*keys, list...)
	default:
		item.Exprs = make([]ast.Expr, 1)
		*keys = append(*keys, p.nested())
	}
	item.Span = p.since(start)
	return item
}

// endsElement tells whether the token n ahead cannot go on an expression.
func (p *parser) endsElement(n int) bool {
	t := p.at(n)
	switch t.kind {
	case tokEnd:
		return true
	case tokOp:
		text := p.text(t)
		return text == "," || text == ")" || text == "]"
	case tokWord:
		return p.anyWordAt(n, "HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "QUALIFY", "USING", "WITH", "WINDOW",
			"EMIT", "OUTPUT", "TRIGGER", "OFFSET", "FETCH", "MINUS", "WHERE", "GROUP", "FROM")
	}
	return false
}

func (p *parser) groupList(keys *[]operand) []ast.GroupItem {
	defer p.leave()
	var list []ast.GroupItem
	if !p.enter() {
		return nil
	}
	p.expectOp("(")
	p.sepList(func() { list = append(list, p.groupItem(keys)) })
	p.closeList()
	return list
}

// groupArgs pairs the expressions, in the order written, with their places.
func groupArgs(args []arg, items []ast.GroupItem, keys []operand) ([]arg, []operand) {
	for i := range items {
		item := &items[i]
		n := min(len(item.Exprs), len(keys))
		args = fillAll(args, item.Exprs, keys[:n])
		args, keys = groupArgs(args, item.Items, keys[n:])
	}
	return args, keys
}
