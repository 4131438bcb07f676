//go:build mutants && unix

package process_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestMutantsDie(t *testing.T) {
	defer mutant.Activate("a frame counts as acknowledged when it is sent")()
	if again(t, "while read -r line; do :; done", "did not acknowledge the rows within 700ms") == nil {
		t.Error("survived")
	}
}
