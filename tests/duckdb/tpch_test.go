package duckdb

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/tests/tpch"
)

var (
	tpchScale = flag.Float64("tpch.scale", 0.01, "scale factor of TPC-H")
	tpchSeed  = flag.Uint64("tpch.seed", 1, "seed of its tables")
	tpchOnly  = flag.Int("tpch.query", 0, "run one query alone; 0 = all")
)

// TestTPCH keeps the 22 queries of TPC-H up to date while its tables grow in ten triggers
// and orders are deleted: after every trigger each equals DuckDB's answer to the whole.
func TestTPCH(t *testing.T) {
	db := openDuckDB(t)
	w := newTPCH(t)
	for trigger, g := range tpch.Generate(*tpchSeed, *tpchScale, 10) {
		for _, table := range tpch.Tables() {
			w.grow(table, g[table.Name])
			growDuckDB(t, db, table, g[table.Name])
		}
		for n := 1; n <= tpch.Count; n++ {
			if *tpchOnly != 0 && *tpchOnly != n {
				continue
			}
			want, err := run(db, tpch.Query(n))
			if err != nil {
				t.Fatalf("q%d: %v", n, err)
			}
			if got := w.answer(n); sortedText(got) != sortedText(want) {
				t.Errorf("trigger %d, q%d: the view has\n%s\nDuckDB says\n%s", trigger, n, head(got), head(want))
			} else if trigger == 9 && len(want) == 0 {
				t.Errorf("q%d has no rows: it proves nothing", n)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func head(rows []string) string {
	text := sortedText(rows)
	return text[:min(len(text), 2000)]
}

func openDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for _, table := range tpch.Tables() {
		if _, err := db.Exec("CREATE TABLE " + table.Name + " (" + columnsSQL(table) + ")"); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func columnsSQL(t tpch.Table) string {
	parts := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		parts[i] = c.Name + " " + c.Kind.SQL()
	}
	return strings.Join(parts, ", ")
}

// growDuckDB applies changes; deleted rows are known by their first column, and lines by
// their number too.
func growDuckDB(t *testing.T, db *sql.DB, table tpch.Table, changes []tpch.Change) {
	t.Helper()
	var rows, gone []string
	for _, c := range changes {
		if c.Weight < 0 {
			gone = append(gone, fmt.Sprint(c.Row[0]))
			continue
		}
		parts := make([]string, len(c.Row))
		for i, v := range c.Row {
			parts[i] = literal(table.Columns[i].Kind, v)
		}
		rows = append(rows, "("+strings.Join(parts, ", ")+")")
	}
	for len(rows) > 0 {
		n := min(1000, len(rows))
		exec(t, db, "INSERT INTO "+table.Name+" VALUES "+strings.Join(rows[:n], ", "))
		rows = rows[n:]
	}
	if len(gone) > 0 {
		exec(t, db, "DELETE FROM "+table.Name+" WHERE "+table.Columns[0].Name+" IN ("+strings.Join(gone, ", ")+")")
	}
}

func exec(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
}

func literal(k tpch.Kind, v any) string {
	switch k {
	case tpch.Text:
		return "'" + strings.ReplaceAll(v.(string), "'", "''") + "'"
	case tpch.Money:
		m := v.(int64)
		sign := ""
		if m < 0 {
			sign, m = "-", -m
		}
		return fmt.Sprintf("%s%d.%02d", sign, m/100, m%100)
	case tpch.Date:
		return "DATE '" + time.Unix(v.(int64)*86400, 0).UTC().Format(time.DateOnly) + "'"
	}
	return fmt.Sprint(v)
}

// tpchWorld is an engine with a view for each query.
type tpchWorld struct {
	t   *testing.T
	reg *builtin.Registry
	e   *engine.Engine
}

func newTPCH(t *testing.T) *tpchWorld {
	t.Helper()
	reg, err := builtin.New("tpch")
	if err != nil {
		t.Fatal(err)
	}
	w := &tpchWorld{t: t, reg: reg}
	w.e, err = engine.Open(engine.Options{Builtin: reg, FS: vfs.NewCrashable(1), Clock: clock.NewFake(time.Unix(0, 0)), Workers: 2, Dir: "/", Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.e.Kill)
	for _, table := range tpch.Tables() {
		w.exec("CREATE SOURCE " + table.Name + " (" + columnsSQL(table) + ") WITH (changelog = true)")
	}
	for n := 1; n <= tpch.Count; n++ {
		if *tpchOnly == 0 || *tpchOnly == n {
			w.exec(fmt.Sprintf("CREATE MATERIALIZED VIEW q%d AS %s TRIGGER MANUAL", n, tpch.Query(n)))
		}
	}
	return w
}

func (w *tpchWorld) exec(text string) (rows []string) {
	w.t.Helper()
	ctx := context.Background()
	err := w.e.Exec(ctx, diag.Source{Name: "tpch", Text: text + ";"}, func(res *engine.Result) error {
		if res.Rows == nil {
			return nil
		}
		return res.Rows(ctx, func(b *vec.Batch) error {
			for i := range b.Rows() {
				parts := make([]string, len(b.Cols))
				for k, c := range b.Cols {
					parts[k] = plain(ours(res.Columns[k].Type, vec.ToAny(c, b.Row(i))))
				}
				rows = append(rows, strings.Join(parts, " | "))
			}
			return nil
		})
	})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, text)
	}
	return rows
}

func (w *tpchWorld) grow(table tpch.Table, changes []tpch.Change) {
	if len(changes) == 0 {
		return
	}
	ts := make([]types.Type, len(table.Columns))
	for i, c := range table.Columns {
		ts[i] = []types.Type{types.Of(types.Int64), types.Of(types.String), types.DecimalOf(15, 2), types.Of(types.Date)}[c.Kind]
	}
	builders := vec.NewBuilders(ts)
	b := &vec.Batch{N: len(changes)}
	for _, c := range changes {
		for i, v := range c.Row {
			builders[i].AppendAny(v)
		}
		b.W = append(b.W, c.Weight)
	}
	for _, x := range builders {
		b.Cols = append(b.Cols, x.Take())
	}
	if err := w.reg.Stores.Get(table.Name).Append(b); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tpchWorld) answer(n int) []string {
	w.exec(fmt.Sprintf("RUN TRIGGER FOR q%d", n))
	return w.exec(fmt.Sprintf("SELECT * FROM q%d", n))
}
