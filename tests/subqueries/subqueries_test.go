package subqueries

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/decorrelate"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

var (
	cases = flag.Int("subqueries.cases", 200, "how many queries to compare")
	seed  = flag.Uint64("subqueries.seed", 1, "the first seed")
)

// TestDecorrelated (Rule Q7): the joins that take the place of dependent joins give what SQL says
// of them row by row, with and without the rewrite rules.
func TestDecorrelated(t *testing.T) {
	w := newWorld(t)
	for s := *seed; s < *seed+uint64(*cases); s++ {
		c := New(s, nil)
		if err := w.compare(c); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", s, err, c.SQL, strings.Join(c.Setup(), ";\n"))
		}
	}
}

// world is a catalog with the three tables.
type world struct {
	cat *catalog.Catalog
	res *expr.Resolver
}

func newWorld(t testing.TB) *world {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{cat: catalog.New(reg.Functions, reg), res: &expr.Resolver{Functions: reg.Functions, Zone: time.UTC}}
	for _, name := range []string{"t0", "t1", "t2"} {
		text := "CREATE TABLE " + name + " (" + Columns + ")"
		stmts, err := parser.Parse(diag.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		o, err := planner.Define(stmts[0].(*ast.CreateTable), text, w.cat, planner.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		w.cat.Put(o)
	}
	return w
}

func (w *world) compare(c *Case) error {
	q, err := parser.ParseQuery(diag.Source{Text: c.SQL})
	if err != nil {
		return err
	}
	res, err := bind.New(w.cat, bind.Settings{}).Query(q)
	if err != nil {
		return err
	}
	want, err := answer(res.Plan, c)
	if err != nil {
		return err
	}
	plan, refused := decorrelate.Plan(res.Plan, w.res)
	if refused != nil {
		return errors.New(refused.Message)
	}
	for _, p := range []logical.Node{plan, rules.Run(&rules.Context{Resolver: w.res}, plan)} {
		got, err := answer(p, c)
		if err != nil {
			return err
		}
		if !got.Equal(want) {
			return errors.New("the joins say\n" + got.String() + "\nrow by row it is\n" + want.String() + "\n" + logical.String(p))
		}
	}
	return nil
}

func answer(plan logical.Node, c *Case) (reference.Bag, error) {
	rows, err := reference.Question{Plan: plan, Inputs: func(s *logical.Scan) ([]reference.Change, error) {
		var out []reference.Change
		for _, table := range c.Tables {
			if table.Name == s.Relation.Name {
				for _, r := range table.Rows {
					out = append(out, reference.Change{Values: r[:], Weight: 1})
				}
			}
		}
		return out, nil
	}}.Answer(&fn.Ctx{Zone: time.UTC})
	return reference.BagOf(rows), err
}
