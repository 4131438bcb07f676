//go:build mutants

package subqueries

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// TestMutants: wrong decorrelations are found out.
func TestMutants(t *testing.T) {
	for _, name := range []string{
		"a correlation that is no equality is forgotten",
		"a NULL correlation finds nothing",
		"the domain has a value as often as the query around",
		"the count of nothing is NULL",
		"LIMIT counts all rows of the query around together",
	} {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			w := newWorld(t)
			for s := uint64(1); s < 1500; s++ {
				if w.compare(New(s, nil)) != nil {
					t.Logf("died of seed %d", s)
					return
				}
			}
			t.Error("lives")
		})
	}
}
