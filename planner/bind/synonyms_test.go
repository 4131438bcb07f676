package bind

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
)

var called = regexp.MustCompile(`([a-z_0-9]+)\(`)

// special are called like functions, and are none.
var special = []string{"gap_fill", "window", "struct", "window_time", "u", "values", "f"}

// callsFunctions checks that what is written instead of a name calls what there is.
func callsFunctions(t *testing.T, r *fn.Registry, name, write string) {
	t.Helper()
	for _, m := range called.FindAllStringSubmatch(write, -1) {
		if !isFunction(r, m[1]) && !slices.Contains(special, m[1]) {
			t.Errorf("%s: there is no function %s in %q", name, m[1], write)
		}
	}
}

func TestSynonyms(t *testing.T) {
	r := functions(t)
	for _, list := range []map[string]string{tableFunctions, elsewhereNames} {
		for name, write := range list {
			if name != strings.ToLower(name) || write == "" {
				t.Errorf("%q: %q", name, write)
			}
			callsFunctions(t, r, name, write)
		}
	}
}
