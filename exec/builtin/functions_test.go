package builtin

import (
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func resolver(t testing.TB) *expr.Resolver {
	t.Helper()
	r, err := Functions()
	if err != nil {
		t.Fatal(err)
	}
	return &expr.Resolver{Functions: r, Zone: time.UTC}
}

// evalSQL computes an expression without columns, and prints it.
func evalSQL(r *expr.Resolver, sql string) (string, error) {
	n, err := parseMini(r, sql)
	if err != nil {
		return "", err
	}
	c := &fn.Ctx{Zone: time.UTC, Now: 1_704_067_200_000_000}
	v, err := n.Eval(c, &vec.Batch{N: 1})
	if err != nil {
		return "", err
	}
	return vec.RowString(v, 0, time.UTC), nil
}

// TestExamples runs the examples of every function.
func TestExamples(t *testing.T) {
	r := resolver(t)
	for _, f := range r.Functions.Scalars() {
		for _, ex := range f.Examples {
			got, err := evalSQL(r, ex.SQL)
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, ex.SQL, err)
			} else if got != ex.Want {
				t.Errorf("%s: %s = %s, documented as %s", f.Name, ex.SQL, got, ex.Want)
			}
		}
	}
}

// TestDescriptions holds every function to a sentence, a heading and a NULL example.
func TestDescriptions(t *testing.T) {
	r := resolver(t)
	for _, f := range r.Functions.Scalars() {
		if !strings.HasSuffix(f.Doc, ".") || f.Group == "" || len(f.Syntax) == 0 {
			t.Errorf("%s: needs a sentence, a group and its syntax", f.Name)
		}
		if len(f.Examples) == 0 && f.Volatility == fn.Immutable {
			t.Errorf("%s: has no example", f.Name)
		}
		null := f.Volatility != fn.Immutable
		for _, ex := range f.Examples {
			null = null || strings.Contains(ex.SQL+ex.Want, "NULL")
		}
		if !null {
			t.Errorf("%s: has no example with NULL", f.Name)
		}
	}
}

// TestConstantsFold checks that what depends on constants alone is computed at once.
func TestConstantsFold(t *testing.T) {
	n, err := parseMini(resolver(t), "1 + 2 * 3")
	if err != nil {
		t.Fatal(err)
	}
	c, ok := n.(*expr.Const)
	if !ok || c.V.Int(0) != 7 || !c.Type().Equal(types.Of(types.Int32)) {
		t.Errorf("got %s, want the constant 7", n)
	}
}
