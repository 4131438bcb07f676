//go:build mutants

package random

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// operatorMutants are planted bugs of operators that whole queries must show. Those that
// change only the size of state, or what the view of a mode hides, are left to the
// harness of incremental/stateful: also that a pane is late, which only the ledger shows.
var operatorMutants = []string{
	"aggregate forgets retractions",
	"groups without rows stay",
	"windows close with the frontier of the trigger before",
	"the bound is not logged",
	"entries are not logged",
	"deletions meet append-only accumulators",
	"old results are taken twice",
	"panes combine one too few",
	"DISTINCT passes weights",
	"the sum of nothing is 0",
	"rows at the watermark are late",
	"EXCEPT ALL owes rows",
	"EXCEPT never takes rows back",
	"grouping sets share one id",
	"a shared map forgets the others",
	"NOT IN ignores NULLs",
	"a left row keeps its first match",
	"a right row of the same time always matches",
	"a recursion ends after two rounds",
	"a deletion deletes no row that was made of it",
	"residual is a filter after the join",
	"state-not-loaded",
	"watermark-not-restored",
}

// TestMutants runs the cases of TestRandom against every mutant until one fails.
func TestMutants(t *testing.T) {
	const most = 3000
	for _, name := range operatorMutants {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			total := 0
			for s := uint64(1); total < most; s++ {
				out, err := New(s).Run(t.Context())
				total += max(out.Triggers, 1)
				if err != nil {
					t.Logf("died after %d triggers", total)
					return
				}
			}
			t.Errorf("lives after %d triggers", total)
		})
	}
}
