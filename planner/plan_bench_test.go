package planner

import "testing"

// BenchmarkPlan is what a statement pays before it starts: parse, bind, rules, lower.
func BenchmarkPlan(b *testing.B) {
	s := newSession(b)
	for b.Loop() {
		if _, err := s.run("SELECT window.start AS s, k, count(*) AS n, sum(v) AS t FROM events WHERE v > 3 GROUP BY window(ts, '10 minutes'), k"); err != nil {
			b.Fatal(err)
		}
	}
}
