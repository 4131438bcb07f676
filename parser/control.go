package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// set reads SET key = value, SET TIME ZONE value, SET key and SET.
func (p *parser) set() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Set{}
	if p.isWord("VARIABLE") && p.at(1).isName() {
		p.fail(diag.Errorf(diag.NotSupported, p.since(start), "SET VARIABLE is not supported").WithHint("%s", foreignStatements["DECLARE"]))
	}
	if !p.done() {
		zone := p.isWords("TIME", "ZONE")
		node.Key, node.KeySpan = p.settingKey()
		if p.acceptOp("=") || p.accept("TO") || zone && !p.done() {
			node.Value = p.settingValue()
		}
	}
	node.Span = p.since(start)
	return node
}

// settingKey reads the name of a setting; TIME ZONE is the setting timezone.
func (p *parser) settingKey() (string, diag.Span) {
	if p.isWords("TIME", "ZONE") {
		start := p.pos
		p.pos += 2
		return "timezone", p.since(start)
	}
	return p.key()
}

// settingValue reads the value of a setting; words separated by nothing else
// than blanks are no value, since that is how a missing semicolon looks.
func (p *parser) settingValue() *ast.Literal {
	if p.isWord("NULL") {
		t := p.next()
		return &ast.Literal{Span: t.span(), Kind: ast.LitString, Text: strings.ToLower(p.text(t))}
	}
	if p.anyWordAt(0, "ON", "ALL") {
		t := p.next()
		return &ast.Literal{Span: t.span(), Kind: ast.LitString, Text: p.text(t)}
	}
	return p.propValue()
}

// reset reads RESET key, RESET ALL and RESET.
func (p *parser) reset() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Reset{}
	if !p.done() && !p.accept("ALL") {
		node.Key, node.KeySpan = p.settingKey()
	}
	node.Span = p.since(start)
	return node
}

// drop reads DROP.
func (p *parser) drop() ast.Statement {
	start := p.pos
	p.next()
	node := &ast.Drop{Object: p.dropObject()}
	node.IfExists = p.accept("IF", "EXISTS")
	node.Name = p.name("a name")
	node.Cascade = p.acceptAny("CASCADE", "RESTRICT") == "CASCADE"
	node.Span = p.since(start)
	return node
}

func (p *parser) dropObject() ast.Object {
	if o := p.object(); o != ast.ObjectAny {
		return o
	}
	p.unexpected("TABLE or SOURCE or SINK or VIEW or MATERIALIZED VIEW or FUNCTION or QUERY")
	return ast.ObjectAny
}

// control reads START, STOP, PAUSE, RESUME, CANCEL and AWAIT.
func (p *parser) control(word string) ast.Statement {
	start := p.pos
	p.next()
	node := &ast.QueryControl{Action: map[string]ast.QueryAction{"START": ast.StartQuery, "STOP": ast.StopQuery,
		"PAUSE": ast.PauseQuery, "RESUME": ast.ResumeQuery, "CANCEL": ast.CancelQuery, "AWAIT": ast.AwaitQuery}[word]}
	switch {
	case word == "AWAIT" && p.accept("ALL"):
	case word == "AWAIT" && p.accept("ANY"):
		node.Any = true
	default:
		p.expect("QUERY")
		name := p.name("the name of a query")
		node.Name = &name
	}
	p.controlTail(node)
	node.Span = p.since(start)
	return node
}

func (p *parser) controlTail(node *ast.QueryControl) {
	switch {
	case p.accept("RECOMPUTE"):
		node.Recompute = true
	case p.accept("WITH", "SAVEPOINT"):
		node.Savepoint = true
	case p.accept("FROM", "CHECKPOINT"):
		node.Checkpoint = p.stringLit("a path")
	case p.accept("TIMEOUT"):
		node.Timeout = p.span("a timeout")
	}
}

// runTrigger reads RUN TRIGGER [FOR q].
func (p *parser) runTrigger() ast.Statement {
	start := p.pos
	p.next()
	p.expect("TRIGGER")
	node := &ast.RunTrigger{}
	if p.accept("FOR") {
		p.accept("QUERY")
		name := p.name("the name of a query")
		node.For = &name
	}
	node.Span = p.since(start)
	return node
}
