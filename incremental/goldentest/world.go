package goldentest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// variant is a way to run a file: all must give the same output.
type variant struct {
	name    string
	restart bool // kill and open again after every trigger
	rows    int  // rows in a batch; 0 = all
	workers int
	cut     recut
	off     func(rule string) bool // rewrite rules that are left out; nil = none
}

// recut says how the input is cut into triggers; then only the final results count.
type recut int

const (
	asWritten recut = iota
	oneTrigger
	rowByRow
)

// world is a file being run: an engine for tables and views, and one for each query,
// so that each has a clock, a checkpoint and rows of its own.
type world struct {
	ctx       context.Context
	v         variant
	clock     *clock.Fake
	fs        vfs.FS
	setup     []string
	base      *engine.Engine
	queries   []*underTest
	relations map[string]*catalog.Relation
	sources   []string
	form      timeForm
	lateRows  bool // some row was late or partial
}

// underTest is a query of the file.
type underTest struct {
	name    string
	sql     string
	mode    ast.EmitMode
	restart bool // false: restart=no
	e       *engine.Engine
	q       *engine.Query
	sink    *capture
	pending []input
	result  accumulated
	last    *trigger.Progress
}

func newWorld(ctx context.Context, v variant) (*world, error) {
	w := &world{ctx: ctx, v: v, clock: clock.NewFake(day), fs: vfs.NewCrashable(1), relations: map[string]*catalog.Relation{}}
	var err error
	w.base, err = w.engine("")
	return w, err
}

// engine opens an engine that has run the setup. of is the query that it is for, "" for
// none: the materialised views of each engine have checkpoints of their own.
func (w *world) engine(of string) (*engine.Engine, error) {
	e, err := engine.Open(engine.Options{FS: w.fs, Clock: w.clock, Workers: w.v.workers, Dir: "/", Stdout: io.Discard,
		CheckpointRoot: "/views/" + of, RuleOff: w.v.off})
	if err != nil {
		return nil, err
	}
	for _, s := range w.setup {
		if err := e.Exec(w.ctx, diag.Source{Name: "setup", Text: s}, drain(w.ctx)); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// drain runs what a statement gives, and forgets it.
func drain(ctx context.Context) func(*engine.Result) error {
	return func(r *engine.Result) error {
		if r.Rows == nil {
			return nil
		}
		return r.Rows(ctx, func(*vec.Batch) error { return nil })
	}
}

func (w *world) close() {
	w.base.Kill()
	for _, q := range w.queries {
		q.e.Kill()
	}
}

// define runs setup statements.
func (w *world) define(sql string) error {
	if err := w.base.Exec(w.ctx, diag.Source{Name: "setup", Text: sql}, drain(w.ctx)); err != nil {
		return err
	}
	w.setup = append(w.setup, sql)
	w.relations, w.sources = map[string]*catalog.Relation{}, nil
	for _, o := range w.base.Catalog().Objects() {
		if r, ok := o.(*catalog.Relation); ok && r.Streaming {
			w.relations[r.Name] = r
			w.sources = append(w.sources, r.Name)
		}
	}
	return nil
}

// query starts a query, or restarts one with another text.
func (w *world) query(b *Block) error {
	names, set := b.arguments()
	if len(names) != 1 {
		return fmt.Errorf("query needs one name")
	}
	mode, err := modeOf(set["mode"])
	if err != nil {
		return err
	}
	q := &underTest{name: names[0], sql: b.text(), mode: mode, restart: set["restart"] != "no"}
	i := slices.IndexFunc(w.queries, func(x *underTest) bool { return x.name == q.name })
	if i >= 0 {
		old := w.queries[i]
		old.e.Kill()
		q.pending, q.result = old.pending, old.result
	}
	if err := w.start(q); err != nil {
		return err
	}
	if i >= 0 {
		w.queries[i] = q
		return nil
	}
	q.result.reset(q.q.Plan.Outputs[0])
	w.queries = append(w.queries, q)
	return nil
}

func modeOf(s string) (ast.EmitMode, error) {
	for _, m := range []ast.EmitMode{ast.EmitDefault, ast.EmitAppend, ast.EmitUpdate, ast.EmitComplete, ast.EmitChangelog} {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("mode=%s: write append, update, complete or changelog", s)
}

// start opens an engine for the query, on the query's checkpoint.
func (w *world) start(q *underTest) (err error) {
	if q.e, err = w.engine(q.name); err != nil {
		return err
	}
	q.sink = &capture{}
	q.q, err = q.e.Start(w.ctx, diag.Source{Name: q.name, Text: q.sql}, engine.StartOptions{Name: q.name, Mode: q.mode,
		Manual: true, Checkpoint: "/checkpoints/" + q.name, Sink: q.sink})
	if err != nil {
		q.e.Kill()
	}
	return err
}

// restartAll kills every query and opens it again.
func (w *world) restartAll() error {
	for _, q := range w.queries {
		if !q.restart && w.v.restart {
			continue
		}
		q.e.Kill()
		if err := q.q.Err(); err != nil {
			return err
		}
		if err := w.start(q); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
	}
	return nil
}

// trigger gives rows to queries and runs a trigger of each; only = nil means all.
func (w *world) trigger(rows []input, only []string) ([]*underTest, error) {
	var ran []*underTest
	for _, q := range w.queries {
		q.pending = append(q.pending, rows...)
	}
	for _, q := range w.queries {
		if only != nil && !slices.Contains(only, q.name) {
			continue
		}
		if err := w.runTrigger(q); err != nil {
			return nil, err
		}
		ran = append(ran, q)
	}
	if err := w.views(rows); err != nil {
		return nil, err
	}
	if w.v.restart {
		return ran, w.restartAll()
	}
	return ran, nil
}

func (w *world) runTrigger(q *underTest) error {
	if err := feed(q.e, q.pending, w.v.rows); err != nil {
		return err
	}
	q.pending = nil
	p, err := q.q.RunTrigger(w.ctx)
	if err != nil {
		return err
	}
	q.result.take(q.sink.take())
	if p == nil {
		p = &trigger.Progress{}
		if q.last != nil {
			p.Watermark, p.Operators = q.last.Watermark, q.last.Operators
		}
	}
	if !p.Rows.Balanced() {
		return fmt.Errorf("query %s: the row ledger does not add up: %+v", q.name, p.Rows)
	}
	q.last = p
	w.lateRows = w.lateRows || p.Rows.Late > 0 || p.Rows.Partial > 0
	return nil
}

// views lets the materialised views of the file take the rows.
func (w *world) views(rows []input) error {
	views := w.base.Active()
	if len(views) == 0 {
		return nil
	}
	if err := feed(w.base, rows, w.v.rows); err != nil {
		return err
	}
	for _, q := range views {
		if _, err := q.Poke(w.ctx); err != nil {
			return err
		}
	}
	return nil
}

// feed puts rows into the memory sources of an engine, n to a batch.
func feed(e *engine.Engine, rows []input, n int) error {
	for len(rows) > 0 {
		k := 1
		for k < len(rows) && rows[k].source == rows[0].source && (n == 0 || k < n) && k < vec.BatchSize {
			k++
		}
		parts := make([]*vec.Batch, k)
		for i := range parts {
			parts[i] = rows[i].batch
		}
		if err := e.Append(rows[0].source, vec.ConcatBatches(parts...)); err != nil {
			return err
		}
		rows = rows[k:]
	}
	return nil
}

// moveClock sets processing time.
func (w *world) moveClock(arg string) error {
	us, _, err := parseTime(arg)
	if err != nil {
		return err
	}
	w.clock.Set(time.UnixMicro(us).UTC())
	return nil
}

func (w *world) find(name string) (*underTest, error) {
	for _, q := range w.queries {
		if q.name == name {
			return q, nil
		}
	}
	return nil, fmt.Errorf("there is no query %q in this file", strings.TrimSpace(name))
}
