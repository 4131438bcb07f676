package docs

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
)

var update = flag.Bool("update", false, "write generated pages and the output of blocks anew")

func registry(t *testing.T) *builtin.Registry {
	t.Helper()
	r, err := builtin.New("docs")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReference generates every page and compares it with the one that is there.
func TestReference(t *testing.T) {
	r := registry(t)
	same(t, "README.md", Index())
	for _, p := range Pages() {
		text, err := p.Text(r)
		if err != nil {
			t.Error(err)
			continue
		}
		same(t, p.Name, text)
	}
}

// same compares a page of the reference with its text, or writes it.
func same(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(Root, Reference, name)
	have, err := os.ReadFile(path)
	switch {
	case string(have) == text:
	case *update:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case err != nil:
		t.Errorf("%v: run go test ./tests/docs -update", err)
	default:
		t.Errorf("%s is not what the program says of itself: run go test ./tests/docs -update\nfirst difference: %s", path, firstDifference(string(have), text))
	}
}

func firstDifference(have, want string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range b {
		if i >= len(a) || a[i] != b[i] {
			return b[i]
		}
	}
	return "lines are too many"
}

// TestExamples runs every example of every function through parser, planner and engine.
func TestExamples(t *testing.T) {
	e, err := open(t.TempDir(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Kill()
	r := registry(t)
	for _, f := range slices.Concat(scalars(r), aggregates(r), generators(r)) {
		null := !f.needsNull
		for _, ex := range f.examples {
			null = null || strings.Contains(ex.SQL+ex.Want, "NULL")
			got, err := Run(context.Background(), e, ex.SQL)
			if err != nil {
				t.Errorf("%s: %s: %v", f.name, ex.SQL, err)
			} else if got != ex.Want {
				t.Errorf("%s: %s gives %s, documented as %s", f.name, ex.SQL, got, ex.Want)
			}
		}
		if !null {
			t.Errorf("%s: has no example with NULL", f.name)
		}
		if !strings.HasSuffix(f.doc, ".") || f.group == "" || len(f.syntax) == 0 {
			t.Errorf("%s: needs a sentence, a group and its syntax", f.name)
		}
	}
}

// TestCodes: every code has a sentence, and its example yields it.
func TestCodes(t *testing.T) {
	list, setup, err := Codes()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 60 {
		t.Fatalf("only %d codes found", len(list))
	}
	for _, c := range list {
		if !strings.HasSuffix(c.Text, ".") {
			t.Errorf("%s: %q is no sentence", c.Code, c.Text)
		}
		if (c.Example == "") == (c.Without == "") {
			t.Errorf("%s: needs an example, or why it has none", c.Code)
		}
		if c.Example == "" {
			continue
		}
		if err := c.Yields(setup); !c.Has(err) {
			t.Errorf("%s: %s\ngives %v", c.Code, c.Example, err)
		}
	}
}
