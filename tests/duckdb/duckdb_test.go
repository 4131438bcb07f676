package duckdb

import (
	"database/sql"
	"flag"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/tests/random"
)

var (
	cases = flag.Int("random.cases", 400, "how many queries to compare")
	seed  = flag.Uint64("random.seed", 1, "the first seed; each case takes the next one")
)

// TestAgainstDuckDB compares three answers to each query: DuckDB's, the reference's and
// the engine's, over the data at the end of a random history.
func TestAgainstDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"SET threads = 1", "SET order_by_non_integer_literal = true",
		"SET default_null_order = 'nulls_first_on_asc_last_on_desc'"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	var n tally
	for s := *seed; n.compared < *cases && !t.Failed(); s++ {
		n.add(compare(t, db, random.New(s)))
	}
	t.Logf("%d compared (%d rows), %d that DuckDB cannot say, %d refused by DuckDB, %d with errors of values or late rows",
		n.compared, n.rows, n.unsaid, n.refused, n.without)
	if n.refused*20 > n.compared {
		t.Errorf("DuckDB refused %d queries: the dialect printer is wrong", n.refused)
	}
}

// tally counts what became of the cases.
type tally struct{ compared, rows, unsaid, refused, without int }

func (t *tally) add(o tally) {
	t.compared += o.compared
	t.rows += o.rows
	t.unsaid += o.unsaid
	t.refused += o.refused
	t.without += o.without
}

func compare(t *testing.T, db *sql.DB, c *random.Case) tally {
	t.Helper()
	query, said := c.DuckSQL()
	if !said {
		return tally{unsaid: 1}
	}
	if c.Late {
		return tally{without: 1}
	}
	end, ok, err := c.EndState(t.Context())
	if err != nil {
		t.Errorf("seed %d: %v", c.Seed, err)
		return tally{}
	}
	if !ok {
		return tally{without: 1}
	}
	load(t, db, end)
	got, err := run(db, query)
	if err != nil {
		t.Logf("seed %d: %v\n%s", c.Seed, err, query)
		return tally{refused: 1}
	}
	duck := sortedText(got)
	for name, rows := range map[string][]reference.Row{"reference": end.Reference, "engine": end.Engine} {
		if text := sortedText(texts(end.Columns, rows)); text != duck {
			t.Errorf("seed %d: the %s says\n%s\nDuckDB says\n%s\nto\n%s", c.Seed, name, text, duck, query)
		}
	}
	return tally{compared: 1, rows: len(got)}
}

func load(t *testing.T, db *sql.DB, end *random.EndState) {
	t.Helper()
	for name, in := range end.Inputs {
		stmts := []string{"CREATE OR REPLACE TABLE " + name + " (" + strings.Join(in.Columns, ", ") + ")"}
		for _, row := range in.Rows {
			stmts = append(stmts, "INSERT INTO "+name+" VALUES ("+strings.Join(row, ", ")+")")
		}
		for _, s := range stmts {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%v\n%s", err, s)
			}
		}
	}
}

// run returns the rows of a query as text.
func run(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	out := []string{}
	for rows.Next() {
		values, into := make([]any, len(cols)), make([]any, len(cols))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = plain(v)
		}
		out = append(out, strings.Join(parts, " | "))
	}
	return out, rows.Err()
}

func texts(cols []types.Column, rows []reference.Row) []string {
	out := []string{}
	for _, r := range rows {
		parts := make([]string, len(cols))
		for i, c := range cols {
			parts[i] = plain(ours(c.Type, r.Values[i]))
		}
		out = append(out, strings.Join(parts, " | "))
	}
	return out
}
