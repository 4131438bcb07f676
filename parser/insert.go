package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// insert reads INSERT; with is the WITH clause that stood before it.
func (p *parser) insert(with rope) *ast.Insert {
	start := p.pos
	if with.head != nil {
		start = p.first
	}
	p.next()
	node := &ast.Insert{}
	switch {
	case p.accept("INTO"):
		p.accept("TABLE")
	case p.accept("OVERWRITE"):
		node.Overwrite = true
		p.acceptAny("INTO", "TABLE")
	default:
		p.unexpected("INTO or OVERWRITE")
	}
	node.Table = p.name("a table or sink")
	if p.isWord("PARTITION") && p.opAt(1, "(") {
		p.next()
		node.Partition = p.props(nil)
	}
	if p.isOp("(") && !p.queryParen(0) {
		node.Columns = p.identList("a column")
	}
	if len(node.Columns) == 0 && p.accept("BY", "NAME") {
		node.ByName = true
	}
	node.Source = p.insertSource(with)
	node.Span = p.since(start)
	p.checkArity(node)
	return node
}

// insertSource reads the query. Rows of literals go around TiDB.
func (p *parser) insertSource(with rope) *ast.QueryStmt {
	if with.head == nil {
		if stmt := p.literalRows(); stmt != nil {
			return stmt
		}
		return p.queryStmt(true)
	}
	if p.isWord("WITH") {
		p.failf(diag.ClauseOrder, p.here(), "WITH is given twice")
	}
	start := p.pos
	p.emit, p.emitWith = &ast.Emit{}, true
	r := p.query()
	for !p.failed && p.emitClause() {
	}
	with.join(r)
	stmt := &ast.QueryStmt{Span: p.since(start), Query: p.runQuery(with)}
	if !p.emit.Span.IsZero() {
		stmt.Emit = p.emit
	}
	p.emit = nil
	return stmt
}

// checkArity compares the column list with rows of VALUES.
func (p *parser) checkArity(node *ast.Insert) {
	if p.failed || len(node.Columns) == 0 || node.Source.Query == nil {
		return
	}
	values, ok := node.Source.Query.Body.(*ast.Values)
	if ok && len(values.Rows) > 0 && len(values.Rows[0]) != len(node.Columns) {
		p.report(diag.Errorf(diag.BadArity, node.Source.Span, "%d columns are listed, and the rows have %d values",
			len(node.Columns), len(values.Rows[0])))
	}
}

// literalRows reads VALUES whose rows are all of literals, to the end of the
// statement; otherwise it gives nil and takes nothing. It is linear and makes no
// text, so that inserts may be long.
func (p *parser) literalRows() *ast.QueryStmt {
	if !p.isWord("VALUES") {
		return nil
	}
	start, diags, failed := p.pos, len(p.diags), p.failed
	undo := func() { p.pos, p.diags, p.failed = start, p.diags[:diags], failed }
	p.next()
	node := &ast.Values{}
	for {
		at := p.here()
		row, ok := p.literalRow()
		if !ok {
			undo()
			return nil
		}
		at.End = p.since(p.pos - 1).End
		p.checkRow(node, len(row), at)
		node.Rows[len(node.Rows)-1] = row
		if !p.acceptOp(",") || p.done() || p.isOp(";") {
			break
		}
	}
	if !p.done() && !p.isOp(";") {
		undo()
		return nil
	}
	node.Span = p.since(start)
	q := &ast.Query{Span: node.Span, Body: node}
	return &ast.QueryStmt{Span: node.Span, Query: q}
}

func (p *parser) literalRow() ([]ast.Expr, bool) {
	if !p.acceptOp("(") {
		return nil, false
	}
	var row []ast.Expr
	for {
		e := p.literal()
		if e == nil {
			return nil, false
		}
		row = append(row, e)
		if p.acceptOp(")") {
			return row, true
		}
		if !p.acceptOp(",") {
			return nil, false
		}
	}
}

// literal reads one literal that an expression cannot go on behind, or gives nil.
func (p *parser) literal() ast.Expr {
	e := p.literalValue()
	if e == nil || !p.isOp(",") && !p.isOp(")") {
		return nil
	}
	return e
}

func (p *parser) literalValue() ast.Expr {
	t := p.peek()
	switch {
	case t.kind == tokNumber:
		return p.numberOf(p.next())
	case t.isString() && !p.at(1).isString(), t.kind == tokBytes:
		return p.stringOf(p.next())
	case p.isOp("-") && p.at(1).kind == tokNumber:
		p.next()
		x := p.numberOf(p.next())
		return &ast.Unary{Span: diag.Span{Start: int(t.start), End: x.End}, Op: ast.Neg, X: x}
	case t.kind != tokWord:
		return nil
	}
	switch word := p.upper(t); word {
	case "NULL":
		p.next()
		return &ast.Literal{Span: t.span(), Kind: ast.LitNull}
	case "TRUE", "FALSE":
		p.next()
		return &ast.Literal{Span: t.span(), Kind: ast.LitBool, Text: map[string]string{"TRUE": "true", "FALSE": "false"}[word]}
	default:
		if lit := p.typedLiteral(word); lit != nil {
			return lit
		}
	}
	return nil
}
