//go:build mutants

package stateful

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

func TestLookupMutants(t *testing.T) {
	defer mutant.Activate("rows that were looked up stay for ever")()
	w := newLookupWorld(t, InnerJoin, 100, 10)
	w.table = [][2]int64{{1, 10}}
	w.join(0, 1)
	w.table[0][1] = 11
	if got := w.join(11, 1); got == "1>11 asked [1]" {
		t.Error("it lives")
	}
}
