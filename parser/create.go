package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// creation has what may stand between CREATE and the kind of the object.
type creation struct {
	start                        int
	replace, temporary, external bool
	materialized, notExists      bool
	recursive                    bool
}

// create reads CREATE.
func (p *parser) create() ast.Statement {
	c := creation{start: p.pos}
	p.next()
	c.replace = p.accept("OR", "REPLACE")
	c.temporary = p.acceptAny("TEMPORARY", "TEMP") != ""
	c.external = p.accept("EXTERNAL")
	c.materialized = p.accept("MATERIALIZED")
	c.recursive = p.isWord("RECURSIVE") && p.wordAt(1, "VIEW") && p.accept("RECURSIVE")
	word := p.upper(p.peek())
	switch word {
	case "SOURCE", "STREAM", "TABLE", "SINK", "VIEW", "FUNCTION", "MACRO":
	case "AGGREGATE", "DATABASE", "SCHEMA", "CATALOG", "CONNECTION", "SECRET":
		p.pos = c.start
		return p.unsupportedCreate(word)
	case "INDEX", "UNIQUE", "EXTENSION", "TRIGGER", "PROCEDURE", "USER", "ROLE", "SEQUENCE", "TYPE", "DOMAIN", "ENUM":
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "CREATE %s is not supported", word).
			WithHint("%s", indexHint(word)))
		return &ast.Unsupported{}
	default:
		p.unexpected("SOURCE or TABLE or VIEW or MATERIALIZED VIEW or SINK or FUNCTION or MACRO")
		return &ast.Unsupported{}
	}
	if c.materialized && word != "VIEW" {
		p.unexpected("VIEW")
	}
	p.next()
	c.notExists = p.accept("IF", "NOT", "EXISTS")
	switch word {
	case "VIEW":
		return p.createView(c)
	case "SINK":
		return p.createSink(c)
	case "FUNCTION", "MACRO":
		return p.createFunction(c)
	}
	return p.createRelation(c, word)
}

func indexHint(word string) string {
	if word == "INDEX" || word == "UNIQUE" {
		return "leave it out: state is indexed by the keys that its queries need"
	}
	if word == "TRIGGER" {
		return "a materialized view follows its tables by itself: CREATE MATERIALIZED VIEW name AS SELECT …"
	}
	if word == "SEQUENCE" {
		return "uuid() is unique; row_number() OVER (ORDER BY …) numbers rows"
	}
	if word == "EXTENSION" {
		return builtinHere
	}
	if word == "TYPE" || word == "DOMAIN" || word == "ENUM" {
		return "write the type itself: STRING for an ENUM, STRUCT<a INT, b STRING> for a row type"
	}
	return "sqlstream has sources, tables, views, materialized views and sinks"
}

func (p *parser) unsupportedCreate(word string) ast.Statement {
	start := p.pos
	p.pos = p.end
	return &ast.Unsupported{Span: p.since(start), What: "CREATE " + word}
}

func (p *parser) createView(c creation) ast.Statement {
	name := p.name("a view")
	var columns []ast.Ident
	if p.isOp("(") {
		columns = p.identList("a column")
	}
	if !c.materialized {
		p.expect("AS")
		node := &ast.CreateView{OrReplace: c.replace, Temporary: c.temporary, IfNotExists: c.notExists, Name: name, Columns: columns}
		node.Query = p.plainQuery()
		node.Span = p.since(c.start)
		if c.recursive {
			readsItself(node)
		}
		return node
	}
	if c.recursive {
		p.fail(diag.Errorf(diag.NotSupported, name.Span, "CREATE MATERIALIZED RECURSIVE VIEW is not supported").
			WithHint("CREATE MATERIALIZED VIEW v AS WITH RECURSIVE r AS (…) SELECT * FROM r"))
	}
	node := &ast.CreateMaterializedView{OrReplace: c.replace, IfNotExists: c.notExists, Name: name, Columns: columns}
	if p.accept("WITH") {
		node.Options = p.props(nil)
	}
	p.expect("AS")
	node.As = p.queryStmt(true)
	node.Span = p.since(c.start)
	return node
}

// readsItself makes WITH RECURSIVE v (columns) AS (query) SELECT * FROM v of the query of
// CREATE RECURSIVE VIEW v.
func readsItself(v *ast.CreateView) {
	q, name := v.Query, v.Name.Last()
	read := &ast.TableName{Span: name.Span, Name: ast.Name{Span: name.Span, Parts: []ast.Ident{name}}}
	v.Query = &ast.Query{Span: q.Span,
		With: &ast.With{Span: q.Span, Recursive: true, CTEs: []*ast.CTE{{Span: q.Span, Name: name, Columns: v.Columns, Query: q}}},
		Body: &ast.Select{Span: q.Span, Items: []ast.SelectItem{{Span: q.Span, Expr: &ast.Star{Span: q.Span}, Text: "*"}}, From: read}}
	v.Columns = nil
}

// createRelation reads the rest of CREATE SOURCE, STREAM and TABLE.
func (p *parser) createRelation(c creation, word string) ast.Statement {
	def := p.definition(c, "a name")
	for !p.failed && p.tableOption(&def) {
	}
	if p.isWord("LIKE") && p.nameAt(1) {
		p.likeTable()
	}
	if word != "TABLE" {
		node := &ast.CreateSource{Definition: def, Span: p.since(c.start)}
		if p.isWord("AS") {
			p.fail(diag.Errorf(diag.NotSupported, p.here(), "CREATE %s … AS is not supported", word).
				WithHint("write CREATE VIEW … AS"))
		}
		return node
	}
	node := &ast.CreateTable{Definition: def, External: c.external}
	if p.accept("AS") {
		node.As = p.queryStmt(true)
	}
	node.Span = p.since(c.start)
	return node
}

// likeTable fails on LIKE other, by which other systems copy the columns of a table.
func (p *parser) likeTable() {
	at := p.here()
	p.next()
	name := p.name("a table")
	p.fail(diag.Errorf(diag.NotSupported, diag.Join(at, name.Span), "LIKE %s in a definition is not supported", name.String()).
		WithHint("write CREATE TABLE name AS SELECT * FROM %s LIMIT 0, or declare the columns: SHOW CREATE TABLE %s prints them", name.String(), name.String()))
}

// definition reads the name and the list of elements.
func (p *parser) definition(c creation, what string) ast.Definition {
	def := ast.Definition{OrReplace: c.replace, Temporary: c.temporary, IfNotExists: c.notExists, Name: p.name(what)}
	if p.isOp("(") {
		p.parenList(false, func() { p.element(&def) })
	}
	return def
}

// createSink reads the rest of CREATE SINK. WITH (…) belongs to the sink,
// wherever it stands; it may also have the options of the query.
func (p *parser) createSink(c creation) ast.Statement {
	node := &ast.CreateSink{Definition: p.definition(c, "a sink")}
	for !p.failed && !p.done() {
		switch {
		case p.isWord("INTO") && node.Into == nil:
			p.next()
			name := p.name("a table")
			node.Into = &name
		case p.isWord("FROM") && node.From == nil && node.As == nil:
			p.next()
			name := p.name("a view or source")
			node.From = &name
		case p.isWord("AS") && node.From == nil && node.As == nil:
			p.next()
			node.As = p.queryStmt(false)
		case node.As != nil && p.startsEmit():
			p.sinkEmit(node.As)
		case p.tableOption(&node.Definition):
		default:
			p.unexpectedHere()
			return node
		}
	}
	node.Span = p.since(c.start)
	return node
}

// sinkEmit reads a clause of the query that stands behind the sink's options.
func (p *parser) sinkEmit(stmt *ast.QueryStmt) {
	if stmt.Emit == nil {
		stmt.Emit = &ast.Emit{}
	}
	p.emit = stmt.Emit
	p.emitClause()
	p.emit = nil
}
