//go:build services

package endtoend

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

func postgresSink(w *world) ends {
	table := func(sink string) string { return strings.ReplaceAll(w.name, "-", "_") + "_" + sink }
	w.Cleanup(func() {
		for _, sink := range []string{"counts", "copies"} {
			_, _ = postgresRows(w, "DROP TABLE IF EXISTS "+table(sink)) // the server may be gone with the test
		}
	})
	durable(w)
	columns := map[string]string{"counts": "(extract(epoch from start) * 1000000)::bigint, who, n, s", "copies": "id, v, pad"}
	return ends{
		sink: func(name string) string {
			return fmt.Sprintf("connector = 'postgres', url = '%s', table = '%s', create_table = true", w.service("postgres")["PG_URL"], table(name))
		},
		read: func(sink string) []string {
			rows, err := postgresRows(w, fmt.Sprintf("SELECT to_regclass('%s') IS NOT NULL", table(sink)))
			if err == nil && rows[0] == "t" {
				rows, err = postgresRows(w, "SELECT "+columns[sink]+" FROM "+table(sink))
			} else {
				rows = nil
			}
			if err != nil {
				w.Fatal(err)
			}
			return rows
		},
	}
}

// durable lets the server keep what it has acknowledged when it is killed: the one that tests
// share does without, to be fast.
func durable(w *world) {
	w.Helper()
	if _, err := postgresRows(w, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$"); err != nil {
		w.Fatal(err)
	}
}

// postgresRows gives the rows of a query, cells separated by bars.
func postgresRows(w *world, sql string) ([]string, error) {
	ctx := context.Background() // of a test that may have ended
	c, err := pgx.Connect(ctx, w.service("postgres")["PG_URL"])
	if err != nil {
		return nil, err
	}
	defer c.Close(ctx)
	results, err := c.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range results[0].Rows {
		cells := make([]string, len(r))
		for i, cell := range r {
			cells[i] = string(cell)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out, nil
}
