package planner

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// growing has, by the operator that is named, a query whose state grows as long as rows
// come.
var growing = map[string]string{
	"Aggregate": "SELECT k, count(*) AS n FROM plain GROUP BY k",
	"Distinct":  "SELECT DISTINCT k FROM plain",
	"Dedup":     "SELECT * FROM drop_duplicates(TABLE plain, DESCRIPTOR(k))",
	"Join":      "SELECT e.k FROM events e JOIN other o ON e.k = o.k",
	"TopN":      "SELECT k, v FROM plain QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) = 1",
	"Over":      "SELECT k, sum(v) OVER (PARTITION BY k ORDER BY v) AS s FROM plain",
	"SetOp":     "SELECT k FROM plain EXCEPT SELECT k FROM changes",
	"Session":   "SELECT k, window_start FROM SESSION(TABLE timeless PARTITION BY k, DESCRIPTOR(ts), '5 minutes')",
	"Upsert":    "SELECT k, v FROM latest",
}

// TestUnboundedState: each is warned of, and refused by the session or by the query, with
// the operator, the reason and a way out; and EXPLAIN says it.
func TestUnboundedState(t *testing.T) {
	const more = "CREATE SOURCE timeless (k STRING, ts TIMESTAMP); CREATE SOURCE latest (k STRING, v INT, PRIMARY KEY (k));"
	for op, sql := range growing {
		s := newSession(t, more)
		q := s.plan(sql)
		warned := false
		for _, d := range q.Diagnostics {
			warned = warned || d.Code == diag.UnboundedState && d.Severity == diag.SeverityWarning && strings.HasPrefix(d.Message, op+" ") && d.Hint != ""
		}
		if !warned {
			t.Errorf("%s: no warning of %s in %v", sql, op, q.Diagnostics)
		}
		s.set.RefuseUnbounded = true
		_, err := s.run(sql)
		refused(t, sql, op, err)
		s.set.RefuseUnbounded = false
		_, err = s.run("CREATE SINK to_" + op + " WITH (connector = 'memory')")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.run("INSERT INTO to_" + op + " " + sql + " WITH (allow_unbounded_state = 'false')")
		refused(t, sql, op, err)
	}
}

func refused(t *testing.T, sql, op string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), op+" ") || !strings.Contains(err.Error(), "is never cleaned: it keeps ") || !strings.Contains(err.Error(), "hint: ") {
		t.Errorf("%s: refused as %v", sql, err)
	}
}

// TestBoundedState: what a watermark bounds, and what is read once, is not refused.
func TestBoundedState(t *testing.T) {
	for _, sql := range []string{
		"SELECT window, count(*) AS n FROM events GROUP BY window(ts, '1 minute')",
		"SELECT DISTINCT ts, k FROM events",
		"SELECT e.k FROM events e JOIN other o ON e.k = o.k AND e.ts = o.at",
		"SELECT count(*) AS n FROM plain",
		"SELECT k FROM plain LIMIT 3",
		"SELECT k, v FROM plain ORDER BY v LIMIT 3",
		"SELECT p.k FROM plain p JOIN (SELECT k, count(*) AS n FROM dim GROUP BY k) AS d ON p.k = d.k",
		"SELECT k FROM events WHERE ts > now() - INTERVAL '1' HOUR",
		"SELECT k, count(*) AS n FROM dim GROUP BY k",
	} {
		s := newSession(t)
		s.set.RefuseUnbounded = true
		if _, err := s.run(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
