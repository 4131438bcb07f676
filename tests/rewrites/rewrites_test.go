package rewrites

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/decorrelate"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

var (
	cases = flag.Int("rewrites.cases", 1500, "how many queries to compare")
	seed  = flag.Uint64("rewrites.seed", 1, "the first seed")
)

// TestRewritten: what the rules make of a plan has the same answer, with all of them, with
// the necessary ones alone, and without any single one. Every rule that these queries can
// reach fires.
func TestRewritten(t *testing.T) {
	w := newWorld(t)
	for s := *seed; s < *seed+uint64(*cases); s++ {
		c := New(s)
		if err := w.compare(c, s); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%v", s, err, c.SQL, c.Rows)
		}
	}
	for _, r := range rules.List {
		if w.fired[r.Name] == 0 && !elsewhere[r.Name] && *cases >= 1000 {
			t.Errorf("%s never fires", r.Name)
		}
	}
	t.Logf("fired: %v", w.fired)
}

// elsewhere are rules of windows, sessions and generators.
var elsewhere = map[string]bool{"window-keys": true, "push-filter-session": true, "push-filter-rows": true,
	"limit-series": true, "empty-series": true, "split-series": true}

type world struct {
	cat   *catalog.Catalog
	res   *expr.Resolver
	fired map[string]int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{cat: catalog.New(reg.Functions, reg), res: &expr.Resolver{Functions: reg.Functions, Zone: time.UTC}, fired: map[string]int{}}
	for _, name := range relations {
		text := "CREATE SOURCE " + name + " (k INT, v INT) WITH (changelog = true)"
		if name == "d0" {
			text = "CREATE TABLE " + name + " (k INT, v INT)"
		}
		stmts, err := parser.Parse(diag.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		o, err := planner.Define(stmts[0], text, w.cat, planner.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		w.cat.Put(o)
	}
	return w
}

func (w *world) compare(c *Case, s uint64) error {
	q, err := parser.ParseQuery(diag.Source{Text: c.SQL})
	if err != nil {
		return err
	}
	res, err := bind.New(w.cat, bind.Settings{}).Query(q)
	if err != nil {
		return err
	}
	plan, refused := decorrelate.Plan(res.Plan, w.res)
	if refused != nil {
		return fmt.Errorf("%s", refused.Message)
	}
	want, err := answer(plan, c)
	if err != nil {
		return err
	}
	one := rules.Optional()[s%uint64(len(rules.Optional()))]
	for what, off := range map[string]func(string) bool{
		"all rules": nil, "the necessary rules": func(string) bool { return true }, "no " + one: func(name string) bool { return name == one },
	} {
		p := rules.Run(&rules.Context{Resolver: w.res, Off: off, Fired: func(name string) { w.fired[name]++ }}, plan)
		got, err := answer(p, c)
		if err != nil {
			return fmt.Errorf("with %s: %w\n%s", what, err, logical.String(p))
		}
		if !got.Equal(want) {
			return fmt.Errorf("with %s the answer is\n%s\nnot\n%s\nthe plan is\n%s\nas bound\n%s", what, got, want, logical.String(p), logical.String(plan))
		}
	}
	return nil
}

func answer(plan logical.Node, c *Case) (reference.Bag, error) {
	rows, err := reference.Question{Plan: plan, Inputs: func(s *logical.Scan) ([]reference.Change, error) {
		var out []reference.Change
		for _, r := range c.Rows[s.Relation.Name] {
			out = append(out, reference.Change{Values: r, Weight: 1})
		}
		return out, nil
	}}.Answer(&fn.Ctx{Zone: time.UTC})
	return reference.BagOf(rows), err
}
