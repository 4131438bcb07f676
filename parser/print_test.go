package parser

import (
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// roundTrip prints a statement and parses that again; both trees must be equal,
// and printing once more must give the same text.
func roundTrip(t *testing.T, s ast.Statement) {
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
		t.Errorf("printed as\n%s\nwant tree\n%s\ngot\n%s", text, want, got)
	}
	if second := Print(again[0]); second != text {
		t.Errorf("printing is not stable:\n%s\n%s", text, second)
	}
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
