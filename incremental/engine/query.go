package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// query is a SELECT: over finite relations its rows are the result; over streams it
// starts to print to the console.
func (e *Engine) query(ctx context.Context, src diag.Source, s *ast.QueryStmt) (*Result, error) {
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	if p.Finite {
		return e.finite(p), nil
	}
	return e.started(ctx, p, text(src, s.Span), Target{})
}

// Select is Statement for a SELECT that must end by itself: over tables, materialised
// views, memory sinks and system tables. One over a stream is refused.
func (e *Engine) Select(ctx context.Context, src diag.Source, s *ast.QueryStmt) (res *Result, err error) {
	defer recovered(&err, "statement")
	release, err := e.turn.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	if !p.Finite {
		return nil, diag.NewError(nil, diag.Errorf(diag.NotSupported, s.Span, "this SELECT reads a stream and would never end").
			WithHint("keep its result with CREATE MATERIALIZED VIEW name AS SELECT …, and read that"))
	}
	return e.finite(p), nil
}

// finite is the result of a query that ends by itself.
func (e *Engine) finite(p *physical.Query) *Result {
	return &Result{Notes: p.Diagnostics, Columns: p.Outputs[0].OutputColumns(),
		Rows: func(ctx context.Context, emit func(*vec.Batch) error) error {
			return e.runFinite(ctx, p, Target{Sink: &forward{emit: emit}})
		}}
}

func (e *Engine) started(ctx context.Context, p *physical.Query, sql string, tgt Target) (*Result, error) {
	if p.Name == "" {
		p.Name = e.freeName()
	}
	q, err := e.launch(ctx, p, sql, tgt)
	if err != nil {
		return nil, err
	}
	return &Result{Message: fmt.Sprintf("query %s started", q.Name), Notes: p.Diagnostics, Query: q}, nil
}

// freeName names a query that was given no name.
func (e *Engine) freeName() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("query%d", i)
		if e.Query(name) == nil {
			return name
		}
	}
}

// runFinite runs a finite query to its end on the calling goroutine.
func (e *Engine) runFinite(ctx context.Context, p *physical.Query, tgt Target) error {
	return e.finish(ctx, p, tgt, func(*trigger.Query) {})
}

// finish is runFinite that shows the query at its end.
func (e *Engine) finish(ctx context.Context, p *physical.Query, tgt Target, ended func(*trigger.Query)) (err error) {
	defer recovered(&err, "query")
	o := &opening{e: e, plan: p, tgt: tgt, zone: zoneOf(p.Zone)}
	q, err := o.open(ctx)
	if err != nil {
		return o.abandon(err)
	}
	defer func() {
		if e := q.Close(); err == nil {
			err = e
		}
	}()
	for {
		pr, err := q.Step(ctx)
		if err != nil {
			return err
		}
		if pr == nil {
			ended(q)
			return nil
		}
	}
}

// collect runs a finite query and keeps its rows.
func (e *Engine) collect(ctx context.Context, p *physical.Query) ([]*vec.Batch, error) {
	var rows []*vec.Batch
	err := e.finite(p).Rows(ctx, func(b *vec.Batch) error {
		rows = append(rows, b.Clone())
		return nil
	})
	return rows, err
}

// StartOptions say how Start runs a query, where its text does not.
type StartOptions struct {
	Name       string
	Mode       ast.EmitMode
	Manual     bool   // triggers run when RunTrigger says so
	Checkpoint string // directory; "" = none, unless the text names one
	Sink       sink.Sink
	// To, if set, is opened with the columns and the mode of the query: foreach.To and
	// foreach.ToBatches make one of Go code.
	To *sink.Connector
}

// Start plans a SELECT and runs it as a continuous query whose rows go to a sink of the
// caller: for embedding programs and for tests.
func (e *Engine) Start(ctx context.Context, src diag.Source, o StartOptions) (*Query, error) {
	release, err := e.turn.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	stmts, err := parser.Parse(src)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, fmt.Errorf("one SELECT is expected, there are %d statements", len(stmts))
	}
	s, ok := stmts[0].(*ast.QueryStmt)
	if !ok {
		return nil, fmt.Errorf("a SELECT is expected")
	}
	s.Emit = o.complete(s.Emit)
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, diag.InSource(src, err)
	}
	p.Name = cmp.Or(p.Name, o.Name)
	if p.Name == "" {
		p.Name = e.freeName()
	}
	return e.launch(ctx, p, text(e.mask.source(src), s.Span), Target{Sink: o.Sink, To: o.To, Checkpoint: o.Checkpoint})
}

// complete adds the options to the clauses that a query has.
func (o *StartOptions) complete(em *ast.Emit) *ast.Emit {
	out := ast.Emit{}
	if em != nil {
		out = *em
	}
	if out.Mode == ast.EmitDefault {
		out.Mode = o.Mode
	}
	if out.Trigger == nil && o.Manual {
		out.Trigger = &ast.Trigger{Kind: ast.TriggerManual}
	}
	return &out
}

// insert is INSERT INTO: rows of a finite query go into a table at once; anything else
// is a continuous query.
func (e *Engine) insert(ctx context.Context, src diag.Source, s *ast.Insert) (*Result, error) {
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	if p.Finite && p.Outputs[0].Target == physical.ToTable {
		return &Result{Notes: p.Diagnostics}, e.runFinite(ctx, p, Target{})
	}
	return e.started(ctx, p, text(src, s.Span), Target{})
}

func (e *Engine) statementSet(ctx context.Context, src diag.Source, s *ast.StatementSet) (*Result, error) {
	p, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	return e.started(ctx, p, text(src, s.Span), Target{})
}

// viewQuery finds the query behind a materialised view, the latest one; nil if there is none.
func (e *Engine) viewQuery(view string) *Query {
	queries := e.Queries()
	for i := len(queries) - 1; i >= 0; i-- {
		if out := queries[i].Plan.Outputs[0]; out.Target == physical.ToView && out.Name == view {
			return queries[i]
		}
	}
	return nil
}

// view reads the rows of a materialised view as of its last batch. The first reader waits
// for the trigger under way, while the rows are copied; later ones do not.
func (e *Engine) view(ctx context.Context, name string) (source.Source, error) {
	q := e.viewQuery(name)
	if q == nil {
		return nil, fmt.Errorf("materialized view %q: its query is not running", name)
	}
	out, ok := q.running().Outputs[0].Sink.(*viewSink)
	if ok && out.store.Load() == nil {
		if err := q.read(ctx, func() error { return out.fill(q.running()) }); err != nil {
			return nil, fmt.Errorf("materialized view %q: %w", name, err)
		}
	}
	if !ok || out.store.Load() == nil { // it was started again meanwhile
		return nil, fmt.Errorf("materialized view %q: %w", name, ErrRestarting)
	}
	s := out.store.Load()
	return &viewRows{rowSource: rowSource{name: name}, store: s, at: s.now.Load()}, nil
}

// read runs a function that reads the state of a query at a trigger boundary: in the
// query's goroutine or, when it has ended, here.
func (q *Query) read(ctx context.Context, do func() error) error {
	err := q.ask(ctx, func(context.Context) error { return do() })
	if !errors.Is(err, ErrStopped) {
		return err
	}
	if q.broken {
		return fmt.Errorf("query %q was ended in the middle of a trigger: START QUERY %s recovers its state", q.Name, q.Name)
	}
	q.reading.Lock()
	defer q.reading.Unlock()
	return do()
}

// fill begins to hold the rows of a view for readers, between two triggers.
func (v *viewSink) fill(q *trigger.Query) error {
	m, ok := q.Graph.Root(0).(*stateful.Materialize)
	if !ok {
		return fmt.Errorf("the plan of the view does not keep its result")
	}
	if v.store.Load() != nil {
		return nil
	}
	s := newViewStore(v.types, v.key)
	first := *s.now.Load()
	first.number = 1
	err := m.Snapshot(func(b *vec.Batch) error {
		b.Each(func(row int) { s.add(&first, b, row, 1) })
		return nil
	})
	s.now.Store(&first)
	if err == nil {
		v.store.Store(s)
	}
	return err
}

// Append gives rows to a memory source or table, as INSERT … VALUES does. The columns
// are those of the relation in declared order, without metadata and computed ones;
// weights are kept.
func (e *Engine) Append(name string, b *vec.Batch) error {
	o, err := e.cat.Find(name)
	if err != nil {
		return err
	}
	r, ok := o.(*catalog.Relation)
	if !ok || r.Connector != "memory" {
		return fmt.Errorf("%q is not a memory source or table", name)
	}
	if err := notNull(r, b); err != nil {
		return err
	}
	return e.opt.Builtin.Stores.Get(r.Name).Append(b)
}
