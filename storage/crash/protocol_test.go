//go:build !mutants

package crash_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/storage/crash"
)

// A crash at every operation of the whole storage protocol, and a second one
// during recovery.
func TestEveryCrashPoint(t *testing.T) {
	r, err := crash.Enumerate(crash.Config{Seed: 1, Seconds: 1}, toyWork(16), toyCheck(16))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schedules over %d operations", r.Schedules, r.Ops)
	if r.Schedules < 1000 {
		t.Fatalf("only %d schedules", r.Schedules)
	}
}

// Every fault at every operation.
func TestEveryFault(t *testing.T) {
	r, err := crash.EnumerateFaults(crash.Config{Seed: 2}, toyWork(12), toyCheck(12))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schedules over %d operations", r.Schedules, r.Ops)
}
