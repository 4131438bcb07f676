package table_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/table"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func columns(names []string, cols []*vec.Vector) []types.Column {
	var out []types.Column
	for i, c := range cols {
		out = append(out, types.Column{Name: names[i], Type: c.Type})
	}
	return out
}

func TestBox(t *testing.T) {
	cols := []*vec.Vector{vec.FromStrings([]string{"a\nb", "日本"}), vec.FromAny(types.Of(types.Int64), 7, nil)}
	b := table.NewBox(columns([]string{"who", "n"}, cols), time.UTC, "∅")
	out := b.Add(nil, cols, 0)
	out = b.Add(out, cols, 1)
	if len(out) != 0 {
		t.Errorf("rows are printed before the widths are known: %q", out)
	}
	want := "" +
		"┌────────┬────────┐\n" +
		"│ who    │      n │\n" +
		"│ STRING │ BIGINT │\n" +
		"├────────┼────────┤\n" +
		"│ a\\nb   │      7 │\n" +
		"│ 日本   │      ∅ │\n" +
		"└────────┴────────┘\n" +
		"(2 rows)\n"
	if got := string(b.Close(nil)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A long result is printed while it comes, and a cell wider than its column keeps its text.
func TestBoxStreams(t *testing.T) {
	cols := []*vec.Vector{vec.FromStrings([]string{"x", "a much wider cell"})}
	b := table.NewBox(columns([]string{"c"}, cols), time.UTC, "NULL")
	var out []byte
	for range 1000 {
		out = b.Add(out, cols, 0)
	}
	if n := strings.Count(string(out), "│ x      │"); n != 1000 {
		t.Fatalf("%d rows are printed after the window, not 1000", n)
	}
	if got := string(b.Add(nil, cols, 1)); got != "│ a much wider cell │\n" {
		t.Errorf("got %q", got)
	}
	if got := string(b.Close(nil)); got != "└────────┘\n(1001 rows)\n" {
		t.Errorf("got %q", got)
	}
}

func TestBoxWithoutRows(t *testing.T) {
	b := table.NewBox([]types.Column{{Name: "a", Type: types.Of(types.Int64)}}, time.UTC, "NULL")
	want := "┌────────┐\n│      a │\n│ BIGINT │\n├────────┤\n└────────┘\n(0 rows)\n"
	if got := string(b.Close(nil)); got != want {
		t.Errorf("got\n%s", got)
	}
}
