package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Check finds every error of a script without running anything: objects are declared in
// a catalog of their own.
func (e *Engine) Check(ctx context.Context, src diag.Source) error {
	return e.dry(ctx, src, func(ast.Statement, *physical.Query) error { return nil })
}

// Precheck finds the errors of a script that is about to run, as far as the texts tell:
// what depends on data, on other systems or on what the script does before is left out.
func (e *Engine) Precheck(ctx context.Context, src diag.Source) error {
	d := e.dryCopy()
	d.blind.all = true
	return d.dryRun(ctx, src, e.mask.source(src), func(ast.Statement, *physical.Query) error { return nil })
}

// ExplainScript gives the plan of every query of a script, and runs nothing.
func (e *Engine) ExplainScript(ctx context.Context, src diag.Source, each func(sql, plan string) error) error {
	return e.dry(ctx, src, func(s ast.Statement, p *physical.Query) error {
		return each(text(e.mask.source(src), s.Pos()), physical.Explain(p))
	})
}

// dry plans the statements of a script over a copy of the catalog, and reports every
// independent error.
func (e *Engine) dry(ctx context.Context, src diag.Source, each func(ast.Statement, *physical.Query) error) error {
	return e.dryCopy().dryRun(ctx, src, e.mask.source(src), each)
}

// dryCopy is an engine that plans and never runs.
func (e *Engine) dryCopy() *Engine {
	return &Engine{opt: e.opt, cat: e.cat.Clone(), set: newSession(e.set.get()), stores: e.stores, turn: newTurn(),
		prepared: maps.Clone(e.prepared), mask: e.mask, bus: e.bus, blind: &blindness{}}
}

func (e *Engine) dryRun(ctx context.Context, src, shown diag.Source, each func(ast.Statement, *physical.Query) error) error {
	stmts, err := parser.Parse(src)
	found := newFindings(shown)
	found.unread(err, stmts)
	for _, s := range stmts {
		p, err := e.declare(ctx, found.src, s)
		if p != nil && !p.Finite {
			e.planned = append(e.planned, p)
		}
		if p != nil {
			e.fill(p)
		}
		if e.blind.reset() && err != nil {
			found.undeclared(s)
			continue
		}
		if err == nil && p != nil {
			err = each(s, p)
		}
		found.add(err, s)
	}
	if e.blind.all {
		found.others = nil
	}
	return found.err()
}

// fill lets the memory sinks of a query be read, as they can once it runs.
func (e *Engine) fill(p *physical.Query) {
	for _, out := range p.Outputs {
		if out.Sink != nil && out.Sink.Connector == "memory" {
			s := *out.Sink
			s.Result = out.OutputColumns()
			e.cat.Put(&s)
		}
	}
}

// blindness is that of an engine that runs nothing, and with all set must not look at
// anything outside either. nil sees.
type blindness struct{ asked, all bool }

var errBlind = errors.New("engine: only known when it runs")

// reset tells whether something that is not seen was asked for since the last time.
func (b *blindness) reset() bool {
	if b == nil {
		return false
	}
	asked := b.asked
	b.asked = false
	return asked
}

// over makes settings blind.
func (b *blindness) over(set *planner.Settings) {
	if b == nil {
		return
	}
	set.Run = func(*physical.Query) ([]*vec.Batch, error) { b.asked = true; return nil, errBlind }
	if !b.all {
		return
	}
	set.File = func(string, bool) (*catalog.Relation, error) { b.asked = true; return nil, errBlind }
	set.Infer = func(*catalog.Relation) ([]types.Column, error) { b.asked = true; return nil, errBlind }
	set.TableFunction = func(string, []string, int64) (*catalog.Relation, error) { b.asked = true; return nil, errBlind }
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
		if x, ok := c.Target.(*ast.Execute); ok {
			return e.declare(ctx, src, x)
		}
		return e.plan(ctx, c.Target)
	case *ast.Prepare, *ast.Deallocate:
		_, err := e.other(ctx, src, s)
		return nil, err
	case *ast.Execute:
		bound, stmt, err := e.bound(c)
		if err != nil {
			return nil, err
		}
		p, err := e.declare(ctx, bound, stmt)
		return p, diag.InSource(bound, err)
	case *ast.Drop:
		return nil, e.undeclare(c)
	case *ast.Alter:
		return nil, e.redeclare(ctx, c)
	case *ast.CreateMaterializedView:
		p, err := e.plan(ctx, s)
		if err == nil {
			out := p.Outputs[0]
			e.cat.Put(&catalog.MaterializedView{Name: c.Name.String(), Columns: out.OutputColumns(), Key: out.Key, Text: sql})
		}
		return p, err
	case *ast.CreateFunction:
		_, err := e.createFunction(ctx, src, c)
		return nil, err
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
	if s.Object == ast.ObjectFunction {
		_, err := e.dropFunction(s)
		return err
	}
	o, err := e.found(s)
	if o != nil {
		e.cat.Drop(o.ObjectName())
	}
	return err
}

// redeclare is ALTER in a script that is only checked: no rows move.
func (e *Engine) redeclare(ctx context.Context, s *ast.Alter) error {
	switch s.Action {
	case ast.AlterSuspend, ast.AlterResume:
		return nil
	case ast.AlterRename:
	default:
		_, err := e.alter(ctx, s)
		return err
	}
	o, err := e.found(&ast.Drop{Span: s.Span, Object: s.Object, IfExists: s.IfExists, Name: s.Name})
	if o == nil {
		return err
	}
	e.cat.Drop(o.ObjectName())
	switch x := o.(type) {
	case *catalog.Relation:
		r := *x
		r.Name = s.To.Name
		e.cat.Put(&r)
	case *catalog.View:
		v := *x
		v.Name = s.To.Name
		e.cat.Put(&v)
	case *catalog.Sink:
		k := *x
		k.Name = s.To.Name
		e.cat.Put(&k)
	}
	return nil
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
			if err = inMemory(c, o.(*catalog.Relation)); err == nil {
				p, err = e.plan(ctx, s)
			}
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
