package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// measures are the lines of a plan that tell what was measured, each behind its node and
// without bytes.
func measures(plan []string) (out []string) {
	node := ""
	for _, line := range plan {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "└ "):
			node = strings.Fields(line)[1]
		case strings.HasPrefix(line, "measured: "):
			line, _, _ = strings.Cut(line, " bytes")
			if at := strings.LastIndex(line, ", "); strings.Contains(line, "keeps") {
				line = line[:at]
			}
			out = append(out, node+" "+strings.TrimPrefix(line, "measured: "))
		case strings.HasPrefix(line, "Measured: "):
			out = append(out, line)
		}
	}
	return out
}

// TestExplainAnalyze: the rows that a node gives on and keeps are those that EXPLAIN ANALYZE
// tells, of a SELECT that it runs and of a running query since its start. The clock of the
// test stands still, and so do the times.
func TestExplainAnalyze(t *testing.T) {
	w := newWorld(t)
	w.must(`CREATE TABLE t (a INT, b INT); INSERT INTO t SELECT id % 10, id FROM range(1000)`)
	check := func(sql, want string) {
		t.Helper()
		if got := strings.Join(measures(w.must(sql)), "\n"); got != want {
			t.Errorf("%s\ngave\n%s\nwant\n%s", sql, got, want)
		}
	}
	check("EXPLAIN ANALYZE SELECT a, sum(b) FROM t WHERE b > 5 GROUP BY a",
		"Aggregate 10 rows, 0s; it keeps 10 rows\nFilter 994 rows, 0s\nScan 1000 rows, 0s\nMeasured: 1 trigger, 0s; the time of a node is that of all workers")
	check("EXPLAIN (ANALYZE, VERBOSE) SELECT a FROM t ORDER BY b LIMIT 1", "Project 1 row, 0s\nMaterialize 1 row, 0s; it keeps 1000 rows\nScan 1000 rows, 0s\nMeasured: 1 trigger, 0s; the time of a node is that of all workers")
	check("EXPLAIN (ANALYZE false) SELECT a FROM t", "")
	check("EXPLAIN SELECT a FROM t", "")
	check("PREPARE p AS SELECT b FROM t WHERE b < $1; EXPLAIN ANALYZE EXECUTE p(3)",
		"Filter 3 rows, 0s\nScan 1000 rows, 0s\nMeasured: 1 trigger, 0s; the time of a node is that of all workers")

	w.write("/in/1.json", `{"k": 1}`+"\n"+`{"k": 1}`+"\n"+`{"k": 2}`+"\n")
	w.must(`CREATE SOURCE s (k INT) WITH (connector = 'file', path = 'in', format = 'json', max_files_per_trigger = 1);
		CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM s GROUP BY k TRIGGER MANUAL`)
	w.must("RUN TRIGGER FOR v")
	w.write("/in/2.json", `{"k": 2}`+"\n")
	w.must("RUN TRIGGER FOR v")
	check("EXPLAIN ANALYZE v", "Project 4 rows, 0s\nAggregate 4 rows, 0s; it keeps 2 rows\nScan 4 rows, 0s\nMeasured: 2 triggers, 0s; the time of a node is that of all workers")
	w.fails("EXPLAIN ANALYZE SELECT k FROM s", "runs a SELECT over tables to its end", "EXPLAIN ANALYZE QUERY name")
	w.fails("EXPLAIN ANALYZE INSERT INTO t SELECT 1, 2", "or writes")
	plan := w.must("EXPLAIN (ANALYZE, FORMAT JSON) SELECT a, b FROM t WHERE b = 7")
	var doc struct {
		Outputs []struct {
			Plan struct {
				Node     string
				Measured struct{ Rows int }
				Inputs   []struct{ Number int }
			}
		}
	}
	if err := json.Unmarshal([]byte(strings.Join(plan, "\n")), &doc); err != nil || len(doc.Outputs) != 1 || doc.Outputs[0].Plan.Node != "Filter" ||
		doc.Outputs[0].Plan.Measured.Rows != 1 || doc.Outputs[0].Plan.Inputs[0].Number != 1 {
		t.Errorf("%v\n%s", err, strings.Join(plan, "\n"))
	}
	w.fails("EXPLAIN (FORMAT XML) SELECT 1", "test:1:10", "EXPLAIN (format xml) is not supported", "FORMAT JSON")
	w.fails("EXPLAIN LOGICAL SELECT 1", "EXPLAIN LOGICAL is not supported")
	w.fails("EXPLAIN ROW 1 FROM v", "EXPLAIN ROW is not supported", "state('query', 'operator')")
}
