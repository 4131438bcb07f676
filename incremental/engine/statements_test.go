package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Every kind of statement, and what it says.
func TestStatements(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"CREATE SOURCE a (x INT) WITH (connector = 'memory')", "source a created"},
		{"CREATE SOURCE IF NOT EXISTS ev (x INT)", "source ev exists already"},
		{"CREATE TABLE a (x INT)", "table a created"},
		{"CREATE VIEW a AS SELECT k FROM plain", "view a created"},
		{"CREATE MATERIALIZED VIEW a AS SELECT k, count(*) AS n FROM plain GROUP BY k", "materialized view a created"},
		{"CREATE SINK a WITH (connector = 'null')", "sink a created"},
		{"CREATE SINK a WITH (connector = 'null') AS SELECT k FROM plain", "query a started"},
		{"INSERT INTO dim VALUES ('a', 'Anna'), ('b', NULL); SELECT name, k FROM dim ORDER BY k", "Anna a\nNULL b"},
		{"INSERT INTO dim SELECT 'c', 'Carl'; SELECT * FROM dim", "c Carl"},
		{"INSERT INTO dim VALUES ('007', 1), (7, '1.50'), (1.50, NULL); SELECT * FROM dim ORDER BY k", "007 1\n1.50 NULL\n7 1.50"},
		{"INSERT INTO dim (name, k) VALUES ('007', 1), (7, '1.50'); SELECT * FROM dim ORDER BY name", "1 007\n1.50 7"},
		{"INSERT INTO plain VALUES ('a', 1)", ""},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL", "query mem started"},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL WITH (name = 'other')", "query other started"},
		{"SELECT k FROM plain TRIGGER MANUAL", "query query1 started"},
		{"SELECT 1 + 1 AS two", "2"},
		{"EXECUTE STATEMENT SET BEGIN INSERT INTO mem SELECT k FROM plain; INSERT INTO mem2 SELECT v FROM plain; END TRIGGER MANUAL WITH (name = 'both')", "query both started"},
		{"CREATE SOURCE a (k STRING NOT NULL, v INT) WITH (path = 'in', format = 'json'); DESCRIBE a", "source a created\na is a stream\nk STRING not null\nv INT "},
		{"DESCRIBE dim", "dim is a table\nk STRING \nname STRING "},
		{"DESCRIBE ev", "ev is a stream\nk STRING \nv INT \nat TIMESTAMP watermark 00:00:10"},
		{"CREATE VIEW a AS SELECT v + 1 AS w FROM plain; DESCRIBE a", "view a created\na is a stream\nw INT "},
		{"CREATE VIEW a (x, y) AS SELECT v, k FROM plain; DESCRIBE a; SHOW COLUMNS FROM a LIKE 'y%'", "view a created\na is a stream\nx INT \ny STRING \ny STRING "},
		{"CREATE VIEW a AS SELECT v FROM plain; DESCRIBE EXTENDED a", "view a created\na is a stream\nv INT \n# kind stream "},
		{"DESCRIBE EXTENDED dim", "dim is a table\nk STRING \nname STRING \n# kind table \n# connector memory "},
		{"CREATE SOURCE a (k STRING COMMENT 'who', v INT, PRIMARY KEY (k)) WITH (path = 'in', format = 'json'); DESCRIBE EXTENDED a", "source a created\na is a stream\nk STRING primary key -- who\nv INT \n# kind stream \n# connector file \n# format json "},
		{"SHOW SETTINGS LIKE 'eval%'", "eval_error fail What a value that cannot be computed does: 'fail' ends the query, 'null' gives NULL and counts it."},
		{"SHOW SETTINGS LIKE 'nothing'; SHOW QUERIES LIKE 'nothing'", ""},
		{"SET TIME ZONE 'Asia/Tokyo'; SET TIME ZONE", "timezone Asia/Tokyo The session time zone: how times are read, printed and cut into days. Part of a checkpoint."},
		{"DESCRIBE SELECT k, count(*) AS n FROM plain GROUP BY k", "the result is a stream\nk STRING \nn BIGINT "},
		{"SHOW SOURCES", "ev source\nplain source"},
		{"SHOW SINKS LIKE 'mem%'", "mem sink\nmem2 sink"},
		{"SHOW COLUMNS FROM dim", "k STRING \nname STRING "},
		{"SHOW CREATE TABLE dim", "CREATE TABLE dim (k STRING, name STRING)"},
		{"SELECT nullif(1, x) AS a, nullif(DATE '2024-01-01', t) AS b FROM (VALUES (1.5, TIMESTAMP '2024-01-01 00:00:00'), (1.0, TIMESTAMP '2024-01-02 00:00:00')) v(x, t)", "1 NULL\nNULL 2024-01-01"},
		{"SHOW FUNCTIONS LIKE 'substr'", "substr scalar substring(a, start [, length]); substring(a FROM start FOR length) Is the part from a character, counted from 1, or from the end if it is negative."},
		{"SHOW FUNCTIONS LIKE 'initc*'", "initcap scalar initcap(a) Turns the first letter of each word, after a blank, to upper case and the others to lower case."},
		{"SHOW FUNCTIONS LIKE 'initcap'", "initcap scalar initcap(a) Turns the first letter of each word, after a blank, to upper case and the others to lower case."},
		{"SHOW QUERIES", ""},
		{"SET timezone = '+02:00'; SET timezone", "timezone +02:00 The session time zone: how times are read, printed and cut into days. Part of a checkpoint."},
		{"SET timezone = 'Europe/Berlin'; RESET timezone; SET timezone", "timezone UTC The session time zone: how times are read, printed and cut into days. Part of a checkpoint."},
		{"SET eval_error = 'null'; SELECT CAST('x' AS INT) AS n", "NULL"},
		{"CREATE TABLE nulled (a INT); SET eval_error = 'null'; INSERT INTO nulled VALUES ('x'); SELECT a FROM nulled", "table nulled created\nNULL"},
		{"DROP TABLE dim; SHOW TABLES LIKE 'dim'", "table dim dropped"},
		{"DROP TABLE IF EXISTS nothing", "there is no table nothing"},
		{"SELECT k FROM plain TRIGGER MANUAL; STOP QUERY query1", "query query1 started\nquery query1 is finished"},
		{"SELECT k FROM plain TRIGGER MANUAL; PAUSE QUERY query1; RESUME QUERY query1", "query query1 started\nquery query1 is paused\nquery query1 is running"},
		{"SELECT k FROM plain TRIGGER MANUAL; CANCEL QUERY query1; START QUERY query1", "query query1 started\nquery query1 is finished\nquery query1 started"},
		{"SELECT k FROM plain TRIGGER AVAILABLE NOW; AWAIT QUERY query1", "query query1 started\nquery query1 is finished"},
		{"AWAIT ANY", "no query is running"},
		{"AWAIT ALL", "all queries have ended"},
		{"INSERT INTO plain VALUES ('a', 1); SELECT k FROM plain TRIGGER MANUAL; RUN TRIGGER FOR query1; RUN TRIGGER", "query query1 started\n1 triggers ran\n0 triggers ran"},
	} {
		w := newWorld(t)
		w.must(objects)
		w.gives(c.sql, strings.FieldsFunc(c.want, func(r rune) bool { return r == '\n' })...)
	}
}

// What cannot be done is refused with code, place and a way out.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"CREATE TABLE firm (k STRING, v INT NOT NULL); INSERT INTO firm VALUES ('a', 1), ('b', NULL)", []string{`column "v" of "firm" is NULL, and is declared NOT NULL`}},
		{"CREATE SOURCE s (x INT) WITH (late_rows = 'late'); CREATE TABLE late (x INT)", []string{`SQL2016: "late" exists already`, "hint: it was made for the refused rows of a source"}},
		{"SELECT * FROM 'nowhere'", []string{`SQL2001: path "nowhere" does not exist`}},
		{"CREATE TABLE t WITH (path = 'nowhere')", []string{"path nowhere does not exist"}},
		{"CREATE SOURCE ev (x INT)", []string{`test:1:15: error SQL2016: "ev" exists already`, "hint: write CREATE OR REPLACE"}},
		{"CREATE MATERIALIZED VIEW ev AS SELECT 1 AS x", []string{`SQL2016: "ev" exists already`, "hint: write CREATE OR REPLACE"}},
		{"INSERT INTO nothing SELECT k FROM plain", []string{`test:1:13: error SQL2001`, "nothing"}},
		{"INSERT INTO plane SELECT k, v FROM plain", []string{`hint: did you mean "plain"?`}},
		{"DROP TABLE dimm", []string{`test:1:12: error SQL2001: there is no table named "dimm"`, `hint: did you mean "dim"?`}},
		{"DROP TABLE ev", []string{`test:1:12: error SQL2014: "ev" is a source, not a table`}},
		{"DESCRIBE nothing", []string{`test:1:10: error SQL2001`}},
		{"DESCRIBE SELECT z FROM plain", []string{`test:1:17: error SQL2`, "z"}},
		{"SHOW CREATE TABLE nothing", []string{`test:1:19: error SQL2001`}},
		{"SET timezon = 'UTC'", []string{`test:1:5: error SQL4102: there is no setting "timezon"`, `hint: did you mean "timezone"?`}},
		{"SET xyz = 1", []string{`hint: SHOW SETTINGS lists them`}},
		{"RESET xyz", []string{`test:1:7: error SQL4102`}},
		{"SET timezone = 'Mars/Olympus'", []string{`test:1:16: error SQL4103: setting "timezone": "Mars/Olympus" is not a time zone`}},
		{"SET eval_error = 'ignore'", []string{`"ignore" is neither 'null' nor 'fail'`}},
		{"SET poll_interval = '1 month'", []string{`"1 month" is not a duration`}},
		{"SET memory_limit = 'much'", []string{`setting "memory_limit": "much" is not a size such as '64 MiB'`}},
		{"STOP QUERY nothing", []string{`test:1:12: error SQL4101: there is no query named "nothing"`}},
		{"SELECT k FROM plain TRIGGER MANUAL; STOP QUERY quary1", []string{`hint: did you mean "query1"?`}},
		{"AWAIT QUERY nothing", []string{`SQL4101`}},
		{"RUN TRIGGER FOR nothing", []string{`test:1:17: error SQL4101`}},
		{"SELECT k FROM plain TRIGGER EVERY '1 hour'; RUN TRIGGER FOR query1", []string{"RUN TRIGGER is for queries with TRIGGER MANUAL"}},
		{"SELECT k FROM plain TRIGGER MANUAL; PAUSE QUERY query1; RUN TRIGGER FOR query1", []string{`query "query1" is paused: RESUME QUERY query1 first`}},
		{"SELECT k FROM plain TRIGGER MANUAL; START QUERY query1", []string{`query "query1" is running already`}},
		{"SELECT k FROM plain TRIGGER MANUAL; STOP QUERY query1; RUN TRIGGER FOR query1", []string{"the query has ended"}},
		{"DROP QUERY query1", []string{"STOP QUERY query1 ends it"}},
		{"EXPLAIN ANALYZE SELECT k FROM plain", []string{"EXPLAIN ANALYZE runs a SELECT over tables"}},
		{"SELECT * FROM mem", []string{`no query fills the memory sink "mem" yet`, "hint: start one with INSERT INTO mem SELECT"}},
		{"SELECT * FROM dir", []string{`"dir" is a sink and cannot be read`}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL",
			[]string{`a query named "mem" is running: stop it, or give this one another name`}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL WITH (name = 'other')",
			[]string{`sink "mem" is written to by the running query "mem"`}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; DROP SINK mem", []string{`SQL4104: sink "mem" is used by the running query "mem"`, "hint: STOP QUERY mem first"}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; DROP SOURCE plain", []string{`SQL4104: source "plain" is used by the running query "mem"`}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; CREATE OR REPLACE SOURCE plain (z INT)", []string{`SQL4104: source "plain" is used by`}},
		{"INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; CREATE OR REPLACE SINK mem WITH (connector = 'null')", []string{`SQL4104: sink "mem" is used by`}},
		{"INSERT INTO dim SELECT k, k FROM plain TRIGGER MANUAL; DROP TABLE dim", []string{`SQL4104: table "dim" is used by the running query "dim"`}},
		{"INSERT INTO dir SELECT k, count(*) AS n FROM plain GROUP BY k", []string{"test:1:", "dir"}},
		{"EXECUTE STATEMENT SET BEGIN INSERT INTO mem SELECT k FROM plain; INSERT INTO mem SELECT k FROM plain; END",
			[]string{`test:1:78: error SQL2014: sink "mem" is written to twice in one statement set`, "hint: bring the queries together with UNION ALL"}},
		{"CREATE SINK dir2 WITH (connector = 'file', path = 'out', format = 'json'); EXECUTE STATEMENT SET BEGIN INSERT INTO dir SELECT k FROM plain; INSERT INTO dir2 SELECT k FROM plain; END WITH (name = 'q')",
			[]string{`sinks "dir" and "dir2" write to the same place, FileSink[out]`}},
		{"CREATE TABLE t WITH (connector = 'file', path = 'tt', format = 'json') AS SELECT 1 AS x",
			[]string{`test:1:14: error SQL2014: table "t" is read with connector file and cannot be filled by a query`, "hint: write the rows with CREATE SINK"}},
		{"SELECT 1; SELEC 2", []string{"test:1:11: error SQL1"}},
	} {
		w := newWorld(t)
		w.must(objects)
		w.fails(c.sql, c.want...)
	}
}

// A syntax error anywhere runs nothing; another error runs what is before it.
func TestScriptsStopAtTheFirstError(t *testing.T) {
	w := newWorld(t)
	w.fails("CREATE TABLE a (x INT); CREATE TABL b (x INT)")
	w.gives("SHOW TABLES")
	w.fails("CREATE TABLE a (x INT); INSERT INTO nowhere VALUES (1); CREATE TABLE b (x INT)")
	w.gives("SHOW TABLES", "a table")
}

func TestCreateTableAs(t *testing.T) {
	w := newWorld(t)
	w.must("CREATE TABLE a AS SELECT 1 AS x UNION ALL SELECT 2")
	w.gives("SELECT * FROM a ORDER BY x", "1", "2")
	w.gives("CREATE TABLE IF NOT EXISTS a AS SELECT 7 AS x", "table a exists already")
	w.gives("SELECT * FROM a ORDER BY x", "1", "2")
	w.must("CREATE OR REPLACE TABLE a AS SELECT x * 10 AS x FROM a")
	w.gives("SELECT * FROM a ORDER BY x", "10", "20")
	w.fails("CREATE OR REPLACE TABLE a AS SELECT CAST('x' || x AS INT) AS y FROM a", "x")
	w.gives("SELECT * FROM a ORDER BY x", "10", "20")
	w.must("CREATE OR REPLACE TABLE a (s STRING); INSERT INTO a VALUES ('new')")
	w.gives("SELECT * FROM a", "new")
	w.must("INSERT INTO a SELECT s || '!' FROM a")
	w.gives("SELECT * FROM a ORDER BY s", "new", "new!")
}

// A script that is only checked runs nothing, sees what it declares and drops, and
// reports every error.
func TestCheck(t *testing.T) {
	w := newWorld(t)
	check := func(sql string) error { return w.Check(context.Background(), diag.Source{Name: "f", Text: sql}) }
	if err := check(objects + `CREATE TABLE a (x INT); DROP TABLE a; CREATE TABLE a (y STRING);
		CREATE MATERIALIZED VIEW m AS SELECT y, count(*) AS n FROM a GROUP BY y; SELECT n FROM m;
		INSERT INTO mem2 SELECT k, count(*) AS n FROM plain GROUP BY k; SELECT k FROM state('mem2', 'aggregate'); SELECT name FROM sys.queries;
		DROP TABLE IF EXISTS nothing; SET timezone = 'Asia/Tokyo'; INSERT INTO mem SELECT k FROM plain`); err != nil {
		t.Error(err)
	}
	if len(w.Queries()) > 0 || w.Zone().String() != "UTC" {
		t.Error("the check has run something")
	}
	w.gives("SHOW TABLES")
	err := check("CREATE TABLE a (x INT);\nSELECT z FROM a;\nDROP TABLE b;\nSET zone = 'UTC';\nSELECT nothing(1)")
	for _, want := range []string{"f:2:8: error", "f:3:12: error SQL2001", "f:4:5: error SQL4102", "f:5:8: error"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
}

// What could not be declared is not unknown once more; everything else is reported, of all
// clauses of a statement.
func TestCheckTellsEverythingOnce(t *testing.T) {
	w := newWorld(t)
	err := w.Check(context.Background(), diag.Source{Name: "f", Text: `CREATE SOURCE a (x INT) WTH (connector = 'rate');
CREATE VIEW "b" AS SELECT nothing FROM (VALUES (1)) AS t(x);
CREATE TABLE c (x INT, y STRING);
SELECT x FROM a JOIN b ON a.x = b.x;
SELECT x FROM other;
SELECT z, upper(x, y), sum(y) FROM c WHERE q > 1 AND r = 2 GROUP BY w HAVING sum(v) > 1 ORDER BY u;
SELECT 'x' x y`})
	var places []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if at, _, ok := strings.Cut(line, ": error"); ok {
			places = append(places, at)
		}
	}
	want := "f:1:25 f:2:27 f:5:15 f:6:8 f:6:11 f:6:24 f:6:44 f:6:54 f:6:69 f:6:82 f:6:98 f:7:14"
	if got := strings.Join(places, " "); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, err)
	}
}

// The check before a run says nothing of what only the run can know.
func TestPrecheck(t *testing.T) {
	w := newWorld(t)
	check := func(sql string) error { return w.Precheck(context.Background(), diag.Source{Name: "f", Text: sql}) }
	if err := check(objects + `CREATE TABLE later WITH (path = 'out/*.json', format = 'json'); SELECT anything FROM later; SELECT k FROM 'nowhere/*.csv';
		INSERT INTO mem SELECT k, count(*) AS n FROM plain GROUP BY k; SELECT k FROM mem; SELECT * FROM state('mem', 'aggregate')`); err != nil {
		t.Error(err)
	}
	if err := check("CREATE TABLE one (x INT); ALTER TABLE one RENAME TO two; SELECT x FROM two; PREPARE p AS SELECT x FROM two; EXECUTE p"); err != nil {
		t.Error(err)
	}
	err := check("CREATE TABLE later WITH (path = 'out/*.json', format = 'json'); SELECT k FROM latr; SELECT 1 + DATE '2024-01-01' + 'x'")
	if err == nil || strings.Count(err.Error(), ": error") != 2 {
		t.Error(err)
	}
}

func TestExplain(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "INSERT INTO mem SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL")
	one, two := w.must("EXPLAIN SELECT k, count(*) AS n FROM plain GROUP BY k"), w.must("EXPLAIN QUERY mem")
	for _, plan := range [][]string{one, two} {
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "Aggregate") || !strings.Contains(text, "Scan") {
			t.Errorf("plan:\n%s", text)
		}
	}
	var plans []string
	err := w.ExplainScript(context.Background(), diag.Source{Text: "SELECT k FROM plain; SET timezone = 'UTC'; SELECT v FROM plain"},
		func(sql, _ string) error { plans = append(plans, sql); return nil })
	if err != nil || strings.Join(plans, ";") != "SELECT k FROM plain;SELECT v FROM plain" {
		t.Errorf("%v %v", plans, err)
	}
}

// Batch: every source is read once, as a table.
func TestBatchReadsSourcesAsTables(t *testing.T) {
	w := newWorld(t, func(o *engine.Options) { o.Batch = true })
	w.must(objects + "INSERT INTO plain VALUES ('a', 1), ('b', 2), ('a', 3)")
	w.gives("SELECT k, sum(v) AS s FROM plain GROUP BY k ORDER BY k", "a 4", "b 2")
}
