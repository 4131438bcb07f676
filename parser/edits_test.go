package parser

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	randomEdits = flag.Int("edits", 3000, "how many texts TestRandomEdits makes")
	editSeed    = flag.Uint64("edits.seed", 1, "the seed of TestRandomEdits")
)

// TestRandomEdits changes corpus statements at several places at once, by bytes and by
// tokens: what fuzzing does, without instrumented code and so much faster.
func TestRandomEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(*editSeed, 0))
	corpus := readCorpus(t)
	words := append(Keywords(), strings.Fields("( ) [ ] { } , ; . : :: -> ->> => := = < > || + - * / % ? $1 :n ' '' \" ` $$ -- /* */ E' X' r' 0x 1e 1_0 é \xff \x00 f( x, AS(")...)
	for range *randomEdits {
		text := corpus[rng.IntN(len(corpus))].text
		if rng.IntN(4) == 0 {
			text += corpus[rng.IntN(len(corpus))].text
		}
		for range 1 + rng.IntN(5) {
			text = edit(rng, text, words, corpus)
		}
		stmts, _ := check(t, text)
		for _, s := range stmts {
			roundTrip(t, s)
		}
		if t.Failed() {
			t.Fatalf("on %q", text)
		}
	}
}

// edit inserts a word or a piece of another statement, or removes or doubles a piece.
func edit(rng *rand.Rand, text string, words []string, corpus []corpusCase) string {
	at := rng.IntN(len(text) + 1)
	end := min(len(text), at+rng.IntN(20))
	switch rng.IntN(5) {
	case 0:
		return text[:at] + text[end:]
	case 1:
		return text[:end] + text[at:]
	case 2:
		other := corpus[rng.IntN(len(corpus))].text
		from := rng.IntN(len(other) + 1)
		return text[:at] + other[from:min(len(other), from+rng.IntN(40))] + text[end:]
	case 3:
		return text[:at] + words[rng.IntN(len(words))] + text[at:]
	}
	return text[:at] + " " + words[rng.IntN(len(words))] + " " + text[end:]
}
