package bind

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
)

var called = regexp.MustCompile(`([a-z_0-9]+)\(`)

// TestSynonyms: what is written instead of a function of another system calls functions
// that there are.
func TestSynonyms(t *testing.T) {
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	r := reg.Functions
	for _, list := range []map[string]string{synonyms, tableFunctions, elsewhereNames} {
		for name, write := range list {
			if name != strings.ToLower(name) || write == "" {
				t.Errorf("%q: %q", name, write)
			}
			for _, m := range called.FindAllStringSubmatch(write, -1) {
				f := m[1]
				_, scalar := r.Scalar(f)
				_, agg := r.Aggregate(f)
				_, gen := r.Generator(f)
				_, win := r.Window(f)
				if !scalar && !agg && !gen && !win && f != "window" && f != "struct" && f != "window_time" && f != "u" {
					t.Errorf("%s: there is no function %s in %q", name, f, write)
				}
			}
		}
	}
}
