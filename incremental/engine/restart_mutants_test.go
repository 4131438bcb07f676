//go:build mutants

package engine_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/incremental/engine"
)

// A planted fault of the restart policy shows in what becomes of a query that divides by 0.
func TestMutantOfRestartsDies(t *testing.T) {
	defer mutant.Activate("permanent errors are tried again")()
	w := newWorld(t)
	w.must(objects + "INSERT INTO plain VALUES ('a', 0); INSERT INTO dir SELECT 1 / v AS x FROM plain WITH (restart = 'always', restart_delay = '1 h')")
	w.becomes("dir", engine.Restarting)
}

// Readers notice when a view changes in the middle of a batch.
func TestMutantOfViewsDies(t *testing.T) {
	defer mutant.Activate("readers of a view see half a trigger")()
	for range 20 {
		if wholeTriggers(t, 30) != "" {
			return
		}
	}
	t.Error("nobody notices")
}

// A watermark that statistics do not move stands behind that of the rows themselves.
func TestMutantOfUnreadTimesDies(t *testing.T) {
	defer mutant.Activate("event times that are not read move no watermark")()
	w := unreadWorld(t)
	for i, test := range unreadQueries {
		if unreadDiffers(w, i, test.sql) == "" {
			t.Errorf("%s notices nothing", test.sql)
		}
	}
}
