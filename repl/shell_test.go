package repl

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/repl/output"
)

// typist is a Reader that types lines. A line "^C" is Ctrl-C.
type typist struct {
	lines   []string
	history []string
	prompts []string
}

func (r *typist) Read(prompt string) (string, error) {
	r.prompts = append(r.prompts, prompt)
	if len(r.lines) == 0 {
		return "", io.EOF
	}
	line := r.lines[0]
	r.lines = r.lines[1:]
	if line == "^C" {
		return "", ErrInterrupt
	}
	return line, nil
}

func (r *typist) Remember(s string) error { r.history = append(r.history, s); return nil }
func (r *typist) Close() error            { return nil }

// buffer may be written and read by several goroutines.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

type session struct {
	*Shell
	in        *typist
	out, errs *buffer
	signals   chan os.Signal
	dir       string
}

func newSession(t *testing.T, lines ...string) *session {
	t.Helper()
	s := &session{in: &typist{lines: lines}, out: &buffer{}, errs: &buffer{}, signals: make(chan os.Signal, 4), dir: t.TempDir()}
	e, err := engine.Open(engine.Options{Dir: s.dir, Stdout: s.out, Workers: 1, Listener: Failures{s.errs}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Shell = &Shell{In: s.in, Interrupts: s.signals, Clock: clock.Real(), Completer: NewCompleter(func() int { return 80 }),
		Session: Session{Engine: e, Out: s.out, Err: s.errs, Format: output.JSONL, KeepGoing: true, Talk: true}}
	return s
}

func (s *session) run(t *testing.T) {
	t.Helper()
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestStatementsOverLines(t *testing.T) {
	s := newSession(t, "", "-- a comment", "SELECT 1", "  AS a; SELECT", "'x;y' AS b", ";", "/* open", "SELECT 2; */ SELECT 3 AS c;", "SELECT gone", "^C", "SELECT 4 AS d;")
	s.run(t)
	if got, want := s.out.String(), "{\"a\":1}\n{\"b\":\"x;y\"}\n{\"c\":3}\n{\"d\":4}\n"; got != want {
		t.Errorf("got %q, want %q; %s", got, want, s.errs)
	}
	if len(s.in.history) != 3 || s.in.history[2] != "SELECT 4 AS d;" || !strings.Contains(s.in.history[0], "SELECT 1\n  AS a") {
		t.Errorf("history: %q", s.in.history)
	}
	if p := strings.Join(s.in.prompts, ""); strings.Count(p, promptMore) != 5 {
		t.Errorf("prompts: %q", s.in.prompts)
	}
}

func TestErrorsKeepTheShell(t *testing.T) {
	s := newSession(t, "SELECT nope;", "SELECT 1 / 0 AS a;", "SELECT ${x};", "SELEC 1;", ".nope", ".timer maybe", ".output xml", "SELECT 5 AS e;")
	s.run(t)
	if s.out.String() != "{\"e\":5}\n" {
		t.Errorf("got %q", s.out)
	}
	for _, want := range []string{"    |        ^^^^", "division by zero", "no value for ${x}", "did you mean SELECT?", "no command .nope", "on or off", "no output format"} {
		if !strings.Contains(s.errs.String(), want) {
			t.Errorf("%q is missing in\n%s", want, s.errs)
		}
	}
}

func TestDotCommands(t *testing.T) {
	s := newSession(t,
		"CREATE TABLE people (id INT, name STRING);",
		`\d`, ".describe people", ".schema", ".tables peo%", ".queries", ".progress", ".state", ".watermarks", ".settings",
		".timer on", "SELECT 1 AS a;", ".timer off", ".output csv", ".output", ".help", ".schema nobody", ".read f.sql", ".quit", "SELECT 'never';")
	s.run(t)
	for _, want := range []string{"table people created", `{"name":"people","kind":"table"}`, `{"column":"name","type":"STRING","note":""}`,
		"CREATE TABLE people (id INT, name STRING)", `{"name":"timezone","value":"UTC"`, "csv\n", ".read FILE"} {
		if !strings.Contains(s.out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, s.out)
		}
	}
	if strings.Contains(s.out.String(), "never") {
		t.Error("the shell goes on after .quit")
	}
	for _, want := range []string{"time: ", `"nobody"`, "f.sql: no such file"} {
		if !strings.Contains(s.errs.String(), want) {
			t.Errorf("%q is missing in\n%s", want, s.errs)
		}
	}
}

// A file may have commands between its statements; errors have the file's lines.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sql")
	text := "SELECT 1 AS a;\n.output csv\nSELECT 2\n  AS b;\n\nSELECT nope;\nSELECT 3 AS c;"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, ".read "+path)
	s.Init(t.Context(), filepath.Join(t.TempDir(), "no-init.sql"))
	s.run(t)
	if got, want := s.out.String(), "{\"a\":1}\nb\n2\nc\n3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !strings.Contains(s.errs.String(), path+":6:8: error SQL2002") {
		t.Errorf("errors:\n%s", s.errs)
	}
}

// eventually waits until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}

const rateSource = "CREATE SOURCE r WITH (connector = 'rate', rows_per_second = 1000);"

// A SELECT over a stream prints until Ctrl-C, which leaves the shell running.
func TestCtrlCStopsTheQueryInFront(t *testing.T) {
	s := newSession(t, rateSource, "SELECT value FROM r;", "SELECT 7 AS seven;")
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()
	eventually(t, "rows on the console", func() bool { return strings.Contains(s.out.String(), "batch 1") })
	s.signals <- os.Interrupt
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(s.out.String(), "{\"seven\":7}\n") {
		t.Errorf("the shell does not go on: %q", s.out)
	}
	if q := s.Engine.Queries()[0]; q.Status() != engine.Finished {
		t.Errorf("the query is %s", q.Status())
	}
}

// The end of the shell's context, on SIGTERM, stops the query in front, too.
func TestTheEndStopsTheQueryInFront(t *testing.T) {
	s := newSession(t, rateSource, "SELECT value FROM r;", "SELECT 'never';")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	eventually(t, "rows on the console", func() bool { return strings.Contains(s.out.String(), "batch 1") })
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.out.String(), "never") {
		t.Error("the shell goes on")
	}
}

// Ctrl-C ends waiting for a query, and leaves that running.
func TestCtrlCCancelsAStatement(t *testing.T) {
	s := newSession(t, rateSource, "CREATE SINK n (value BIGINT) WITH (connector = 'null');", "INSERT INTO n SELECT value FROM r;", "AWAIT QUERY n;")
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()
	eventually(t, "a batch", func() bool { q := s.Engine.Query("n"); return q != nil && q.LastProgress() != nil })
	ended := func() bool {
		select {
		case err := <-done:
			done <- err
			return true
		default:
			return false
		}
	}
	eventually(t, "the end of the statement", func() bool {
		select {
		case s.signals <- os.Interrupt:
		default:
		}
		return ended()
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.errs.String(), "interrupted\n") || !strings.Contains(s.errs.String(), "stopping 1 running queries") {
		t.Errorf("errors: %s", s.errs)
	}
}

// A query that fails in the background is told of at the prompt.
func TestBackgroundFailure(t *testing.T) {
	s := newSession(t, "CREATE SOURCE m (a INT);", "CREATE SINK n (a INT) WITH (connector = 'null');",
		"INSERT INTO n SELECT CAST(1 / a AS INT) AS a FROM m;", "INSERT INTO m VALUES (0);", "AWAIT ALL;")
	s.run(t)
	if !strings.Contains(s.errs.String(), `query "n": `) {
		t.Errorf("errors: %s", s.errs)
	}
}

type broken struct{ typist }

func (*broken) Read(string) (string, error) { return "", errors.New("no terminal") }

func TestReaderFails(t *testing.T) {
	s := newSession(t)
	s.In = &broken{}
	if err := s.Run(t.Context()); err == nil {
		t.Error("the error of the reader is lost")
	}
}
