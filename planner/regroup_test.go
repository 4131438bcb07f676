package planner

import "testing"

// TestNegatedKeys: the negation of a key is a function of the key, however it is bound.
func TestNegatedKeys(t *testing.T) {
	for _, sql := range []string{
		"SELECT count(*) AS n FROM plain GROUP BY (v IS NULL) HAVING NOT (v IS NULL)",
		"SELECT v IS NULL AS b, count(*) AS n FROM plain GROUP BY (v IS NOT NULL)",
		"SELECT k = 'a' AS b, count(*) AS n FROM plain GROUP BY NOT (k = 'a')",
	} {
		if _, err := newSession(t).run(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
