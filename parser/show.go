package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// explain reads EXPLAIN.
func (p *parser) explain() ast.Statement {
	if p.wordAt(1, "ROW") && p.operandAt(2) {
		return p.unsupported(2)
	}
	start := p.pos
	p.next()
	node := &ast.Explain{}
	switch {
	case p.accept("PLAN", "FOR"):
	case p.isOp("(") && !p.queryParen(0):
		node.Options = p.explainOptions()
	case p.anyWordAt(0, "ANALYZE", "INCREMENTAL", "EXTENDED", "VERBOSE", "LOGICAL", "PHYSICAL") && !p.at1End():
		node.Mode = p.upper(p.next())
	}
	p.explainTarget(node)
	node.Span = p.since(start)
	return node
}

// at1End tells whether the next token is the last.
func (p *parser) at1End() bool { return p.at(1).kind == tokEnd }

func (p *parser) explainTarget(node *ast.Explain) {
	switch {
	case p.isOp("("), p.pivotStatementAt(0), p.anyWordAt(0, "SELECT", "FROM", "VALUES", "TABLE", "WITH", "INSERT", "CREATE", "EXECUTE"):
		node.Target = p.statement()
		switch t := node.Target.(type) {
		case *ast.QueryStmt, *ast.Insert, *ast.CreateMaterializedView, *ast.CreateSink, *ast.StatementSet, *ast.CreateView, *ast.Execute:
		default:
			p.failf(diag.NotSupported, t.Pos(), "this statement has no plan to explain")
		}
	default:
		if p.isWord("QUERY") && p.at(1).isName() {
			p.next()
		}
		name := p.name("a statement or the name of a query")
		node.Query = &name
	}
}

// explainOptions reads (FORMAT JSON, VERBOSE).
func (p *parser) explainOptions() []ast.Option {
	var list []ast.Option
	p.parenList(false, func() {
		start := p.pos
		key, span := p.key()
		opt := ast.Option{Key: key, KeySpan: span}
		p.acceptOp("=")
		if p.isOp(",") || p.isOp(")") {
			opt.Value = &ast.Literal{Span: span, Kind: ast.LitBool, Text: "true"}
		} else {
			opt.Value = p.propValue()
		}
		opt.Span = p.since(start)
		list = append(list, opt)
	})
	return list
}

// show reads SHOW.
func (p *parser) show() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Show{}
	if p.isWords("STREAMING", "QUERIES") {
		p.next()
	}
	if p.isWords("MATERIALIZED", "VIEWS") {
		p.next()
		p.next()
		node.Kind = ast.ShowMaterializedViews
	} else {
		p.showKind(node)
	}
	if p.accept("LIKE") {
		node.Like = p.stringLit("a pattern")
	}
	node.Span = p.since(start)
	return node
}

func (p *parser) showKind(node *ast.Show) {
	kinds := map[string]ast.ShowKind{"TABLES": ast.ShowTables, "SOURCES": ast.ShowSources, "STREAMS": ast.ShowSources,
		"SINKS": ast.ShowSinks, "VIEWS": ast.ShowViews, "QUERIES": ast.ShowQueries, "FUNCTIONS": ast.ShowFunctions,
		"SETTINGS": ast.ShowSettings, "PROGRESS": ast.ShowProgress, "WATERMARKS": ast.ShowWatermarks, "STATE": ast.ShowState,
		"COLUMNS": ast.ShowColumns, "CREATE": ast.ShowCreate}
	kind, ok := kinds[p.upper(p.peek())]
	if !ok {
		p.unexpected("TABLES or SOURCES or SINKS or VIEWS or QUERIES or FUNCTIONS or SETTINGS or PROGRESS or WATERMARKS or STATE or COLUMNS or CREATE")
		return
	}
	p.next()
	node.Kind = kind
	switch kind {
	case ast.ShowProgress, ast.ShowWatermarks, ast.ShowState:
		if p.accept("FOR") {
			p.accept("QUERY")
			name := p.name("a query")
			node.Name = &name
		}
	case ast.ShowColumns:
		if !p.accept("FROM") {
			p.expect("IN")
		}
		name := p.name("a table")
		node.Name = &name
	case ast.ShowCreate:
		node.Object = p.object()
		name := p.name("a name")
		node.Name = &name
	}
}

// object reads the keyword of a kind of object, if one is next and a name follows.
func (p *parser) object() ast.Object {
	if p.isWords("MATERIALIZED", "VIEW") {
		p.pos += 2
		return ast.ObjectMaterializedView
	}
	kinds := map[string]ast.Object{"TABLE": ast.ObjectTable, "SOURCE": ast.ObjectSource, "STREAM": ast.ObjectSource,
		"SINK": ast.ObjectSink, "VIEW": ast.ObjectView, "FUNCTION": ast.ObjectFunction, "MACRO": ast.ObjectFunction, "QUERY": ast.ObjectQuery}
	kind := kinds[p.upper(p.peek())]
	if kind != ast.ObjectAny && p.at(1).isName() {
		p.next()
		return kind
	}
	return ast.ObjectAny
}

// describeStmt reads DESCRIBE.
func (p *parser) describeStmt() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Describe{}
	if p.anyWordAt(0, "EXTENDED", "FORMATTED") && !p.at1End() {
		p.next()
		node.Extended = true
	}
	if p.anyWordAt(0, "SELECT", "WITH", "FROM") || p.isWord("VALUES") && p.opAt(1, "(") || p.isOp("(") || p.pivotStatementAt(0) {
		node.Query = p.plainQuery()
	} else {
		node.Object = p.object()
		name := p.name("a name or a query")
		node.Name = &name
	}
	node.Span = p.since(start)
	return node
}
