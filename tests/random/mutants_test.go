//go:build mutants

package random

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// operatorMutants are planted bugs of operators that whole queries must show, with words
// without which a query cannot. Those that change only the size of state, or what the view
// of a mode hides, are left to the harness of incremental/stateful: also that a pane is
// late, which only the ledger shows.
var operatorMutants = []struct{ name, words string }{
	{"aggregate forgets retractions", ""},
	{"groups without rows stay", ""},
	{"windows close with the frontier of the trigger before", ""},
	{"the bound is not logged", ""},
	{"entries are not logged", ""},
	{"deletions meet append-only accumulators", ""},
	{"old results are taken twice", ""},
	{"panes combine one too few", ""},
	{"DISTINCT passes weights", "DISTINCT"},
	{"the sum of nothing is 0", ""},
	{"rows at the watermark are late", ""},
	{"EXCEPT ALL owes rows", "EXCEPT ALL"},
	{"EXCEPT never takes rows back", "EXCEPT"},
	{"grouping sets share one id", "GROUP BY"},
	{"a shared map forgets the others", "DISTINCT"},
	{"NOT IN ignores NULLs", ""},
	{"a left row keeps its first match", "ASOF"},
	{"a right row of the same time always matches", "ASOF"},
	{"a recursion ends after two rounds", "RECURSIVE"},
	{"a deletion deletes no row that was made of it", "RECURSIVE"},
	{"what reads the time keeps its first value", "minute(now())"},
	{"residual is a filter after the join", ""},
	{"state-not-loaded", ""},
	{"watermark-not-restored", ""},
}

// TestMutants runs the cases of TestRandom that have a mutant's words until one fails.
func TestMutants(t *testing.T) {
	const most = 3000
	for _, m := range operatorMutants {
		t.Run(m.name, func(t *testing.T) {
			defer mutant.Activate(m.name)()
			total := 0
			for s := uint64(1); total < most; s++ {
				c := New(s)
				if sql, _ := c.Query.SQL(Ours); !strings.Contains(sql, m.words) {
					continue
				}
				out, err := c.Run(t.Context())
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
