package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// prepare reads PREPARE name [(types)] AS statement.
func (p *parser) prepare() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Prepare{Name: p.ident("the name of a statement")}
	if p.isOp("(") {
		p.parenList(false, func() { node.Types = append(node.Types, p.typeName()) })
	}
	if !p.accept("FROM") {
		p.expect("AS")
	}
	if !p.failed {
		at := p.here()
		node.Statement = p.statement()
		switch node.Statement.(type) {
		case *ast.Prepare, *ast.Execute, *ast.Deallocate:
			p.failf(diag.NotSupported, at, "a statement that is prepared cannot be PREPARE, EXECUTE or DEALLOCATE")
		}
	}
	node.Span = p.since(start)
	return node
}

// executePrepared reads EXECUTE name, with arguments in brackets or behind USING.
func (p *parser) executePrepared() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Execute{Name: p.ident("the name of a prepared statement")}
	switch {
	case p.isOp("("):
		p.parenList(true, func() { p.executeArg(node) })
	case p.accept("USING"):
		p.sepList(func() { p.executeArg(node) })
	}
	node.Span = p.since(start)
	return node
}

// executeArg reads value, name => value, name := value or value AS name.
func (p *parser) executeArg(node *ast.Execute) {
	if p.peek().isName() && (p.opAt(1, "=>") || p.opAt(1, ":=")) {
		name := p.ident("a parameter")
		p.next()
		node.Named = append(node.Named, ast.NamedArg{Name: name, Value: p.plainExpr()})
		return
	}
	at := p.here()
	value := p.plainExpr()
	if p.accept("AS") {
		node.Named = append(node.Named, ast.NamedArg{Name: p.ident("a parameter"), Value: value})
		return
	}
	if len(node.Named) > 0 {
		p.failf(diag.Unexpected, at, "a value without a name cannot follow one with a name")
	}
	node.Args = append(node.Args, value)
}

// deallocate reads DEALLOCATE [PREPARE] name | ALL.
func (p *parser) deallocate() ast.Statement {
	start := p.pos
	p.next()
	p.accept("PREPARE")
	node := &ast.Deallocate{}
	if !p.accept("ALL") {
		id := p.ident("the name of a prepared statement")
		node.Name = &id
	}
	node.Span = p.since(start)
	return node
}

// alter reads ALTER object name action.
func (p *parser) alter() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Alter{Object: p.dropObject()}
	node.IfExists = p.accept("IF", "EXISTS")
	node.Name = p.name("a name")
	switch {
	case p.isWord("SET") && p.opAt(1, "("), p.isWord("SET") && p.anyWordAt(1, "TBLPROPERTIES", "OPTIONS"):
		p.next()
		p.acceptAny("TBLPROPERTIES", "OPTIONS")
		node.Options = p.props(nil)
	case p.accept("RENAME", "TO"):
		id := p.ident("the new name")
		node.Action, node.To = ast.AlterRename, &id
	case p.accept("SUSPEND"), p.accept("PAUSE"):
		node.Action = ast.AlterSuspend
	case p.accept("RESUME"):
		node.Action = ast.AlterResume
	case p.accept("ADD"):
		if !p.accept("COLUMN") {
			p.accept("COLUMNS")
		}
		c := p.column()
		node.Action, node.Column = ast.AlterAddColumn, &c
	case p.isWord("DROP") || p.isWord("ALTER") || p.isWord("MODIFY") || p.isWord("CHANGE"):
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "ALTER … %s is not supported", p.upper(p.peek())).
			WithHint("rows of a table: CREATE OR REPLACE TABLE %s AS SELECT * EXCLUDE (a) REPLACE (CAST(b AS BIGINT) AS b) FROM %s", node.Name.String(), node.Name.String()))
	default:
		p.unexpected("SET or RENAME TO or SUSPEND or RESUME or ADD COLUMN")
	}
	node.Span = p.since(start)
	return node
}

// copy reads COPY name | (query) TO 'path' [(options)].
func (p *parser) copy() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Copy{}
	if p.acceptOp("(") {
		node.Query = p.plainQuery()
		p.expectOp(")")
	} else {
		name := p.name("a table")
		node.Table = &name
	}
	if p.isWord("FROM") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "COPY … FROM is not supported").
			WithHint("write INSERT INTO t SELECT * FROM 'path'"))
	}
	p.expect("TO")
	if p.isWord("STDOUT") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "COPY … TO STDOUT is not supported").
			WithHint("write the query itself: --output csv prints its rows as CSV, tsv, json, jsonl or markdown likewise"))
	}
	node.Path = p.stringLit("a path")
	p.accept("WITH")
	if p.isOp("(") {
		node.Options = p.explainOptions()
	}
	node.Span = p.since(start)
	return node
}

// refresh reads REFRESH [MATERIALIZED VIEW] name.
func (p *parser) refresh() ast.Statement {
	start := p.pos
	p.next()
	if p.object() == ast.ObjectTable {
		p.fail(diag.Errorf(diag.NotSupported, p.since(start), "REFRESH TABLE is not supported").
			WithHint("leave it out: each query reads its tables anew"))
	}
	node := &ast.Refresh{Name: p.name("a view")}
	node.Span = p.since(start)
	return node
}
