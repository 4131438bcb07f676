package server

import (
	"log/slog"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// NewLog returns a listener that logs what happens to queries: start and end, and each
// trigger at level debug.
func NewLog(log *slog.Logger) engine.Listener {
	at := func(q *engine.Query) *slog.Logger { return log.With("query", q.Name, "id", q.ID, "run_id", q.RunID()) }
	return engine.Funcs{
		Started: func(q *engine.Query) { at(q).Info("query started") },
		Progress: func(q *engine.Query, p *trigger.Progress) {
			r := p.Rows
			at(q).Debug("trigger", "batch_id", p.BatchID, "ms", p.BatchDuration, "rows", r.Input, "late", r.Late, "bad", r.Bad)
		},
		Terminated: func(q *engine.Query, err error) {
			if err != nil {
				at(q).Error("query failed", "err", err)
				return
			}
			at(q).Info("query ended")
		},
	}
}
