//go:build services

package endtoend

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/tests/services"
	"github.com/sqlstream/sqlstream/tests/soak"
)

var (
	kills   = flag.Int("kills", 6, "how often the program is killed at random moments, for each pipeline")
	each    = flag.Int("each", 1, "how often it is killed at each step of the protocol")
	outages = flag.Int("outages", 1, "how often its services are killed and restarted instead")
	seed    = flag.Uint64("seed", 1, "decides input and moments")
)

// build makes the program; with crash points it takes them from the environment.
func build(t *testing.T, crashPoints bool) string {
	t.Helper()
	tags := ""
	if crashPoints {
		tags = "mutants"
	}
	binary, err := soak.Build(t.TempDir(), "sqlstream"+tags, tags)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// At each step of the protocol, of the sink's too, in turn and with other batches each time.
func TestKillsAtEachStep(t *testing.T) {
	binary := build(t, true)
	for _, p := range pipelines() {
		t.Run(p.name, func(t *testing.T) {
			var places []string
			for _, point := range trigger.Points() {
				places = append(places, string(point)+":-1")
			}
			places = append(places, p.steps...)
			rng := rand.New(rand.NewPCG(*seed, 1))
			w := newWorld(t, binary, p, rng, nil)
			for i := range *each * len(places) {
				if w.over() {
					w.finish()
					w = newWorld(t, binary, p, rng, nil)
				}
				w.arrive(1)
				place := places[i%len(places)]
				if i%len(places) >= len(trigger.Points()) { // a sink comes there more than once
					place += fmt.Sprintf("#%d", 1+rng.IntN(2))
				}
				if !w.start(place).wait() {
					t.Fatalf("the program was not killed at %s", place)
				}
				w.judge(false)
			}
			w.finish()
			t.Logf("killed %d times at each of %v", *each, places)
		})
	}
}

// At moments that nobody chose.
func TestKillsAtRandom(t *testing.T) {
	binary := build(t, false)
	for _, p := range pipelines() {
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(*seed, 2))
			whole := howLong(t, binary, p, rng)
			w := newWorld(t, binary, p, rng, nil)
			done := 0
			for i := 0; done < *kills; i++ {
				if w.over() {
					w.finish()
					w = newWorld(t, binary, p, rng, nil)
				}
				w.arrive(rng.IntN(3))
				r := w.start("")
				timer := time.AfterFunc(1+time.Duration(rng.Int64N(int64(whole))), func() { _ = r.cmd.Process.Kill() })
				if r.wait() {
					done++
				}
				timer.Stop()
				w.judge(false)
				if i > 20**kills {
					t.Fatalf("only %d of %d runs could be killed", done, i)
				}
			}
			w.finish()
			t.Logf("%d kills within the first %v of a run", done, whole)
		})
	}
}

// howLong is the time of a run over a few parts.
func howLong(t *testing.T, binary string, p pipeline, rng *rand.Rand) time.Duration {
	t.Helper()
	w := newWorld(t, binary, p, rng, nil)
	w.arrive(1)
	began := time.Now()
	if w.start("").wait() {
		t.Fatal("somebody else has killed the program")
	}
	return time.Since(began)
}

// The program lives, its services die and come back. It may give up; then it is started again.
func TestOutages(t *testing.T) {
	binary := build(t, false)
	for i, p := range pipelines() {
		if *outages < 20 && i > 0 {
			break // a service takes a while to come back
		}
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(*seed, 3))
			own := []string{"SERVICES_DATA=" + openDir(t), "KAFKA_PORT=29492", "KAFKA_HEAP=256m", "PG_PORT=29432", "S3_PORT=29593"}
			for _, s := range p.services {
				t.Cleanup(func() { services.Stop(t, s, own...) })
			}
			w := newWorld(t, binary, p, rng, own)
			whole := howLong(t, binary, p, rng)
			// the store of objects has them in memory, so that to kill it loses what it acknowledged
			mortal := slices.DeleteFunc(slices.Clone(p.services), func(s string) bool { return s == "s3" })
			for range *outages {
				if w.over() {
					w.finish()
					w = newWorld(t, binary, p, rng, own)
				}
				w.arrive(2)
				r := w.start("")
				<-time.After(time.Duration(rng.Int64N(int64(whole))))
				s := mortal[rng.IntN(len(mortal))]
				services.Kill(t, s, own...)
				w.service(s)
				if err := r.end(); err != nil {
					t.Logf("without %s the program ended: %v\n%s", s, err, r.errs.String())
				}
				w.judge(false)
			}
			w.finish()
		})
	}
}

// openDir is a directory in which a server of another user may look.
func openDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "outages")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
