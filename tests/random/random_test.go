package random

import (
	"errors"
	"flag"
	"testing"
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
