package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
)

const forever = `CREATE SOURCE r WITH (connector = 'rate', rows_per_second = 1000);
CREATE SINK out (value BIGINT) WITH (connector = 'file', format = 'json', path = 'out');
INSERT INTO out SELECT value FROM r;
`

// start runs the program over a script and waits for a line of its standard error.
func start(t *testing.T, dir, script, until string) (*exec.Cmd, io.Reader) {
	t.Helper()
	path := filepath.Join(dir, "q.sql")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sqlstream", "--progress", "json", "-f", path)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended already
	r := bufio.NewReader(stderr)
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, until) {
			return cmd, r
		}
		if err != nil {
			t.Fatalf("the program ended before %q: %q, %v", until, line, err)
		}
	}
}

// interrupt sends a signal and returns the exit status.
func interrupt(t *testing.T, cmd *exec.Cmd, stderr io.Reader, sig os.Signal) int {
	t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, stderr) //nolint:errcheck // the pipe ends with the program
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// The first signal ends the program after the trigger under way: every batch that was
// begun is committed, and the next run goes on after it (Rule R11).
func TestSignalsEndCleanly(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd, stderr := start(t, dir, forever, `"batchId":2`)
		if got := interrupt(t, cmd, stderr, sig); got != exitInterrupted {
			t.Errorf("%v: exit status %d", sig, got)
		}
		chk := filepath.Join(dir, ".sqlstream", "checkpoints", "out")
		if o, c := numbers(t, chk, "offsets"), numbers(t, chk, "commits"); o != c {
			t.Errorf("%v: offsets %s, commits %s", sig, o, c)
		}
		cmd, stderr = start(t, dir, forever, `"batchId":3`)
		interrupt(t, cmd, stderr, sig)
	}
}

// numbers lists the entries of a log.
func numbers(t *testing.T, dir, log string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, log, "[0-9]*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", log, files, err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return strings.Join(files, " ")
}

// A statement that runs is cancelled, and what follows it does not run.
func TestSignalCancelsAStatement(t *testing.T) {
	script := "CREATE SOURCE r WITH (connector = 'rate', rows_per_second = 1000);\nCREATE SINK n (value BIGINT) WITH (connector = 'null');\n" +
		"INSERT INTO n SELECT value FROM r;\nAWAIT QUERY n;\nSELECT 'never';\n"
	dir := t.TempDir()
	cmd, stderr := start(t, dir, script, `"batchId":1`)
	if got := interrupt(t, cmd, stderr, os.Interrupt); got != exitInterrupted {
		t.Errorf("exit status %d", got)
	}
}

func openEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open(engine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func signalSelf(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Error(err)
	}
}

// The second signal does not wait for what does not listen.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	stuck := make(chan struct{})
	defer close(stuck)
	interrupted, err := guard(t.Context(), openEngine(t), func(ctx context.Context) error {
		signalSelf(t)
		<-ctx.Done()
		signalSelf(t)
		<-stuck
		return nil
	})
	if !interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", interrupted, err)
	}
}

func TestGuardWithoutSignals(t *testing.T) {
	want := errors.New("x")
	if interrupted, err := guard(t.Context(), openEngine(t), func(context.Context) error { return want }); interrupted || err != want {
		t.Errorf("got %v, %v", interrupted, err)
	}
}
