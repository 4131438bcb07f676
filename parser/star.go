package parser

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// star reads * or a.b.* with EXCEPT and REPLACE, or gives nil.
func (p *parser) star() (*ast.Star, []arg) {
	n := 0
	for p.at(n).isName() && p.opAt(n+1, ".") {
		n += 2
	}
	if !p.opAt(n, "*") || n > 0 && p.reservedAt(0) {
		return nil, nil
	}
	start := p.pos
	node := &ast.Star{}
	for ; n > 0; n -= 2 {
		node.Qualifier = append(node.Qualifier, p.take())
		p.next()
	}
	p.next()
	if p.isWord("EXCLUDE") && !p.opAt(1, ",") || p.isWord("EXCEPT") && p.exceptNames() {
		p.next()
		one := func() { node.Except = append(node.Except, p.starColumn()) }
		p.oneOrMore(one)
	}
	var args []arg
	if p.isWord("REPLACE") && p.operandAt(1) {
		p.next()
		args = p.starReplace(node)
	}
	if p.isWord("RENAME") && (p.opAt(1, "(") || p.nameAt(1) && (p.wordAt(2, "AS") || p.opAt(2, "."))) {
		p.next()
		p.starRename(node)
	}
	node.Span = p.since(start)
	return node, args
}

// columnsStar reads the star of COLUMNS(* EXCLUDE (…)), or gives nil.
func (p *parser) columnsStar(c *call) (*ast.Star, []arg) {
	if !c.node.Name.Last().Is("columns") {
		return nil, nil
	}
	return p.star()
}

// allColumns is the COLUMNS(*) that a star stands for where it is an expression.
func (p *parser) allColumns(star *ast.Star, args []arg) operand {
	name := ast.Name{Span: star.Span, Parts: []ast.Ident{{Span: star.Span, Name: "columns"}}}
	return p.carry(&ast.Call{Span: star.Span, Name: name, Args: []ast.Expr{star}}, star.Span, args...)
}

// starPattern reads what follows * LIKE: the pattern of the names of columns.
func (p *parser) starPattern(start int, star operand) operand {
	o, _ := p.predicate(star)
	item := &ast.SelectItem{Span: p.since(start), Text: p.folded(start)}
	p.itemAlias(item)
	return p.carry(item, item.Span, fill(&item.Expr, o))
}

// exceptNames tells * EXCEPT (a) and * EXCEPT a from the operator between queries.
func (p *parser) exceptNames() bool {
	if p.opAt(1, "(") {
		return !p.queryParen(1)
	}
	return p.nameAt(1) && !p.anyWordAt(1, "TABLE", "VALUES", "ALL", "DISTINCT", "BY") && !p.pivotStatementAt(1)
}

// starColumn reads a column that a star has, whose name may be a string.
func (p *parser) starColumn() ast.Name {
	if p.peek().isString() {
		id := p.textName("a column name")
		return ast.Name{Span: id.Span, Parts: []ast.Ident{id}}
	}
	return p.name("a column")
}

// starRename reads (a AS b, …) or a AS b.
func (p *parser) starRename(node *ast.Star) {
	one := func() {
		from := p.name("a column")
		p.expect("AS")
		node.Rename = append(node.Rename, ast.Renamed{From: from, To: p.ident("a name")})
	}
	p.oneOrMore(one)
}

// oneOrMore reads one item, or several in parentheses, where a comma may follow the last.
func (p *parser) oneOrMore(item func()) {
	if !p.isOp("(") {
		item()
		return
	}
	p.next()
	for item(); p.acceptOp(",") && !p.isOp(")"); item() {
	}
	p.expectOp(")")
}

// starReplace reads (expr AS name, ...) or expr AS name.
func (p *parser) starReplace(node *ast.Star) []arg {
	var list []operand
	p.oneOrMore(func() {
		start := p.pos
		list = append(list, p.nested())
		item := ast.SelectItem{Span: p.since(start), Text: p.folded(start)}
		p.expect("AS")
		alias := p.ident("a column")
		item.Alias = &alias
		node.Replace = append(node.Replace, item)
	})
	var args []arg
	for i := range list {
		args = append(args, fill(&node.Replace[i].Expr, list[i]))
	}
	return args
}

// softClause tells whether the next token, a word that is not reserved, begins a
// clause here and is no alias.
func (p *parser) softClause() bool {
	switch p.upper(p.peek()) {
	case "WINDOW":
		return p.startsWindow()
	case "OFFSET":
		return p.startsOffset()
	case "FETCH":
		return p.startsFetch()
	case "MINUS":
		return p.startsMinus()
	case "EMIT", "OUTPUT", "TRIGGER":
		return p.startsEmit()
	case "LATERAL":
		return p.wordAt(1, "VIEW")
	}
	return false
}

// hasStar reports a star among the elements of a row, which ROW (…) alone may have.
func hasStar(list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(x ast.Expr) bool { _, ok := x.(*ast.Star); return ok })
}
