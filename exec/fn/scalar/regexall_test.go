package scalar

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
	"unicode/utf8"
)

// matchesByDefinition searches anew behind each match, or one character on behind an empty
// one, with an expression for each place that has everything before it.
func matchesByDefinition(p, s string) (out [][]int) {
	for from := 0; from <= len(s); {
		re := regexp.MustCompile(fmt.Sprintf(`(?s:\A.{%d}.*?)(%s)`, utf8.RuneCountInString(s[:from]), p))
		m := re.FindStringSubmatchIndex(s)
		if m == nil {
			return out
		}
		m = m[2:]
		out = append(out, m)
		if from = m[1]; m[0] == m[1] {
			_, width := utf8.DecodeRuneInString(s[from:])
			from += max(width, 1)
		}
	}
	return out
}

// TestAllMatches: all finds what searching anew behind each match finds.
func TestAllMatches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "[^a]", "(a|b)", "(a|^)", "(b*)", "a*", "b+", "a?", "^", "$", `\b`, `\B`, "a*?", "(a|)", "(|a)", "(?i:A)?", "(?m:^)", "é*"}
	empties := 0
	for range 5000 {
		p := ""
		for range 1 + rnd.IntN(3) {
			p += pieces[rnd.IntN(len(pieces))]
		}
		re, err := compile(p)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for range rnd.IntN(8) {
			text += string([]rune("aabb \né")[rnd.IntN(7)])
		}
		want := matchesByDefinition(p, text)
		got := re.all([]byte(text), -1)
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", p, text, got, want)
		}
		if n := rnd.IntN(3); len(re.all([]byte(text), n)) != min(n, len(want)) {
			t.Fatalf("%q in %q: the first %d are %v", p, text, n, re.all([]byte(text), n))
		}
		if len(got) > len(re.FindAllIndex([]byte(text), -1)) {
			empties++
		}
	}
	if empties < 500 {
		t.Errorf("only %d texts had an empty match behind another", empties)
	}
}
