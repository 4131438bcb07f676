package planner

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

var (
	randomEdits = flag.Int("edits", 5000, "how many texts TestRandomEdits makes")
	editSeed    = flag.Uint64("edits.seed", 1, "the seed of TestRandomEdits")
)

// TestRandomEdits puts pieces of one statement into another and plans what parses: nothing may
// panic, and errors have their places in the text.
func TestRandomEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(*editSeed, 0))
	var texts [][]string
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		for _, sql := range aliases[name] {
			texts = append(texts, strings.Fields(sql))
		}
	}
	planned := 0
	for range *randomEdits {
		words := slices.Clone(texts[rng.IntN(len(texts))])
		for range 1 + rng.IntN(3) {
			other := texts[rng.IntN(len(texts))]
			from, at := rng.IntN(len(other)), rng.IntN(len(words)+1)
			piece := other[from:min(len(other), from+1+rng.IntN(3))]
			words = slices.Concat(words[:at], piece, words[min(len(words), at+rng.IntN(3)):])
		}
		planned += planEdited(t, strings.Join(words, " "))
	}
	if planned < *randomEdits/200 {
		t.Errorf("only %d of %d texts have a plan", planned, *randomEdits)
	}
}

// planEdited plans the statements of a text and counts those that have a plan.
func planEdited(t *testing.T, text string) (planned int) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v on %s", r, text)
		}
	}()
	stmts, _ := parser.Parse(diag.Source{Text: text})
	if len(stmts) == 0 {
		return 0
	}
	s := newSession(t)
	for _, stmt := range stmts {
		q, err := s.statement(stmt, text)
		checkPlaces(t, text, err)
		if q != nil {
			planned++
			physical.Explain(q)
		}
	}
	return planned
}
