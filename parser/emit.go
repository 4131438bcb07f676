package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// startsEmit tells whether EMIT, OUTPUT MODE or TRIGGER is next, and no alias.
// EMIT behind an operand is always the clause: as an alias it would hide a clause
// that was not finished.
func (p *parser) startsEmit() bool {
	switch p.upper(p.peek()) {
	case "EMIT":
		return true
	case "OUTPUT":
		return p.wordAt(1, "MODE")
	case "TRIGGER":
		return p.anyWordAt(1, "EVERY", "AVAILABLE", "ONCE", "MANUAL", "CONTINUOUS", "PROCESSING")
	}
	return false
}

// emitClause reads one clause of a continuous query, if one is next.
func (p *parser) emitClause() bool {
	start := p.pos
	switch {
	case p.startsEmit():
		switch p.upper(p.next()) {
		case "EMIT":
			p.emitKind(start)
		case "OUTPUT":
			p.next()
			p.setMode(start, p.mode(""))
		case "TRIGGER":
			p.once(p.emit.Trigger != nil, "TRIGGER")
			p.emit.Trigger = p.trigger(start)
		}
	case p.emitWith && p.isWord("WITH") && p.opAt(1, "("):
		p.next()
		before := len(p.emit.Options)
		if p.emit.Options = p.props(p.emit.Options); len(p.emit.Options) == before {
			return true // WITH () says nothing
		}
	default:
		return false
	}
	span := p.since(start)
	p.emit.Span = diag.Join(p.emit.Span, span)
	return true
}

// emitKind reads what follows EMIT.
func (p *parser) emitKind(start int) {
	switch {
	case p.accept("ON", "WINDOW", "CLOSE"), p.accept("FINAL"), p.accept("AFTER", "WATERMARK"):
		p.setMode(start, ast.EmitAppend)
	case p.accept("CHANGES"), p.accept("ON", "UPDATE"):
		p.setMode(start, ast.EmitUpdate)
	case p.accept("WITH", "DELAY"):
		p.emit.Delay = p.duration("a duration")
	default:
		p.setMode(start, p.mode(" or CHANGES or FINAL or ON WINDOW CLOSE"))
	}
}

// mode reads an output mode; more names what else could stand here.
func (p *parser) mode(more string) ast.EmitMode {
	switch p.acceptAny("APPEND", "UPDATE", "COMPLETE", "CHANGELOG") {
	case "APPEND":
		return ast.EmitAppend
	case "UPDATE":
		return ast.EmitUpdate
	case "COMPLETE":
		return ast.EmitComplete
	case "CHANGELOG":
		return ast.EmitChangelog
	}
	p.unexpected("APPEND or UPDATE or COMPLETE or CHANGELOG" + more)
	return ast.EmitDefault
}

func (p *parser) setMode(start int, mode ast.EmitMode) {
	span := p.since(start)
	if p.emit.Mode != ast.EmitDefault && !p.failed {
		p.failf(diag.ClauseOrder, span, "the output mode is given twice")
	}
	p.emit.Mode, p.emit.ModeSpan = mode, span
}

// trigger reads what follows TRIGGER.
func (p *parser) trigger(start int) *ast.Trigger {
	t := &ast.Trigger{}
	switch {
	case p.accept("EVERY"):
		t.Every = p.span("the interval of a trigger")
	case p.accept("AVAILABLE", "NOW"):
		t.Kind = ast.TriggerAvailableNow
	case p.accept("ONCE"):
		t.Kind = ast.TriggerOnce
	case p.accept("MANUAL"):
		t.Kind = ast.TriggerManual
	case p.isWord("CONTINUOUS"):
		p.fail(diag.Errorf(diag.NotSupported, p.here(), "TRIGGER CONTINUOUS is not supported").
			WithHint("leave the trigger out: micro-batches then follow each other as fast as possible"))
	default:
		p.unexpected("EVERY or AVAILABLE NOW or ONCE or MANUAL")
	}
	t.Span = p.since(start)
	return t
}

// queryStmt reads a query with the clauses of a continuous query. WITH (...)
// behind it belongs to it if withProps is set.
func (p *parser) queryStmt(withProps bool) *ast.QueryStmt {
	start := p.pos
	saved, savedWith := p.emit, p.emitWith
	p.emit, p.emitWith = &ast.Emit{}, withProps
	r := p.query()
	for !p.failed && p.emitClause() {
	}
	emit := p.emit
	p.emit, p.emitWith = saved, savedWith
	stmt := &ast.QueryStmt{Span: p.since(start), Query: p.runQuery(r)}
	if !emit.Span.IsZero() {
		stmt.Emit = emit
	}
	return stmt
}

// plainQuery reads a query that takes no such clauses.
func (p *parser) plainQuery() *ast.Query {
	saved := p.emit
	p.emit = nil
	r := p.query()
	p.emit = saved
	return p.runQuery(r)
}

// plainExpr reads an expression of a statement that is not a query.
func (p *parser) plainExpr() ast.Expr {
	return p.runExpr(p.expr())
}
