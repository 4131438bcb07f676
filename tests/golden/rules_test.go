package golden

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/goldentest"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// No result of a golden file depends on a rewrite rule: each file gives the same with
// any one of them left out, and with none at all.
func TestWithoutRules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("*", "*.test"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	off := map[string]func(string) bool{"all rules": func(string) bool { return true }}
	for _, rule := range rules.Optional() {
		off[rule] = func(name string) bool { return name == rule }
	}
	for _, f := range files {
		for name, without := range off {
			if err := goldentest.RunWithout(context.Background(), f, without); err != nil {
				t.Errorf("%s without %s: %v", f, name, err)
			}
		}
	}
}
