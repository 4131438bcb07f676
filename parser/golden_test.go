package parser

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// golden runs every block of a file in testdata: a line "== name", the input, a
// line "----", and the expected text.
func golden(t *testing.T, file string, run func(sql string) string) {
	path := filepath.Join("testdata", file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "== ")
	out := head
	for _, block := range strings.Split(rest, "\n== ") {
		name, body, _ := strings.Cut(block, "\n")
		input, want, _ := strings.Cut(body, "\n----\n")
		got := run(input)
		out += "== " + name + "\n" + input + "\n----\n" + strings.TrimRight(got, "\n") + "\n\n"
		t.Run(name, func(t *testing.T) {
			if strings.TrimSpace(want) != strings.TrimSpace(got) && !*update {
				t.Errorf("%s\ngot\n%s\nwant\n%s", input, got, want)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.TrimRight(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome is the trees of a script and its diagnostics.
func outcome(sql string) string {
	src := diag.Source{Text: sql}
	stmts, err := Parse(src)
	var b strings.Builder
	for _, s := range stmts {
		b.WriteString(dump(s) + "\n")
	}
	if err != nil {
		b.WriteString(err.Error() + "\n")
	}
	return b.String()
}

// TestSilentMisreadings has the texts that the inner grammar alone accepts with
// another meaning (language.md, section 4).
func TestSilentMisreadings(t *testing.T) { golden(t, "misreadings.txt", outcome) }

func TestRefused(t *testing.T) { golden(t, "refused.txt", outcome) }

func TestTrees(t *testing.T) { golden(t, "trees.txt", outcome) }
