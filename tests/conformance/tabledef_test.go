package conformance

import (
	"slices"
	"testing"
)

// A key may stand behind the columns.
func TestTableKeys(t *testing.T) {
	for sql, want := range map[string][]string{
		"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))":      {"a", "b"},
		"CREATE TABLE t (a INT, b INT, CONSTRAINT c UNIQUE (b))": {"b"},
		"CREATE TABLE t (a INT PRIMARY KEY, b INT)":              {"a"},
		"CREATE TABLE t (a INT, b INT)":                          nil,
	} {
		def, err := readTable(sql, tokens(sql))
		if err != nil || !slices.Equal(def.key, want) {
			t.Errorf("%s: %v, %v", sql, def.key, err)
		}
	}
}
