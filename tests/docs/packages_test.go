package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/tests/arch"
)

const architecture = Root + "/docs/architecture.md"

// TestPackages compares the table of packages with the rules of tests/arch and the
// comments of the packages.
func TestPackages(t *testing.T) {
	have, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	want, err := WithPackages(string(have))
	switch {
	case err != nil:
		t.Fatal(err)
	case want == string(have):
	case *update:
		if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of packages is not what tests/arch says: run go test ./tests/docs -update\nfirst difference: %s", firstDifference(string(have), want))
	}
}

// TestRulesNamePackages: no rule speaks of a directory that is gone.
func TestRulesNamePackages(t *testing.T) {
	for _, r := range arch.Rules {
		for _, p := range append([]string{r.Path}, r.May...) {
			if info, err := os.Stat(filepath.Join(Root, p)); err != nil || !info.IsDir() {
				t.Errorf("a rule of tests/arch names %s, which does not exist", p)
			}
		}
	}
}

// TestPagesNamePackages: paths of the repository in pages exist.
func TestPagesNamePackages(t *testing.T) {
	pages, err := Markdown(Root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths(withoutBlocks(string(raw))) {
			if _, err := os.Stat(filepath.Join(Root, p)); err != nil {
				t.Errorf("%s names `%s`, which does not exist", path, p)
			}
		}
	}
}

// paths finds inline code that is a path below one of the repository's directories.
func paths(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "`") {
		p := strings.TrimPrefix(strings.TrimSuffix(part, "/..."), "./")
		if i%2 == 0 || strings.ContainsAny(p, " *<>{…\n") || made(p) {
			continue
		}
		first, _, below := strings.Cut(p, "/")
		switch first {
		case "parser", "planner", "exec", "incremental", "storage", "repl", "cmd", "tests", "docs":
			if below {
				out = append(out, p)
			}
		}
	}
	return out
}

// made reports what the demo and the tests leave behind.
func made(p string) bool {
	return strings.HasPrefix(p, "docs/demo/out") || strings.HasPrefix(p, "docs/demo/.sqlstream")
}
