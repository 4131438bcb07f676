package bind

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/builtin"
)

// TestAbsentFunctionsAreAbsent holds the list to names that are no functions, each
// once, with a reason and a way out.
func TestAbsentFunctionsAreAbsent(t *testing.T) {
	r, err := builtin.Functions()
	if err != nil {
		t.Fatal(err)
	}
	known, seen := map[string]bool{}, map[string]bool{}
	for _, name := range r.Names() {
		known[strings.ToLower(name)] = true
	}
	for _, a := range absences {
		if a.reason == "" || a.way == "" {
			t.Errorf("%s: needs a reason and a way out", a.names)
		}
		for _, name := range strings.Fields(a.names) {
			if known[name] || seen[name] {
				t.Errorf("%s is a function, or listed twice", name)
			}
			seen[name] = true
		}
	}
}

// TestAbsentPrefersTheName checks that a name goes before a beginning.
func TestAbsentPrefersTheName(t *testing.T) {
	if a, ok := absent("PG_SLEEP"); !ok || a.reason != "a query does not wait" {
		t.Errorf("pg_sleep: %v", a)
	}
	if a, ok := absent("pg_table_is_visible"); !ok || !strings.Contains(a.reason, "catalogue") {
		t.Errorf("pg_table_is_visible: %v", a)
	}
	if _, ok := absent("lenght"); ok {
		t.Error("lenght is only misspelt")
	}
}
