package soak

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/trigger"
)

var (
	kills = flag.Int("kills", 24, "how often the program is killed")
	seed  = flag.Uint64("seed", 1, "decides input and moments")
)

// round is one input from its first file to its last, with kills on the way.
type round struct {
	t     *testing.T
	dir   string
	in    *Input
	rng   *rand.Rand
	there int // files that have arrived
}

const filesInRound = 14

func newRound(t *testing.T, rng *rand.Rand) *round {
	r := &round{t: t, dir: t.TempDir(), in: NewInput(rng.Uint64(), filesInRound, 40), rng: rng}
	if err := os.Mkdir(filepath.Join(r.dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "q.sql"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	r.arrive(2)
	return r
}

func (r *round) arrive(n int) {
	for ; n > 0 && r.there < filesInRound; n-- {
		if err := r.in.Write(filepath.Join(r.dir, "in"), r.there); err != nil {
			r.t.Fatal(err)
		}
		r.there++
	}
}

// run runs the program; after some time, if that is not 0, it is killed.
func (r *round) run(binary, crashAt string, after time.Duration) (killed bool) {
	cmd := exec.Command(binary, "-v", fmt.Sprintf("files=%d", 1+r.rng.IntN(3)), "-f", "q.sql")
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "SQLSTREAM_CRASH_AT="+crashAt)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true
	}
	if err != nil {
		r.t.Fatalf("%s (crash at %q): %v\n%s", binary, crashAt, err, errs.String())
	}
	return false
}

// judge compares what is there with the answer; at the end it must be all of it.
func (r *round) judge(end bool) {
	for sink, want := range map[string][]string{"counts": r.in.counts, "copies": r.in.copies} {
		dir := filepath.Join(r.dir, sink)
		if _, err := os.Stat(dir); err != nil && !end {
			continue
		}
		logged, plain, err := Rows(dir)
		if err == nil {
			err = errors.Join(Part(logged, want), Part(plain, want), Part(logged, plain))
		}
		if err == nil && end && (!slices.Equal(logged, want) || !slices.Equal(plain, want)) {
			err = fmt.Errorf("%d rows through the log, %d in the directory, expected %d", len(logged), len(plain), len(want))
		}
		if err != nil {
			r.t.Fatalf("sink %s: %v", sink, err)
		}
	}
}

// finish lets the rest arrive and the program run to its end.
func (r *round) finish(binary string) {
	r.arrive(filesInRound)
	r.run(binary, "", 0)
	r.judge(true)
	left, err := filepath.Glob(filepath.Join(r.dir, "*", "_staging", "*", "*"))
	if err != nil || len(left) > 0 {
		r.t.Fatalf("staged files are left over: %v %v", left, err)
	}
}

// At each step of the protocol, in turn and with other batches each time.
func TestKillsAtEachStep(t *testing.T) {
	binary, err := Build(t.TempDir(), "sqlstream-mutants", "mutants")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	points := trigger.Points()
	count := map[trigger.Point]int{}
	r := newRound(t, rng)
	for i := 0; i < *kills; i++ {
		p := points[i%len(points)]
		if r.there == filesInRound || i%40 == 39 {
			r.finish(binary)
			r = newRound(t, rng)
		}
		r.arrive(1 + rng.IntN(2))
		if !r.run(binary, string(p)+":-1", 0) {
			t.Fatalf("the program was not killed at %s", p)
		}
		count[p]++
		r.judge(false)
	}
	r.finish(binary)
	t.Logf("killed at %v", count)
	for _, p := range points {
		if count[p] < *kills/len(points) {
			t.Errorf("%d kills at %s", count[p], p)
		}
	}
}

// At moments that nobody chose.
func TestKillsAtRandom(t *testing.T) {
	binary, err := Build(t.TempDir(), "sqlstream", "")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 2))
	r := newRound(t, rng)
	whole := r.howLong(binary)
	done := 0
	for i := 0; done < *kills; i++ {
		if r.there == filesInRound {
			r.finish(binary)
			r = newRound(t, rng)
		}
		r.arrive(rng.IntN(3))
		if r.run(binary, "", 1+time.Duration(rng.Int64N(int64(whole)))) {
			done++
		}
		r.judge(false)
		if i > 50**kills {
			t.Fatalf("only %d of %d runs could be killed", done, i)
		}
	}
	r.finish(binary)
	t.Logf("%d kills within the first %v of a run", done, whole)
}

// howLong measures a run over a few files.
func (r *round) howLong(binary string) time.Duration {
	timed := newRound(r.t, r.rng)
	timed.arrive(2)
	cmd := exec.Command(binary, "-v", "files=1", "-f", "q.sql")
	cmd.Dir = timed.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, strings.TrimSpace(string(out)))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() + 40*time.Millisecond
}
