//go:build mutants

package stateful

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// Every mutant must be caught by the harness.
var mutants = map[string]func() []*opCase{
	"of equal left rows any one goes first":                         presentCases,
	"OVER takes late rows":                                          overBounded,
	"a row too few is kept before the frontier":                     overBounded,
	"a RANGE that reaches beyond the bound is final":                overHeld,
	"a row is final before the rows ahead of it have come":          overHeld,
	"OVER forgets rows that wait for others":                        overHeld,
	"a row at the end of the gap continues a session":               overSessions,
	"a row that comes late to a session leaves the rows before it":  overSessions,
	"a session is final before the gap is over":                     overHeld,
	"lag looks back one row less":                                   overCases,
	"rows before a change keep their frame":                         overCases,
	"numbers change up to the last change only":                     overCases,
	"rank counts the peers before the row":                          overCases,
	"frames exclude nothing":                                        overCases,
	"touched rows are emitted even if nothing changes":              overCases,
	"aggregate emits unchanged rows":                                aggCases,
	"aggregate forgets retractions":                                 aggCases,
	"groups without rows stay":                                      aggCases,
	"windows close with the frontier of the trigger before":         aggCases,
	"the bound is not logged":                                       aggCases,
	"closed groups stay in the log":                                 aggCases,
	"entries are not logged":                                        aggCases,
	"deletions meet append-only accumulators":                       aggCases,
	"old results are taken twice":                                   aggCases,
	"panes combine one too few":                                     aggCases,
	"panes are never late":                                          aggCases,
	"DISTINCT passes weights":                                       aggCases,
	"the sum of nothing is 0":                                       aggCases,
	"shared accumulators miss the last aggregate":                   aggCases,
	"a round emits what its last worker made":                       aggCases,
	"rows at the watermark are late":                                dedupCases,
	"within-watermark keys live one delay more":                     dedupCases,
	"NOT IN ignores NULLs":                                          joinCases,
	"set operations take late rows":                                 setCases,
	"INTERSECT ALL takes the larger count":                          setCases,
	"EXCEPT ALL owes rows":                                          setCases,
	"EXCEPT never takes rows back":                                  setCases,
	"a temporal filter takes > for >=":                              temporalCases,
	"rows never leave a temporal filter":                            temporalCases,
	"what reads the time keeps its first value":                     movingCases,
	"an upsert of the same row is a change":                         upsertCases,
	"an upsert leaves the row before it":                            upsertCases,
	"residual is a filter after the join":                           joinCases,
	"sessions that touch are one":                                   sessionCases,
	"sessions refuse no row":                                        sessionCases,
	"sessions close one tick late":                                  sessionCases,
	"joined sessions lose their rows":                               sessionCases,
	"joined sessions are not retracted":                             sessionCases,
	"closed sessions stay in the log":                               sessionCases,
	"rows of closed sessions stay in the log":                       sessionCases,
	"entries of sessions are not logged":                            sessionCases,
	"a pair of two changed rows is visited twice":                   pairCases,
	"a new row has no old matches":                                  pairCases,
	"pairs are not netted":                                          pairCases,
	"the residual is no part of the match":                          pairCases,
	"rows that can match nothing are lost":                          pairCases,
	"rows that may be retracted are forgotten":                      pairCases,
	"rows are kept too short a time":                                pairCases,
	"rows without a match do not wait for the end of the trigger":   pairCases,
	"IN forgets that it does not know":                              pairCases,
	"an unknown mark is true":                                       pairCases,
	"a NULL on the right changes nothing":                           pairCases,
	"the bounds of a join are not logged":                           pairCases,
	"degrees are not logged":                                        pairCases,
	"expired rows stay in the log":                                  pairCases,
	"ties of the last row are left out":                             topCases,
	"a changed rank is not emitted":                                 topCases,
	"the offset leaves all copies of a row out or none":             topCases,
	"dense_rank counts rows":                                        topCases,
	"ties are broken by the row descending":                         topCases,
	"deleted rows stay in the log":                                  topCases,
	"a row that is pushed out is forgotten before it is taken back": topCases,
	"partitions close with the frontier of the trigger before":      topCases,
	"a shared map forgets the others":                               sharedCases,
	"a deletion deletes no row that was made of it":                 recursiveCases,
	"a recursion ends after two rounds":                             recursiveCases,
	"recurring has the rows of the last round only":                 roundsCases,
	"UNION adds rows that are there":                                recursiveCases,
	"after a restart the step knows no row of the recursion":        recursiveCases,
	"a deleted version is valid":                                    asofCases,
	"left rows with NULL are lost":                                  asofCases,
	"a right row of the same time always matches":                   asofCases,
	"a left row keeps its first match":                              asofCases,
	"the greatest of several nearest rows is taken":                 asofCases,
	"the last right row of a key is forgotten":                      asofCases,
	"the bounds of an ASOF join are not logged":                     asofCases,
	"left rows wait for their own frontier alone":                   asofCases,
}

// witness takes the failures of a mutant.
type witness struct{ seen string }

func (w *witness) Helper()                           {}
func (w *witness) Errorf(format string, args ...any) { w.seen = fmt.Sprintf(format, args...) }
func (w *witness) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}
func (w *witness) Failed() bool { return w.seen != "" }

// killed plays cases until one fails.
func killed(cases []*opCase) bool {
	for seed := range uint64(12) {
		for _, c := range cases {
			w := &witness{}
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() {
					if r := recover(); r != nil {
						w.seen = fmt.Sprint(r)
					}
				}()
				c.play(w, seed)
			}()
			<-done
			if w.Failed() {
				return true
			}
		}
	}
	return false
}

func TestMutants(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mutants)) {
		t.Run(name, func(t *testing.T) {
			defer mutant.Activate(name)()
			if !killed(mutants[name]()) {
				t.Error("survives")
			}
		})
	}
}

// Without a mutant nothing is caught.
func TestNoMutant(t *testing.T) {
	for _, cases := range [][]*opCase{aggCases()[:3], dedupCases(), joinCases()[:8]} {
		if killed(cases) {
			t.Error("the harness fails without a mutant")
		}
	}
}
