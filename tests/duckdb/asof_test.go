package duckdb

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/tests/subqueries"
)

// nearest are ASOF joins and recursive queries over the tables of tests/subqueries, which both
// say alike. DuckDB takes any of several rows of one time, so that the right sides have
// none.
var nearest = []string{
	"SELECT l.a, l.b, l.s, r.m FROM $1 AS l ASOF JOIN (SELECT a, b, max(s) AS m FROM $2 GROUP BY a, b) AS r ON l.a = r.a AND l.b >= r.b",
	"SELECT l.a, l.b, l.s, r.m FROM $1 AS l ASOF LEFT JOIN (SELECT a, b, max(s) AS m FROM $2 GROUP BY a, b) AS r ON l.a = r.a AND l.b > r.b",
	"SELECT l.a, l.b, l.s, r.m FROM $1 AS l ASOF JOIN (SELECT a, b, max(s) AS m FROM $2 GROUP BY a, b) AS r ON l.a = r.a AND l.b <= r.b",
	"SELECT l.a, l.b, l.s, r.m FROM $1 AS l ASOF LEFT JOIN (SELECT a, b, max(s) AS m FROM $2 GROUP BY a, b) AS r ON l.a = r.a AND r.b > l.b",
	"SELECT l.a, l.s, r.m FROM $1 AS l ASOF JOIN (SELECT b, max(s) AS m FROM $2 GROUP BY b) AS r ON l.a >= r.b",
	"SELECT a, l.s, r.m FROM $1 AS l ASOF LEFT JOIN (SELECT a, s, max(b) AS m FROM $2 GROUP BY a, s) AS r USING (a, s)",
	"SELECT l.a, l.b, r.m FROM $1 AS l ASOF LEFT JOIN (SELECT a, b, s, count(*) AS m FROM $2 GROUP BY a, b, s) AS r ON l.a = r.a AND l.s = r.s AND l.b - 1 >= r.b",
	"WITH RECURSIVE r AS (SELECT a, b FROM $1 UNION SELECT r.a, e.b FROM r JOIN $2 AS e ON e.a = r.b) SELECT a, b FROM r",
	"WITH RECURSIVE r AS (SELECT a, b, 0 AS lvl FROM $1 UNION ALL SELECT r.a, e.b, lvl + 1 FROM r JOIN $2 AS e ON e.a = r.b WHERE lvl < 3) SELECT a, b, lvl, count(*) AS n FROM r GROUP BY a, b, lvl",
	"WITH RECURSIVE r (x) AS (SELECT a FROM $1 UNION SELECT x + 1 FROM r WHERE x < 6) SELECT x FROM r",
	"WITH RECURSIVE r (x, p) AS (SELECT a, s FROM $1 WHERE b > 0 UNION ALL SELECT x + 1, p || '.' FROM r WHERE x < 4) SELECT x, p FROM r",
	"WITH RECURSIVE r AS (SELECT a AS n FROM $1 UNION SELECT b FROM r, $2 AS e WHERE e.a = n AND e.s IN (SELECT s FROM $1)) SELECT count(*) AS c, sum(n) AS t FROM r",
}

// TestNearestAndRecursive compares the answers of DuckDB, the reference and the engine.
func TestNearestAndRecursive(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for s := range uint64(12) {
		c := subqueries.New(s, func(string) bool { return true })
		for _, text := range c.Setup() {
			if _, err := db.Exec(strings.Replace(text, "CREATE TABLE", "CREATE OR REPLACE TABLE", 1)); err != nil {
				t.Fatal(err)
			}
		}
		for i, text := range nearest {
			c.SQL = strings.NewReplacer("$1", c.Tables[i%len(c.Tables)].Name, "$2", c.Tables[(i+1)%len(c.Tables)].Name).Replace(text)
			want, err := run(db, c.SQL)
			if err != nil {
				t.Fatalf("%v\n%s", err, c.SQL)
			}
			subquery(t, c, sortedText(want))
		}
	}
}
