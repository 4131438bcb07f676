package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Status is where a query stands.
type Status string

// The states of a query.
const (
	Running  Status = "running"
	Paused   Status = "paused"
	Finished Status = "finished" // it had nothing more to do, or was stopped
	Failed   Status = "failed"
	// Restarting: it failed, and waits to be started again by its restart policy.
	Restarting Status = "restarting"
)

// Statuses lists the states.
func Statuses() []Status { return []Status{Running, Paused, Restarting, Finished, Failed} }

// recentProgress is how many progress records a query keeps.
const recentProgress = 100

// Query is a continuous query that was started. Its methods may be called from
// any goroutine.
type Query struct {
	ID, Name string // the id is that of the checkpoint, and survives restarts
	SQL      string
	Plan     *physical.Query
	Started  time.Time

	q        *trigger.Query // written under mu, by the query's goroutine
	runID    string
	again    restarts
	target   Target
	clock    clock.Clock
	poll     time.Duration
	bus      *bus
	log      *slog.Logger
	requests chan request
	stop     chan struct{} // closed: end after the trigger under way
	stopOnce sync.Once
	cancel   context.CancelFunc // ends at once
	done     chan struct{}
	idle     bool   // it told so since the last trigger; of its goroutine
	last     func() // gives the last answer, once it has ended
	activity atomic.Int32

	reading sync.Mutex // held while the graph of an ended query is read
	broken  bool       // it ended in the middle of a trigger; written before done is closed

	mu     sync.Mutex
	resume chan struct{} // nil while running; closed by Resume
	status Status
	err    error
	recent []*trigger.Progress
}

// request is work that the query's goroutine does between triggers.
type request struct {
	do    func(ctx context.Context) error
	reply chan error
}

// ErrStopped is the answer of a query that has ended to what it is asked to do.
var ErrStopped = errors.New("the query has ended")

// Pause holds the query after the trigger under way, until Resume.
func (q *Query) Pause() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.status == Running {
		q.status, q.resume = Paused, make(chan struct{})
	}
}

// Resume lets a paused query go on.
func (q *Query) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.resume != nil {
		close(q.resume)
		q.status, q.resume = Running, nil
	}
}

// ask has the query's goroutine do something between triggers.
func (q *Query) ask(ctx context.Context, do func(ctx context.Context) error) error {
	r := request{do, make(chan error, 1)}
	select {
	case q.requests <- r:
	case <-q.done:
		return q.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.reply:
		return err
	case <-q.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.reply: // the answer came before the end
		return err
	default:
		return q.ended()
	}
}

func (q *Query) ended() error {
	if err := q.Err(); err != nil {
		return err
	}
	return fmt.Errorf("query %q: %w", q.Name, ErrStopped)
}

// RunTrigger runs one trigger of a MANUAL query; the progress is nil if there was
// nothing to do.
func (q *Query) RunTrigger(ctx context.Context) (*trigger.Progress, error) {
	if t := q.Plan.Trigger; t == nil || t.Kind != ast.TriggerManual {
		return nil, fmt.Errorf("query %q: RUN TRIGGER is for queries with TRIGGER MANUAL; this one runs by itself", q.Name)
	}
	return q.Poke(ctx)
}

// Poke runs a trigger now, whatever the TRIGGER clause says; the progress is nil if
// there was nothing to do. A paused query refuses.
func (q *Query) Poke(ctx context.Context) (*trigger.Progress, error) {
	var p *trigger.Progress
	err := q.ask(ctx, func(ctx context.Context) (err error) {
		if q.Status() == Paused {
			return fmt.Errorf("query %q is paused: RESUME QUERY %s first", q.Name, q.Name)
		}
		p, err = q.trigger(ctx)
		return err
	})
	if err != nil { // p may still be written to
		return nil, err
	}
	return p, nil
}

// RequestStop has the query end after the trigger under way, and does not wait.
func (q *Query) RequestStop() { q.stopOnce.Do(func() { close(q.stop) }) }

// Stop ends the query after the trigger under way, and waits for that.
func (q *Query) Stop() error {
	q.RequestStop()
	<-q.done
	return q.Err()
}

// Kill ends the query at once, in the middle of a trigger, as a crash would.
func (q *Query) Kill() {
	q.cancel()
	<-q.done
}

// Await waits until the query ends, and returns why if it failed.
func (q *Query) Await(ctx context.Context) error {
	select {
	case <-q.done:
		return q.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done is closed when the query has ended.
func (q *Query) Done() <-chan struct{} { return q.done }

// over reports that the query has ended.
func (q *Query) over() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// Err is why the query failed, nil if it runs or ended well. While it waits to be started
// again it is why.
func (q *Query) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Status tells where the query stands.
func (q *Query) Status() Status {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.status
}

// LastProgress is the record of the last trigger that ran, nil before the first.
func (q *Query) LastProgress() *trigger.Progress {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.recent) == 0 {
		return nil
	}
	return q.recent[len(q.recent)-1]
}

// RecentProgress are the records of the last triggers, oldest first.
func (q *Query) RecentProgress() []*trigger.Progress {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]*trigger.Progress(nil), q.recent...)
}
