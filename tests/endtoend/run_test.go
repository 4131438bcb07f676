//go:build services

package endtoend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/tests/services"
	"github.com/sqlstream/sqlstream/tests/soak"
)

const (
	parts       = 14
	rowsInPart  = 30
	longestRun  = 3 * time.Minute // no run of the program takes so long
	crashEnvVar = "SQLSTREAM_CRASH_AT"
)

var rounds atomic.Int64

// world is one round of a pipeline: an input from its first part to its last, with kills on
// the way.
type world struct {
	*testing.T
	ends
	binary string
	dir    string
	name   string // for what is outside
	in     *soak.Input
	rng    *rand.Rand
	there  int      // parts that have arrived
	own    []string // variables of services of one's own, nil = those that all share
	runs   int      // of the program
	seen   int      // progress records
}

func newWorld(t *testing.T, binary string, p pipeline, rng *rand.Rand, own []string) *world {
	t.Helper()
	w := &world{T: t, binary: binary, dir: t.TempDir(), rng: rng, own: own,
		name: fmt.Sprintf("e2e-%d-%d", time.Now().UnixNano(), rounds.Add(1)), in: soak.NewInput(rng.Uint64(), parts, rowsInPart)}
	w.ends = p.open(w)
	columns, query := cmp.Or(w.columns, soak.Columns), cmp.Or(w.query, soak.Query)
	script := fmt.Sprintf("CREATE SOURCE clicks (%s)\n  WITH (%s);\nCREATE SINK counts WITH (%s);\nCREATE SINK copies WITH (%s);\n%s",
		columns, w.source, w.sink("counts"), w.sink("copies"), query)
	if err := os.WriteFile(filepath.Join(w.dir, "q.sql"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	w.arrive(2)
	return w
}

// service starts a service, unless it runs, and tells where it is.
func (w *world) service(name string) map[string]string {
	w.Helper()
	return services.Start(w.T, name, w.own...)
}

// arrive feeds n more parts.
func (w *world) arrive(n int) {
	for ; n > 0 && w.there < parts; n-- {
		w.feed(w.there)
		w.there++
	}
}

// over reports that all of the input has arrived.
func (w *world) over() bool { return w.there == parts }

// start begins a run of the program.
func (w *world) start(crashAt string) *run {
	w.Helper()
	w.runs++
	cmd := exec.Command(w.binary, "--progress", "json", "-v", fmt.Sprintf("limit=%d", 10+w.rng.IntN(60)), "-f", "q.sql")
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), crashEnvVar+"="+crashAt)
	r := &run{w: w, cmd: cmd}
	cmd.Stderr = &r.errs
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	r.limit = time.AfterFunc(longestRun, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	return r
}

// run is one run of the program.
type run struct {
	w     *world
	cmd   *exec.Cmd
	errs  bytes.Buffer
	limit *time.Timer
}

// wait waits for the end: killed, or done. Anything else fails the test.
func (r *run) wait() (killed bool) {
	r.w.Helper()
	err := r.end()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		r.w.Fatalf("run %d: %v\n%s", r.w.runs, err, r.errs.String())
	}
	return false
}

// end waits for the end, and checks the progress records.
func (r *run) end() error {
	r.w.Helper()
	err := r.cmd.Wait()
	r.limit.Stop()
	r.ledger()
	return err
}

// ledger demands of each progress record that every input row has exactly one fate.
func (r *run) ledger() {
	r.w.Helper()
	for line := range bytes.Lines(r.errs.Bytes()) {
		var p struct {
			BatchID int64 `json:"batchId"`
			Rows    *struct{ Input, Contributed, Filtered, Late, Bad int64 }
			Sources []struct{ NumInputRows int64 }
		}
		if !bytes.HasPrefix(line, []byte("{")) || !bytes.HasSuffix(line, []byte("\n")) {
			continue // a message, or a line that the kill has cut
		}
		if err := json.Unmarshal(line, &p); err != nil || p.Rows == nil {
			r.w.Fatalf("no progress record: %s", line)
		}
		r.w.seen++
		read := int64(0)
		for _, s := range p.Sources {
			read += s.NumInputRows
		}
		if l := p.Rows; l.Input != l.Contributed+l.Filtered+l.Late+l.Bad || l.Input != read || l.Late != 0 || l.Bad != 0 {
			r.w.Fatalf("the ledger of batch %d does not balance: %+v, %d rows read", p.BatchID, *l, read)
		}
	}
}

// judge compares what the sinks hold with the answer; at the end it must be all of it.
func (w *world) judge(end bool) {
	w.Helper()
	for _, sink := range []string{"counts", "copies"} {
		got := w.read(sink)
		slices.Sort(got)
		var err error
		var want []string
		if w.answer == nil {
			want = w.in.Answer(sink)
			err = soak.Part(got, want)
		} else if end {
			want = w.answer(sink)
		}
		if err == nil && end && !slices.Equal(got, want) {
			err = fmt.Errorf("it has %d rows, expected %d:\n%v\n%v", len(got), len(want), got, want)
		}
		if err != nil {
			w.Fatalf("sink %s after run %d: %v", sink, w.runs, err)
		}
	}
}

// finish lets the rest arrive and the program run to its end.
func (w *world) finish() {
	w.Helper()
	w.arrive(parts)
	if w.start("").wait() {
		w.Fatal("somebody else has killed the program")
	}
	w.judge(true)
	if w.seen == 0 {
		w.Error("no progress record was seen")
	}
	if w.done != nil {
		w.done()
	}
}
