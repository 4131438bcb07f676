package differential

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/fn"
)

var (
	update = flag.Bool("update", false, "write docs/semantics/differences.md anew")
	dump   = flag.String("differential.dump", "", "file that receives the unexplained differences as lines of JSON")
)

const (
	pagePath = "../../docs/semantics/differences.md"
	shownMax = 40
)

// TestRecorded compares what this engine answers with what Spark and DuckDB answered.
func TestRecorded(t *testing.T) {
	cases, err := Recorded("testdata")
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHere()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	sum := compareAll(cases, h.All(context.Background(), cases))
	for i, d := range sum.unexplained {
		if i == shownMax {
			t.Errorf("and %d more: -differential.dump FILE", len(sum.unexplained)-i)
			break
		}
		t.Errorf("%s: %s: %s\n%s: %s\nhere: %v %s", d.Case.Func, d.What, d.Case.Asks(d.Engine), d.Engine, d.Theirs, d.Ours.Rows, d.Ours.Err)
	}
	for _, u := range sum.rules {
		if u.n == 0 {
			t.Errorf("a rule explains nothing: %s: %s: %s", u.rule.Engine, strings.Join(u.rule.Funcs, ", "), u.rule.Text)
		}
	}
	checkPage(t, sum.page())
	writeDump(t, sum)
	t.Logf("%d calls that the other engine does not take", sum.refused)
	t.Log(sum)
}

// compareAll judges every recorded answer.
func compareAll(cases []*Case, results []Result) *tally {
	sum := new(tally)
	for _, r := range Rules() {
		sum.rules = append(sum.rules, &used{rule: r})
	}
	for i, ours := range results {
		for _, e := range engines {
			theirs, asked := cases[i].Answers[e]
			switch {
			case !asked:
			case strings.Contains(ours.Err, "internal error"):
				sum.unexplained = append(sum.unexplained, &Difference{Case: cases[i], Engine: e, Ours: ours, Theirs: theirs, What: "a panic"})
			case theirs.Refused():
				sum.refused++
			default:
				ok, what := same(e, ours, theirs)
				sum.enter(&Difference{Case: cases[i], Engine: e, Ours: ours, Theirs: theirs, What: what}, ok)
			}
		}
	}
	return sum
}

func checkPage(t *testing.T, text string) {
	have, err := os.ReadFile(pagePath)
	if string(have) == text {
		return
	}
	if !*update {
		t.Errorf("%s is not what the rules say: run go test ./tests/differential -update (%v)", pagePath, err)
		return
	}
	if err := os.WriteFile(pagePath, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeDump(t *testing.T, sum *tally) {
	if *dump == "" {
		return
	}
	f, err := os.Create(*dump)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	for _, d := range sum.unexplained {
		var names []string
		for _, c := range d.Ours.Cols {
			names = append(names, c.Type.String())
		}
		err := enc.Encode(map[string]any{"f": d.Case.Func, "e": d.Engine, "q": d.Case.Asks(d.Engine), "ours": d.Ours.Rows, "oerr": d.Ours.Err,
			"ot": names, "theirs": d.Theirs, "what": d.What})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAsked demands that every function that an engine has too was asked.
func TestAsked(t *testing.T) {
	cases, err := Recorded("testdata")
	if err != nil {
		t.Fatal(err)
	}
	have, err := Functions("testdata")
	if err != nil {
		t.Fatal(err)
	}
	r, err := builtin.Functions()
	if err != nil {
		t.Fatal(err)
	}
	asked, all, missing := map[string]bool{}, 0, []string{}
	for _, c := range cases {
		asked[c.Func] = true
	}
	check := func(name string, aliases []string) {
		for _, n := range append([]string{name}, aliases...) {
			if have[Spark][n] || have[DuckDB][n] {
				all++
				if !asked[name] {
					missing = append(missing, name)
				}
				return
			}
		}
	}
	for _, f := range r.Scalars() {
		if f.Volatility == fn.Immutable && !f.Hidden {
			check(f.Name, f.Aliases)
		}
	}
	for _, a := range r.Aggregates() {
		check(a.Name, a.Aliases)
	}
	t.Logf("%d functions that an engine has too, %d without recorded answers: %s", all, len(missing), strings.Join(missing, ", "))
	if len(missing) > 0 {
		t.Error("run tests/differential/record.py (docs/development.md)")
	}
}
