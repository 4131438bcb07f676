package bind

import (
	"strings"
	"testing"
)

// TestSpellings holds the table to names that are no functions, each once, and to expressions
// that call functions that there are.
func TestSpellings(t *testing.T) {
	r := functions(t)
	seen := map[string]bool{}
	for line := range strings.SplitSeq(clickHouse+warehouses, "\n") {
		names, way, ok := strings.Cut(line, " = ")
		if !ok && line != "" && !strings.HasPrefix(line, "#") {
			t.Errorf("%q", line)
		}
		for name := range strings.FieldsSeq(names) {
			if !ok || strings.HasPrefix(line, "#") {
				break
			}
			base, _, byCount := strings.Cut(name, "/")
			if seen[name] || name != strings.ToLower(name) || isFunction(r, base) != byCount {
				t.Errorf("%s is a function, or listed twice", name)
			}
			if f := foreignFunction(name); f != nil && !strings.Contains(f.names, "*") {
				t.Errorf("%s is in the table of foreign functions too", name)
			}
			seen[name] = true
		}
		if ok && !strings.HasPrefix(line, "#") {
			callsFunctions(t, r, names, spell(way, nil))
		}
	}
}

func TestSpell(t *testing.T) {
	args := []given{{text: "a"}, {text: "b + 1", part: true}, {text: "'k'", word: "k"}}
	for way, want := range map[string]string{
		"f($1, $2)": "f(a, b + 1)", "$1 % $2": "a % (b + 1)", "CAST($2 AS INT)": "CAST(b + 1 AS INT)", "f($*)": "f(a, b + 1, 'k')",
		"$1 IN ($2*)": "a IN (b + 1, 'k')", "f($1$2+)": "f(a, b + 1, 'k')", "f($1$4+)": "f(a)", "g($1, '$.$'3')": "g(a, '$.k')", "g($4|'x y')": "g('x y')",
		"g($4)": "g(w)", "$2": "b + 1", "$2[1]": "(b + 1)[1]", "json('$.a')": "json('$.a')", "${name}": "${name}",
	} {
		if got := spell(way, args); got != want {
			t.Errorf("%s: %s, want %s", way, got, want)
		}
	}
	if got := spell("f($1) OVER (ORDER BY …)", nil); got != "f(x) OVER (ORDER BY …)" {
		t.Error(got)
	}
}
