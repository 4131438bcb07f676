package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when the tests' clock starts.
var noon = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

// world is an engine over files in memory and a clock that the test moves.
type world struct {
	*engine.Engine
	t     testing.TB
	fs    *vfs.Crashable
	clock *clock.Fake
	out   *bytes.Buffer
	opt   engine.Options
}

func newWorld(t testing.TB, edit ...func(*engine.Options)) *world {
	t.Helper()
	w := &world{t: t, fs: vfs.NewCrashable(1), clock: clock.NewFake(noon), out: &bytes.Buffer{}}
	w.opt = engine.Options{FS: w.fs, Clock: w.clock, Workers: 2, Dir: "/", Stdout: w.out}
	for _, f := range edit {
		f(&w.opt)
	}
	w.open()
	return w
}

func (w *world) open() {
	w.t.Helper()
	e, err := engine.Open(w.opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Engine = e
	w.t.Cleanup(func() { _ = e.Close() })
}

// restart ends the engine and opens another one over the same files.
func (w *world) restart() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// run executes a script and returns what it gave, a line for each message, row (cells
// with blanks between) and line of a plan.
func (w *world) run(sql string) ([]string, error) {
	var out []string
	err := w.Exec(context.Background(), diag.Source{Name: "test", Text: sql}, func(r *engine.Result) error {
		if r.Message != "" {
			out = append(out, r.Message)
		}
		if r.Plan != "" {
			out = append(out, strings.Split(strings.TrimSpace(r.Plan), "\n")...)
		}
		if r.Rows == nil {
			return nil
		}
		return r.Rows(context.Background(), func(b *vec.Batch) error {
			b.Each(func(row int) {
				cells := make([]string, len(b.Cols))
				for i, c := range b.Cols {
					cells[i] = vec.RowString(c, row, time.UTC)
				}
				out = append(out, strings.Join(cells, " "))
			})
			return nil
		})
	})
	return out, err
}

// must runs a script that succeeds.
func (w *world) must(sql string) []string {
	w.t.Helper()
	out, err := w.run(sql)
	if err != nil {
		w.t.Fatalf("%s\n%v", sql, err)
	}
	return out
}

// gives checks what a script gave.
func (w *world) gives(sql string, want ...string) {
	w.t.Helper()
	if got := w.must(sql); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("%s\ngave\n  %s\nwant\n  %s", sql, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// fails checks that a script fails, and that the error has each of the texts.
func (w *world) fails(sql string, want ...string) error {
	w.t.Helper()
	_, err := w.run(sql)
	if err == nil {
		w.t.Fatalf("%s\ndid not fail", sql)
	}
	for _, x := range want {
		if !strings.Contains(err.Error(), x) {
			w.t.Errorf("%s\nfailed with\n  %v\nwithout\n  %s", sql, err, x)
		}
	}
	return err
}

// query is the handle of a query that must be there.
func (w *world) query(name string) *engine.Query {
	w.t.Helper()
	q := w.Query(name)
	if q == nil {
		w.t.Fatalf("there is no query %q", name)
	}
	return q
}

// asleep waits until a query sleeps on the clock.
func (w *world) asleep() {
	w.t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		n, made := w.clock.Waiting()
		if n > 0 {
			return
		}
		select {
		case <-made:
		case <-limit.C:
			w.t.Fatal("nobody sleeps")
		}
	}
}

// write makes a file.
func (w *world) write(path, text string) {
	w.t.Helper()
	if err := w.fs.MkdirAll(filepath.Dir(path)); err != nil {
		w.t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(w.fs, path, []byte(text), true); err != nil {
		w.t.Fatal(err)
	}
}

// files are the contents of all files below a directory, by path.
func (w *world) files(dir string) map[string]string {
	w.t.Helper()
	out := map[string]string{}
	var walk func(string)
	walk = func(dir string) {
		entries, err := w.fs.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range entries {
			path := filepath.Join(dir, d.Name())
			if d.IsDir() {
				walk(path)
				continue
			}
			data, err := vfs.ReadFile(w.fs, path)
			if err != nil {
				w.t.Fatal(err)
			}
			out[path] = string(data)
		}
	}
	walk(dir)
	return out
}

const objects = `
CREATE SOURCE ev (k STRING, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND) WITH (connector = 'memory');
CREATE SOURCE plain (k STRING, v INT) WITH (connector = 'memory');
CREATE TABLE dim (k STRING, name STRING);
CREATE SINK mem WITH (connector = 'memory');
CREATE SINK mem2 WITH (connector = 'memory');
CREATE SINK dir WITH (connector = 'file', path = 'out', format = 'json');
`

// columnType is the type of a declared column.
func (w *world) columnType(relation, column string) types.Type {
	w.t.Helper()
	o, err := w.Catalog().Find(relation)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range o.(*catalog.Relation).Columns {
		if c.Name == column {
			return c.Type
		}
	}
	w.t.Fatalf("%s has no column %s", relation, column)
	return types.Type{}
}
