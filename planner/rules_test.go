package planner

import (
	"testing"

	"github.com/sqlstream/sqlstream/planner/rules"
)

// Each rule has a query in which it fires.
var firing = map[string]string{
	"merge-projects":      "SELECT a + 1 AS b FROM (SELECT v * 2 AS a FROM plain) AS x",
	"merge-filters":       "SELECT k FROM (SELECT * FROM plain WHERE v > 1) AS x WHERE k = 'a'",
	"push-filter-project": "SELECT a FROM (SELECT k AS a FROM plain) AS x WHERE a = 'a'",
	"push-filter-union":   "SELECT k FROM (SELECT k FROM plain UNION ALL SELECT k FROM events) AS x WHERE k = 'a'",
	"push-filter-rows":    "SELECT id, x FROM lists CROSS JOIN UNNEST(l) AS u(x) WHERE id > 3",
	"push-filter-session": "SELECT k, window_start FROM SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), '5 minutes') WHERE k = 'a'",
	"outer-to-inner":      "SELECT p.k, name FROM plain p LEFT JOIN dim ON p.k = dim.k WHERE name > 'a'",
	"known-in":            "SELECT k FROM plain WHERE v IS NOT NULL AND v NOT IN (SELECT length(name) AS n FROM dim GROUP BY length(name) HAVING length(name) > 2)",
	"push-filter-join":    "SELECT p.k, name FROM plain p JOIN dim ON p.k = dim.k WHERE p.v > 3",
	"join-keys":           "SELECT p.k, name FROM plain p, dim WHERE p.k = dim.k",
	"join-residual":       "SELECT e.k FROM events e, other o WHERE e.ts < o.at",
	"push-join-condition": "SELECT e.k FROM events e JOIN other o ON e.k = o.k AND o.v > 3",
	"drop-true-filter":    "SELECT k FROM plain WHERE 1 = 1",
	"over-top-n":          "SELECT k, v FROM plain QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) <= 3",
	"window-keys":         "SELECT window, count(*) AS n FROM events GROUP BY window(ts, '1 minute')",
}

func TestEveryRuleFires(t *testing.T) {
	for _, r := range rules.List {
		sql, ok := firing[r.Name]
		if !ok {
			t.Errorf("rule %s has no example", r.Name)
			continue
		}
		fired := map[string]bool{}
		s := newSession(t)
		s.set.RuleFired = func(name string) { fired[name] = true }
		s.plan(sql)
		if !fired[r.Name] {
			t.Errorf("%s: rule %s did not fire, only %v", sql, r.Name, fired)
		}
	}
}
