package planner

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// TestCodeExamples runs the example of every code of the planner.
func TestCodeExamples(t *testing.T) {
	raw, err := os.ReadFile("../parser/diag/codes_planner.go")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`// (SQL\d+): [^\n]*\n(?:\t// [^E\n][^\n]*\n)*\t// Example: ([^\n]*)\n`)
	found := entry.FindAllStringSubmatch(string(raw), -1)
	if len(found) < 40 {
		t.Fatalf("only %d examples found", len(found))
	}
	for _, m := range found {
		if strings.HasPrefix(m[2], "SET ") {
			continue // of the engine, which tests/docs runs
		}
		_, err := newSession(t).run(strings.ReplaceAll(m[2], "…", "..."))
		if !hasCode(err, diag.Code(m[1])) {
			t.Errorf("%s: %s\ngot %v", m[1], m[2], err)
		}
	}
}

func hasCode(err error, code diag.Code) bool {
	var list *diag.Error
	if !errors.As(err, &list) {
		return false
	}
	for _, d := range list.Diagnostics {
		if d.Code == code {
			return true
		}
	}
	return false
}
