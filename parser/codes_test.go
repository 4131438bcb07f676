package parser

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCodesHaveExamples runs the example of every syntax code: it must yield that
// code. Codes of other layers have their examples run there.
func TestCodesHaveExamples(t *testing.T) {
	data, err := os.ReadFile("diag/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`(?m)^\t// (SQL1\d\d\d): .*\n((?:\t//.*\n)*)\t\w+ +Code = "(SQL\d+)"`)
	found := entry.FindAllStringSubmatch(string(data), -1)
	if n := strings.Count(string(data), `Code = "SQL1`); len(found) != n {
		t.Errorf("%d of %d codes have a comment that begins with the code", len(found), n)
	}
	withoutExample := map[string]bool{"SQL1004": true, "SQL1005": true, "SQL1099": true}
	for _, m := range found {
		comment, value := m[1], m[3]
		if comment != value {
			t.Errorf("the comment of %s speaks of %s", value, comment)
		}
		_, example, ok := strings.Cut(m[2], "// Example: ")
		if !ok {
			if !withoutExample[value] {
				t.Errorf("%s has no example", value)
			}
			continue
		}
		_, diags := check(t, strings.TrimSpace(example))
		if len(diags) == 0 || string(diags[0].Code) != value {
			t.Errorf("the example of %s gives %v", value, diags)
		}
	}
}
