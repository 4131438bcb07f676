package build_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// objects are what the queries here read.
const objects = `
CREATE SOURCE ev (ts TIMESTAMP, k STRING, v INT, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
CREATE SOURCE other (at TIMESTAMP, k STRING, v INT, WATERMARK FOR at AS at - INTERVAL '5' SECOND);
CREATE SOURCE quiet (ts TIMESTAMP, k STRING, v INT, WATERMARK FOR ts AS ts) WITH (idle_timeout = '1 minute');
CREATE SOURCE near (ts TIMESTAMP, k STRING, v INT, WATERMARK FOR ts AS ts) WITH (max_ahead = '1 minute');
CREATE SOURCE plain (k STRING, v INT);
CREATE SOURCE firm (ts TIMESTAMP, k STRING NOT NULL, v INT, WATERMARK FOR ts AS ts) WITH (on_error = 'skip', max_ahead = '1 minute');
CREATE SOURCE strict (ts TIMESTAMP, k STRING NOT NULL, v INT);
CREATE SOURCE changes (k STRING, v INT) WITH (changelog = true);
CREATE TABLE fixed (ts TIMESTAMP, k STRING, v INT);
CREATE SINK keyed (k STRING, n BIGINT) WITH (connector = 'memory');
CREATE SINK keyed2 (k STRING, n BIGINT) WITH (connector = 'memory');
`

// world plans queries over the objects and runs their graphs on rows of the tests.
type world struct {
	t    testing.TB
	cat  *catalog.Catalog
	zone *time.Location
	// tables are the splits of finite relations that are opened while a graph is built.
	tables map[string][]source.Split
	held   int64
}

func newWorld(t testing.TB) *world {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, cat: catalog.New(reg.Functions, reg), zone: time.UTC, tables: map[string][]source.Split{}}
	stmts, err := parser.Parse(diag.Source{Text: objects})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stmts {
		o, err := planner.Define(s, "", w.cat, planner.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		w.cat.Put(o)
	}
	return w
}

func (w *world) plan(sql string) *physical.Query {
	w.t.Helper()
	stmts, err := parser.Parse(diag.Source{Text: sql})
	if err != nil {
		w.t.Fatal(err)
	}
	q, err := planner.Plan(stmts[0], w.cat, planner.Settings{})
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

// mode plans a SELECT in a mode.
func (w *world) mode(sql string, m ast.EmitMode) *physical.Query {
	w.t.Helper()
	stmts, err := parser.Parse(diag.Source{Text: sql})
	if err != nil {
		w.t.Fatal(err)
	}
	q, err := planner.Plan(stmts[0], w.cat, planner.Settings{Mode: m})
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

func (w *world) env(workers int) build.Env {
	return build.Env{Workers: workers, Held: w.held,
		NewCtx: func() *fn.Ctx { return &fn.Ctx{Zone: w.zone, Scratch: &fn.Scratch{}} },
		Open: func(_ context.Context, r *catalog.Relation) (source.Source, error) {
			return &table{splits: w.tables[r.Name]}, nil
		}}
}

// graph is a graph under test and what it has given.
type graph struct {
	*build.Graph
	t     testing.TB
	views []*build.View
	now   int64
	batch int64
	mu    sync.Mutex
	rows  [][]string // by output, of the last trigger, in the order in which they came
	bad   []source.BadRow
	late  []string
	// concurrent outputs, by number
	concurrent []bool
}

func (w *world) graph(q *physical.Query, workers int) *graph {
	w.t.Helper()
	g, err := build.New(context.Background(), q, w.env(workers))
	if err != nil {
		w.t.Fatal(err)
	}
	x := &graph{Graph: g, t: w.t}
	for _, o := range q.Outputs {
		x.views = append(x.views, build.NewView(o))
	}
	return x
}

// run runs a trigger over the splits of each source.
func (g *graph) run(in map[string][]source.Split) (*build.Outcome, error) {
	t := build.Trigger{BatchID: g.batch, Now: g.now, Concurrent: g.concurrent, Emit: func(i int, b *vec.Batch) error {
		return g.views[i].Take(b, func(b *vec.Batch) error { return g.take(i, b) })
	}}
	t.Bad = func(b source.BadRow) { g.bad = append(g.bad, b) }
	t.Late = func(op string, b *vec.Batch, rows []int32) error {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, r := range rows {
			g.late = append(g.late, rowText(b, int(r)))
		}
		return nil
	}
	g.batch++
	g.rows, g.bad, g.late = make([][]string, len(g.views)), nil, nil
	for _, s := range g.Scans {
		if splits, ok := in[s.Plan.Relation.Name]; ok || s.Plan.Finite && !s.Ended {
			t.Inputs = append(t.Inputs, build.Input{Scan: s, Splits: splits, Last: s.Plan.Finite})
		}
	}
	out, err := g.Run(context.Background(), t)
	if err != nil {
		return nil, err
	}
	for i, v := range g.views {
		if err := v.Flush(func(b *vec.Batch) error { return g.take(i, b) }); err != nil {
			return nil, err
		}
	}
	for _, l := range out.Ledgers {
		if l.Input != l.Contributed+l.Filtered+l.Late+l.Bad {
			g.t.Errorf("the ledger does not add up: %+v", l)
		}
	}
	return out, nil
}

func (g *graph) take(i int, b *vec.Batch) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	b.Each(func(r int) {
		text := rowText(b, r)
		if w := b.Weight(r); w != 1 {
			text += fmt.Sprintf(" | %+d", w)
		}
		g.rows[i] = append(g.rows[i], text)
	})
	return nil
}

// must runs a trigger and returns the rows of output 0, sorted.
func (g *graph) must(in map[string][]source.Split) (*build.Outcome, []string) {
	g.t.Helper()
	out, err := g.run(in)
	if err != nil {
		g.t.Fatal(err)
	}
	rows := append([]string(nil), g.rows[0]...)
	sort.Strings(rows)
	return out, rows
}

func rowText(b *vec.Batch, row int) string {
	cells := make([]string, len(b.Cols))
	for i, c := range b.Cols {
		cells[i] = vec.RowString(c, row, time.UTC)
		if c.Type.Kind == types.Timestamp && !c.IsNull(row) {
			cells[i] = fmt.Sprint(time.Duration(c.Int(row)) * time.Microsecond)
		}
	}
	return strings.Join(cells, " | ")
}

// split gives rows of a source, in batches of size.
type split struct {
	cols  []types.Type
	rows  [][]any // the last cell more than columns: a weight
	size  int
	wait  <-chan struct{} // before the first batch
	read  chan<- struct{} // told after the last
	fail  error
	panic any
	bad   []string
}

// Rows implements source.Split.
func (s *split) Rows() int64 { return int64(len(s.rows)) }

// Read implements source.Split. The batches share memory, as those of real sources do.
func (s *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, b := range s.bad {
		rd.Bad(source.BadRow{Reason: b, Raw: []byte(b)})
	}
	builders := make([]*vec.Builder, len(rd.Need))
	for i, c := range rd.Need {
		builders[i] = vec.NewBuilder(s.cols[c])
	}
	for from := 0; from < len(s.rows); from += s.size {
		part := s.rows[from:min(from+s.size, len(s.rows))]
		if err := emit(s.batch(rd.Need, builders, part)); err != nil {
			return err
		}
	}
	if s.panic != nil {
		panic(s.panic)
	}
	if s.read != nil {
		s.read <- struct{}{}
	}
	return s.fail
}

func (s *split) batch(need []int, builders []*vec.Builder, rows [][]any) *vec.Batch {
	b := &vec.Batch{N: len(rows)}
	for i, c := range need {
		builders[i].Reset()
		for _, r := range rows {
			builders[i].AppendAny(r[c])
		}
		b.Cols = append(b.Cols, builders[i].Finish())
	}
	if len(rows[0]) > len(s.cols) {
		for _, r := range rows {
			b.W = append(b.W, int64(r[len(s.cols)].(int)))
		}
	}
	return b
}

// table is a finite source.
type table struct {
	splits []source.Split
	done   bool
}

func (*table) Restore(source.Range) error { return nil }
func (t *table) Plan(context.Context, source.Limits, source.Snapshot) (source.Range, bool, error) {
	defer func() { t.done = true }()
	return source.Range{}, !t.done, nil
}
func (*table) Snapshot(context.Context) (source.Snapshot, error) { return nil, nil }
func (t *table) Splits(context.Context, source.Range) ([]source.Split, error) {
	return t.splits, nil
}
func (*table) Committed(context.Context, source.Range) error { return nil }
func (t *table) Finished() bool                              { return t.done }
func (*table) Description() string                           { return "table" }
func (*table) Close() error                                  { return nil }

// timed is a split of (ts, k, v); times in seconds.
func timed(rows ...[]any) *split {
	s := &split{cols: []types.Type{types.Of(types.Timestamp), types.Of(types.String), types.Of(types.Int32)}, size: 2}
	for _, r := range rows {
		if sec, ok := r[0].(int); ok {
			r = append([]any{int64(sec) * 1_000_000}, r[1:]...)
		}
		s.rows = append(s.rows, r)
	}
	return s
}

// pairs is a split of (k, v).
func pairs(rows ...[]any) *split {
	return &split{cols: []types.Type{types.Of(types.String), types.Of(types.Int32)}, rows: rows, size: 2}
}

func row(cells ...any) []any { return cells }

// of makes the input of one source.
func of(name string, splits ...*split) map[string][]source.Split {
	in := map[string][]source.Split{name: {}}
	for _, s := range splits {
		in[name] = append(in[name], s)
	}
	return in
}

// join adds inputs of further sources.
func join(ins ...map[string][]source.Split) map[string][]source.Split {
	all := map[string][]source.Split{}
	for _, in := range ins {
		for k, v := range in {
			all[k] = v
		}
	}
	return all
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
