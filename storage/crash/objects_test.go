//go:build !mutants

package crash_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/storage/crash"
)

// The whole storage protocol on an object store, with a death at every request: before it,
// after it, and so that it arrives while the next process works; and a second death.
func TestEveryRequest(t *testing.T) {
	r, err := crash.EnumerateObjects(crash.Config{Seed: 1, Seconds: 2}, toyWork(16), toyCheck(16))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schedules over %d requests", r.Schedules, r.Ops)
	if r.Schedules < 400 {
		t.Fatalf("only %d schedules", r.Schedules)
	}
}

// Lost answers and failures in passing at every request.
func TestEveryRequestFails(t *testing.T) {
	r, err := crash.EnumerateObjectFaults(crash.Config{Seed: 2}, toyWork(12), toyCheck(12))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d schedules over %d requests", r.Schedules, r.Ops)
}

// Two processes on one checkpoint: the older one wakes up in the middle of the younger
// one's work, and can neither change its result nor go on.
func TestZombies(t *testing.T) {
	r, err := crash.EnumerateZombies(crash.Config{Seed: 3, Seconds: 9}, toyWork(16), toyCheck(16))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
	if r.Fenced < r.Schedules*3/4 {
		t.Fatalf("%d of %d zombies were fenced", r.Fenced, r.Schedules)
	}
}
