package planner

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// TestKeysThatDetermineTheWindow: only what tells two windows apart may stand for them.
func TestKeysThatDetermineTheWindow(t *testing.T) {
	for _, c := range []struct {
		key    string
		window bool // the group is the window
	}{
		{"w.end", true},
		{"w.end - INTERVAL '1' MINUTE", true},
		{"w.end - INTERVAL '1' MONTH", false}, // the 30th and the 31st are one day of February
		{"- v", false},
	} {
		sql := "SELECT " + c.key + " AS x, count(*) AS n FROM (SELECT window(ts, '1 day') AS w, v FROM events) AS t GROUP BY " + c.key + " EMIT CHANGELOG"
		text := physical.Explain(newSession(t).plan(sql))
		if got := strings.Contains(text, "by (window_start)"); got != c.window {
			t.Errorf("GROUP BY %s: grouped by the window: %t\n%s", c.key, got, text)
		}
	}
}
