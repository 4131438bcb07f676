package planner

import (
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// TestFrontierRules: the rules of every frontier, those of the root too, speak of the
// node's own inputs.
func TestFrontierRules(t *testing.T) {
	for _, sql := range []string{
		"SELECT window.end AS e FROM events GROUP BY window(ts, '1 hour') UNION ALL SELECT ts FROM events EMIT CHANGELOG",
		"SELECT ts + INTERVAL '1' HOUR AS t FROM events UNION ALL SELECT at FROM other",
	} {
		physical.Walk(newSession(t).plan(sql).Outputs[0], func(n physical.Node) {
			for _, f := range n.Props().Frontiers {
				for _, r := range f.Rules {
					if r.Child >= len(n.Children()) || r.Child >= 0 && r.Front >= len(n.Children()[r.Child].Props().Frontiers) {
						t.Errorf("%s: a frontier of %T depends on frontier %d of input %d", sql, n, r.Front, r.Child)
					}
				}
			}
		})
	}
}
