package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/storage/fault"
)

// longestRestartDelay bounds the wait between two attempts to start a query again.
const longestRestartDelay = time.Minute

// restarts is what a query does by its restart policy when it has ended. It belongs to the
// query's goroutine.
type restarts struct {
	physical.Restart
	reopen func(ctx context.Context) (*opening, *trigger.Query, error)
	failed int64 // starts in a row that gave no batch
}

// wanted reports whether the query is to be started again after an end.
func (r *restarts) wanted(err error) bool {
	switch {
	case r.Policy == "" || r.Policy == physical.RestartNever, err == nil && r.Policy != physical.RestartAlways:
		return false
	case err == nil:
		return true
	case permanent(err) && !mutant.On("permanent errors are tried again"):
		return false
	}
	return r.Attempts == 0 || r.failed < r.Attempts
}

// delay is how long to wait before the next start: twice as long each time.
func (r *restarts) delay() time.Duration {
	d := r.Delay
	for range r.failed {
		if d *= 2; d >= longestRestartDelay {
			return max(longestRestartDelay, r.Delay)
		}
	}
	return d
}

// permanent reports an error that another attempt would meet again: what the statement
// says, a row of the range that is read again, a checkpoint or sink that is not as it must
// be.
func permanent(err error) bool {
	var sql *diag.Error
	var row *format.RowError
	var value *fn.DataError
	var refused *trigger.RefusedError
	var fenced *sink.FencedError
	if errors.As(err, &fenced) || errors.As(err, &sql) || errors.As(err, &row) || errors.As(err, &value) || errors.As(err, &refused) {
		return true
	}
	for _, kind := range []error{fault.ErrCorrupt, fault.ErrMissing, fault.ErrVersion, fault.ErrFenced, fault.ErrLocked, errOtherQuery} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// errOtherQuery marks a checkpoint that was made by another query.
var errOtherQuery = errors.New("the checkpoint is that of another query")

// live runs the query, and starts it again as its policy says. Each start has a run id of
// its own; the id is that of the checkpoint.
func (q *Query) live(ctx context.Context) error {
	for {
		err := q.guarded(ctx)
		q.broken = err != nil || q.q.Err() != nil
		if e := q.q.Close(); err == nil {
			err = e
		}
		for {
			if ctx.Err() != nil || q.stopping() || !q.again.wanted(err) {
				return err
			}
			if !q.pauseBefore(ctx, err) {
				return err
			}
			if err = q.restart(ctx); err == nil {
				break
			}
		}
	}
}

// pauseBefore waits before the next start; false if the query was ended meanwhile.
func (q *Query) pauseBefore(ctx context.Context, why error) bool {
	d := q.again.delay()
	q.again.failed++
	q.mu.Lock()
	q.status, q.err = Restarting, why
	q.mu.Unlock()
	q.log.Warn("a query is started again", "query", q.Name, "in", d, "attempt", q.again.failed, "err", why)
	t := q.clock.NewTimer(d)
	defer t.Stop()
	for {
		select {
		case <-t.C():
			return true
		case <-q.stop:
			return false
		case <-ctx.Done():
			return false
		case r := <-q.requests:
			r.reply <- fmt.Errorf("query %q is being started again: %w", q.Name, errors.Join(why, ErrRestarting))
		}
	}
}

// ErrRestarting is in the answer of a query that waits to be started again.
var ErrRestarting = errors.New("ask again later")

// restart opens everything anew, as START QUERY does.
func (q *Query) restart(ctx context.Context) (err error) {
	defer recovered(&err, "query "+q.Name)
	o, tq, err := q.again.reopen(ctx)
	if err != nil {
		return fmt.Errorf("query %q: %w", q.Name, err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.q, q.runID, q.broken = tq, o.cfg.RunID, false
	q.status, q.err = Running, nil
	return nil
}

// RunID differs between any two starts of a query.
func (q *Query) RunID() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.runID
}

// running is the query at work, or as it ended.
func (q *Query) running() *trigger.Query {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.q
}
