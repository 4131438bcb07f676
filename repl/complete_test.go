package repl

import (
	"slices"
	"strings"
	"testing"
)

type fakeNames struct{}

func (fakeNames) Objects() []string { return []string{"clicks", "Customers", "out"} }
func (fakeNames) Columns(of string) []string {
	switch strings.ToLower(of) {
	case "clicks":
		return []string{"who", "at"}
	case "customers":
		return []string{"id", "country"}
	}
	return nil
}
func (fakeNames) Functions() []string { return []string{"count", "date_format"} }
func (fakeNames) Settings() []string  { return []string{"timezone", "eval_error"} }

// completions gives the whole words at the | in a line.
func completions(t *testing.T, before, line string) []string {
	t.Helper()
	left, right, ok := strings.Cut(line, "|")
	if !ok {
		t.Fatalf("%q has no cursor", line)
	}
	c := NewCompleter(func() int { return 80 })
	c.Use(fakeNames{})
	c.before = before
	rests, n := c.Do([]rune(left+right), len([]rune(left)))
	word := string([]rune(left)[len([]rune(left))-n:])
	var out []string
	for _, r := range rests {
		out = append(out, word+string(r))
	}
	return out
}

func TestCompletion(t *testing.T) {
	for _, c := range []struct{ before, line, want string }{
		{"", "sel|", "select"},
		{"", "SEL|", "SELECT"},
		{"", "SELECT a FRO|", "FROM"},
		{"", "SELECT a FROM cl|", "clicks close"},
		{"", "SELECT a FROM cU|", "cUBE cUMULATE cUstomers"},
		{"", "SELECT w| FROM clicks", "watermark watermarks when where who window with within"},
		{"SELECT *\nFROM clicks\n", "WHERE wh|", "when where who"},
		{"", "SELECT clicks.| FROM clicks", "at who"},
		{"", "SELECT c.| FROM clicks AS c", "at who"},
		{"", "SELECT k.co| FROM clicks c JOIN Customers k", "country"},
		{"", "SELECT x.| FROM clicks", ""},
		{"", "SELECT dat|", "date_format"},
		{"", "SET t|", "timezone"},
		{"", "SET |", "eval_error timezone"},
		{"", "SELECT 1; SELECT x FROM ou|", "out outer output"},
		{"", "SELECT 'clic|", ""},
		{"", "SELECT 1 -- cli|", ""},
		{"", "SELECT 12|", ""},
		{"", ".ta|", ".tables"},
		{"", `\d|`, `\d \describe \df \dt`},
		{"", ".out|", ".output"},
		{"SELECT a\n", ".ta|", ""},
		{"", "SELECT ü|", ""},
	} {
		got := completions(t, c.before, c.line)
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s%s: got %q, want %q", c.before, c.line, got, want)
		}
	}
}

// The line editor cannot show what is wider than the screen.
func TestNarrowScreen(t *testing.T) {
	c := NewCompleter(func() int { return 8 })
	c.Use(fakeNames{})
	rests, _ := c.Do([]rune("SET "), 4)
	if len(rests) != 0 {
		t.Errorf("got %q", rests)
	}
}

func TestCompletionBeforeTheCatalog(t *testing.T) {
	c := NewCompleter(func() int { return 80 })
	rests, n := c.Do([]rune("descri"), 6)
	if n != 6 || len(rests) != 2 || string(rests[0]) != "be" {
		t.Errorf("got %q, %d", rests, n)
	}
}
