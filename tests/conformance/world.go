package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// world is a file being run under one schedule. Two engines hold the objects under the
// same names: in stream the tables are sources that get their changes, and materialised
// views run; in batch they are tables with their present rows, filled when they are read.
type world struct {
	ctx    context.Context
	d      *dialect
	s      schedule
	clock  *clock.Fake
	fs     vfs.FS
	reg    *builtin.Registry // of stream: its rows survive a restart
	stream *engine.Engine
	batch  *engine.Engine
	tables map[string]*table
	views  map[string]*view
	// dropped are the views that went with what they read, where DROP leaves them: nothing
	// but another DROP may name them.
	dropped   map[string]bool
	order     []*view // the materialised ones, as they were made
	fed       int     // rows given to the sources
	cycles    recursion
	cut       int // rows that a source gives to a trigger, 0 = all
	serial    int
	changed   int               // rows of the last INSERT, UPDATE or DELETE
	late      map[string]bool   // by name, folded: what a view reads for which a row came too late
	changesOf map[string]string // prepared changes of rows, by name
	apart     map[string]bool   // by name, folded: tables that the batch engine holds alone
}

// view is a view or a materialised view of a test.
type view struct {
	name         string
	sql          string         // its query
	emit         string         // EMIT …, of a materialised one
	zone         *time.Location // of the session that made it; nil = UTC
	materialized bool
}

const backing = "__rows" // ends the name of the materialised view behind one of a test

func newWorld(ctx context.Context, d *dialect, s schedule, cut int) (*world, error) {
	w := &world{ctx: ctx, d: d, s: s, cut: cut, clock: clock.NewFake(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)), fs: vfs.NewMemory(),
		changesOf: map[string]string{}, tables: map[string]*table{}, views: map[string]*view{}, dropped: map[string]bool{}, late: map[string]bool{}}
	var err error
	if w.reg, err = w.registry(); err != nil {
		return nil, err
	}
	if w.stream, err = w.open(w.reg); err != nil {
		return nil, err
	}
	if d.nullInViews {
		if err := run(ctx, w.stream, "SET eval_error = 'null'"); err != nil {
			return nil, err
		}
	}
	reg, err := w.registry()
	if err != nil {
		return nil, err
	}
	w.batch, err = w.open(reg)
	return w, err
}

// registry is what is built in, with the meanings of the dialect.
func (w *world) registry() (*builtin.Registry, error) {
	r, err := builtin.New(uuid.NewString())
	if err == nil && w.d.integerDivision {
		divideIntegers(r.Functions)
	}
	if err == nil && w.d.ieeeDivision {
		divideIEEE(r.Functions, func() bool { return w.d.strictReals })
		nameTypes(r.Functions)
	}
	if err == nil && w.d.functions != nil {
		w.d.functions(r.Functions)
	}
	return r, err
}

// divideIntegers gives / of two integers the meaning of DIV.
func divideIntegers(r *fn.Registry) {
	slash, _ := r.Scalar("/")
	div, _ := r.Scalar("div")
	other := slash.Resolve
	slash.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Type.IsInteger() && args[1].Type.IsInteger() {
			return div.Resolve(args)
		}
		return other(args)
	}
}

func (w *world) open(r *builtin.Registry) (*engine.Engine, error) {
	e, err := engine.Open(engine.Options{Builtin: r, FS: w.fs, Clock: w.clock, Workers: 2, Dir: "/", Stdout: io.Discard, CheckpointRoot: "/views"})
	if err != nil {
		return nil, err
	}
	if w.d.nullOnError {
		err = run(w.ctx, e, "SET eval_error = 'null'")
	}
	return e, err
}

func (w *world) close() {
	w.stream.Kill()
	w.batch.Kill()
}

// run runs a statement and forgets what it gives.
func run(ctx context.Context, e *engine.Engine, sql string) error {
	_, err := rowsOf(ctx, e, sql)
	return err
}

// result is the rows of a query.
type result struct {
	cols []types.Column
	rows []*vec.Batch
}

// rowsOf runs a statement and keeps its rows.
func rowsOf(ctx context.Context, e *engine.Engine, sql string) (*result, error) {
	out := &result{}
	err := e.Exec(ctx, diag.Source{Name: "test", Text: sql}, func(r *engine.Result) error {
		out.cols = r.Columns
		if r.Rows == nil {
			return nil
		}
		return r.Rows(ctx, func(b *vec.Batch) error {
			out.rows = append(out.rows, b.Clone())
			return nil
		})
	})
	return out, err
}

// restart kills queries of materialised views and starts them again on their checkpoints.
// The rows that they have not taken stay: a memory source keeps them.
func (w *world) restart(list []*engine.Query) error {
	for _, q := range list {
		q.Kill()
	}
	for _, q := range list {
		i := slices.IndexFunc(w.order, func(v *view) bool { return strings.EqualFold(v.name+backing, q.Name) })
		if i < 0 {
			continue
		}
		if err := w.startView(w.order[i], "OR REPLACE "); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
	}
	return nil
}

// startView starts the query of a materialised view.
func (w *world) startView(v *view, how string) error {
	if v.zone != w.d.zone { // a query keeps the zone of the session that made it
		if err := w.inZone(cmp.Or(v.zone, time.UTC)); err != nil {
			return err
		}
		defer func() { _ = w.inZone(cmp.Or(w.d.zone, time.UTC)) }() // it was set before
	}
	return run(w.ctx, w.stream, fmt.Sprintf("CREATE %sMATERIALIZED VIEW %s AS SELECT * FROM %s %s", how, quote(v.name+backing), quote(v.name), v.emit))
}

// declare makes the source of a table.
func (w *world) declare(t *table) error {
	key := t.key
	if t.nullKey || t.unique && slices.ContainsFunc(key, func(c int) bool { return !t.relation.Columns[c].NotNull }) {
		key = nil // a key has no NULL
	}
	options := "changelog = true"
	columns := strings.Join(append([]string{columnsSQL(t.relation, key)}, t.watermark...), ", ")
	if w.cut > 0 {
		options += fmt.Sprintf(", max_rows_per_trigger = %d", w.cut)
	}
	return run(w.ctx, w.stream, fmt.Sprintf("CREATE SOURCE %s (%s) WITH (%s)", quote(t.name), columns, options))
}

// columnsSQL declares the columns of a relation.
func columnsSQL(r *catalog.Relation, key []int) string {
	var parts []string
	for _, c := range r.Columns {
		parts = append(parts, quote(c.Name)+" "+c.Type.String())
	}
	if len(key) > 0 {
		var names []string
		for _, k := range key {
			names = append(names, quote(r.Columns[k].Name))
		}
		parts = append(parts, "PRIMARY KEY ("+strings.Join(names, ", ")+")")
	}
	return strings.Join(parts, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// feed gives changes of a table to the engine of streams, and lets the materialised
// views take them, if the schedule says so.
func (w *world) feed(t *table, changes []change) error {
	if t.bulk || w.d.noViews && w.s == asGiven {
		return nil
	}
	if err := w.withoutKey(t, changes); err != nil {
		return err
	}
	for _, b := range joined(changes) {
		if err := w.stream.Append(t.name, b); err != nil {
			return err
		}
	}
	w.fed += len(changes)
	if w.s == atOnce && !w.late[strings.ToLower(t.name)] && !slices.ContainsFunc(w.order, func(v *view) bool { return w.arrives(v.sql) }) {
		return nil
	}
	return w.settle()
}

// withoutKey declares the source of a table anew, without its key, when a row has NULL in it, which
// a key of theirs may have: before anything reads it.
func (w *world) withoutKey(t *table, changes []change) error {
	null := slices.ContainsFunc(changes, func(c change) bool {
		return slices.ContainsFunc(t.key, func(k int) bool { return c.row.Cols[k].IsNull(0) })
	})
	if t.nullKey || !null || w.d.conflict != replace || slices.ContainsFunc(w.order, func(v *view) bool { return slices.Contains(w.named(v.sql), strings.ToLower(t.name)) }) {
		return nil
	}
	t.nullKey = true
	if err := run(w.ctx, w.stream, "DROP SOURCE "+quote(t.name)); err != nil {
		return err
	}
	if err := w.declare(t); err != nil {
		return err
	}
	var before []change
	for _, r := range t.live() {
		before = append(before, change{r, 1})
	}
	for _, c := range changes { // they are among the rows already
		before = append(before, change{c.row, -c.weight})
	}
	for _, b := range joined(before) {
		if err := w.stream.Append(t.name, b); err != nil {
			return err
		}
	}
	return nil
}

// settle runs triggers of the materialised views until nothing is left to do.
func (w *world) settle() error {
	for again := true; again; {
		var ran []*engine.Query
		for _, q := range w.stream.Active() {
			p, err := q.Poke(w.ctx)
			if errors.Is(err, engine.ErrStopped) && q.Status() == engine.Finished {
				continue // it ended meanwhile
			}
			if err != nil {
				return err
			}
			if p != nil {
				ran = append(ran, q)
				if p.Rows.Late+p.Rows.Partial > 0 {
					w.sawLate(q.Name)
				}
			}
		}
		if again = len(ran) > 0; w.s == withRestarts {
			if err := w.restart(ran); err != nil {
				return err
			}
		}
	}
	return nil
}

// named are the tables and views that a text names, with those that they name.
func (w *world) named(sql string) []string {
	found := map[string]bool{}
	var visit func(sql string)
	visit = func(sql string) {
		for _, t := range tokens(sql) {
			if t.kind != word && t.kind != quoted {
				continue
			}
			n := strings.ToLower(t.name())
			if found[n] {
				continue
			}
			if v := w.views[n]; v != nil {
				found[n] = true
				visit(v.sql)
			} else if w.tables[n] != nil {
				found[n] = true
			}
		}
	}
	visit(sql)
	return slices.Sorted(maps.Keys(found))
}

// sync brings what a text names in the batch engine up to date.
func (w *world) sync(sql string) error {
	settled := false
	for _, n := range w.named(sql) {
		if t := w.tables[n]; t != nil && t.unsynced && !t.bulk {
			if err := w.fill(t.name, t.relation, t.live()); err != nil {
				return err
			}
			t.unsynced = false
		}
		if v := w.views[n]; v != nil && v.materialized {
			if !settled {
				if err := w.settle(); err != nil {
					return err
				}
				settled = true
			}
			if err := w.fillView(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill makes a table of the batch engine hold rows.
func (w *world) fill(name string, r *catalog.Relation, rows []*vec.Batch) error {
	if err := run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s (%s)", quote(name), columnsSQL(r, nil))); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := min(len(rows), vec.BatchSize)
		if err := w.batch.Append(name, vec.ConcatBatches(rows[:n]...)); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// fillView copies the rows of a materialised view.
func (w *world) fillView(v *view) error {
	res, err := rowsOf(w.ctx, w.stream, "SELECT * FROM "+quote(v.name+backing))
	if err != nil {
		return err
	}
	r := &catalog.Relation{}
	for _, c := range res.cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return w.fill(v.name, r, singles(res.rows))
}
