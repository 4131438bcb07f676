//go:build mutants

package crash_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/crash"
)

// Every deliberate bug must be found by the enumeration that the correct
// protocol survives.
func TestMutantsDie(t *testing.T) {
	names := []string{"no-dir-sync", "no-log-sync", "early-log-delete", "no-crc", "sink-before-log", "no-sink-dedup"}
	for _, name := range names {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			r, err := crash.Enumerate(crash.Config{Seed: 1}, toyWork(24), toyCheck(24))
			if err == nil {
				t.Fatalf("survived %d schedules over %d operations", r.Schedules, r.Ops)
			}
			t.Logf("%d schedules: %v", r.Schedules, err)
		})
	}
}

// The same for the bugs that only an object store shows: late requests of dead processes,
// and processes that do not know that they were replaced.
func TestObjectMutantsDie(t *testing.T) {
	names := []string{"a record of a log replaces another", "source files of another epoch count", "a fresh name replaces another",
		"the log is not taken over at the start", "files are removed by a process that was replaced", "a result is logged before its range is ours", "no-sink-dedup", "sink-before-log"}
	for _, name := range names {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if err := manyObjects(toyWork(24), toyCheck(24)); err == nil {
				t.Fatal("survived")
			} else {
				t.Log(err)
			}
		})
	}
}

func manyObjects(work, check crash.Workload) error {
	for seed := range uint64(3) {
		if _, err := crash.EnumerateObjects(crash.Config{Seed: seed, Seconds: 2}, work, check); err != nil {
			return err
		}
		if _, err := crash.EnumerateZombies(crash.Config{Seed: seed, Seconds: 9}, work, check); err != nil {
			return err
		}
	}
	return nil
}
