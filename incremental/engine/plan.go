package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// planSettings are what the session gives the planner.
func (e *Engine) planSettings(ctx context.Context) planner.Settings {
	return planner.Settings{NullOnError: e.set.nullOnError, RefuseUnbounded: !e.set.allowUnbounded,
		Settings: bind.Settings{Zone: e.set.zone, Batch: e.opt.Batch,
			File:          func(path string, stream bool) (*catalog.Relation, error) { return e.fileRelation(ctx, path, stream) },
			Infer:         func(r *catalog.Relation) ([]types.Column, error) { return e.infer(ctx, r) },
			System:        systemRelation,
			TableFunction: e.tableFunction}}
}

func (e *Engine) plan(ctx context.Context, s ast.Statement) (*physical.Query, error) {
	return planner.Plan(s, e.cat, e.planSettings(ctx))
}

// infer finds the columns of a relation in the data that is there.
func (e *Engine) infer(ctx context.Context, r *catalog.Relation) ([]types.Column, error) {
	c, ok := e.opt.Builtin.Source(r.Connector)
	if !ok || c.Infer == nil {
		return nil, fmt.Errorf("connector %q cannot find columns by itself: declare them", r.Connector)
	}
	options, err := e.resolved(r.Options)
	if err != nil {
		return nil, err
	}
	return c.Infer(ctx, source.Config{Name: r.Name, Options: options, OnError: r.Common.OnError, Zone: e.set.zone,
		Dir: e.opt.Dir, FS: e.opt.FS, Clock: e.opt.Clock, Finite: !r.Streaming})
}

// fileRelation makes a relation of a path in FROM, with inferred columns.
func (e *Engine) fileRelation(ctx context.Context, path string, stream bool) (*catalog.Relation, error) {
	if scheme, _, ok := strings.Cut(path, "://"); ok && scheme != "file" {
		return nil, fmt.Errorf("there is no connector for %s:// paths", scheme)
	}
	r := &catalog.Relation{Name: path, Streaming: stream, Connector: "file",
		Options: []option.Value{{Name: "path", Text: strings.TrimPrefix(path, "file://")}}}
	format, err := e.formatOf(path)
	if err != nil {
		return nil, err
	}
	r.Format = format
	r.Options = append(r.Options, option.Value{Name: "format", Text: format})
	cols, err := e.infer(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, c := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return r, nil
}

// formatOf guesses the format of the files of a path by their names.
func (e *Engine) formatOf(path string) (string, error) {
	if f := e.formatByName(path); f != "" {
		return f, nil
	}
	where := e.path(strings.TrimPrefix(path, "file://"))
	if f := e.formatInDir(where, 3); f != "" {
		return f, nil
	}
	if _, err := e.opt.FS.Stat(where); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(path, "*?[{") {
		return "", fmt.Errorf("path %q does not exist: if its files come later, declare a source or table with its columns and format = '…'", path)
	}
	return "", fmt.Errorf("the format of %q is not to be seen from its name or its files: declare a source or table with format = '…'", path)
}

// formatInDir looks at the names of files below a directory.
func (e *Engine) formatInDir(dir string, depth int) string {
	entries, err := e.opt.FS.ReadDir(dir)
	if err != nil || depth == 0 {
		return ""
	}
	for _, d := range entries {
		if strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") {
			continue
		}
		f := ""
		if d.IsDir() {
			f = e.formatInDir(filepath.Join(dir, d.Name()), depth-1)
		} else {
			f = e.formatByName(d.Name())
		}
		if f != "" {
			return f
		}
	}
	return ""
}

func (e *Engine) formatByName(path string) string {
	for _, name := range e.opt.Builtin.FormatNames() {
		f, _ := e.opt.Builtin.Format(name)
		for _, ext := range f.Extensions {
			for _, packed := range []string{"", ".gz", ".zst"} {
				if strings.HasSuffix(strings.ToLower(path), "."+strings.TrimPrefix(ext, ".")+packed) {
					return f.Name
				}
			}
		}
	}
	return ""
}

// create is CREATE SOURCE, TABLE, VIEW, MATERIALIZED VIEW and SINK.
func (e *Engine) create(ctx context.Context, src diag.Source, s ast.Statement) (*Result, error) {
	sql := text(src, s.Pos())
	switch c := s.(type) {
	case *ast.CreateMaterializedView:
		return e.createView(ctx, c, sql)
	case *ast.CreateSink:
		if c.As != nil || c.From != nil {
			return e.createRunning(ctx, c, sql)
		}
	case *ast.CreateView:
		return e.define(ctx, s, sql, &src)
	}
	return e.define(ctx, s, sql, nil)
}

// define puts an object into the catalog, and fills CREATE TABLE … AS.
func (e *Engine) define(ctx context.Context, s ast.Statement, sql string, src *diag.Source) (*Result, error) {
	o, err := planner.Define(s, sql, e.cat, e.planSettings(ctx))
	if err != nil {
		return nil, err
	}
	if e.has(o) { // IF NOT EXISTS
		return exists(o), nil
	}
	if v, ok := o.(*catalog.View); ok && v.Source == nil {
		v.Source = src
	}
	if err := e.replaceable(o, s.Pos()); err != nil {
		return nil, err
	}
	var rows []*vec.Batch
	if t, ok := s.(*ast.CreateTable); ok && t.As != nil {
		if rows, err = e.rowsOf(ctx, t); err != nil {
			return nil, err
		}
	}
	e.forget(o.ObjectName())
	e.cat.Put(o)
	if r, ok := o.(*catalog.Relation); ok {
		for _, b := range rows {
			if err := e.opt.Builtin.Stores.Get(r.Name).Append(b); err != nil {
				return nil, err
			}
		}
		if err := e.refusedTables(r); err != nil {
			return nil, err
		}
	}
	return &Result{Message: fmt.Sprintf("%s %s created", kindWord(o.ObjectKind()), o.ObjectName())}, nil
}

// has reports that the very object is in the catalog.
func (e *Engine) has(o catalog.Object) bool {
	old, err := e.cat.Find(o.ObjectName())
	return err == nil && old == o
}

func exists(o catalog.Object) *Result {
	return &Result{Message: fmt.Sprintf("%s %s exists already", kindWord(o.ObjectKind()), o.ObjectName())}
}

// replaceable refuses to put an object in the place of one whose rows, which live in
// memory under its name, a running query reads or writes.
func (e *Engine) replaceable(o catalog.Object, span diag.Span) error {
	old, err := e.cat.Find(o.ObjectName())
	if err != nil || old == nil || old.ObjectName() != o.ObjectName() {
		return nil
	}
	connector := ""
	switch old := old.(type) {
	case *catalog.Relation:
		connector = old.Connector
	case *catalog.Sink:
		connector = old.Connector
	}
	if connector != "memory" {
		return nil
	}
	return e.unused(old, span)
}

// forget drops the rows that are kept in memory under the name of an object.
func (e *Engine) forget(name string) {
	e.opt.Builtin.Stores.Drop(name)
	e.opt.Builtin.Results.Drop(name)
}

// rowsOf runs the query of CREATE TABLE … AS. The table that it replaces may be among
// those that it reads.
func (e *Engine) rowsOf(ctx context.Context, t *ast.CreateTable) (rows []*vec.Batch, err error) {
	p, err := e.plan(ctx, t)
	if err != nil {
		return nil, err
	}
	err = e.runFinite(ctx, p, Target{Sink: &forward{emit: func(b *vec.Batch) error {
		rows = append(rows, b.Clone())
		return nil
	}}})
	return rows, err
}

// createView starts a materialised view.
func (e *Engine) createView(ctx context.Context, s *ast.CreateMaterializedView, sql string) (*Result, error) {
	name := s.Name.String()
	old, err := e.cat.Find(name)
	switch {
	case err != nil || old == nil:
	case s.IfNotExists:
		return exists(old), nil
	case !s.OrReplace:
		return nil, diag.NewError(nil, diag.Errorf(diag.ObjectExists, s.Name.Span, "%q exists already", name).
			WithHint("write CREATE OR REPLACE, or drop it first"))
	}
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	if q := e.viewQuery(name); q != nil {
		if err := q.Stop(); err != nil {
			return nil, err
		}
	}
	r, err := e.started(ctx, p, sql, Target{})
	if err != nil {
		return nil, err
	}
	out := p.Outputs[0]
	e.cat.Put(&catalog.MaterializedView{Name: name, Columns: out.OutputColumns(), Key: out.Key, Text: sql})
	r.Message = fmt.Sprintf("materialized view %s created", name)
	return r, nil
}

// createRunning is CREATE SINK … AS and FROM: a sink and its query.
func (e *Engine) createRunning(ctx context.Context, s *ast.CreateSink, sql string) (*Result, error) {
	o, err := planner.Define(s, sql, e.cat, e.planSettings(ctx))
	if err != nil {
		return nil, err
	}
	if e.has(o) {
		return exists(o), nil
	}
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	p.Outputs[0].Sink = o.(*catalog.Sink)
	r, err := e.started(ctx, p, sql, Target{})
	if err != nil {
		return nil, err
	}
	e.cat.Put(o)
	return r, nil
}

// explain is EXPLAIN of a statement or of a running query.
func (e *Engine) explain(ctx context.Context, _ diag.Source, s *ast.Explain) (*Result, error) {
	switch s.Mode {
	case "", "INCREMENTAL", "EXTENDED", "VERBOSE", "PHYSICAL":
	default:
		return nil, refuse(s.Span, "EXPLAIN %s is not supported yet: EXPLAIN shows the incremental plan", s.Mode)
	}
	if s.Query != nil {
		q, err := e.named(s.Query)
		if err != nil {
			return nil, err
		}
		return &Result{Plan: q.Explain()}, nil
	}
	p, err := e.plan(ctx, s.Target)
	if err != nil {
		return nil, err
	}
	return &Result{Plan: physical.Explain(p), Notes: p.Diagnostics}, nil
}

func (e *Engine) describeQuery(ctx context.Context, _ diag.Source, q *ast.Query) (*Result, error) {
	p, err := e.plan(ctx, &ast.QueryStmt{Span: q.Span, Query: q})
	if err != nil {
		return nil, err
	}
	return describeColumns(p.Outputs[0].OutputColumns()), nil
}

// Explain is the text of the query's plan.
func (q *Query) Explain() string { return physical.Explain(q.Plan) }

// Check finds every error of a script without running anything: objects are declared in
// a catalog of their own.
func (e *Engine) Check(ctx context.Context, src diag.Source) error {
	return e.dry(ctx, src, func(ast.Statement, *physical.Query) error { return nil })
}

// ExplainScript gives the plan of every query of a script, and runs nothing.
func (e *Engine) ExplainScript(ctx context.Context, src diag.Source, each func(sql, plan string) error) error {
	return e.dry(ctx, src, func(s ast.Statement, p *physical.Query) error {
		return each(text(src, s.Pos()), physical.Explain(p))
	})
}

// dry plans the statements of a script over a copy of the catalog, and reports every
// independent error.
func (e *Engine) dry(ctx context.Context, src diag.Source, each func(ast.Statement, *physical.Query) error) error {
	stmts, err := parser.Parse(src)
	found := findings{src: src}
	found.add(err, true)
	d := &Engine{opt: e.opt, cat: e.cat.Clone(), set: e.set}
	for _, s := range stmts {
		p, err := d.declare(ctx, src, s)
		if p != nil && !p.Finite {
			d.planned = append(d.planned, p)
		}
		if err == nil && p != nil {
			err = each(s, p)
		}
		found.add(err, declares(s))
	}
	return found.err()
}

// declare plans a statement, and puts what it creates into the catalog.
func (e *Engine) declare(ctx context.Context, src diag.Source, s ast.Statement) (*physical.Query, error) {
	sql := text(src, s.Pos())
	switch c := s.(type) {
	case *ast.Set:
		_, err := e.setting(c)
		return nil, err
	case *ast.Reset:
		_, err := e.reset(c)
		return nil, err
	case *ast.Unsupported:
		_, err := e.Statement(ctx, src, s)
		return nil, err
	case *ast.QueryStmt, *ast.Insert, *ast.StatementSet:
		return e.plan(ctx, s)
	case *ast.Explain:
		if c.Target == nil {
			return nil, nil
		}
		return e.plan(ctx, c.Target)
	case *ast.Drop:
		return nil, e.undeclare(c)
	case *ast.CreateMaterializedView:
		p, err := e.plan(ctx, s)
		if err == nil {
			out := p.Outputs[0]
			e.cat.Put(&catalog.MaterializedView{Name: c.Name.String(), Columns: out.OutputColumns(), Key: out.Key, Text: sql})
		}
		return p, err
	case *ast.CreateSource, *ast.CreateTable, *ast.CreateView, *ast.CreateSink:
		return e.declareObject(ctx, src, s, sql)
	}
	return nil, nil
}

// undeclare is DROP in a script that is only checked.
func (e *Engine) undeclare(s *ast.Drop) error {
	if s.Object == ast.ObjectQuery {
		return nil
	}
	o, err := e.found(s)
	if o != nil {
		e.cat.Drop(o.ObjectName())
	}
	return err
}

func (e *Engine) declareObject(ctx context.Context, src diag.Source, s ast.Statement, sql string) (*physical.Query, error) {
	o, err := planner.Define(s, sql, e.cat, e.planSettings(ctx))
	if err != nil {
		return nil, err
	}
	if v, ok := o.(*catalog.View); ok && v.Source == nil {
		v.Source = &src
	}
	var p *physical.Query
	switch c := s.(type) {
	case *ast.CreateSink:
		if c.As != nil || c.From != nil {
			p, err = e.plan(ctx, s)
		}
	case *ast.CreateTable:
		if c.As != nil {
			p, err = e.plan(ctx, s)
		}
	}
	if err != nil {
		return nil, err
	}
	e.cat.Put(o)
	if r, ok := o.(*catalog.Relation); ok {
		return p, e.refusedTables(r)
	}
	return p, nil
}
