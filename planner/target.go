package planner

import (
	"errors"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// targets binds the statement: one output for each query in it.
func (p *planner) targets(stmt ast.Statement) error {
	p.span = stmt.Pos()
	switch s := stmt.(type) {
	case *ast.Explain:
		if s.Target == nil { // of a query that runs, by its name
			return diag.NewError(nil, diag.Errorf(diag.NotPlanned, stmt.Pos(), "this statement has no plan"))
		}
		return p.targets(s.Target)
	case *ast.QueryStmt:
		p.query(s, &output{target: physical.ToClient, span: s.Query.Span})
	case *ast.Insert:
		p.insert(s)
	case *ast.StatementSet:
		p.statementSet(s)
	case *ast.CreateMaterializedView:
		p.view(s)
	case *ast.CreateSink:
		p.createSink(s)
	case *ast.CreateTable:
		p.createTable(s)
	default:
		return diag.NewError(nil, diag.Errorf(diag.NotPlanned, stmt.Pos(), "this statement has no plan"))
	}
	return p.err()
}

// query binds a query with its clauses.
func (p *planner) query(s *ast.QueryStmt, o *output) {
	p.emit = s.Emit
	var list []ast.Option
	if s.Emit != nil {
		list = s.Emit.Options
		if s.Emit.Delay != nil {
			p.errorf(diag.NotPlanned, s.Emit.Span, "EMIT WITH DELAY is not supported")
		}
	}
	p.readOptions(list)
	p.add(s.Query, o)
}

// add binds one query as an output.
func (p *planner) add(q *ast.Query, o *output) {
	r, err := p.b.Query(q)
	if err != nil {
		p.adopt(err)
		return
	}
	o.plan, o.spans, o.finite = r.Plan, r.Spans, logical.IsFinite(r.Plan)
	p.outs = append(p.outs, o)
}

// statementSet is EXECUTE STATEMENT SET: several INSERTs with one checkpoint.
func (p *planner) statementSet(s *ast.StatementSet) {
	p.emit = s.Emit
	var list []ast.Option
	if s.Emit != nil {
		list = s.Emit.Options
	}
	p.readOptions(list)
	for _, in := range s.Inserts {
		o := p.insertTarget(in)
		o.emit = in.Source.Emit
		p.once(o)
		p.want(in, o)
		p.add(in.Source.Query, o)
		p.fit(in, o)
	}
}

// once refuses a sink that another query of the set writes to: a sink has one batch of
// one query at a time.
func (p *planner) once(o *output) {
	for _, other := range p.outs {
		if o.sink != nil && other.sink == o.sink {
			p.errorf(diag.WrongObject, o.span, "sink %q is written to twice in one statement set", o.name).
				WithHint("bring the queries together with UNION ALL")
			return
		}
	}
}

func (p *planner) view(s *ast.CreateMaterializedView) {
	o := &output{target: physical.ToView, name: s.Name.String(), span: s.Name.Span}
	stmt := *s.As
	if len(s.Options) > 0 {
		e := ast.Emit{Span: s.Span}
		if stmt.Emit != nil {
			e = *stmt.Emit
		}
		e.Options = append(append([]ast.Option(nil), s.Options...), e.Options...)
		stmt.Emit = &e
	}
	p.query(&stmt, o)
	p.rename(o, s.Columns)
}

// rename gives the columns of CREATE MATERIALIZED VIEW v (a, b).
func (p *planner) rename(o *output, ids []ast.Ident) {
	if o.plan == nil || len(ids) == 0 {
		return
	}
	if len(ids) != len(o.plan.Schema()) {
		p.errorf(diag.ColumnCount, o.span, "%q lists %d columns, but its query has %d", o.name, len(ids), len(o.plan.Schema()))
		return
	}
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.Name
	}
	o.plan = &logical.Project{Input: o.plan, Exprs: logical.Columns(o.plan), Names: list}
}

// createSink is CREATE SINK … AS query or FROM name: it runs at once.
func (p *planner) createSink(s *ast.CreateSink) {
	if s.As == nil && s.From == nil {
		p.errorf(diag.NotPlanned, s.Span, "a declared sink has no plan; fill it with INSERT INTO")
		return
	}
	if s.Into != nil {
		p.errorf(diag.NotPlanned, s.Into.Span, "CREATE SINK … INTO a table is not supported").
			WithHint("write INSERT INTO %s SELECT …", s.Into)
		return
	}
	sink, err := p.b.Sink(s)
	if err != nil {
		p.adopt(err)
		return
	}
	o := &output{target: physical.ToSink, name: sink.Name, sink: sink, span: s.Name.Span}
	src := s.As
	if src == nil {
		src = &ast.QueryStmt{Span: s.From.Span, Query: starQuery(*s.From)}
	}
	p.query(src, o)
	p.fit(&ast.Insert{Span: s.Span, Table: s.Name, Source: src}, o)
}

// starQuery is SELECT * FROM name.
func starQuery(name ast.Name) *ast.Query {
	return &ast.Query{Span: name.Span, Body: &ast.Select{Span: name.Span,
		Items: []ast.SelectItem{{Span: name.Span, Expr: &ast.Star{Span: name.Span}}},
		From:  &ast.TableName{Span: name.Span, Name: name}}}
}

// createTable is CREATE TABLE … AS over finite inputs.
func (p *planner) createTable(s *ast.CreateTable) {
	if s.As == nil {
		p.errorf(diag.NotPlanned, s.Span, "a declared table has no plan; fill it with INSERT INTO")
		return
	}
	t, err := p.b.Table(s)
	if err != nil {
		p.adopt(err)
		return
	}
	o := &output{target: physical.ToTable, name: t.Name, table: t, span: s.Name.Span}
	p.query(s.As, o)
	if o.plan != nil && !o.finite {
		p.errorf(diag.NotFinite, s.As.Query.Span, "CREATE TABLE AS needs a finite query, but it reads a stream").
			WithHint("use CREATE MATERIALIZED VIEW")
	}
	p.fit(&ast.Insert{Span: s.Span, Table: s.Name, Source: s.As}, o)
}

func (p *planner) errorf(code diag.Code, span diag.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(code, span, format, args...)
	p.diags = append(p.diags, d)
	return d
}

// adopt takes over the diagnostics of an error, each once.
func (p *planner) adopt(err error) {
	var list *diag.Error
	if !errors.As(err, &list) {
		p.errorf(diag.NotPlanned, p.span, "%s", err.Error())
		return
	}
	for _, d := range list.Diagnostics {
		known := false
		for _, o := range p.diags {
			known = known || *o == *d
		}
		if !known {
			p.diags = append(p.diags, d)
		}
	}
}

// err is the errors so far, nil if there are only warnings.
func (p *planner) err() error {
	var list []*diag.Diagnostic
	for _, d := range p.diags {
		if d.Severity == diag.SeverityError {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return diag.NewError(nil, list...)
}
