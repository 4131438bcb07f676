//go:build mutants

package rewrites

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// TestMutants: wrong rewrites are found out.
func TestMutants(t *testing.T) {
	for _, name := range []string{
		"NOT IN looks at the equal rows alone",
		"rows that are kept without a match are selected",
		"part of a partition is left out",
		"what one part of OR demands all do",
		"a condition over three inputs is forgotten",
		"no condition is true of NULLs",
	} {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			w := newWorld(t)
			for s := uint64(1); s < 3000; s++ {
				if w.compare(New(s), s) != nil {
					t.Logf("died of seed %d", s)
					return
				}
			}
			t.Error("lives")
		})
	}
}
