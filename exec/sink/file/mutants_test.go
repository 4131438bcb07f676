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
