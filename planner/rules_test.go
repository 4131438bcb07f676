package planner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// Each rule has a query in which it fires.
var firing = map[string]string{
	rules.PruneScans:        "SELECT v FROM stored WHERE k >= 3 AND v < 2",
	rules.CommonSubplans:    "SELECT a.k, a.n FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a JOIN (SELECT k, count(*) AS n FROM plain GROUP BY k) AS b ON a.n = b.n",
	"merge-projects":        "SELECT a + 1 AS b FROM (SELECT v * 2 AS a FROM plain) AS x",
	"merge-filters":         "SELECT k FROM (SELECT * FROM plain WHERE v > 1) AS x WHERE k = 'a'",
	"push-filter-project":   "SELECT a FROM (SELECT k AS a FROM plain) AS x WHERE a = 'a'",
	"push-filter-union":     "SELECT k FROM (SELECT k FROM plain UNION ALL SELECT k FROM events) AS x WHERE k = 'a'",
	"push-filter-rows":      "SELECT id, x FROM lists CROSS JOIN UNNEST(l) AS u(x) WHERE id > 3",
	"push-filter-session":   "SELECT k, window_start FROM SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), '5 minutes') WHERE k = 'a'",
	"push-filter-aggregate": "SELECT k, n FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS x WHERE k = 'a'",
	"push-filter-partition": "SELECT k, n FROM (SELECT k, sum(v) OVER (PARTITION BY k ORDER BY v) AS n FROM plain) AS x WHERE k = 'a'",
	"push-filter-distinct":  "SELECT k FROM (SELECT DISTINCT k, v FROM plain) AS x WHERE v > 3",
	"fold-constants":        "SELECT CASE WHEN a = 2 THEN v ELSE v + 1 END AS b FROM (SELECT v, 1 AS a FROM plain) AS x",
	"factor-or":             "SELECT p.k FROM plain p, dim WHERE p.k = dim.k AND p.v > 1 OR p.k = dim.k AND p.v < 0",
	"outer-to-inner":        "SELECT e.k FROM events e LEFT JOIN other o ON e.k = o.k WHERE o.v > 3",
	"known-in":              "SELECT k FROM plain WHERE v IS NOT NULL AND v NOT IN (SELECT length(name) AS n FROM dim GROUP BY length(name) HAVING length(name) > 2)",
	"equal-constant":        "SELECT e.k FROM events e JOIN other o ON e.k = o.k WHERE e.k = 'a'",
	"connect-joins":         "SELECT e.k FROM events e, dim, other o WHERE e.k = o.k AND o.v = length(dim.name) AND e.v = 3",
	"order-joins":           "SELECT p.k FROM plain p, dim, changes c WHERE p.k = dim.k AND c.k = p.k AND c.v = 3",
	"semi-distinct":         "SELECT k FROM plain WHERE k IN (SELECT DISTINCT k FROM dim)",
	"push-filter-join":      "SELECT p.k, name FROM plain p JOIN dim ON p.k = dim.k WHERE p.v > 3",
	"join-keys":             "SELECT p.k, name FROM plain p, dim WHERE p.k = dim.k",
	"join-residual":         "SELECT e.k FROM events e, other o WHERE e.ts < o.at",
	"push-join-condition":   "SELECT e.k FROM events e JOIN other o ON e.k = o.k AND o.v > 3",
	"drop-true-filter":      "SELECT k FROM plain WHERE 1 = 1",
	"over-top-n":            "SELECT k, v FROM plain QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) <= 3",
	"limit-series":          "SELECT * FROM range(1000000000) LIMIT 3",
	"empty-series":          "SELECT * FROM range(1000000000) WHERE 1 = 0",
	"split-series":          "SELECT count(*) FROM range(1000000000)",
	"window-keys":           "SELECT window, count(*) AS n FROM events GROUP BY window(ts, '1 minute')",
}

func TestEveryRuleFires(t *testing.T) {
	names := []string{rules.CommonSubplans, rules.PruneScans}
	for _, r := range rules.List {
		names = append(names, r.Name)
	}
	for _, name := range names {
		sql, ok := firing[name]
		if !ok {
			t.Errorf("rule %s has no example", name)
			continue
		}
		fired := map[string]bool{}
		s := newSession(t, "CREATE SOURCE stored (k BIGINT, v INT) WITH (connector = 'file', path = 'in', format = 'parquet')")
		s.set.RuleFired = func(name string) { fired[name] = true }
		s.plan(sql)
		if !fired[name] {
			t.Errorf("%s: rule %s did not fire, only %v", sql, name, fired)
		}
	}
}

// TestJoinOrder: no plan of TPC-H has a product of two inputs, whatever the order in which
// they are written, but with the one row of a subquery.
func TestJoinOrder(t *testing.T) {
	products := map[int]int{11: 1, 22: 1}
	s := newSession(t, tpchTables(true))
	for n := 1; n <= 22; n++ {
		text, err := os.ReadFile(filepath.Join("..", "tests", "tpch", "queries", fmt.Sprintf("q%02d.sql", n)))
		if err != nil {
			t.Fatal(err)
		}
		plan := physical.Explain(s.plan(string(text)))
		found := 0
		for _, line := range strings.Split(plan, "\n") {
			if strings.Contains(line, "Join #") && !strings.Contains(line, " = ") && !strings.Contains(line, "shared") {
				found++
			}
		}
		if found != products[n] {
			t.Errorf("q%d: %d products\n%s", n, found, plan)
		}
	}
}

// TestCommonSubplans counts the aggregates of plans in which some are equal.
func TestCommonSubplans(t *testing.T) {
	for sql, want := range map[string]int{
		firing[rules.CommonSubplans]: 1,
		"SELECT a.k FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a JOIN (SELECT k, count(*) AS n FROM plain WHERE v > 1 GROUP BY k) AS b ON a.n = b.n":                                                                       2,
		"SELECT a.k FROM (SELECT k, sum(v) AS n FROM plain GROUP BY k) AS a JOIN (SELECT k, sum(v + 1) AS n FROM plain GROUP BY k) AS b ON a.n = b.n":                                                                                   2,
		"SELECT a.k FROM (SELECT k, percentile_cont(v, 0.5) AS n FROM plain GROUP BY k) AS a JOIN (SELECT k, percentile_cont(v, 0.9) AS n FROM plain GROUP BY k) AS b ON a.n = b.n":                                                     2,
		"SELECT a.k FROM (SELECT k, max(m) AS n FROM (SELECT k, count(*) AS m FROM plain GROUP BY k) AS x GROUP BY k) AS a JOIN (SELECT k, count(*) AS m FROM plain GROUP BY k) AS b ON a.n = b.m":                                      2,
		"EXECUTE STATEMENT SET BEGIN INSERT INTO mem SELECT k, count(*) AS n FROM plain GROUP BY k EMIT CHANGELOG; INSERT INTO mem2 SELECT k, n + 1 AS n FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS x EMIT CHANGELOG; END": 1,
	} {
		s := newSession(t, "CREATE SINK mem2 WITH (connector = 'memory')")
		found := 0
		for _, n := range s.plan(sql).Nodes() {
			if _, ok := n.(*physical.Aggregate); ok {
				found++
			}
		}
		if found != want {
			t.Errorf("%s: %d aggregates, not %d", sql, found, want)
		}
	}
}
