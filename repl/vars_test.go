package repl

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestExpand(t *testing.T) {
	vars := map[string]string{"dir": "it's in", "n": "10", "tab": "clicks"}
	for text, want := range map[string]string{
		"SELECT ${n} FROM ${tab}":             "SELECT 10 FROM clicks",
		"FROM '${dir}/x'":                     "FROM 'it''s in/x'",
		"a = '${PASSWORD}' -- ${n} ${nope}":   "a = '${PASSWORD}' -- ${n} ${nope}",
		"a = '${file:pw}', b = '$${n}'":       "a = '${file:pw}', b = '$${n}'",
		"/* ${nope} */ SELECT '${n}${n}', 1":  "/* ${nope} */ SELECT '1010', 1",
		"SELECT 'never closed ${n":            "SELECT 'never closed ${n",
		"SELECT 1":                            "SELECT 1",
		"SELECT \"${tab}\" FROM ${tab}_${n}x": "SELECT \"clicks\" FROM clicks_10x",
	} {
		got, err := Expand(diag.Source{Text: text}, vars)
		if err != nil || got.Text != want {
			t.Errorf("%s: got %q, %v; want %q", text, got.Text, err, want)
		}
	}
}

func TestExpandMissing(t *testing.T) {
	_, err := Expand(diag.Source{Name: "a.sql", Text: "SELECT ${x},\n  ${y} FROM t"}, nil)
	if err == nil {
		t.Fatal("unknown variables are accepted")
	}
	for _, want := range []string{"a.sql:1:8: ", "a.sql:2:3: ", "${y}", "hint: give one with -v x=…"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in\n%s", want, err)
		}
	}
}
