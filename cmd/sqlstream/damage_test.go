package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runScript runs q.sql of a directory and returns the exit status and standard error.
func runScript(t *testing.T, dir string) (int, string) {
	t.Helper()
	cmd := exec.Command("sqlstream", "-f", "q.sql")
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// published is what a reader sees of an output directory.
func published(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "out", "part-*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s", filepath.Base(f)[:10], text)
	}
	return b.String()
}

func check(t *testing.T, what string, status int, text string, wantStatus int, want string) {
	t.Helper()
	if status != wantStatus || !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("%s: status %d, want %d and %q in\n%s", what, status, wantStatus, want, text)
	}
}

// A file that cannot be read as declared fails the query, names file and line, and
// publishes nothing.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format, options, file, text string
		want                        string
	}{
		{"json", "", "f.json", `{"a":1,"b":"x"`, `in/f.json:1: not JSON: expected , or }`},
		{"json", "", "f.json", "{\"a\":1}\n[1,2]", `in/f.json:2: not JSON: expected an object`},
		{"json", "", "f.json", `{"a":"x"}`, `in/f.json:1: field "a": "x" is not INT`},
		{"json", "", "f.json", `{"a":99999999999}`, `in/f.json:1: field "a": 99999999999 is not INT`},
		{"json", "", "f.json", `{"a":1.5}`, `in/f.json:1: field "a": 1.5 is not INT`},
		{"json", "", "f.json", "{\"b\":\"\xff\"}", `in/f.json:1: not JSON: text that is not UTF-8`},
		{"json", "", "f.json", "\x00\x01\x02", `in/f.json:1: not JSON`},
		{"json", "", "f.json.gz", `{"a":1}`, `in/f.json.gz: not a gzip file`},
		{"json", "", "f.json.zst", `{"a":1}`, `in/f.json.zst: .*magic number`},
		{"csv", ", header = true", "f.csv", "a,b\n1,x,y\n", `in/f.csv:2: 3 fields, expected 2`},
		{"csv", ", header = true", "f.csv", "a,c\n1,x\n", `in/f.csv: its header has no column "b"; it has a, c`},
		{"csv", "", "f.csv", "1,\"x\n", `in/f.csv:1: a quoted field does not end`},
		{"csv", "", "f.csv", "1,x\n2\n", `in/f.csv:2: 1 fields, expected 2`},
		{"csv", "", "f.csv", "x,y\n", `in/f.csv:1: field "a": "x" is not INT`},
		{"parquet", "", "f.parquet", "x,y\n", `in/f.parquet: not a Parquet file`},
		{"parquet", "", "f.parquet", "", `in/f.parquet: not a Parquet file: only 0 bytes long`},
		{"parquet", "", "f.parquet", "PAR1" + strings.Repeat("x", 100) + "PAR1", `in/f.parquet: `},
	} {
		dir := t.TempDir()
		write(t, dir, "q.sql", fmt.Sprintf(`CREATE SOURCE s (a INT, b STRING) WITH (connector = 'file', format = '%s', path = 'in'%s);
CREATE SINK out (a INT, b STRING) WITH (connector = 'file', format = 'json', path = 'out');
INSERT INTO out SELECT a, b FROM s TRIGGER AVAILABLE NOW;`, c.format, c.options))
		write(t, dir, "in/"+c.file, c.text)
		status, text := runScript(t, dir)
		check(t, c.format+" "+c.text, status, text, exitFailed, c.want)
		if out := published(t, dir); out != "" {
			t.Errorf("%s %q: published %s", c.format, c.text, out)
		}
	}
}

const countScript = `CREATE SOURCE s (a INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '1' MINUTE)
  WITH (connector = 'file', format = 'json', path = 'in');
CREATE SINK out (start TIMESTAMP, n BIGINT) WITH (connector = 'file', format = 'json', path = 'out');
INSERT INTO out SELECT window.start AS start, count(*) AS n FROM s GROUP BY window(at, '1 minute') TRIGGER AVAILABLE NOW;
`

// threeBatches is a directory in which a query has run three batches, and a fourth file
// has come.
func threeBatches(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "q.sql", countScript)
	for i := 1; i <= 3; i++ {
		write(t, dir, fmt.Sprintf("in/%d.json", i), fmt.Sprintf("{\"a\":%d,\"at\":\"2024-01-01 0%d:00:00\"}\n", i, i))
		if status, text := runScript(t, dir); status != exitDone {
			t.Fatalf("status %d: %s", status, text)
		}
	}
	write(t, dir, "in/4.json", `{"a":4,"at":"2024-01-01 04:00:00"}`)
	return dir
}

// copyTree makes a directory the copy of another, with the modification times: sources
// know files by their paths and times.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from)))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(to+strings.TrimPrefix(path, from), info.ModTime(), info.ModTime())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// damage does something to a directory that has run three batches.
type damage struct {
	what   string
	do     func(t *testing.T, dir string)
	status int
	want   string // in the message
}

func overwrite(file, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { write(t, dir, file, text) }
}

func remove(file string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
}

// replace changes the first occurrence of a text in a file.
func replace(file, old, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(b), old) {
			t.Fatalf("%s: no %q: %v", file, old, err)
		}
		write(t, dir, file, strings.Replace(string(b), old, text, 1))
	}
}

// cut leaves the first bytes of a file, or flips one bit of the byte there.
func cut(file string, at int, flip bool) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		path := filepath.Join(dir, file)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if flip {
			b[at] ^= 4
		} else {
			b = b[:at]
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const chk = ".sqlstream/checkpoints/out/"

func damages() []damage {
	return []damage{
		{"metadata garbled", overwrite(chk+"metadata", "xx"), exitFailed, `checkpoint metadata \(.*metadata\): .*restore the file`},
		{"metadata of another query", overwrite(chk+"metadata", `{"id":"11111111-2222-3333-4444-555555555555"}`), exitFailed, `belongs to|another|not to`},
		{"offsets cut", cut(chk+"offsets/2", 3, false), exitFailed, `offset log 2 \(.*\): the file ends after its first line; restore`},
		{"offsets emptied", cut(chk+"offsets/2", 0, false), exitFailed, `offset log 2 \(`},
		{"offsets changed", replace(chk+"offsets/2", `"batchTimestampMs":1`, `"batchTimestampMs":2`), exitFailed, `offset log 2 .*checksum`},
		{"offsets lost", remove(chk + "offsets/1"), exitFailed, `offset log 1 .*batches 0 and 2 are there`},
		{"commits changed", replace(chk+"commits/2", `"input":1`, `"input":2`), exitFailed, `commit log 2 .*checksum`},
		{"commits cut", cut(chk+"commits/1", 20, false), exitFailed, `commit log 1 \(`},
		{"state lost", remove(chk + "state"), exitFailed, `state log batch 0 .*it is lost: .*restore the checkpoint`},
		{"state header flipped", cut(chk+"state/log/0.log", 20, true), exitFailed, `state log file .*header is damaged`},
		{"source log lost", remove(chk + "sources"), exitFailed, `source log s \(`},
		{"source log changed", replace(chk+"sources/s/1", "2.json", "9.json"), exitFailed, `source log|sources/s/1`},
		{"checkpoint lost", remove(chk), exitFailed, `directory out was written with another checkpoint of query "out"`},
		{"sink log lost", remove("out/_spark_metadata"), exitFailed, `directory out holds files that no query wrote`},
		{"sink log garbled", overwrite("out/_spark_metadata/2", "garbage"), exitFailed, `corrupt sink log: .*_spark_metadata/2: begins with "garbage"`},
		{"output lost", remove("out"), exitFailed, `it holds nothing, but the checkpoint is at batch 2`},
		{"input lost", remove("in"), exitUnreachable, `path in does not exist`},
		{"a taken file grew", overwrite("in/1.json", "{\"a\":1,\"at\":\"2024-01-01 01:00:00\"}\n{}"), exitFailed, `file in/1.json changed after it was taken`},
		{"another window", replace("q.sql", "'1 minute'", "'2 minutes'"), exitFailed, `window`},
		{"another watermark", replace("q.sql", "INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE"), exitDone, ``},
		{"another input", replace("q.sql", "path = 'in'", "path = 'in2'"), exitUnreachable, `path in2 does not exist`},
		{"another output", replace("q.sql", "path = 'out'", "path = 'out2'"), exitFailed, `it holds nothing|moved|another`},
		{"another format of the output", replace("q.sql", "format = 'json', path = 'out'", "format = 'parquet', path = 'out'"), exitFailed, `the format of output out was json and is parquet`},
		{"a partitioned output", replace("q.sql", "path = 'out'", "path = 'out', partition_by = 'start'"), exitFailed, `was partitioned by nothing and is partitioned by \(start\)`},
		{"another zone", replace("q.sql", "CREATE SOURCE", "SET timezone = 'Europe/Berlin'; CREATE SOURCE"), exitFailed, `timezone|zone`},
	}
}

// A damaged checkpoint, sink or input is told of by name and with a way out, nothing is
// published from it, and with what was there restored the query goes on.
// Rules R4, R6, R7, R9.
func TestDamage(t *testing.T) {
	dir, good := threeBatches(t), filepath.Join(t.TempDir(), "good")
	copyTree(t, good, dir)
	for _, c := range damages() {
		copyTree(t, dir, good)
		c.do(t, dir)
		before := published(t, dir)
		status, text := runScript(t, dir)
		check(t, c.what, status, text, c.status, c.want)
		if after := published(t, dir); c.status != exitDone && after != before {
			t.Errorf("%s: published\n%s\nbefore it was\n%s", c.what, after, before)
		}
	}
}

// What a checkpoint can do without is no error.
func TestHarmlessLosses(t *testing.T) {
	t.Parallel()
	dir, good := threeBatches(t), filepath.Join(t.TempDir(), "good")
	copyTree(t, good, dir)
	var want string
	for _, c := range []damage{
		{what: "nothing", do: func(*testing.T, string) {}},
		{what: "the last commit", do: remove(chk + "commits/2")},
		{what: "an old commit", do: remove(chk + "commits/1")},
		{what: "a file that was taken", do: remove("in/1.json")},
	} {
		copyTree(t, dir, good)
		c.do(t, dir)
		status, text := runScript(t, dir)
		check(t, c.what, status, text, exitDone, "")
		if got := published(t, dir); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s: published\n%s\nwant\n%s", c.what, got, want)
		}
	}
	if n := strings.Count(want, `"n":1`); n != 3 {
		t.Errorf("%d windows are published, not 3:\n%s", n, want)
	}
}

// Two processes never share a checkpoint (Rule R5).
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, stderr := start(t, dir, forever, `"batchId":1`)
	status, text := runScript(t, dir)
	check(t, "second process", status, text, exitFailed, `in use|locked|another process`)
	if got := interrupt(t, cmd, stderr, os.Interrupt); got != exitInterrupted {
		t.Errorf("the first process: status %d", got)
	}
}
