package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// files is a source of files with one row each, and sinks for what is made of them.
const files = `
CREATE SOURCE f (k STRING, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND)
	WITH (connector = 'file', path = 'in', format = 'json');
CREATE SINK dir WITH (connector = 'file', path = 'out', format = 'json');
CREATE SINK other WITH (connector = 'file', path = 'other', format = 'json');
`

// query runs text as a query over files on one checkpoint, and waits for its end.
const onCheckpoint = " TRIGGER AVAILABLE NOW WITH (name = 'q', checkpoint = 'chk'); AWAIT QUERY q"

func (w *world) row(n int, k string, v int) {
	w.write(fmt.Sprintf("/in/%03d.json", n), fmt.Sprintf("{\"k\": %q, \"v\": %d, \"at\": \"2024-01-01 12:00:%02d\"}\n", k, v, n))
}

// published are the lines of the data files of a file sink, sorted.
func (w *world) published(dir string) []string {
	var out []string
	for path, text := range w.files(dir) {
		if !strings.Contains(path, "/_") && !strings.Contains(path, "/.") {
			out = append(out, strings.Fields(text)...)
		}
	}
	sort.Strings(out)
	return out
}

// Every kind of difference between a query and its checkpoint is refused by name.
func TestChangedQueries(t *testing.T) {
	const first = "INSERT INTO dir SELECT window.start AS s, k, count(*) AS n FROM f GROUP BY window(at, '10 seconds'), k EMIT APPEND"
	for _, c := range []struct {
		name, setup, sql string
		want             []string
	}{
		{"the same query", "", first, nil},
		{"other spelling", "", "INSERT INTO dir select window.start s, x.k, count(*) n from f as x group by window(at, INTERVAL '10' SECOND), x.k EMIT APPEND", nil},
		{"a filter above the state", "", "INSERT INTO dir SELECT window.start AS s, k, count(*) AS n FROM f GROUP BY window(at, '10 seconds'), k HAVING count(*) > 1 EMIT APPEND", nil},
		{"group keys", "", "INSERT INTO dir SELECT window.start AS s, upper(k) AS k, count(*) AS n FROM f GROUP BY window(at, '10 seconds'), upper(k) EMIT APPEND",
			[]string{"the state of", "would be lost", "drop_state = true", "begin without state", "allow_new_state = true", "the query was:", "window(at, '10 seconds')"}},
		{"window", "", "INSERT INTO dir SELECT window.start AS s, k, count(*) AS n FROM f GROUP BY window(at, '20 seconds'), k EMIT APPEND",
			[]string{"the state of", "would be lost"}},
		{"aggregates", "", "INSERT INTO dir SELECT window.start AS s, k, count(v) AS n FROM f GROUP BY window(at, '10 seconds'), k EMIT APPEND",
			[]string{"the state of", "would be lost"}},
		{"output columns", "", "INSERT INTO dir SELECT window.start AS s, k, count(*) AS m FROM f GROUP BY window(at, '10 seconds'), k EMIT APPEND",
			[]string{"the output columns were (s TIMESTAMP, k STRING, n BIGINT) and are (s TIMESTAMP, k STRING, m BIGINT)"}},
		{"sink", "", strings.Replace(first, "dir", "other", 1), []string{"the output was dir and is other", "adopt_sink = true"}},
		{"zone", "SET timezone = 'Asia/Tokyo';", first, []string{"the time zone was UTC and is Asia/Tokyo: SET timezone = 'UTC'"}},
		{"source", "CREATE SOURCE g (k STRING, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND) WITH (connector = 'file', path = 'in', format = 'json');",
			strings.Replace(first, "FROM f", "FROM g", 1), []string{`source "f" is not read any more`, `source "g" is new`}},
		{"connector", "CREATE OR REPLACE SOURCE f (k STRING, v INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' SECOND) WITH (connector = 'memory');", first,
			[]string{`source "f" was read through file and is read through memory`}},
		{"number of outputs", "", "EXECUTE STATEMENT SET BEGIN " + first[:strings.Index(first, " EMIT")] + "; INSERT INTO other SELECT k FROM f; END EMIT APPEND",
			[]string{"the query had 1 outputs and has 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.row(1, "a", 1)
			w.row(2, "b", 1)
			w.must(files + first + onCheckpoint)
			w.restart()
			w.row(30, "a", 1)
			sql := files + c.setup + c.sql + onCheckpoint
			if c.want == nil {
				w.must(sql)
				return
			}
			w.fails(sql, append(c.want, "checkpoint /chk was made by another query", "checkpoint of its own")...)
			w.restart()
			w.must(files + first + onCheckpoint) // the refusal has changed nothing
			if got := len(w.published("/out")); got != 2 {
				t.Errorf("%d rows in the output, want 2", got)
			}
		})
	}
}

// Stateless queries say the mode that they had.
func TestChangedMode(t *testing.T) {
	w := newWorld(t)
	w.row(1, "a", 1)
	const sql = "CREATE SINK m WITH (connector = 'memory'); INSERT INTO m SELECT k, count(*) AS n FROM f GROUP BY k EMIT "
	w.must(files + sql + "UPDATE" + onCheckpoint)
	w.restart()
	w.fails(files+sql+"CHANGELOG"+onCheckpoint, "the output mode was update and is changelog")
}

// A query goes on where it stopped, and takes what is new alone.
func TestRestartGoesOn(t *testing.T) {
	w := newWorld(t)
	const sql = files + "INSERT INTO dir SELECT k, v FROM f" + onCheckpoint
	for i, k := range []string{"a", "b", "c"} {
		w.row(i, k, i)
		w.must(sql)
		if p := w.query("q").LastProgress(); p == nil || p.BatchID != int64(i) || p.InputRows != 1 {
			t.Fatalf("start %d: progress %+v", i, p)
		}
		w.restart()
	}
	w.must(sql)
	if p := w.query("q").LastProgress(); p != nil {
		t.Errorf("nothing new, but batch %d ran", p.BatchID)
	}
	want := `{"k":"a","v":0} {"k":"b","v":1} {"k":"c","v":2}`
	if got := strings.Join(w.published("/out"), " "); got != want {
		t.Errorf("the output is %s", got)
	}
}

// A materialised view keeps its rows over a restart and a stop.
func TestViewSurvivesARestart(t *testing.T) {
	w := newWorld(t)
	const sql = files + "CREATE MATERIALIZED VIEW v AS SELECT k, sum(v) AS s FROM f GROUP BY k TRIGGER AVAILABLE NOW; AWAIT QUERY v; SELECT k, s FROM v ORDER BY k"
	w.row(1, "a", 1)
	w.gives(sql, "source f created", "sink dir created", "sink other created", "materialized view v created", "query v is finished", "a 1")
	w.row(2, "a", 10)
	w.row(3, "b", 5)
	w.gives("START QUERY v; AWAIT QUERY v; SELECT k, s FROM v ORDER BY k", "query v started", "query v is finished", "a 11", "b 5")
	w.restart()
	w.row(4, "b", 1)
	w.gives(sql, "source f created", "sink dir created", "sink other created", "materialized view v created", "query v is finished", "a 11", "b 6")
	if got := len(w.files("/.sqlstream/checkpoints/v/offsets")); got != 3 {
		t.Errorf("%d offsets files below the default checkpoint, want 3", got)
	}
}

// A view whose query has another name is found by the view's.
func TestViewOfANamedQuery(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL WITH (name = 'other');
		INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL WITH (name = 'v');
		INSERT INTO plain VALUES ('a', 1); RUN TRIGGER FOR other`)
	w.gives("SELECT n FROM v", "1")
	w.must("DROP MATERIALIZED VIEW v")
	if len(w.Active()) != 1 || w.Active()[0].Name != "v" {
		t.Error("DROP of the view ended another query than its own")
	}
}

func TestReplacedView(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL; INSERT INTO plain VALUES ('a', 5); RUN TRIGGER FOR v")
	w.fails("CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT z FROM plain", "z")
	w.gives("SELECT n FROM v", "1") // the old one still runs
	w.must("CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT max(v) AS m FROM plain TRIGGER MANUAL WITH (checkpoint = 'chk2'); RUN TRIGGER FOR v")
	w.gives("SELECT m FROM v", "5")
	w.gives("DROP MATERIALIZED VIEW v; SHOW TABLES LIKE 'v'", "materialized view v dropped")
	w.fails("SELECT * FROM v", "SQL2001")
}

func TestCheckpointInUse(t *testing.T) {
	w := newWorld(t)
	w.must(files + objectsOf("plain") + "INSERT INTO dir SELECT k FROM plain TRIGGER MANUAL WITH (name = 'a', checkpoint = 'chk'); INSERT INTO plain VALUES ('a', 1); RUN TRIGGER")
	w.fails("INSERT INTO other SELECT k FROM plain TRIGGER MANUAL WITH (name = 'b', checkpoint = 'chk')", "checkpoint (/chk)", "another process runs this query")
	w.must("STOP QUERY a")
	w.fails("INSERT INTO other SELECT k FROM plain TRIGGER MANUAL WITH (name = 'b', checkpoint = 'chk')", "the output was dir and is other")
	w.fails("INSERT INTO dir SELECT k FROM plain TRIGGER MANUAL WITH (name = 'b', checkpoint = 'chk2')", "dir") // owned by another checkpoint
	w.must("START QUERY a")
}

func objectsOf(name string) string {
	return "CREATE SOURCE " + name + " (k STRING, v INT) WITH (connector = 'memory');"
}

// Names of queries do not lead out of the checkpoint root.
func TestCheckpointsStayBelowTheRoot(t *testing.T) {
	w := newWorld(t)
	w.must(files + objectsOf("plain"))
	for i, name := range []string{"../../up", "a/b", "..", "plain name"} {
		w.must(fmt.Sprintf(`CREATE SINK s%d WITH (connector = 'file', path = 'o%d', format = 'json');
			INSERT INTO s%d SELECT k FROM plain TRIGGER MANUAL WITH (name = '%s')`, i, i, i, name))
	}
	for path := range w.files("/") {
		if strings.HasSuffix(path, "/metadata") && (!strings.HasPrefix(path, "/.sqlstream/checkpoints/") || strings.Count(path, "/") != 4) {
			t.Errorf("a checkpoint at %s", path)
		}
	}
}

// Who needs a checkpoint has one: not what goes to the console, to memory or to a table in memory.
func TestDefaultCheckpoints(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; SELECT v FROM plain TRIGGER MANUAL;
		INSERT INTO dim SELECT k, k FROM plain TRIGGER MANUAL; RUN TRIGGER`)
	if all := w.files("/.sqlstream"); len(all) > 0 {
		t.Errorf("checkpoints that nobody asked for: %d files", len(all))
	}
	w.must("SET checkpoint_root = 'chks'; INSERT INTO dir SELECT k FROM plain TRIGGER MANUAL; INSERT INTO mem2 SELECT k FROM plain TRIGGER MANUAL WITH (checkpoint = 'own')")
	if len(w.files("/chks/dir")) == 0 || len(w.files("/own")) == 0 {
		t.Error("no checkpoint where one was asked for")
	}
}

// What references of options stand for is never written down or printed.
func TestSecretsStayOut(t *testing.T) {
	const secret = "hunter2"
	t.Setenv("SQLSTREAM_TEST_SECRET", secret)
	d := newDiary()
	w := newWorld(t, func(o *engine.Options) { o.Listener = d })
	w.write("/in/1.csv", "a,1\n"+secret+",2\n")
	out := w.must(`CREATE SOURCE f (k STRING, v INT) WITH (connector = 'file', path = 'in', format = 'csv', null_value = '${SQLSTREAM_TEST_SECRET}');
		CREATE SINK dir WITH (connector = 'file', path = 'out', format = 'csv', null_value = '${SQLSTREAM_TEST_SECRET}');
		INSERT INTO dir SELECT coalesce(k, 'nothing') AS k FROM drop_duplicates(TABLE f, DESCRIPTOR(k)) TRIGGER AVAILABLE NOW WITH (name = 'q', checkpoint = 'chk');
		AWAIT QUERY q; SHOW QUERIES; SHOW PROGRESS; EXPLAIN QUERY q; SHOW CREATE SOURCE f; SHOW CREATE SINK dir; DESCRIBE f`)
	if got := strings.Join(w.published("/out"), " "); got != "a nothing" {
		t.Errorf("the reference was not resolved: %s", got)
	}
	if text := strings.Join(append(out, d.lines...), "\n"); strings.Contains(text, secret) {
		t.Errorf("the secret was printed:\n%s", text)
	}
	files := w.files("/chk")
	for path, text := range w.files("/out/_spark_metadata") {
		files[path] = text
	}
	for path, text := range files {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in %s", path)
		}
	}
	if len(files) < 5 {
		t.Errorf("only %d files were looked at", len(files))
	}
}

// Any number of workers writes the same files.
func TestFilesDoNotDependOnWorkers(t *testing.T) {
	output := func(workers int, format, query string) (data []string) {
		w := newWorld(t, func(o *engine.Options) { o.Workers = workers })
		for i := range 25 {
			var b strings.Builder
			for j := range 300 {
				fmt.Fprintf(&b, "{\"k\": \"k%d\", \"v\": %d, \"at\": \"2024-01-01 12:00:00\"}\n", (i*j)%17, i*1000+j)
			}
			w.write(fmt.Sprintf("/in/%02d.json", i), b.String())
		}
		w.must(fmt.Sprintf(`%s CREATE SINK o WITH (connector = 'file', path = 'o', format = '%s'); INSERT INTO o %s%s`, files, format, query, onCheckpoint))
		for path, text := range w.files("/o") {
			if !strings.Contains(path, "/_") && !strings.Contains(path, "/.") {
				data = append(data, text)
			}
		}
		sort.Strings(data)
		return data
	}
	for _, query := range []string{"SELECT k, v * 2 AS w FROM f WHERE v % 3 = 0", "SELECT k, v FROM drop_duplicates(TABLE f, DESCRIPTOR(k))"} {
		for _, format := range []string{"json", "csv", "parquet"} {
			one := output(1, format, query)
			if len(one) == 0 {
				t.Fatal("no output")
			}
			for _, workers := range []int{2, 5} {
				if many := output(workers, format, query); !slices.Equal(one, many) {
					t.Errorf("%s: the %s files of %d workers differ from those of one", query, format, workers)
				}
			}
		}
	}
}

// A path that a query names twice is one scan; a table and a stream of it are two inputs,
// and each keeps its place.
func TestOnePathTwice(t *testing.T) {
	w := newWorld(t)
	const sql = files + `INSERT INTO dir SELECT v FROM STREAM 'in/' UNION ALL SELECT v + 100 AS v FROM STREAM 'in/' UNION ALL SELECT v + 1000 AS v FROM 'in/'` + onCheckpoint
	w.row(1, "a", 1)
	w.must(sql)
	if p := w.query("q").LastProgress(); len(p.Sources) != 2 || p.Rows.Input != 2 {
		t.Errorf("%d inputs, %d rows", len(p.Sources), p.Rows.Input)
	}
	w.restart()
	w.row(2, "b", 2)
	w.must(sql)
	if got := strings.Join(w.published("/out"), " "); got != `{"v":1001} {"v":101} {"v":102} {"v":1} {"v":2}` {
		t.Errorf("output %s", got)
	}
}

// Two scans of one source, each with a watermark of its own.
func TestOneSourceTwice(t *testing.T) {
	w := newWorld(t)
	const sql = files + `INSERT INTO dir SELECT window.start AS s, count(*) AS n FROM f GROUP BY window(at, '10 seconds')
		UNION ALL SELECT window.start AS s, -count(*) AS n FROM f WATERMARK at DELAY '0 seconds' GROUP BY window(at, '10 seconds') EMIT APPEND` + onCheckpoint
	w.row(5, "a", 1)
	w.row(15, "a", 1)
	w.must(sql)
	w.restart()
	w.row(21, "a", 1)
	w.must(sql)
	if got := strings.Join(w.published("/out"), " "); got != `{"s":"2024-01-01T12:00:00.000Z","n":-1} {"s":"2024-01-01T12:00:00.000Z","n":1} {"s":"2024-01-01T12:00:10.000Z","n":-1}` {
		t.Errorf("output %s", got)
	}
	if p := w.query("q").LastProgress(); p.Rows.Input != 2 || !p.Rows.Balanced() {
		t.Errorf("ledger %+v: each scan counts its rows", p.Rows)
	}
}

// Statement sets are one query: one checkpoint, one batch id, shared scans.
func TestStatementSet(t *testing.T) {
	w := newWorld(t)
	w.row(1, "a", 1)
	w.row(2, "b", 2)
	w.must(files + "EXECUTE STATEMENT SET BEGIN INSERT INTO dir SELECT k FROM f; INSERT INTO other SELECT v FROM f WHERE v > 1; END" + onCheckpoint)
	p := w.query("q").LastProgress()
	if p == nil || p.Rows.Input != 2 || p.Rows.Contributed != 2 || len(p.Sinks) != 2 || p.Sinks[0].OutputRows != 2 || p.Sinks[1].OutputRows != 1 {
		t.Errorf("progress %+v", p)
	}
	if got := strings.Join(append(w.published("/out"), w.published("/other")...), " "); got != `{"k":"a"} {"k":"b"} {"v":2}` {
		t.Errorf("output %s", got)
	}
}

// Rows that were refused are in the tables that the source names, in order.
func TestTablesOfRefusedRows(t *testing.T) {
	w := newWorld(t, func(o *engine.Options) { o.Workers = 4 })
	for i := range 6 {
		w.write(fmt.Sprintf("/in/%d.json", i), fmt.Sprintf("{\"at\": \"2024-01-01 12:00:3%d\"}\nbad %d\n", i, i))
	}
	w.must(`CREATE SOURCE f (at TIMESTAMP, WATERMARK FOR at AS at) WITH (connector = 'file', path = 'in', format = 'json', on_error = 'divert', bad_rows = 'bad', late_rows = 'late');
		CREATE MATERIALIZED VIEW v AS SELECT window.start AS s, count(*) AS n FROM f GROUP BY window(at, '10 seconds') TRIGGER AVAILABLE NOW; AWAIT QUERY v`)
	var want []string
	for i := range 6 {
		want = append(want, fmt.Sprintf("f bad %d", i))
	}
	w.gives("SELECT source, CAST(raw AS STRING) AS raw FROM bad", want...)
	w.write("/in/7.json", "{\"at\": \"2024-01-01 12:00:01\"}\n{\"at\": \"2024-01-01 12:00:00\"}\n{\"at\": \"2024-01-01 12:00:50\"}\n")
	w.must("START QUERY v; AWAIT QUERY v")
	w.gives("SELECT watermark, count(*) AS n FROM late GROUP BY watermark", "2024-01-01 12:00:35 2")
	w.gives("SELECT n FROM v", "6", "1")
	w.fails("CREATE SOURCE g (x INT) WITH (connector = 'memory', bad_rows = 'v')", `"v" cannot keep refused rows`)
	w.must("SELECT at FROM f TRIGGER MANUAL")
	w.fails("DROP TABLE bad", "SQL4104")
}

// The engine is what embedding programs use: rows in, rows out.
func TestAppendAndStart(t *testing.T) {
	w := newWorld(t)
	w.must(objects)
	if _, err := w.Start(context.Background(), diag.Source{Text: "INSERT INTO mem SELECT k FROM plain"}, engine.StartOptions{}); err == nil {
		t.Error("Start takes a SELECT alone")
	}
	if err := w.Append("dir", nil); err == nil || !strings.Contains(err.Error(), `"dir" is not a memory source or table`) {
		t.Errorf("Append to a sink: %v", err)
	}
}
