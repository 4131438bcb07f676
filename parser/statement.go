package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// script reads the statement of this parser up to its end.
func (p *parser) script() ast.Statement {
	stmt := p.statement()
	if !p.failed && !p.done() {
		p.trailing()
	}
	return stmt
}

// trailing fails on what stands behind a complete statement.
func (p *parser) trailing() {
	switch {
	case p.startsEmit() || p.isWord("WITH") && p.opAt(1, "("):
		p.failf(diag.ClauseOrder, p.here(), "%s is allowed only after a continuous query", p.upper(p.peek()))
	case p.clause() != "":
		p.failf(diag.ClauseOrder, p.here(), "%s cannot stand here", p.clause())
	default:
		p.unexpectedHere()
	}
}

// statement decides by the first words.
func (p *parser) statement() ast.Statement {
	switch word := p.upper(p.peek()); word {
	case "SELECT", "FROM", "VALUES":
		return p.queryStmt(true)
	case "TABLE":
		return p.queryStmt(true)
	case "WITH":
		return p.withStatement()
	case "CREATE":
		return p.create()
	case "INSERT":
		return p.insert(rope{})
	case "EXECUTE":
		if p.isWords("EXECUTE", "STATEMENT", "SET") {
			return p.statementSet()
		}
		return p.executePrepared()
	case "EXPLAIN":
		return p.explain()
	case "SHOW":
		return p.show()
	case "DESCRIBE", "DESC":
		return p.describeStmt()
	case "SET":
		return p.set()
	case "RESET":
		return p.reset()
	case "DROP":
		return p.drop()
	case "START", "STOP", "PAUSE", "RESUME", "CANCEL", "AWAIT":
		return p.control(word)
	case "RUN":
		return p.runTrigger()
	case "PREPARE":
		return p.prepare()
	case "DEALLOCATE":
		return p.deallocate()
	case "ALTER":
		return p.alter()
	case "COPY":
		return p.copy()
	case "REFRESH":
		return p.refresh()
	}
	if p.isOp("(") || p.pivotStatementAt(0) {
		return p.queryStmt(true)
	}
	return p.otherStatement()
}

// otherStatement names the statements that are known and not supported, and
// fails on all others.
func (p *parser) otherStatement() ast.Statement {
	t := p.peek()
	word := p.upper(t)
	switch {
	case word == "USE":
		return p.unsupported(1)
	case p.isWords("BEGIN", "STATEMENT", "SET"):
		return p.statementSet()
	}
	hint, known := foreignStatements[word]
	if !known {
		p.unknownStatement(t)
		return &ast.Unsupported{}
	}
	d := diag.Errorf(diag.NotSupported, t.span(), "%s is not supported", word)
	d.Hint = hint
	p.fail(d)
	return &ast.Unsupported{}
}

func (p *parser) unknownStatement(t token) {
	d := diag.Errorf(diag.UnknownStatement, t.span(), "%s starts no statement", p.describe(t))
	words := []string{"SELECT", "WITH", "CREATE", "INSERT", "EXPLAIN", "SHOW", "DESCRIBE", "SET", "RESET", "DROP", "START",
		"STOP", "PAUSE", "RESUME", "AWAIT", "RUN", "VALUES", "EXECUTE", "FROM"}
	if p.first > 0 && p.continues() {
		d.WithHint("the semicolon before it ends a statement: leave that out if it goes on here")
	} else if near := diag.DidYouMean(p.text(t), words); near != "" {
		d.WithHint("did you mean %s?", near)
	} else if p.text(t) == "." {
		d.WithHint(ofTheShell)
	}
	p.fail(d)
}

// continues tells whether a word that starts no statement begins a later part of one.
func (p *parser) continues() bool {
	return isReserved(p.text(p.peek())) || p.anyWordAt(0, "LEFT", "RIGHT", "FULL", "ASOF", "SEMI", "ANTI", "WINDOW", "QUALIFY", "OFFSET", "EMIT", "TRIGGER", "WATERMARK")
}

// ofTheShell is what to write for a command of the shell, .tables or \d.
const ofTheShell = "commands with a point or a backslash are for the shell on a terminal; in SQL write SHOW TABLES, DESCRIBE name"

// unsupported takes a whole statement and keeps its name: the given number of
// words, then words while they are kinds of objects.
func (p *parser) unsupported(words int) ast.Statement {
	start := p.pos
	var name []string
	for i := 0; i < words || p.anyWordAt(i, "TABLE", "SOURCE", "STREAM", "SINK", "MATERIALIZED", "VIEW", "FUNCTION"); i++ {
		name = append(name, p.upper(p.at(i)))
	}
	p.pos = p.end
	return &ast.Unsupported{Span: p.since(start), What: strings.Join(name, " ")}
}

// withStatement reads WITH … SELECT or WITH … INSERT.
func (p *parser) withStatement() ast.Statement {
	n := 0
	for i := p.pos; i < p.end; i++ {
		if m := p.toks[i].match; int(m) > i {
			i = int(m)
			continue
		}
		if n = i - p.pos; p.anyWordAt(n, "SELECT", "INSERT", "FROM", "VALUES") {
			break
		}
	}
	if !p.wordAt(n, "INSERT") {
		return p.queryStmt(true)
	}
	return p.insert(p.with())
}

// statementSet reads EXECUTE STATEMENT SET BEGIN … END, or BEGIN STATEMENT SET; … END as in
// Flink, with the clauses of a continuous query behind it.
func (p *parser) statementSet() ast.Statement {
	start := p.pos
	begun := p.isWord("BEGIN")
	p.pos += 3
	if !begun {
		p.expect("BEGIN")
	}
	node := &ast.StatementSet{}
	for !p.failed && !p.accept("END") {
		if p.acceptOp(";") {
			continue
		}
		if !p.isWord("INSERT") {
			p.unexpected("INSERT or END")
			break
		}
		node.Inserts = append(node.Inserts, p.insert(rope{}))
		if !p.isWord("END") {
			p.expectOp(";")
		}
	}
	saved, savedWith := p.emit, p.emitWith
	p.emit, p.emitWith = &ast.Emit{}, true
	for !p.failed && p.emitClause() {
	}
	if !p.emit.Span.IsZero() {
		node.Emit = p.emit
	}
	p.emit, p.emitWith = saved, savedWith
	node.Span = p.since(start)
	return node
}
