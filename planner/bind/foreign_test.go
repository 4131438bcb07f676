package bind

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/fn"
)

// functions are those that there are.
func functions(t *testing.T) *fn.Registry {
	t.Helper()
	reg, err := builtin.New("test")
	if err != nil {
		t.Fatal(err)
	}
	return reg.Functions
}

// isFunction reports a name of a function of any kind.
func isFunction(r *fn.Registry, name string) bool {
	_, scalar := r.Scalar(name)
	_, agg := r.Aggregate(name)
	_, gen := r.Generator(name)
	_, win := r.Window(name)
	return scalar || agg || gen || win
}

// TestForeignFunctions holds the table to names that are no functions, each once, with a way
// out that calls functions that there are.
func TestForeignFunctions(t *testing.T) {
	r := functions(t)
	seen := map[string]bool{}
	for _, f := range foreignFunctions {
		if f.way == "" || f.names != strings.ToLower(f.names) {
			t.Errorf("%+v", f)
		}
		for _, name := range strings.Fields(f.names) {
			if isFunction(r, name) || seen[name] {
				t.Errorf("%s is a function, or listed twice", name)
			}
			seen[name] = true
		}
		callsFunctions(t, r, f.names, f.way)
	}
}

// TestForeignPrefersTheName checks that a name goes before a beginning.
func TestForeignPrefersTheName(t *testing.T) {
	if f := foreignFunction("PG_SLEEP"); f == nil || f.reason != "a query does not wait" {
		t.Errorf("pg_sleep: %+v", f)
	}
	if f := foreignFunction("pg_table_is_visible"); f == nil || !strings.Contains(f.reason, "catalogue") {
		t.Errorf("pg_table_is_visible: %+v", f)
	}
	if f := foreignFunction("lenght"); f != nil {
		t.Errorf("lenght is only misspelt: %+v", f)
	}
}
