package parser

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

var (
	allMutations  = flag.Bool("mutations.all", false, "mutate the corpus at every gap, not at a sample of them")
	farMutations  = flag.Int("mutations.far", 0, "print so many mutations whose caret is far from them")
	foreignTokens = []string{"WHERE", ")", "'x'", ",", "foo"}
	moreForeign   = []string{"(", "AS", "::", "->", "[", "FROM", "NOT", "7", "*", "ON", "=", "SELECT"}
)

// mutation is a text with a token too much or too few.
type mutation struct {
	text    string
	at      int    // index of the inserted token, or of the one behind the removed one
	what    string // what was inserted, or "removed"
	bracket bool   // it is, or was, a bracket
}

// TestMutations inserts foreign tokens at the gaps of the corpus, and removes tokens. Nothing
// may panic, the inner grammar must have nothing to complain about that we let through, what
// parses prints, and in 95 % of what is refused the caret is within 3 tokens of the mutation.
func TestMutations(t *testing.T) {
	tally := &mutations{t: t, near: map[string]int{}, refused: map[string]int{}}
	gap := 0
	for _, c := range readCorpus(t) {
		toks, lexical := lex(c.text, false)
		if len(lexical) > 0 || !c.ok {
			continue
		}
		for i, tok := range toks {
			gap++
			if !*allMutations && gap%17 != 0 {
				continue
			}
			foreign := foreignTokens
			if *allMutations {
				foreign = append(foreign[:len(foreign):len(foreign)], moreForeign...)
			}
			for _, f := range foreign {
				tally.check(mutation{c.text[:tok.start] + " " + f + " " + c.text[tok.start:], i, f, strings.ContainsAny(f, "()[")})
			}
			tally.check(mutation{c.text[:tok.start] + c.text[tok.end:], i, "removed", strings.ContainsAny(c.text[tok.start:tok.end], "()[]{}")})
		}
	}
	tally.report()
}

// mutations counts.
type mutations struct {
	t             *testing.T
	texts, far    int
	near, refused map[string]int
}

func (m *mutations) check(x mutation) {
	m.texts++
	stmts, diags := check(m.t, x.text)
	for _, s := range stmts {
		roundTrip(m.t, s)
	}
	if len(diags) == 0 {
		return
	}
	for _, d := range diags {
		if d.Code == diag.Syntax {
			m.t.Errorf("only the inner grammar noticed: %s", (&diag.Source{Text: x.text}).Render(d))
		}
	}
	m.refused[x.what]++
	if x.isNear(diags) {
		m.near[x.what]++
	} else if m.far++; m.far <= *farMutations {
		m.t.Logf("%s at %d: %s", x.what, x.at, (&diag.Source{Text: x.text}).Render(diags[0]))
	}
}

// isNear tells whether the first caret is within 3 tokens of the mutation. Of brackets that do not pair
// any may be the one that was meant.
func (x mutation) isNear(diags []*diag.Diagnostic) bool {
	toks, _ := lex(x.text, false)
	d := diags[0]
	if x.bracket && d.Code == diag.Bracket {
		return true
	}
	at := 0
	for at < len(toks) && int(toks[at].end) <= d.Span.Start {
		at++
	}
	return max(at-x.at, x.at-at) <= 3
}

func (m *mutations) report() {
	near, refused, parts := 0, 0, []string{}
	for _, f := range append(append([]string{"removed"}, foreignTokens...), moreForeign...) {
		near, refused = near+m.near[f], refused+m.refused[f]
		if m.refused[f] > 0 {
			parts = append(parts, fmt.Sprintf("%s %.1f", f, 100*float64(m.near[f])/float64(m.refused[f])))
		}
	}
	share := 100 * float64(near) / float64(max(1, refused))
	m.t.Logf("%d texts, %d refused, the caret is near in %.1f %%: %s", m.texts, refused, share, strings.Join(parts, ", "))
	if m.texts < 1000 || share < 95 {
		m.t.Errorf("%d texts, %d refused, the caret is near only in %.1f %%", m.texts, refused, share)
	}
}
