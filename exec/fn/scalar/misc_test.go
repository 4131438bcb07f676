package scalar

import (
	"regexp"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestUUID checks the form, that rows differ, and that contexts do.
func TestUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var f *fn.Scalar
	for _, s := range miscellany() {
		if s.Name == "uuid" {
			f = s
		}
	}
	impl, err := f.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 3 {
		v, err := impl.Eval(&fn.Ctx{}, nil, fn.Rows{N: vec.BatchSize})
		if err != nil {
			t.Fatal(err)
		}
		for r := range v.N {
			id := v.Text(r)
			if seen[id] || !form.MatchString(id) {
				t.Fatalf("%s is malformed or occurs twice", id)
			}
			seen[id] = true
		}
	}
}
