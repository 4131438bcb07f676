package parser

import (
	"maps"
	"slices"

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
	case p.anyWordAt(0, "ANALYZE", "INCREMENTAL", "EXTENDED", "VERBOSE", "LOGICAL", "PHYSICAL", "FORMATTED", "COST") && !p.at1End():
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
		p.unknownShow(slices.Sorted(maps.Keys(kinds)))
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

// unknownShow fails on SHOW of something else: a misspelt kind, or a setting.
func (p *parser) unknownShow(kinds []string) {
	t := p.peek()
	if p.isWord("TBLPROPERTIES") {
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "SHOW TBLPROPERTIES is not supported").WithHint("write SHOW CREATE TABLE and the name"))
		return
	}
	d := diag.Errorf(diag.Unexpected, p.here(), "expected TABLES or SOURCES or SINKS or VIEWS or QUERIES or FUNCTIONS or SETTINGS or PROGRESS or WATERMARKS or STATE or COLUMNS or CREATE, found %s", p.describe(t))
	if near := diag.DidYouMean(p.text(t), kinds); near != "" {
		d.WithHint("did you mean %s?", near)
	} else if t.kind == tokWord && p.at(1).kind == tokEnd {
		d.WithHint("a setting is shown by SET and its name, as in SET timezone; SHOW SETTINGS lists them")
	}
	p.fail(d)
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

// extended takes EXTENDED or FORMATTED behind the n words that are next, which it takes too.
func (p *parser) extended(n int) bool {
	if !p.anyWordAt(n, "EXTENDED", "FORMATTED") || p.at(n+1).kind == tokEnd {
		return false
	}
	p.pos += n + 1
	return true
}

// describedObject reads the kind of what is described, before or, as in Spark's DESCRIBE TABLE
// EXTENDED t, behind which EXTENDED stands.
func (p *parser) describedObject(node *ast.Describe) ast.Object {
	kinds := map[string]ast.Object{"TABLE": ast.ObjectTable, "FUNCTION": ast.ObjectFunction}
	if kind := kinds[p.upper(p.peek())]; kind != ast.ObjectAny && p.extended(1) {
		node.Extended = true
		return kind
	}
	return p.object()
}

// describeStmt reads DESCRIBE.
func (p *parser) describeStmt() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Describe{}
	if p.isWord("QUERY") && p.anyWordAt(1, "SELECT", "WITH", "FROM", "VALUES") {
		p.next() // DESCRIBE QUERY SELECT … of Spark
	}
	node.Extended = p.extended(0)
	if p.anyWordAt(0, "SELECT", "WITH", "FROM") || p.isWord("VALUES") && p.opAt(1, "(") || p.isOp("(") || p.pivotStatementAt(0) {
		node.Query = p.plainQuery()
	} else {
		node.Object = p.describedObject(node)
		name := p.name("a name or a query")
		node.Name = &name
	}
	node.Span = p.since(start)
	return node
}
