package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/trigger"
)

var (
	ruleStated = regexp.MustCompile(`(?m)^\*\*([A-Z]\d+)\.\*\*`)
	ruleCited  = regexp.MustCompile(`Rules? ([A-Z]\d+(?:, [A-Z]\d+)*)`)
)

// TestRules: every rule of docs/semantics is stated once and cited by a test, and every
// citation is of a rule that exists.
func TestRules(t *testing.T) {
	stated := rules(t)
	cited := citations(t)
	for r, file := range stated {
		if len(cited[r]) == 0 {
			t.Errorf("%s: no test cites Rule %s", file, r)
		}
	}
	for r, files := range cited {
		if stated[r] == "" {
			t.Errorf("%s: there is no Rule %s", files[0], r)
		}
	}
}

func rules(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob(Root + "/docs/semantics/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	out := map[string]string{}
	for _, p := range pages {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ruleStated.FindAllStringSubmatch(string(raw), -1) {
			if out[m[1]] != "" {
				t.Errorf("%s: Rule %s is stated twice", p, m[1])
			}
			out[m[1]] = p
		}
	}
	return out
}

// citations finds "Rule W3" and "Rules W3, L5" in tests of every kind.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "rules_test.go") {
			return err
		}
		ext := filepath.Ext(path)
		if !slices.Contains([]string{".test", ".txtar"}, ext) && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "/tests/") {
			return nil
		}
		if !slices.Contains([]string{".test", ".txtar", ".go", ".sql"}, ext) {
			return nil
		}
		raw, err := os.ReadFile(path)
		for _, m := range ruleCited.FindAllStringSubmatch(string(raw), -1) {
			for _, r := range strings.Split(m[1], ", ") {
				out[r] = append(out[r], path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProgressFields: the page of progress records names every field.
func TestProgressFields(t *testing.T) {
	raw, err := os.ReadFile(Root + "/docs/formats/progress.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range jsonNames(reflect.TypeFor[trigger.Progress]()) {
		if !strings.Contains(string(raw), "`"+name+"`") && !strings.Contains(string(raw), "`"+name+"[]`") {
			t.Errorf("the page has no field `%s`", name)
		}
	}
}

func jsonNames(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out = append(append(out, name), jsonNames(of.Field(i).Type)...)
		}
	}
	return out
}
