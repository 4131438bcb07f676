package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// world is a case being run.
type world struct {
	c   *Case
	ctx context.Context
	dir string // of the files, where the source is the file source
	sql string
	d   dialect

	restarts bool // after every trigger

	fs    vfs.FS
	clock *clock.Fake
	e     *engine.Engine
	q     *engine.Query
	sink  *capture
	turns []turn
	fed   map[string][]reference.Change // by source, what was delivered
	// unread: some row of a file cannot be read here.
	unread bool
}

// turn is one trigger of ours.
type turn struct {
	rows      []outRow
	ran       bool
	watermark int64 // after it, µs; noWatermark before the first row
	late      trigger.Rows
}

const noWatermark = math.MinInt64

// start is where processing time stands at first.
var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// newWorld defines what the case needs and starts its query. The world is not nil if
// there is something to close.
func newWorld(ctx context.Context, c *Case, dir string, d dialect) (*world, error) {
	w := &world{c: c, ctx: ctx, dir: dir, d: d, clock: clock.NewFake(start), fed: map[string][]reference.Change{}, sink: &capture{}}
	w.sql = d.query(c.SQL)
	w.fs = vfs.NewCrashable(1)
	if w.files() {
		w.fs = vfs.OS()
	}
	return w, w.open()
}

// open starts the program and the query on its checkpoint.
func (w *world) open() error {
	var err error
	w.e, err = engine.Open(engine.Options{FS: w.fs, Clock: w.clock, Workers: 2, Dir: "/", Stdout: io.Discard})
	if err != nil {
		return err
	}
	if err := w.define(); err != nil {
		return err
	}
	w.q, err = w.e.Start(w.ctx, diag.Source{Name: w.c.Name, Text: w.sql}, engine.StartOptions{Name: "q", Mode: emitMode(w.c.Mode),
		Manual: true, Checkpoint: filepath.Join(w.root(), "checkpoint"), Sink: w.sink})
	if err == nil {
		w.sink.cols = w.q.Plan.Outputs[0].OutputColumns()
	}
	return err
}

// restart kills the program and opens it again.
func (w *world) restart() error {
	w.e.Kill()
	fed := maps.Clone(w.fed)
	err := w.open()
	w.fed = fed // tables were filled again
	return err
}

// files reports that the rows come as JSON lines through the file source: for the
// cases that are about reading.
func (w *world) files() bool { return w.c.Kind == "source" }

func (w *world) root() string {
	if w.files() {
		return w.dir
	}
	return "/"
}

func emitMode(s string) ast.EmitMode {
	for _, m := range []ast.EmitMode{ast.EmitAppend, ast.EmitUpdate, ast.EmitComplete, ast.EmitChangelog} {
		if m.String() == s {
			return m
		}
	}
	return ast.EmitDefault
}

func (w *world) define() error {
	if err := w.settings(); err != nil {
		return err
	}
	for _, s := range w.c.Sources {
		if w.files() && !s.Static {
			if err := os.MkdirAll(w.landing(s), 0o755); err != nil {
				return err
			}
		}
		if err := w.exec(s.define(w.options(s))); err != nil {
			return err
		}
		if s.Static {
			for i := range s.Batches {
				if err := w.deliver(s, i); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range w.c.Steps {
		text, err := s.define(w.d)
		if err != nil {
			return err
		}
		if err := w.exec(text); err != nil {
			return err
		}
	}
	return nil
}

// settings are what a configuration of Spark is called here. Others change no answer.
func (w *world) settings() error {
	if !w.c.ansi() {
		if err := w.exec("SET eval_error = 'null'"); err != nil {
			return err
		}
	}
	if zone := w.c.Conf["spark.sql.session.timeZone"]; zone != "" {
		return w.exec("SET timezone = " + quote(zone))
	}
	return nil
}

func (w *world) options(s *Source) string {
	if !w.files() || s.Static {
		return ""
	}
	return fmt.Sprintf(" WITH (connector = 'file', path = %s, format = 'json')", quote(w.landing(s)))
}

func (w *world) landing(s *Source) string { return filepath.Join(w.dir, s.Name) }

func (w *world) exec(sql string) error {
	return w.e.Exec(w.ctx, diag.Source{Name: "setup", Text: sql}, func(r *engine.Result) error {
		if r.Rows == nil {
			return nil
		}
		return r.Rows(w.ctx, func(*vec.Batch) error { return nil })
	})
}

func (w *world) close() {
	if w.e != nil {
		w.e.Kill()
	}
}

// deliver gives batch i of a source to the engine.
func (w *world) deliver(s *Source, i int) error {
	rows := s.batch(i)
	if w.files() && !s.Static {
		w.noteFile(s, rows)
		return w.writeFile(s, i, rows)
	}
	if len(rows) == 0 {
		return nil
	}
	o, err := w.e.Catalog().Find(s.Name)
	if err != nil {
		return err
	}
	cols, _ := o.(*catalog.Relation).Inputs()
	b := &vec.Batch{N: len(rows)}
	builders := make([]*vec.Builder, len(cols))
	for k, c := range cols {
		builders[k] = vec.NewBuilder(c.Type)
	}
	for _, r := range rows {
		values, err := valuesOf(r, cols)
		if err != nil {
			return fmt.Errorf("source %s: %w", s.Name, err)
		}
		for k, v := range values {
			builders[k].AppendAny(v)
		}
		w.note(s, values)
	}
	for _, x := range builders {
		b.Cols = append(b.Cols, x.Take())
	}
	return w.e.Append(s.Name, b)
}

// note keeps a row for the judge.
func (w *world) note(s *Source, values []any) {
	m := reference.Moment{Now: w.clock.Now().UnixMicro(), Watermark: w.watermark()}
	w.fed[s.Name] = append(w.fed[s.Name], reference.Change{Values: values, Weight: 1, Moment: m})
}

// noteFile keeps the rows of a file, read as the format says: a field belongs to the
// column of its name, or of its name without case.
func (w *world) noteFile(s *Source, rows []map[string]any) {
	o, err := w.e.Catalog().Find(s.Name)
	if err != nil {
		w.unread = true
		return
	}
	cols, _ := o.(*catalog.Relation).Inputs()
	for _, r := range rows {
		values, err := valuesOf(foldFields(r, s.Schema), cols)
		if err != nil {
			w.unread = true
			continue
		}
		w.note(s, values)
	}
}

// writeFile puts a batch into the landing directory as Spark's driver did.
func (w *world) writeFile(s *Source, i int, rows []map[string]any) error {
	var text []byte
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	path := filepath.Join(w.landing(s), fmt.Sprintf("%05d.json", i))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	at := start.Add(time.Duration(i) * 10 * time.Second)
	return os.Chtimes(path, at, at)
}

// play runs a trigger for each batch of input.
func (w *world) play() error {
	for i := range w.c.triggers() {
		w.clock.Advance(time.Minute)
		for _, s := range w.c.streams() {
			if err := w.deliver(s, i); err != nil {
				return err
			}
		}
		p, err := w.q.RunTrigger(w.ctx)
		if err != nil {
			return err
		}
		t := turn{rows: w.sink.take(), ran: p != nil, watermark: w.watermark()}
		if p != nil {
			if !p.Rows.Balanced() {
				return fmt.Errorf("the row ledger does not add up: %+v", p.Rows)
			}
			t.late = p.Rows
			if p.Watermark != nil {
				t.watermark = *p.Watermark
			}
		}
		w.turns = append(w.turns, t)
		if w.restarts {
			if err := w.restart(); err != nil {
				return err
			}
		}
	}
	return nil
}

// farFuture runs a trigger with a row of each source ten years after its last one: then
// everything before is final. false = there is no such row.
func (w *world) farFuture() (bool, error) {
	w.clock.Advance(time.Minute)
	some := false
	for _, s := range w.c.streams() {
		row := s.later()
		if row == nil || w.files() {
			continue
		}
		some = true
		next := &Source{Name: s.Name, Schema: s.Schema, Batches: [][]map[string]any{{row}}}
		if err := w.deliver(next, 0); err != nil {
			return false, err
		}
	}
	if !some {
		return false, nil
	}
	if _, err := w.q.RunTrigger(w.ctx); err != nil {
		return false, err
	}
	w.turns = append(w.turns, turn{rows: w.sink.take(), ran: true, watermark: w.watermark()})
	return true, nil
}

// later is the last row of a source with all its times moved ten years on.
func (s *Source) later() map[string]any {
	var last map[string]any
	for _, b := range s.Batches {
		if len(b) > 0 {
			last = b[len(b)-1]
		}
	}
	out := maps.Clone(last)
	for _, c := range s.Schema {
		text, ok := out[c[0]].(string)
		if us, err := fromText(text, timestampType); ok && err == nil && c[1] == "timestamp" {
			out[c[0]] = stamp(us.(int64)+tenYears) + "Z"
		}
	}
	return out
}

const tenYears = 3653 * 86_400_000_000

// watermark is the one after the last trigger.
func (w *world) watermark() int64 {
	if n := len(w.turns); n > 0 {
		return w.turns[n-1].watermark
	}
	return noWatermark
}

// mode is the output mode.
func (w *world) mode() sink.Mode { return w.q.Plan.Outputs[0].Mode }
