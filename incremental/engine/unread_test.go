package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unreadWorld has six small files of events, as JSON in /in and as Parquet in /out/N. The
// greatest event time of a file is that of a row that the queries filter away.
func unreadWorld(t *testing.T) *world {
	w := newWorld(t)
	for i := range 6 {
		var rows strings.Builder
		for j := range 40 {
			at := fmt.Sprintf(`"2024-01-01T10:%02d:%02d"`, (i*7+j%5)%60, j)
			if j == 7 {
				at = "null"
			}
			fmt.Fprintf(&rows, `{"k": %d, "v": %d, "at": %s}`+"\n", i%3*100+j, j, at)
		}
		fmt.Fprintf(&rows, `{"k": -1, "v": 0, "at": "2024-01-01T10:%02d:00"}`+"\n", 10+i*5)
		w.write(fmt.Sprintf("/in/%d/rows.json", i), rows.String())
		w.must(fmt.Sprintf(`CREATE TABLE t%d (k BIGINT, v INT, at TIMESTAMP) WITH (connector = 'file', path = 'in/%d', format = 'json');
			CREATE SINK s%d WITH (connector = 'file', path = 'out/%d', format = 'parquet'); INSERT INTO s%d SELECT k, v, at FROM t%d; AWAIT ALL`, i, i, i, i, i, i))
	}
	for _, f := range []string{"json", "parquet"} {
		w.must(fmt.Sprintf(`CREATE SOURCE %s (k BIGINT, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '3' MINUTE)
			WITH (connector = 'file', path = '%s', format = '%s', max_files_per_trigger = 1)`, f, map[string]string{"json": "in/*/*.json", "parquet": "out/*/*.parquet"}[f], f))
	}
	return w
}

// trace runs a query and tells, by trigger, what became of the rows and of the watermark,
// then the result.
func (w *world) trace(name, sql string) (out []string) {
	w.must(fmt.Sprintf("CREATE SINK %s WITH (connector = 'memory'); INSERT INTO %s %s TRIGGER AVAILABLE NOW; AWAIT ALL", name, name, sql))
	for _, p := range w.query(name).RecentProgress() {
		line := fmt.Sprintf("%+v", p.Rows)
		if e := p.EventTime; e != nil {
			line += fmt.Sprintf(" %s to %s, watermark %s", e.Min, e.Max, e.Watermark)
		}
		out = append(out, line)
	}
	rows := w.must("SELECT * FROM " + name)
	slices.Sort(rows)
	return append(out, rows...)
}

// unreadQueries do not read all event times of Parquet files, as their plans say.
var unreadQueries = []struct{ sql, plan string }{
	{"SELECT k, v FROM %s WHERE v %% 3 = 0 EMIT UPDATE", "by statistics"},
	{"SELECT k, v FROM %s WHERE k > 210 EMIT UPDATE", "by statistics"},
	{"SELECT k, at FROM %s WHERE k > 210 EMIT APPEND", "reads only"},
	{"SELECT window.start AS s, count(*) AS n FROM %s WHERE k BETWEEN 100 AND 190 GROUP BY window(at, '2 minutes') EMIT APPEND", "reads only"},
	{"SELECT k FROM %s WHERE at > TIMESTAMP '2024-01-01 10:30:00' EMIT APPEND", "reads only"},
}

// unreadDiffers tells where a query over Parquet files goes another way than over JSON.
func unreadDiffers(w *world, i int, sql string) string {
	want := strings.Join(w.trace(fmt.Sprintf("a%d", i), fmt.Sprintf(sql, "json")), "\n  ")
	got := strings.Join(w.trace(fmt.Sprintf("b%d", i), fmt.Sprintf(sql, "parquet")), "\n  ")
	if got == want {
		return ""
	}
	return fmt.Sprintf("%s\nfrom Parquet\n  %s\nfrom JSON\n  %s", sql, got, want)
}

// TestUnreadTimes: what the statistics of a file say instead of its rows moves the watermark
// as the rows would.
func TestUnreadTimes(t *testing.T) {
	w := unreadWorld(t)
	for i, test := range unreadQueries {
		plan := strings.Join(w.must("EXPLAIN "+fmt.Sprintf(test.sql, "parquet")), "\n")
		if !strings.Contains(plan, test.plan) {
			t.Errorf("%s is not read %s:\n%s", test.sql, test.plan, plan)
		}
		if d := unreadDiffers(w, i, test.sql); d != "" {
			t.Error(d)
		}
	}
}
