package planner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// targets binds the statement: one output for each query in it.
func (p *planner) targets(stmt ast.Statement) error {
	p.span = stmt.Pos()
	switch s := stmt.(type) {
	case *ast.Explain:
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

// insert is INSERT INTO a sink or a table.
func (p *planner) insert(s *ast.Insert) {
	o := p.insertTarget(s)
	p.query(s.Source, o)
	p.fit(s, o)
}

func (p *planner) insertTarget(s *ast.Insert) *output {
	o := &output{target: physical.ToSink, span: s.Table.Span, name: s.Table.String()}
	if s.Overwrite || len(s.Partition) > 0 {
		p.errorf(diag.NotPlanned, s.Span, "INSERT OVERWRITE and PARTITION are not supported")
	}
	found, err := p.cat.Find(s.Table.String())
	if err != nil {
		p.errorf(diag.AmbiguousName, s.Table.Span, "%s", err.Error())
		return o
	}
	switch t := found.(type) {
	case *catalog.Sink:
		o.sink, o.name = t, t.Name
	case *catalog.Relation:
		p.insertRelation(s, t, o)
	case nil:
		p.errorf(diag.UnknownTable, s.Table.Span, "unknown sink or table %q", s.Table.String()).
			Hint = diag.HintDidYouMean(s.Table.String(), p.cat.Names())
	default:
		p.errorf(diag.WrongObject, s.Table.Span, "%q is a view and takes no rows", s.Table.String())
	}
	return o
}

// insertRelation: tables and memory sources take rows.
func (p *planner) insertRelation(s *ast.Insert, t *catalog.Relation, o *output) {
	o.target, o.table, o.name = physical.ToTable, t, t.Name
	if t.Connector != "memory" {
		what := "table"
		if t.Streaming {
			what = "source"
		}
		p.errorf(diag.WrongObject, s.Table.Span, "%s %q is read with connector %s and takes no INSERT", what, t.Name, t.Connector).
			WithHint("declare a sink: CREATE SINK … WITH (connector = …)")
	}
}

// fit brings the query's columns to those of the target: by position, or by the list
// of names in INSERT.
func (p *planner) fit(s *ast.Insert, o *output) {
	if o.plan == nil {
		return
	}
	want := targetColumns(o)
	if want == nil {
		if len(s.Columns) > 0 {
			p.renameColumns(s, o)
		}
		return
	}
	at := make([]int, len(want)) // target column → query column, −1 = NULL
	have := o.plan.Schema()
	if len(s.Columns) == 0 {
		if len(have) != len(want) {
			p.errorf(diag.ColumnCount, s.Source.Span, "%q has %d columns, but the query gives %d", o.name, len(want), len(have)).
				WithHint("its columns are %s", columnList(want))
			return
		}
		for i := range at {
			at[i] = i
		}
	} else if !p.byList(s, o, want, at) {
		return
	}
	p.convert(o, want, at)
}

func targetColumns(o *output) []types.Column {
	if o.sink != nil {
		return o.sink.Columns
	}
	if o.table != nil {
		var out []types.Column
		for _, c := range o.table.Columns {
			if c.Kind != catalog.Computed {
				out = append(out, c.Column)
			}
		}
		return out
	}
	return nil
}

func (p *planner) byList(s *ast.Insert, o *output, want []types.Column, at []int) bool {
	if len(s.Columns) != len(o.plan.Schema()) {
		p.errorf(diag.ColumnCount, s.Source.Span, "INSERT lists %d columns, but the query gives %d", len(s.Columns), len(o.plan.Schema()))
		return false
	}
	for i := range at {
		at[i] = -1
	}
	for i, id := range s.Columns {
		j := findName(want, id.Name)
		if j < 0 {
			p.errorf(diag.UnknownColumn, id.Span, "%q has no column %q", o.name, id.Name).
				Hint = diag.HintDidYouMean(id.Name, names(want))
			return false
		}
		if at[j] >= 0 {
			p.errorf(diag.DuplicateColumn, id.Span, "column %q is listed twice", id.Name)
			return false
		}
		at[j] = i
	}
	return true
}

// renameColumns names the columns of a sink that takes what it gets.
func (p *planner) renameColumns(s *ast.Insert, o *output) {
	have := o.plan.Schema()
	if len(s.Columns) != len(have) {
		p.errorf(diag.ColumnCount, s.Source.Span, "INSERT lists %d columns, but the query gives %d", len(s.Columns), len(have))
		return
	}
	list := make([]string, len(have))
	for i, id := range s.Columns {
		list[i] = id.Name
	}
	o.plan = &logical.Project{Input: o.plan, Exprs: logical.Columns(o.plan), Names: list}
}

// convert casts to the target's types, as far as that needs no CAST in the query.
func (p *planner) convert(o *output, want []types.Column, at []int) {
	have := o.plan.Schema()
	exprs := make([]expr.Node, len(want))
	list := make([]string, len(want))
	res := &expr.Resolver{Functions: p.cat.Functions, Zone: p.set.Zone}
	for i, c := range want {
		list[i] = c.Name
		if at[i] < 0 {
			exprs[i] = expr.Null(c.Type)
			continue
		}
		from := have[at[i]].Type
		if !storable(from, c.Type) {
			p.errorf(diag.WrongColumns, o.columnSpan(at[i]), "column %q of %q is %s, but the query gives %s", c.Name, o.name, c.Type, from).
				WithHint("write CAST(… AS %s)", c.Type)
			continue
		}
		n, err := res.Cast(logical.Col(o.plan, at[i]), c.Type, false)
		if err != nil {
			p.errorf(diag.WrongColumns, o.columnSpan(at[i]), "%s", err.Error())
			continue
		}
		exprs[i] = n
	}
	if len(p.diags) == 0 {
		o.plan = &logical.Project{Input: o.plan, Exprs: exprs, Names: list}
	}
}

// storable is what INSERT converts by itself: what is safe, and numbers to narrower
// ones, checked at run time.
func storable(from, to types.Type) bool {
	return types.CanCoerce(from, to) || from.IsNumeric() && to.IsNumeric()
}

func (o *output) columnSpan(i int) diag.Span {
	if i < len(o.spans) && !o.spans[i].IsZero() {
		return o.spans[i]
	}
	return o.span
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
		p.add(in.Source.Query, o)
		p.fit(in, o)
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
	if stmt.Emit != nil && stmt.Emit.Mode != ast.EmitDefault {
		p.errorf(diag.SinkMode, stmt.Emit.ModeSpan, "a materialised view has no output mode: it always holds the current result")
	}
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

func columnList(cols []types.Column) string {
	text := ""
	for i, c := range cols {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", c.Name, c.Type)
	}
	return text
}

func names(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// findName finds a column: the exact spelling, else the first that differs in case.
func findName(cols []types.Column, name string) int {
	folded := -1
	for i, c := range cols {
		if c.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(c.Name, name) {
			folded = i
		}
	}
	return folded
}
