package builtin

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/spark.tsv
var sparkAnswers string

// TestRecordedAnswers compares with what Spark 4 answered: an expression, a tab, and its
// result as text, or ERR where it is refused.
func TestRecordedAnswers(t *testing.T) {
	r := resolver(t)
	for line := range strings.Lines(sparkAnswers) {
		sql, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got, err := evalSQL(r, sql)
		if err != nil {
			got = "ERR"
		}
		if got != want {
			t.Errorf("%s = %s (%v), recorded %s", sql, got, err, want)
		}
	}
}
