package random

import (
	"errors"
	"flag"
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
	played := map[string]int{}
	total, rows := 0, 0
	for s := *seed; total < *triggers && !t.Failed(); s++ {
		c := New(s)
		out, err := c.Run(t.Context())
		total += max(out.Triggers, 1)
		rows += out.Rows
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
	t.Logf("%d triggers, %d rows in the last answers, cases: %v", total, rows, played)
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
