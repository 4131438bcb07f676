package duckdb

import (
	"database/sql"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/storage/vfs"
	"github.com/sqlstream/sqlstream/tests/subqueries"
)

var (
	subCases   = flag.Int("subqueries.cases", 300, "how many queries with subqueries to compare")
	subSeed    = flag.Uint64("subqueries.seed", 1, "the first seed")
	subWithout = flag.String("subqueries.without", "", "features left out, separated by commas")
)

// TestSubqueries compares DuckDB's answer to random queries with subqueries with the
// reference's, which computes them row by row, and with the engine's, which joins.
func TestSubqueries(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	refused, compared, rows := map[string]int{}, 0, 0
	// DuckDB compares rows with NULLs by rules of its own.
	without := func(f string) bool { return f == "row in" || strings.Contains(","+*subWithout+",", ","+f+",") }
	for s := *subSeed; compared < *subCases && !t.Failed(); s++ {
		c := subqueries.New(s, without)
		for _, text := range c.Setup() {
			if _, err := db.Exec(strings.Replace(text, "CREATE TABLE", "CREATE OR REPLACE TABLE", 1)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := run(db, c.SQL)
		if err != nil {
			refused[firstLine(err)]++
			continue
		}
		compared++
		rows += len(want)
		subquery(t, c, sortedText(want))
	}
	t.Logf("%d compared, %d rows; DuckDB refused: %v", compared, rows, refused)
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text[:min(len(text), 60)]
}

// subquery compares the answers of the reference and the engine with one that is right.
func subquery(t *testing.T, c *subqueries.Case, want string) {
	t.Helper()
	e, err := engine.Open(engine.Options{FS: vfs.NewCrashable(1), Clock: clock.NewFake(time.Unix(0, 0)), Workers: 1, Dir: "/", Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Kill()
	var out []*vec.Batch
	exec := func(text string) error {
		return e.Exec(t.Context(), diag.Source{Name: "query", Text: text}, func(r *engine.Result) error {
			if r.Rows == nil {
				return nil
			}
			return r.Rows(t.Context(), func(b *vec.Batch) error { out = append(out, b.Clone()); return nil })
		})
	}
	for _, text := range c.Setup() {
		if err := exec(text); err != nil {
			t.Fatal(err)
		}
	}
	tell := func(who, got string) {
		t.Errorf("seed %d: the %s says\n%s\nDuckDB says\n%s\nto\n%s\n%s", c.Seed, who, got, want, c.SQL, strings.Join(c.Setup(), ";\n"))
	}
	plan, ref, err := referenceAnswer(t, e, c)
	if err != nil {
		tell("reference", err.Error())
		return
	}
	if text := sortedText(texts(plan.Schema(), ref)); text != want {
		tell("reference", text)
		return
	}
	out = nil
	if err := exec(c.SQL); err != nil {
		tell("engine", err.Error())
		return
	}
	if text := sortedText(texts(plan.Schema(), rowsOf(out))); text != want {
		tell("engine", text)
	}
}

func rowsOf(out []*vec.Batch) []reference.Row {
	var rows []reference.Row
	for _, b := range out {
		for i := range b.Rows() {
			r := b.Row(i)
			row := reference.Row{}
			for _, c := range b.Cols {
				row.Values = append(row.Values, vec.ToAny(c, r))
			}
			for range b.Weight(r) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func referenceAnswer(t *testing.T, e *engine.Engine, c *subqueries.Case) (logical.Node, []reference.Row, error) {
	q, err := parser.ParseQuery(diag.Source{Name: "query", Text: c.SQL})
	if err != nil {
		return nil, nil, err
	}
	res, err := bind.New(e.Catalog(), bind.Settings{}).Query(q)
	if err != nil {
		return nil, nil, err
	}
	rows, err := reference.Question{Plan: res.Plan, Inputs: func(s *logical.Scan) ([]reference.Change, error) {
		var out []reference.Change
		for _, table := range c.Tables {
			if table.Name == s.Relation.Name {
				for _, r := range table.Rows {
					out = append(out, reference.Change{Values: r[:], Weight: 1})
				}
			}
		}
		return out, nil
	}}.Answer(&fn.Ctx{Zone: time.UTC})
	return res.Plan, rows, err
}
