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
