package planner

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// TestPrunedScans: what readers are told that filters need.
func TestPrunedScans(t *testing.T) {
	const objects = `CREATE SOURCE stored (k BIGINT, v INT, d DATE, s STRING) WITH (connector = 'file', path = 'in', format = 'parquet');
CREATE SOURCE timed2 (k BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'parquet');
CREATE SOURCE ahead (k BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'parquet', max_ahead = '1 hour');
CREATE SOURCE text2 (k BIGINT) WITH (connector = 'file', path = 'in', format = 'json')`
	for sql, want := range map[string]string{
		"SELECT s FROM stored WHERE k >= 3 AND 7 > k AND v = 2":                                     "k 3..7, v 2..2",
		"SELECT s FROM stored WHERE d BETWEEN DATE '1970-01-03' AND DATE '1970-01-05'":              "d 2..4",
		"SELECT s FROM stored WHERE k > 3 OR v = 2":                                                 "",
		"SELECT s FROM stored WHERE k + 1 = 3 AND s = 'a' AND v <> 4":                               "",
		"SELECT s FROM stored WHERE v = 1 UNION ALL SELECT s FROM stored WHERE v = 4 AND k = 1":     "v 1..4",
		"SELECT s FROM stored WHERE v = 1 UNION ALL SELECT s FROM stored":                           "",
		"SELECT k FROM timed2 WHERE k = 3":                                                          "k 3..3",
		"SELECT k FROM ahead WHERE k = 3":                                                           "",
		"SELECT k FROM text2 WHERE k = 3":                                                           "",
		"SELECT a.s FROM stored a JOIN stored b ON a.k = b.k AND a.v = 3 WHERE a.k = 2 AND b.v = 5": "k 2..2, v 3..5",
		"SELECT k, n FROM (SELECT k, count(*) AS n FROM stored GROUP BY k) AS x WHERE k = 4":        "k 4..4",
		"SELECT s FROM stored WHERE k IS NULL AND v = 2":                                            "v 2..2",
	} {
		s := newSession(t, objects)
		got := ""
		for _, n := range s.plan(sql).Scans() {
			for i, r := range n.Ranges {
				if i > 0 {
					got += ", "
				}
				got += fmt.Sprintf("%s %d..%d", n.Props().Columns[r.Col].Name, r.Min, r.Max)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q\n%s", sql, got, want, physical.Explain(s.plan(sql)))
		}
	}
}

// TestUnread: whose event times need not be read.
func TestUnread(t *testing.T) {
	const objects = `CREATE SOURCE timed2 (k BIGINT, s STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'parquet');
CREATE SOURCE strict (k BIGINT, ts TIMESTAMP NOT NULL, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'parquet');
CREATE SOURCE ahead (k BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'parquet', max_ahead = '1 hour');
CREATE SOURCE text2 (k BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) WITH (connector = 'file', path = 'in', format = 'json')`
	for sql, want := range map[string]bool{
		"SELECT k FROM timed2": true,
		"SELECT k + 1 AS x FROM timed2 WHERE k > 3 AND s LIKE 'a%'":                                true,
		"SELECT k FROM timed2 WHERE ts > TIMESTAMP '2024-01-01'":                                   false,
		"SELECT k, ts FROM timed2":                                                                 false,
		"SELECT * FROM timed2":                                                                     false,
		"SELECT k FROM timed2 UNION ALL SELECT k FROM timed2 WHERE ts > TIMESTAMP '2024-01-01'":    false,
		"SELECT window.start AS s, count(*) AS n FROM timed2 GROUP BY window(ts, '1 minute')":      false,
		"SELECT k FROM drop_duplicates_within_watermark(TABLE timed2, DESCRIPTOR(k)) AS d":         false,
		"SELECT k FROM (SELECT k, s FROM timed2 WATERMARK ts DELAY '1 minute' WHERE s = 'a') AS d": true,
		"SELECT k FROM strict": false,
		"SELECT k FROM ahead":  false,
		"SELECT k FROM text2":  false,
	} {
		s := newSession(t, objects)
		for _, n := range s.plan(sql).Scans() {
			if n.Watermark.Unread != want {
				t.Errorf("%s: unread %t\n%s", sql, n.Watermark.Unread, physical.Explain(s.plan(sql)))
			}
		}
	}
}
