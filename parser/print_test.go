package parser

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// roundTrip prints a statement and parses that again; both trees must be equal,
// and printing once more must give the same text.
func roundTrip(t testing.TB, s ast.Statement) {
	t.Helper()
	if _, ok := s.(*ast.Unsupported); ok {
		return
	}
	text := Print(s)
	again, err := Parse(diag.Source{Text: text})
	if err != nil || len(again) != 1 {
		t.Errorf("printed text does not parse: %v\n%s", err, text)
		return
	}
	if want, got := dump(s), dump(again[0]); got != want {
		want, got = difference(want, got)
		t.Errorf("printed as\n%s\nwant tree\n%s\ngot\n%s", text, want, got)
		return
	}
	if second := Print(again[0]); second != text {
		first, second := difference(text, second)
		t.Errorf("printing is not stable:\n%s\n%s", first, second)
	}
}

// difference cuts two texts down to the surroundings of where they part.
func difference(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-120):min(len(s), at+120)] }
	return cut(a), cut(b)
}

func TestRoundTripCorpus(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.id, func(t *testing.T) {
			stmts, _ := Parse(diag.Source{Text: c.text})
			for _, s := range stmts {
				roundTrip(t, s)
			}
		})
	}
}

// TestPrintNested prints queries in one another: each level once, not twice in each other one.
func TestPrintNested(t *testing.T) {
	const depth = 40
	for open, closing := range map[string]string{"SELECT STREAM a + (": ")", "SELECT a[(": ")]", "SELECT a IN ((": "))", "SELECT x.f((": "))"} {
		stmts, diags := check(t, strings.Repeat(open, depth)+"SELECT 1"+strings.Repeat(closing, depth))
		if len(stmts) != 1 || len(diags) > 0 {
			t.Fatal(open, diags)
		}
		roundTrip(t, stmts[0])
	}
}
