package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/sink"
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
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/state"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// objects are what the queries here read.
const objects = `
CREATE SOURCE ev (ts TIMESTAMP, k STRING, WATERMARK FOR ts AS ts);
CREATE SOURCE quiet (ts TIMESTAMP, k STRING, WATERMARK FOR ts AS ts) WITH (idle_timeout = '1 minute');
CREATE TABLE fixed (ts TIMESTAMP, k STRING);
CREATE SINK one WITH (connector = 'memory');
CREATE SINK two WITH (connector = 'memory');
`

// stage is one run of a query after another over the same files, sources and sinks, all
// of which write what is done to them into one log.
type stage struct {
	t       *testing.T
	fs      *vfs.Crashable
	clock   *clock.Fake
	cat     *catalog.Catalog
	log     []string
	sources map[string]*fakeSource
	sinks   []*fakeSink
	plan    *physical.Query
	crash   string // "point:batch" at which the run ends
	without bool   // without a checkpoint
	workers int
	limit   int64 // of memory
	q       *Query
}

func newStage(t *testing.T, sql string) *stage {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, fs: vfs.NewCrashable(1), clock: clock.NewFake(time.Unix(1000, 0)), cat: catalog.New(reg.Functions, reg),
		sources: map[string]*fakeSource{}}
	for _, stmt := range s.parse(objects) {
		o, err := planner.Define(stmt, "", s.cat, planner.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		s.cat.Put(o)
	}
	if s.plan, err = planner.Plan(s.parse(sql)[0], s.cat, planner.Settings{}); err != nil {
		t.Fatal(err)
	}
	for _, scan := range s.plan.Scans() {
		s.sources[scan.Relation.Name] = &fakeSource{s: s, name: scan.Relation.Name, finite: scan.Finite}
	}
	for i := range s.plan.Outputs {
		s.sinks = append(s.sinks, &fakeSink{s: s, name: fmt.Sprint("sink", i+1)})
	}
	return s
}

func (s *stage) parse(sql string) []ast.Statement {
	s.t.Helper()
	stmts, err := parser.Parse(diag.Source{Text: sql})
	if err != nil {
		s.t.Fatal(err)
	}
	return stmts
}

func (s *stage) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// took returns the log and forgets it.
func (s *stage) took() string {
	out := strings.Join(s.log, "; ")
	s.log = nil
	return out
}

func (s *stage) did(want string) {
	s.t.Helper()
	if got := s.took(); got != want {
		s.t.Errorf("what was done:\n  %s\nwant:\n  %s", strings.ReplaceAll(got, "; ", "\n  "), strings.ReplaceAll(want, "; ", "\n  "))
	}
}

// open starts a run: what an earlier one left is recovered.
func (s *stage) open() error {
	s.t.Helper()
	g, err := build.New(context.Background(), s.plan, build.Env{Workers: max(1, s.workers), Unlogged: s.without,
		NewCtx: func() *fn.Ctx { return &fn.Ctx{Zone: time.UTC, Scratch: &fn.Scratch{}} }})
	if err != nil {
		s.t.Fatal(err)
	}
	c := Config{ID: "id", RunID: "run", Name: "q", Graph: g, Clock: s.clock, At: s.at, MemoryLimit: s.limit}
	for _, scan := range g.Scans {
		src := s.sources[scan.Plan.Relation.Name]
		src.at, src.done = 0, false
		in := source.Source(src)
		if src.parts {
			in = partitioned{src}
		}
		c.Inputs = append(c.Inputs, &Input{Name: src.name, Source: in, Scans: []*build.Scan{scan}, Limits: scan.Plan.Relation.Common.Limits})
	}
	for i, k := range s.sinks {
		c.Outputs = append(c.Outputs, &Output{Name: k.name, Sink: k, View: build.NewView(s.plan.Outputs[i]), Marks: true, Adopt: k.adopt})
	}
	if !s.without {
		c.Journal = s.journal()
	}
	s.q, err = Open(context.Background(), c)
	if err != nil && c.Journal != nil {
		if e := c.Journal.close(); e != nil {
			s.t.Fatal(e)
		}
		s.q = nil
	}
	return err
}

func (s *stage) journal() *Journal {
	s.t.Helper()
	dir, err := checkpoint.Open(s.fs, "/chk", checkpoint.Options{Manual: true})
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := state.Open(s.fs, dir.StateDir(), state.Options{Epoch: dir.Epoch(), Clock: s.clock})
	if err != nil {
		s.t.Fatal(err)
	}
	return &Journal{Dir: dir, State: st}
}

func (s *stage) at(p Point, batch int64, _ *Journal) error {
	if s.crash == fmt.Sprintf("%s:%d", p, batch) {
		return errCrash
	}
	return nil
}

var errCrash = errors.New("crash")

// start opens a run that must come up.
func (s *stage) start() {
	s.t.Helper()
	if err := s.open(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.stop)
}

// stop ends the run, if there is one.
func (s *stage) stop() {
	if s.q == nil {
		return
	}
	if err := s.q.Close(); err != nil && s.crash == "" {
		s.t.Error(err)
	}
	s.q = nil
}

// kill ends the run as kill -9 does: what was written is there, what was queued is not.
func (s *stage) kill() {
	s.t.Helper()
	fs := s.fs.KillClone()
	s.crash = "now"
	s.stop()
	s.fs, s.crash = fs, ""
}

// step runs a trigger.
func (s *stage) step() *Progress {
	s.t.Helper()
	p, err := s.q.Step(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// fakeSource hands out rows of the test. Its offset counts them.
type fakeSource struct {
	s      *stage
	name   string
	rows   [][]any // (seconds, key)
	at     int
	finite bool
	done   bool
	parts  bool // the key of a row names its partition
	known  []string
}

// partitioned is a fakeSource whose rows come in partitions.
type partitioned struct{ *fakeSource }

// Partitions implements source.Partitioned: those of the rows of the range, and known ones.
func (f partitioned) Partitions(r source.Range) ([]source.Partition, error) {
	active := map[string]bool{}
	for _, row := range f.of(r) {
		active[row[1].(string)] = true
	}
	for _, k := range f.known {
		if !active[k] {
			active[k] = false
		}
	}
	var out []source.Partition
	for _, k := range slices.Sorted(maps.Keys(active)) {
		out = append(out, source.Partition{Name: k, Active: active[k]})
	}
	return out, nil
}

// Splits implements source.Source: one for each row.
func (f partitioned) Splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	if _, err := f.fakeSource.Splits(ctx, r); err != nil {
		return nil, err
	}
	var out []source.Split
	for _, row := range f.of(r) {
		out = append(out, partSplit{fakeSplit{row}, row[1].(string)})
	}
	return out, nil
}

func (f *fakeSource) of(r source.Range) [][]any {
	var x fakeRange
	if err := json.Unmarshal(r.Entries[0], &x); err != nil {
		f.s.t.Fatal(err)
	}
	return f.rows[x.From:x.To]
}

type partSplit struct {
	fakeSplit
	name string
}

func (p partSplit) Partition() string { return p.name }

func (f *fakeSource) give(sec int, k string) {
	f.rows = append(f.rows, []any{int64(sec) * 1_000_000, k})
}

type fakeRange struct{ From, To int }

func (f *fakeSource) Restore(r source.Range) error {
	if r.Offset != nil {
		f.s.note("%s restores %s", f.name, r.Offset)
		return json.Unmarshal(r.Offset, &f.at)
	}
	return nil
}

func (f *fakeSource) Plan(_ context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	end := len(f.rows)
	if n, ok := upTo.(int); ok {
		end = min(end, n)
	}
	f.done = f.finite && end == len(f.rows)
	if l.Rows > 0 {
		end = min(end, f.at+int(l.Rows))
	}
	if end == f.at {
		return source.Range{}, false, nil
	}
	entry, err := json.Marshal(fakeRange{f.at, end})
	f.at = end
	offset, err2 := json.Marshal(end)
	return source.Range{Offset: offset, Entries: []json.RawMessage{entry}}, true, errors.Join(err, err2)
}

func (f *fakeSource) Snapshot(context.Context) (source.Snapshot, error) { return len(f.rows), nil }

func (f *fakeSource) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	var x fakeRange
	for _, e := range r.Entries {
		if err := json.Unmarshal(e, &x); err != nil {
			return nil, err
		}
	}
	f.s.note("%s reads %d-%d", f.name, x.From, x.To)
	return []source.Split{fakeSplit(f.rows[x.From:x.To])}, nil
}

func (f *fakeSource) Committed(_ context.Context, r source.Range) error {
	f.s.note("%s committed %s", f.name, r.Offset)
	return nil
}
func (f *fakeSource) Finished() bool      { return f.finite && f.done }
func (f *fakeSource) Description() string { return f.name }
func (f *fakeSource) Close() error        { return nil }

type fakeSplit [][]any

func (p fakeSplit) Rows() int64 { return int64(len(p)) }
func (p fakeSplit) Read(_ context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	ts := []types.Type{types.Of(types.Timestamp), types.Of(types.String)}
	b := &vec.Batch{N: len(p)}
	for _, c := range rd.Need {
		var vals []any
		for _, row := range p {
			vals = append(vals, row[c])
		}
		b.Cols = append(b.Cols, vec.FromAny(ts[c], vals...))
	}
	return emit(b)
}

// fakeSink keeps what is published, by batch, as a sink that is idempotent does.
type fakeSink struct {
	s      *stage
	name   string
	marker sink.Marker
	adopt  bool
	got    []string
	fail   string // an operation that fails once
}

func (k *fakeSink) check(op string) error {
	if k.fail == op {
		k.fail = ""
		return errors.New("the " + op + " failed")
	}
	return nil
}

func (k *fakeSink) Marker(context.Context) (sink.Marker, error) { return k.marker, k.check("marker") }

func (k *fakeSink) Stage(_ context.Context, b sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	k.s.note("%s stages %d", k.name, b.ID)
	var out []string
	err := rows(func(b *vec.Batch) error {
		b.Each(func(r int) {
			var cells []string
			for _, c := range b.Cols {
				cells = append(cells, vec.RowString(c, r, time.UTC))
			}
			out = append(out, strings.Join(cells, "|"))
		})
		return nil
	})
	return []byte(strings.Join(out, ",")), errors.Join(err, k.check("stage"))
}

func (k *fakeSink) Publish(_ context.Context, b sink.Batch, payload []byte) error {
	k.s.note("%s publishes %d", k.name, b.ID)
	if err := k.check("publish"); err != nil {
		return err
	}
	if k.marker.OK && k.marker.ID == b.ID {
		return nil
	}
	k.marker = sink.Marker{OK: true, ID: b.ID, Digest: sink.Digest(payload)}
	k.got = append(k.got, string(payload))
	return k.check("published")
}

func (k *fakeSink) Discard(_ context.Context, b sink.Batch) error { return nil }
func (k *fakeSink) Description() string                           { return k.name }
func (k *fakeSink) Close() error                                  { return nil }
