// Package errors shows each refusal of a streaming plan, one file each: the message, which
// names the operator, the reason and a way out, and then the way out itself, as a query
// that runs. The files are golden test files; their first comment says what is refused.
package errors

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/goldentest"
)

func TestRefusals(t *testing.T) {
	files, err := filepath.Glob("*.test")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(f, ".test"), func(t *testing.T) {
			if err := goldentest.RunFile(context.Background(), f, false); err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			checkForm(t, string(text))
		})
	}
}

var refusal = regexp.MustCompile(`(?ms)^error\n.*?^----\n(.*?)\n\n`)

// checkForm: every refusal has a way out, and a query that runs follows.
func checkForm(t *testing.T, text string) {
	found := refusal.FindAllStringSubmatch(text+"\n\n", -1)
	if len(found) == 0 {
		t.Error("nothing is refused")
	}
	for _, m := range found {
		if !strings.Contains(m[1], "hint: ") && !strings.Contains(m[1], "or add LIMIT 1") {
			t.Errorf("no way out:\n%s", m[1])
		}
	}
	after := text[strings.LastIndex(text, "\nerror\n")+1:]
	if !strings.Contains(after, "\nquery ") || !strings.Contains(after, "\ntrigger") || strings.Contains(after, "(none)") {
		t.Error("the way out is not run")
	}
}
