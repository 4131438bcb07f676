package planner

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// TestGuarantee: EXPLAIN says what the options of a sink leave of its guarantee.
func TestGuarantee(t *testing.T) {
	for options, want := range map[string]string{
		"":                                       "exactly-once",
		", delivery_guarantee = 'exactly_once'":  "exactly-once",
		", delivery_guarantee = 'At_Least_Once'": "at-least-once",
	} {
		s := newSession(t, "CREATE SOURCE plain2 (k BIGINT); CREATE SINK topic WITH (connector = 'kafka', brokers = 'b:1', topic = 't', format = 'json'"+options+")")
		if got := physical.Explain(s.plan("INSERT INTO topic SELECT k FROM plain2")); !strings.Contains(got, want) {
			t.Errorf("%q: want %s in\n%s", options, want, got)
		}
	}
}
