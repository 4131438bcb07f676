package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A program that is killed after every trigger gives the same rows, watermarks and late
// rows as one that goes on. rand() is another at each call.
func TestRestartsChangeNothing(t *testing.T) {
	dir := folder()
	if dir == "" {
		return
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if strings.Contains(c.SQL, "rand()") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			want, ok := turnsOf(c, t.TempDir(), false)
			if !ok || len(want) < 2 {
				return
			}
			got, ok := turnsOf(c, t.TempDir(), true)
			if !ok || len(got) != len(want) {
				t.Fatalf("%d triggers, %d with restarts", len(want), len(got))
			}
			for i := range want {
				if describe(want[i]) != describe(got[i]) {
					t.Errorf("trigger %d: %s, with restarts %s", i, describe(want[i]), describe(got[i]))
				}
			}
		})
	}
}

// turnsOf plays a case; ok false = it has no end.
func turnsOf(c *Case, dir string, restarts bool) ([]turn, bool) {
	if c.invalid != nil {
		return nil, false
	}
	w, err := newWorld(context.Background(), c, dir, dialect{})
	if w != nil {
		defer w.close()
		w.restarts = restarts
	}
	if err == nil {
		err = w.play()
	}
	if err != nil {
		return nil, false
	}
	return w.turns, true
}

func describe(t turn) string {
	rows := make([]string, len(t.rows))
	for i, r := range t.rows {
		rows[i] = fmt.Sprintf("%+d%s", r.weight, show([]row{r.json}))
	}
	slices.Sort(rows)
	return fmt.Sprintf("%s watermark %s late %d partial %d", rows, markText(t.watermark), t.late.Late, t.late.Partial)
}
