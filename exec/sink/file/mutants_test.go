//go:build mutants

package file_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// The crash tests report to the test that they run in: each mutant runs in a process of
// its own, which has to fail.
func TestMutantsDie(t *testing.T) {
	if name := os.Getenv("SQLSTREAM_MUTANT"); name != "" {
		defer mutant.Activate(name)()
		TestCrashWhileFilesLeave(t)
		TestSmallFilesAreMerged(t)
		TestRetention(t)
		return
	}
	for _, name := range []string{"files that leave the log are not noted", "a file is removed while the log has it"} {
		t.Run("mutant "+name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestMutantsDie$")
			cmd.Env = append(os.Environ(), "SQLSTREAM_MUTANT="+name)
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Errorf("survived: %s", out)
			}
		})
	}
}

// On an object store: late requests of dead processes, and processes that were replaced.
func TestStoreMutantsDie(t *testing.T) {
	for _, name := range []string{"uploads of batches that were never logged stay", "a replaced sink removes what its successor staged", "no-sink-dedup"} {
		t.Run("mutant "+name, func(t *testing.T) {
			defer mutant.Activate(name)()
			err := storeDeaths(t)
			if err == nil {
				err = storeZombies(t)
			}
			if err == nil {
				t.Error("survived")
			}
			t.Log(err)
		})
	}
}
