package random

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
)

var (
	triggers = flag.Int("random.triggers", 1500, "how many triggers to play")
	seed     = flag.Uint64("random.seed", 1, "the first seed; each case takes the next one")
	one      = flag.Bool("random.one", false, "play the case of the seed alone, as it is")
)

// TestRandom plays random cases until enough triggers were compared. A failure is shrunk
// and printed as a golden test file.
func TestRandom(t *testing.T) {
	played, reached := map[string]int{}, map[string]int{}
	total, rows, last := 0, 0, *seed
	for s := *seed; total < *triggers && !t.Failed(); s++ {
		last = s
		c := New(s)
		out, err := c.Run(t.Context())
		total += max(out.Triggers, 1)
		rows += out.Rows
		for _, op := range out.Plan {
			reached[op] += out.Triggers
		}
		played[out.Mode.String()]++
		if out.Late > 0 {
			played["late"]++
		}
		if out.Drained {
			played["drained"]++
		}
		if out.Errors {
			played["error on both sides"]++
		}
		if err != nil {
			fail(t, c, err)
		}
		if *one {
			break
		}
	}
	t.Logf("%d triggers of seeds %d to %d, %d rows in the last answers, cases: %v", total, *seed, last, rows, played)
	table(t, reached, total)
}

// table prints how many triggers were compared with each kind of operator in the plan, all
// of which must have been there.
func table(t *testing.T, reached map[string]int, total int) {
	t.Helper()
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintf(&b, "%8d  %s\n", reached[op], op)
	}
	t.Logf("triggers with each kind of operator:\n%s", &b)
	for _, op := range Operators() {
		if reached[op] == 0 && total >= 1500 && !t.Failed() {
			t.Errorf("no plan had a %s", op)
		}
	}
}

func fail(t *testing.T, c *Case, err error) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("seed %d: %v", c.Seed, err)
	}
	if *one {
		t.Fatalf("%s", c.Report(f))
	}
	small, why := c.Shrink(t.Context(), f)
	t.Errorf("%s", small.Report(why))
}

// TestBatchOfChangelog: deletions in a source that is read once count as in a stream.
func TestBatchOfChangelog(t *testing.T) {
	row := func(a any, w int64) reference.Change {
		values := make([]any, len(sourceColumns()))
		values[0] = a
		return reference.Change{Values: values, Weight: w}
	}
	col := &Expr{Kind: Int, Text: "t1.a"}
	for _, items := range [][]Item{
		{{&Expr{Kind: Int, Text: "max($1)", Kids: []*Expr{col}}, "c1"}},
		{{col, "c1"}},
	} {
		c := &Case{Workers: 1, Mode: sink.Changelog, Batch: true, Sources: []Source{{Name: "s0", Changelog: true}},
			Query: &Select{Items: items, From: From{Table: "s0", Alias: "t1"}},
			Steps: []Step{{Changes: [][]reference.Change{{row(int64(3), 1), row(int64(2), 1), row(int64(3), -1)}}, Cut: 1}}}
		if _, err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
