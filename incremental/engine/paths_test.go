package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
)

// A path in FROM is a table, or a stream, with the columns that its files have.
func TestPathsInFrom(t *testing.T) {
	w := newWorld(t)
	w.write("/in/1.json", "{\"k\": \"a\", \"n\": 1}\n{\"k\": \"b\", \"n\": 2}\n")
	w.write("/in/deep/er/2.json", "{\"k\": \"c\", \"n\": 3}\n")
	w.write("/bare/day=1/x.csv", "1,2\n")
	w.write("/none/readme", "")
	w.gives("SELECT k, n FROM 'in/1.json' ORDER BY n", "a 1", "b 2")
	w.gives("SELECT sum(n) AS s FROM 'in/*.json'", "3")
	w.gives("SELECT sum(n) AS s FROM 'file:///in/1.json'", "3")
	w.gives("DESCRIBE SELECT * FROM 'in/1.json'", "the result is a table", "k STRING ", "n BIGINT ")
	w.must("CREATE SINK mem WITH (connector = 'memory'); INSERT INTO mem SELECT k FROM STREAM 'in/' TRIGGER AVAILABLE NOW; AWAIT QUERY mem")
	if got := w.must("SELECT k FROM mem ORDER BY k"); !slices.Contains(got, "a") || !slices.Contains(got, "b") {
		t.Errorf("the stream of a directory gave %v", got)
	}
	for sql, want := range map[string]string{
		"SELECT * FROM 'none/'":           "the format of",
		"SELECT * FROM 'kafka://h'":       "names no topic: it is written kafka://host:port/topic",
		"SELECT * FROM 'in/missing.json'": "in/missing.json",
	} {
		w.fails(sql, want)
	}
}

// What cannot be reached at the start says so: programs end with another status.
func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	w.must(files)
	err := w.fails("CREATE SOURCE g (x INT) WITH (connector = 'file', path = '${SQLSTREAM_NOT_SET}', format = 'json'); SELECT x FROM g TRIGGER AVAILABLE NOW; AWAIT ALL", `source "g": `, `option "path"`, "SQLSTREAM_NOT_SET")
	if strings.Contains(err.Error(), "test:") {
		t.Errorf("the place of a declaration is shown in another statement: %v", err)
	}
	var u *engine.UnreachableError
	if errors.As(err, &u) {
		t.Error("an option that cannot be resolved is no unreachable source")
	}
	w.row(1, "a", 1)
	w.write("/out", "a file where the directory should be")
	err = w.fails("INSERT INTO dir SELECT k FROM f TRIGGER AVAILABLE NOW WITH (checkpoint = 'c')", "dir")
	if !errors.As(err, &u) || !strings.Contains(u.Error(), `sink "dir"`) {
		t.Errorf("%T %v", err, err)
	}
	// Nothing of the failed start is left behind: the checkpoint is free.
	w.must("INSERT INTO other SELECT k FROM f TRIGGER AVAILABLE NOW WITH (checkpoint = 'c2'); AWAIT ALL")
	w.fails("INSERT INTO dir SELECT k FROM f TRIGGER AVAILABLE NOW WITH (checkpoint = 'c')", `sink "dir"`)
}

func TestAwaitAnyAndTimeouts(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; INSERT INTO mem2 SELECT k FROM plain TRIGGER MANUAL")
	w.gives("AWAIT ANY TIMEOUT '1 ms'", "no query has ended")
	w.gives("AWAIT ALL TIMEOUT '1 ms'", "queries are still running")
	w.gives("AWAIT QUERY mem TIMEOUT '1 ms'", "query mem is still running")
	w.query("mem2").RequestStop()
	w.gives("AWAIT ANY", "query mem2 is finished")
	w.must("STOP QUERY mem; START QUERY mem; INSERT INTO plain VALUES ('a', 1)")
	if len(w.Queries()) != 2 {
		t.Errorf("%d queries are listed, want 2: a new run takes the place of the old one", len(w.Queries()))
	}
	w.fails("SELECT CAST(k AS INT) AS n FROM plain TRIGGER MANUAL; RUN TRIGGER FOR query1", "INT")
	w.fails("AWAIT ALL", `query "query1"`)
}

// What the shell completes with.
func TestNames(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL")
	for object, want := range map[string]string{"ev": "k v at", "v": "k n", "nothing": ""} {
		if got := strings.Join(w.ColumnNames(object), " "); got != want {
			t.Errorf("columns of %s: %s", object, got)
		}
	}
	if !slices.Contains(w.SettingNames(), "timezone") || !slices.Contains(w.FunctionNames(), "count") || !slices.Contains(w.FunctionNames(), "row_number") || slices.ContainsFunc(w.FunctionNames(), func(n string) bool { return n[0] == '$' }) {
		t.Error("names of settings or functions")
	}
}
