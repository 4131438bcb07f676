package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// alter is ALTER.
func (e *Engine) alter(ctx context.Context, s *ast.Alter) (*Result, error) {
	if s.Action == ast.AlterSuspend || s.Action == ast.AlterResume {
		return e.alterQuery(s)
	}
	o, err := e.found(&ast.Drop{Span: s.Span, Object: s.Object, IfExists: s.IfExists, Name: s.Name})
	if err != nil {
		return nil, err
	}
	if o == nil {
		return &Result{Message: fmt.Sprintf("there is no %s %s", kindWord(s.Object), s.Name.String())}, nil
	}
	switch s.Action {
	case ast.AlterSet:
		return e.alterSet(ctx, s, o)
	case ast.AlterRename:
		return e.alterRename(ctx, s, o)
	}
	return nil, diag.NewError(nil, diag.Errorf(diag.NotSupported, s.Span, "ALTER … ADD COLUMN is not supported").
		WithHint("%s", addColumnHint(s)))
}

// addColumnHint is how a column is added: to a table with its rows.
func addColumnHint(s *ast.Alter) string {
	if name := s.Name.String(); s.Object == ast.ObjectTable && s.Column != nil && s.Column.Type != nil {
		return fmt.Sprintf("write CREATE OR REPLACE TABLE %s AS SELECT *, CAST(NULL AS %s) AS %s FROM %s", name, s.Column.Type.Name, s.Column.Name.Name, name)
	}
	return fmt.Sprintf("write CREATE OR REPLACE %s %s with the column", s.Object, s.Name.String())
}

// alterQuery is SUSPEND and RESUME of the query of a view or sink, or of a query.
func (e *Engine) alterQuery(s *ast.Alter) (*Result, error) {
	q := e.viewQuery(s.Name.String())
	if s.Object != ast.ObjectMaterializedView || q == nil {
		var err error
		if q, err = e.named(&s.Name); err != nil {
			return nil, err
		}
	}
	if s.Action == ast.AlterSuspend {
		q.Pause()
	} else {
		q.Resume()
	}
	return &Result{Message: fmt.Sprintf("query %s is %s", q.Name, q.Status())}, nil
}

// alterSet is ALTER … SET (options): the object is defined anew from its text. Its rows in
// memory stay.
func (e *Engine) alterSet(ctx context.Context, s *ast.Alter, o catalog.Object) (*Result, error) {
	if err := e.unused(o, s.Name.Span); err != nil {
		return nil, err
	}
	n, err := e.redefined(ctx, s, o, func(d *ast.Definition, _ *ast.CreateView) error {
		if d == nil {
			return refuse(s.Span, "ALTER VIEW … SET is not supported: a view has no options")
		}
		for _, opt := range s.Options {
			setOption(d, opt)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.cat.Put(n)
	return &Result{Message: fmt.Sprintf("%s %s altered", kindWord(o.ObjectKind()), o.ObjectName())}, nil
}

// setOption takes the place of an option of the same name, or adds it.
func setOption(d *ast.Definition, opt ast.Option) {
	for i := range d.Options {
		if strings.EqualFold(d.Options[i].Key, opt.Key) {
			d.Options[i] = opt
			return
		}
	}
	d.Options = append(d.Options, opt)
}

// alterRename is RENAME TO. Rows in memory and checkpoints lie under the name, so what has
// some keeps it.
func (e *Engine) alterRename(ctx context.Context, s *ast.Alter, o catalog.Object) (*Result, error) {
	if err := e.unused(o, s.Name.Span); err != nil {
		return nil, err
	}
	if old, err := e.cat.Find(s.To.Name); err != nil || old != nil {
		return nil, diag.NewError(nil, diag.Errorf(diag.ObjectExists, s.To.Span, "%q exists already", s.To.Name))
	}
	n, err := e.redefined(ctx, s, o, func(d *ast.Definition, v *ast.CreateView) error {
		name := ast.Name{Span: s.To.Span, Parts: []ast.Ident{*s.To}}
		if v != nil {
			v.Name = name
			return nil
		}
		d.Name = name
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r, ok := n.(*catalog.Relation); ok && r.Connector == "memory" {
		e.opt.Builtin.Stores.Rename(o.ObjectName(), r.Name)
	}
	e.cat.Drop(o.ObjectName())
	e.cat.Put(n)
	return &Result{Message: fmt.Sprintf("%s %s is now %s", kindWord(o.ObjectKind()), o.ObjectName(), n.ObjectName())}, nil
}

// redefined makes an object of its own text with a change.
func (e *Engine) redefined(ctx context.Context, s *ast.Alter, o catalog.Object, edit func(*ast.Definition, *ast.CreateView) error) (catalog.Object, error) {
	stmt, err := definitionOf(s, o)
	if err != nil {
		return nil, err
	}
	switch c := stmt.(type) {
	case *ast.CreateSource:
		c.OrReplace, c.IfNotExists = false, false
		err = edit(&c.Definition, nil)
	case *ast.CreateTable:
		c.OrReplace, c.IfNotExists = false, false
		err = edit(&c.Definition, nil)
	case *ast.CreateSink:
		c.OrReplace, c.IfNotExists = false, false
		err = edit(&c.Definition, nil)
	case *ast.CreateView:
		c.OrReplace, c.IfNotExists = false, false
		err = edit(nil, c)
	default:
		return nil, refuse(s.Span, "ALTER %s is not supported: write CREATE OR REPLACE %s", s.Object, s.Object)
	}
	if err != nil {
		return nil, err
	}
	src := diag.Source{Text: parser.Print(stmt)}
	stmts, err := parser.Parse(src)
	if err != nil {
		return nil, diag.Showing(src, err)
	}
	replacing(stmts[0])
	n, err := planner.Define(stmts[0], src.Text, e.cat, e.planSettings(ctx))
	if v, ok := n.(*catalog.View); ok && err == nil {
		v.Source = &src
	}
	return n, diag.InSource(src, err)
}

// replacing lets a definition take the place of the object.
func replacing(s ast.Statement) {
	switch c := s.(type) {
	case *ast.CreateSource:
		c.OrReplace = true
	case *ast.CreateTable:
		c.OrReplace = true
	case *ast.CreateSink:
		c.OrReplace = true
	case *ast.CreateView:
		c.OrReplace = true
	}
}

// definitionOf reads the text of an object.
func definitionOf(s *ast.Alter, o catalog.Object) (ast.Statement, error) {
	text := ""
	switch o := o.(type) {
	case *catalog.Relation:
		text = o.Text
	case *catalog.View:
		text = o.Text
	case *catalog.Sink:
		text = o.Text
	}
	stmts, err := parser.Parse(diag.Source{Text: text})
	if err != nil || len(stmts) != 1 {
		return nil, refuse(s.Span, "ALTER %s %s is not supported: it was not made by a statement that can be written anew", s.Object, s.Name.String())
	}
	return stmts[0], nil
}

// copyTo is COPY … TO: a finite query whose rows go to files, all of them before the next
// statement runs.
func (e *Engine) copyTo(ctx context.Context, src diag.Source, s *ast.Copy) (*Result, error) {
	c := &ast.CreateSink{Span: s.Span, Definition: copyDefinition(s), As: &ast.QueryStmt{Span: s.Span, Query: s.Query}}
	if s.Query == nil {
		c.As.Query = &ast.Query{Span: s.Table.Span, Body: &ast.Select{Span: s.Table.Span,
			Items: []ast.SelectItem{{Span: s.Table.Span, Expr: &ast.Star{Span: s.Table.Span}}}, From: &ast.TableName{Span: s.Table.Span, Name: *s.Table}}}
	}
	o, err := planner.Define(c, text(src, s.Span), e.cat, e.planSettings(ctx))
	if err != nil {
		return nil, err
	}
	p, err := e.plan(ctx, c)
	if err != nil {
		return nil, err
	}
	if !p.Finite {
		return nil, diag.NewError(nil, diag.Errorf(diag.NotFinite, s.Span, "COPY needs a finite query, but it reads a stream").
			WithHint("write CREATE SINK name WITH (connector = 'file', path = '%s', …) AS SELECT …", s.Path.Text))
	}
	p.Outputs[0].Sink = o.(*catalog.Sink)
	p.Name = e.freeName()
	r, err := e.started(ctx, p, text(src, s.Span), Target{})
	if err == nil {
		r.Message, r.last = "copied to "+s.Path.Text, true
	}
	return r, err
}

// copyDefinition is the sink of COPY: files in a directory, of the format that the options
// or the path say.
func copyDefinition(s *ast.Copy) ast.Definition {
	lit := func(text string) *ast.Literal {
		return &ast.Literal{Span: s.Path.Span, Kind: ast.LitString, Text: text}
	}
	opt := func(key string, v *ast.Literal) ast.Option {
		return ast.Option{Span: s.Path.Span, Key: key, KeySpan: s.Path.Span, Value: v}
	}
	d := ast.Definition{Name: ast.Name{Span: s.Path.Span, Parts: []ast.Ident{{Span: s.Path.Span, Name: "copy to " + vfs.Hidden(s.Path.Text)}}}, OrReplace: true,
		Options: []ast.Option{opt("connector", lit("file")), opt("path", s.Path)}}
	given := false
	for _, o := range s.Options {
		given = given || strings.EqualFold(o.Key, "format")
		o.Key = strings.ToLower(o.Key)
		d.Options = append(d.Options, o)
	}
	if dot := strings.LastIndexByte(s.Path.Text, '.'); !given && dot >= 0 {
		format := strings.ToLower(s.Path.Text[dot+1:])
		if format == "jsonl" || format == "ndjson" {
			format = "json"
		}
		d.Options = append(d.Options, opt("format", lit(format)))
	}
	return d
}

// refresh is REFRESH: a trigger now. A materialised view is kept up to date by itself.
func (e *Engine) refresh(ctx context.Context, s *ast.Refresh) (*Result, error) {
	if _, err := e.find(s.Name, ast.ObjectMaterializedView); err != nil {
		return nil, err
	}
	q := e.viewQuery(s.Name.String())
	if q == nil || q.over() {
		return &Result{Message: fmt.Sprintf("materialized view %s is complete: its query has ended", s.Name.String())}, nil
	}
	if _, err := q.Poke(ctx); err != nil {
		return nil, err
	}
	return &Result{Message: fmt.Sprintf("materialized view %s is up to date", s.Name.String())}, nil
}
