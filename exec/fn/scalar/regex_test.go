package scalar

import (
	"fmt"
	"math/rand/v2"
	stdslices "slices"
	"testing"
)

// TestBacktrackerAgreesWithRegexp compares the matches and groups of random patterns
// and texts.
func TestBacktrackerAgreesWithRegexp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "b", "ab", "[^a]", "[ab]", ".", "(a|b)", "(a|^)", "(b*)", "a*", "b+", "a?", "(ab|a)", "^", "$", `\b`, "(?:a|ab)", "a*?", "(a*)*", "x{2}", "(?i)A", `\d`, "é"}
	decided := 0
	for range 20_000 {
		p := ""
		for range 1 + rnd.IntN(5) {
			p += pieces[rnd.IntN(len(pieces))]
		}
		re, err := compile(p)
		if err != nil {
			continue
		}
		text := ""
		for range rnd.IntN(12) {
			text += string([]rune("aabb x1&é")[rnd.IntN(9)])
		}
		want := re.FindStringSubmatchIndex(text)
		if got := re.find([]byte(text), nil); !stdslices.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", p, text, got, want)
		}
		if re.fast != nil {
			if _, ok := re.fast.find([]byte(text), nil); ok {
				decided++
			}
		}
	}
	if decided < 5000 {
		t.Errorf("the backtracker decided only %d searches", decided)
	}
}

// TestBacktrackerGivesUp takes a pattern that needs exponential time.
func TestBacktrackerGivesUp(t *testing.T) {
	re, err := compile("(a|a)*(a|a)*(a|a)*b")
	if err != nil {
		t.Fatal(err)
	}
	if _, decided := re.fast.find([]byte(fmt.Sprintf("%040d", 0)+"aaaaaaaaaaaaaaaaaaaaaaaaaaaac"), nil); decided {
		t.Error("the backtracker decided")
	}
	if re.match([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac")) {
		t.Error("matched")
	}
}
