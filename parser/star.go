package parser

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
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
	if p.isWord("EXCLUDE") && !p.opAt(1, ",") || p.isWord("EXCEPT") && p.opAt(1, "(") && !p.queryParen(1) {
		p.next()
		one := func() { node.Except = append(node.Except, p.ofStar(node)) }
		if p.isOp("(") {
			p.parenList(false, one)
		} else {
			one()
		}
	}
	var args []arg
	if p.isWord("REPLACE") && p.opAt(1, "(") {
		p.next()
		args = p.starReplace(node)
	}
	if p.isWord("RENAME") && (p.opAt(1, "(") || p.nameAt(1) && p.wordAt(2, "AS")) {
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

// starPattern reads what follows * LIKE: the pattern of the names of columns.
func (p *parser) starPattern(start int, star operand) operand {
	o, _ := p.predicate(star)
	item := &ast.SelectItem{Span: p.since(start), Text: p.folded(start)}
	return p.carry(item, item.Span, fill(&item.Expr, o))
}

// ofStar reads a column of a star, with or without what stands before the star.
func (p *parser) ofStar(node *ast.Star) ast.Ident {
	name := p.name("a column")
	if len(name.Parts) == 0 {
		return ast.Ident{}
	}
	last := len(name.Parts) - 1
	same := func(a, b ast.Ident) bool { return strings.EqualFold(a.Name, b.Name) }
	if last > 0 && !slices.EqualFunc(name.Parts[:last], node.Qualifier, same) {
		p.report(diag.Errorf(diag.Unexpected, name.Span, "%s is not a column of what stands before the star", name).
			WithHint("write the name of the column alone"))
	}
	return name.Parts[last]
}

// starRename reads (a AS b, …) or a AS b.
func (p *parser) starRename(node *ast.Star) {
	one := func() {
		from := p.ident("a column")
		p.expect("AS")
		node.Rename = append(node.Rename, ast.Renamed{From: from, To: p.ident("a name")})
	}
	if p.isOp("(") {
		p.parenList(false, one)
		return
	}
	one()
}

// starReplace reads (expr AS name, ...).
func (p *parser) starReplace(node *ast.Star) []arg {
	var list []operand
	p.parenList(false, func() {
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
