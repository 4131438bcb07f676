package planner

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// TestProps states kind, keys and frontiers of the result of a query, by mode.
func TestProps(t *testing.T) {
	for _, c := range []struct{ sql, kind, keys, fronts string }{
		{"SELECT k, ts FROM events", "append", "", "ts"},
		{"SELECT ts + INTERVAL '1' HOUR AS t FROM events", "append", "", "t"},
		{"SELECT CAST(ts AS DATE) AS d FROM events", "append", "", "d"},
		{"SELECT date_trunc('hour', ts) AS h FROM events", "append", "", "h"},
		{"SELECT CAST(ts AS STRING) AS x, -v AS y FROM events", "append", "", ""},
		{"SELECT named_struct('a', ts, 'b', k) AS z FROM events", "append", "", "z.a"},
		{"SELECT z.a AS t FROM (SELECT named_struct('a', ts, 'b', k) AS z FROM events) AS x", "append", "", "t"},
		{"SELECT window(ts, '10 minutes') AS w, k FROM events", "append", "", "w.start, w.end"},
		{"SELECT window(ts, '10 minutes', '5 minutes') AS w, k FROM events", "append", "", "w.start, w.end"},
		{"SELECT k, count(*) AS n FROM plain GROUP BY k", "no-delete", "k", ""},
		{"SELECT k, count(*) AS n FROM plain GROUP BY k HAVING count(*) > 1", "retract", "k", ""},
		{"SELECT count(*) AS n FROM plain GROUP BY k", "no-delete", "", ""},
		{"SELECT k, count(*) AS n FROM changes GROUP BY k", "retract", "k", ""},
		{"SELECT count(*) AS n FROM changes", "no-delete", "()", ""},
		{"SELECT k, window.end AS e, count(*) AS n FROM events GROUP BY window(ts, '1 minute'), k EMIT UPDATE", "no-delete", "e k", "e"},
		{"SELECT k, window.end AS e, count(*) AS n FROM events GROUP BY window(ts, '1 minute'), k EMIT APPEND", "append", "e k", "e"},
		{"SELECT ts, count(*) AS n FROM events GROUP BY ts", "append", "ts", "ts"},
		{"SELECT CAST(ts AS DATE) AS d, count(*) AS n FROM events GROUP BY 1", "append", "d", "d"},
		{"SELECT DISTINCT k FROM changes", "retract", "k", ""},
		{"SELECT DISTINCT k, ts FROM events", "append", "k ts", "ts"},
		{"SELECT DISTINCT window(ts, '1 minute') AS w FROM events", "append", "w", "w.start"},
		{"SELECT p.k, name FROM plain p JOIN dim ON p.k = dim.k", "append", "", ""},
		{"SELECT a.k, n, name FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a LEFT JOIN keyed ON a.k = keyed.k", "no-delete", "k", ""},
		{"SELECT a.k, n, name FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a LEFT JOIN dim ON a.k = dim.k", "no-delete", "k name", ""},
		{"SELECT a.n, name FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a JOIN dim ON a.n = length(dim.k)", "retract", "", ""},
		{"SELECT a.k, n, name FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS a JOIN keyed ON a.k = keyed.k", "no-delete", "k", ""},
		{"SELECT ts FROM events UNION ALL SELECT at FROM other", "append", "", "ts"},
		{"SELECT ts, k FROM events UNION ALL SELECT NULL, k FROM plain", "append", "", ""},
		{"SELECT 'a' AS s, k, count(*) AS n FROM plain GROUP BY k UNION ALL SELECT 'b', k, count(*) FROM events GROUP BY k", "no-delete", "s k", ""},
		{"SELECT k, count(*) AS n FROM plain GROUP BY k UNION ALL SELECT k, count(*) FROM events GROUP BY k", "retract", "", ""},
		{"SELECT ts, v FROM timed JOIN (VALUES ('a', 1)) AS x(k, v) USING (k) EMIT APPEND", "append", "", "ts"},
		{"SELECT e, count(*) AS c FROM (SELECT window(ts, '10 minutes').end AS e FROM events) AS t GROUP BY e", "append", "e", "e"},
		{"SELECT w.start AS s, c FROM drop_duplicates(TABLE (SELECT window(ts, '1 minute') AS w, k, count(*) AS c FROM events GROUP BY window(ts, '1 minute'), k), DESCRIPTOR(w, c)) AS d", "append", "", "s"},
	} {
		root := newSession(t).plan(c.sql).Outputs[0].Input
		p := root.Props()
		if got := p.Kind.String(); got != c.kind {
			t.Errorf("%s: kind %s, want %s", c.sql, got, c.kind)
		}
		if got := keysText(p); got != c.keys {
			t.Errorf("%s: keys %q, want %q", c.sql, got, c.keys)
		}
		if got := frontsText(p); got != c.fronts {
			t.Errorf("%s: frontiers %q, want %q", c.sql, got, c.fronts)
		}
	}
}

func keysText(p *physical.Props) string {
	if len(p.Keys) == 0 {
		return ""
	}
	if len(p.Keys[0]) == 0 {
		return "()"
	}
	var names []string
	for _, k := range p.Keys[0] {
		names = append(names, p.Columns[k].Name)
	}
	return strings.Join(names, " ")
}

func frontsText(p *physical.Props) string {
	var names []string
	for _, f := range p.Frontiers {
		text, t := p.Columns[f.Col].Name, p.Columns[f.Col].Type
		for _, i := range f.Path {
			text, t = text+"."+t.Fields[i].Name, t.Fields[i].Type
		}
		names = append(names, text)
	}
	return strings.Join(names, ", ")
}

// TestDefaultMode states the mode that a query gets without EMIT.
func TestDefaultMode(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT k FROM plain": "append",
		"SELECT window, count(*) FROM events GROUP BY window(ts, '1 hour')": "append",
		"SELECT k, count(*) FROM plain GROUP BY k":                          "update",
		"SELECT count(*) FROM plain":                                        "update",
		"SELECT k, count(*) FROM plain GROUP BY k HAVING count(*) > 1":      "changelog",
		"SELECT k, v FROM changes":                                          "changelog",
		"INSERT INTO mem SELECT k, count(*) AS n FROM plain GROUP BY k":     "update",
		"INSERT INTO files SELECT k, v FROM plain":                          "append",
		"SELECT ts, k FROM timed":                                           "append",
		"SELECT count(*) FROM dim":                                          "append",
		"SELECT g, max(n) FROM (SELECT k, v % 2 AS g, count(*) AS n FROM plain GROUP BY k, v % 2) AS x GROUP BY g": "changelog",
	} {
		if got := newSession(t).plan(sql).Outputs[0].Mode.String(); got != want {
			t.Errorf("%s: mode %s, want %s", sql, got, want)
		}
	}
}

// Operator ids depend on what determines state, not on how it is written or on what is
// done with the result.
func TestOperatorIDs(t *testing.T) {
	id := func(sql string) string {
		var ids []string
		for _, n := range newSession(t).plan(sql).Nodes() {
			if n.Stateful() {
				ids = append(ids, n.ID())
			}
		}
		return strings.Join(ids, " ")
	}
	base := id("SELECT k, count(*) AS n FROM plain WHERE v > 1 AND k <> 'x' GROUP BY k")
	for _, same := range []string{
		"SELECT count(*) AS n, upper(k) AS u FROM plain WHERE k <> 'x' AND v > 1 GROUP BY k",
		"SELECT k, n FROM (SELECT k, count(*) AS n FROM (SELECT * FROM plain WHERE k <> 'x') AS p WHERE v > 1 GROUP BY k) AS q WHERE n > 3",
	} {
		if got := id(same); got != base {
			t.Errorf("%s: id %s, want %s", same, got, base)
		}
	}
	for _, other := range []string{
		"SELECT k, count(*) AS n FROM plain WHERE v > 2 AND k <> 'x' GROUP BY k",
		"SELECT k, count(v) AS n FROM plain WHERE v > 1 AND k <> 'x' GROUP BY k",
		"SELECT v, count(*) AS n FROM plain WHERE v > 1 AND k <> 'x' GROUP BY v",
		"SELECT k, count(*) AS n FROM changes WHERE v > 1 AND k <> 'x' GROUP BY k",
	} {
		if got := id(other); got == base {
			t.Errorf("%s: same id", other)
		}
	}
}

// A source that is read twice in one way is scanned once, for the columns of both.
func TestSharedScan(t *testing.T) {
	q := newSession(t).plan("SELECT k, v FROM plain UNION ALL SELECT k, v + 1 FROM plain WHERE v > 3")
	if n := len(q.Scans()); n != 1 {
		t.Errorf("%d scans, want 1", n)
	}
	q = newSession(t).plan(`EXECUTE STATEMENT SET BEGIN
		INSERT INTO files SELECT k, v FROM events WHERE v > 1;
		INSERT INTO mem SELECT k, ts FROM events;
	END`)
	if n := len(q.Scans()); n != 1 || len(q.Outputs) != 2 {
		t.Errorf("%d scans, %d outputs, want 1 and 2", n, len(q.Outputs))
	}
	if got := len(q.Scans()[0].Need); got != 3 {
		t.Errorf("%d columns are read, want 3", got)
	}
	q = newSession(t).plan("SELECT ts FROM events UNION ALL SELECT ts FROM events WATERMARK ts DELAY '1 second'")
	if n := len(q.Scans()); n != 2 {
		t.Errorf("%d scans with two watermarks, want 2", n)
	}
}
