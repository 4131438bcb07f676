package engine

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

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
		if err := inMemory(t, o.(*catalog.Relation)); err != nil {
			return nil, err
		}
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

// inMemory refuses CREATE TABLE … AS of a table that is read through a connector: nobody
// would write the rows there.
func inMemory(t *ast.CreateTable, r *catalog.Relation) error {
	if r.Connector == "memory" {
		return nil
	}
	return diag.NewError(nil, diag.Errorf(diag.WrongObject, t.Name.Span, "table %q is read with connector %s and cannot be filled by a query",
		r.Name, r.Connector).WithHint("write the rows with CREATE SINK … AS SELECT, then declare the table over them"))
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
