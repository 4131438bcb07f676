//go:build mutants

package crash

import (
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/storage/crash"
)

// mutants are the deliberate bugs of the durability of the whole path, each with the
// workloads and the first seed that find it soonest.
var mutants = []struct {
	name string
	by   []string
	seed uint64
}{
	// of the storage
	{"no-dir-sync", []string{"trigger time"}, 1},
	{"no-log-sync", []string{"trigger time", "grouped counts in update mode"}, 1},
	{"early-log-delete", []string{"aggregate of an aggregate as changelog"}, 3},
	{"no-crc", []string{"grouped counts in update mode", "dedup and windows to JSON"}, 3},
	{"no-sink-dedup", []string{"filter to partitioned Parquet"}, 1},
	// of the protocol
	{"sink-before-log", []string{"trigger time", "filter to partitioned Parquet"}, 1},
	{"publish-before-offsets", []string{"trigger time", "filter to partitioned Parquet"}, 1},
	{"commit-before-publish", []string{"trigger time"}, 1},
	{"rerun-takes-new-range", []string{"trigger time", "dedup and windows to JSON"}, 1},
	{"no-republish", []string{"trigger time"}, 1},
	{"state-not-loaded", []string{"aggregate of an aggregate as changelog"}, 1},
	{"watermark-not-restored", []string{"dedup and windows to JSON", "two sources, one idle"}, 1},
	{"idle-not-restored", []string{"two sources, one idle"}, 1},
	{"sources-not-restored", []string{"trigger time"}, 1},
	{"entries-not-logged", []string{"memory source"}, 1},
	{"trigger-time-not-restored", []string{"trigger time"}, 1},
}

// Bugs that no crash shows are found by the scenarios.
func TestMutantsDieInScenarios(t *testing.T) {
	for _, name := range []string{"no-marker-rule", "epoch-not-raised", "no-sink-dedup"} {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			var found []string
			for scenario, f := range scenarios {
				if err := f(); err != nil {
					found = append(found, scenario+": "+err.Error())
				}
			}
			if len(found) == 0 {
				t.Fatal("survived")
			}
			t.Log(found[0])
		})
	}
}

// Every deliberate bug must be found by the enumeration that the product survives.
func TestMutantsDie(t *testing.T) {
	all := workloads(8, 5)
	for _, m := range mutants {
		t.Run("mutant "+m.name, func(t *testing.T) {
			defer mutant.Activate(m.name)()
			var err error
			schedules := 0
			for seed := m.seed; seed < m.seed+8 && err == nil; seed++ {
				for _, name := range m.by {
					i := slices.IndexFunc(all, func(w *workload) bool { return w.name == name })
					r := &runner{workload: all[i]}
					var rep crash.Report
					rep, err = crash.Enumerate(crash.Config{Seed: seed, Seconds: 1, Stride: 13}, r.work, r.check)
					schedules += rep.Schedules
					if err != nil {
						break
					}
				}
			}
			if err == nil {
				t.Fatalf("survived %d schedules", schedules)
			}
			text := err.Error()
			t.Logf("%d schedules: %s", schedules, text[:min(len(text), 300)])
		})
	}
}
