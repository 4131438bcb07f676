//go:build !mutants

package crash

import (
	"flag"
	"testing"

	"github.com/sqlstream/sqlstream/storage/crash"
)

var long = flag.Bool("long", false, "every crash point and fault, more input, a second crash after each: an hour instead of a minute")

// config enumerates a part of the crash points in CI, other ones for each workload, and
// all of them in a long run.
func config(i int) crash.Config {
	if *long {
		return crash.Config{Seed: uint64(i + 1), Seconds: 1}
	}
	return crash.Config{Seed: uint64(i + 1), Seconds: 1, Stride: 11, Fates: []crash.Fate{crash.Half, crash.Kill}}
}

func size() (files, rows int) {
	if *long {
		return 14, 6
	}
	return 6, 5
}

// A crash at file operations of every workload, and a second one during recovery.
func TestCrashPoints(t *testing.T) {
	for i, w := range workloads(size()) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := &runner{workload: w}
			rep, err := crash.Enumerate(config(i), r.work, r.check)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d schedules over %d operations", rep.Schedules, rep.Ops)
		})
	}
}

// What a killed process leaves is readable and yet not durable: its successor must not
// build on it. Found by a long run, in the directories of the sink.
func TestKillThenPowerLoss(t *testing.T) {
	for i, w := range workloads(size()) {
		if w.format == "" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := &runner{workload: w}
			cfg := config(i + 300)
			cfg.Fates, cfg.Seconds = []crash.Fate{crash.Kill, crash.Nothing}, 3
			cfg.Stride *= 2
			rep, err := crash.Enumerate(cfg, r.work, r.check)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d schedules over %d operations", rep.Schedules, rep.Ops)
		})
	}
}

// The same with the goroutines that a program has: what is written in the background
// comes in any order. Schedules do not repeat exactly; a failure names its history.
func TestCrashPointsInBackground(t *testing.T) {
	for i, w := range workloads(size()) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := &runner{workload: w, background: true}
			cfg := config(i + 100)
			cfg.Stride *= 3
			rep, err := crash.Enumerate(cfg, r.work, r.check)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d schedules over %d operations", rep.Schedules, rep.Ops)
		})
	}
}

// Every kind of fault at file operations: the query stops with an error or gets over
// it, and the next start goes on exactly.
func TestFaults(t *testing.T) {
	for i, w := range workloads(size()) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := &runner{workload: w}
			cfg := config(i + 200)
			cfg.Stride *= 3
			rep, err := crash.EnumerateFaults(cfg, r.work, r.check)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d schedules over %d operations", rep.Schedules, rep.Ops)
		})
	}
}
