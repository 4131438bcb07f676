//go:build mutants

package trigger

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestMutantPartitions(t *testing.T) {
	const name = "partitions are forgotten at a restart"
	defer mutant.Activate(name)()
	if replayPartitions(t) == nil {
		t.Errorf("nothing tells when %s", name)
	}
}
