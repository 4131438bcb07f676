package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// run is the query's goroutine, from start to end.
func (q *Query) run(ctx context.Context) {
	defer close(q.done)
	defer q.cancel()
	err := q.live(ctx)
	q.mu.Lock()
	q.err, q.status = err, Finished
	if err != nil {
		q.status = Failed
	}
	q.mu.Unlock()
	if q.last != nil {
		q.last()
	}
	q.bus.tell(event{kind: terminated, query: q, err: err})
}

// guarded runs the loop; a broken invariant ends this query and no other.
func (q *Query) guarded(ctx context.Context) (err error) {
	defer recovered(&err, "query "+strconv.Quote(q.Name))
	if err := q.loop(ctx); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() != nil) {
		return fmt.Errorf("query %q: %w", q.Name, err)
	}
	return nil
}

// recovered, deferred, makes the error of a panic.
func recovered(err *error, what string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", what, invariant.Recovered(r))
	}
}

// loop runs triggers as the query's TRIGGER clause says.
func (q *Query) loop(ctx context.Context) error {
	t := q.Plan.Trigger
	switch {
	case q.Plan.Finite:
		return q.finite(ctx)
	case t == nil:
		return q.continuous(ctx, 0)
	case t.Kind == ast.TriggerEvery:
		return q.continuous(ctx, every(t))
	case t.Kind == ast.TriggerManual:
		return q.manual(ctx)
	case t.Kind == ast.TriggerOnce:
		return q.once(ctx)
	}
	return q.available(ctx)
}

func every(t *ast.Trigger) time.Duration { return intervalOf(t.Every) }

// step runs one trigger and notes its progress. While the query is paused it waits.
func (q *Query) step(ctx context.Context) (bool, error) {
	if err := q.whilePaused(ctx); err != nil || q.stopping() {
		return false, err
	}
	p, err := q.trigger(ctx)
	return p != nil, err
}

// trigger runs one trigger, paused or not; nil if there was nothing to do.
func (q *Query) trigger(ctx context.Context) (*trigger.Progress, error) {
	q.activity.Store(int32(busy))
	p, err := q.q.Step(ctx)
	if err != nil || p == nil {
		q.activity.Store(int32(noData))
		return nil, err
	}
	q.activity.Store(int32(hadData))
	q.again.failed = 0
	q.mu.Lock()
	if len(q.recent) == recentProgress {
		q.recent = append(q.recent[:0], q.recent[1:]...)
	}
	q.recent = append(q.recent, p)
	q.mu.Unlock()
	q.idle = false
	q.bus.tell(event{kind: progressed, query: q, progress: p})
	return p, nil
}

// finite runs over inputs that end, and answers requests between triggers.
func (q *Query) finite(ctx context.Context) error {
	for {
		ran, err := q.step(ctx)
		if err != nil || !ran || q.stopping() {
			return err
		}
		if err := q.serve(ctx); err != nil {
			return err
		}
	}
}

// available takes what is there now, in as many triggers as the limits say.
func (q *Query) available(ctx context.Context) error {
	if err := q.q.Snapshot(ctx); err != nil {
		return err
	}
	return q.finite(ctx)
}

// once takes what is there now in one trigger, whatever the limits say; or, after a
// crash, runs the trigger that was under way. As in Spark.
func (q *Query) once(ctx context.Context) error {
	q.q.Unlimited()
	_, err := q.step(ctx)
	return err
}

// manual runs a trigger when it is asked to.
func (q *Query) manual(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.stop:
			return nil
		case r := <-q.requests:
			if err := q.answer(ctx, r); err != nil {
				return err
			}
		}
	}
}

// continuous runs until it is stopped: at once after a trigger, or every interval;
// a missed interval runs at once.
func (q *Query) continuous(ctx context.Context, interval time.Duration) error {
	next := q.clock.Now()
	for {
		ran, err := q.step(ctx)
		if err != nil || q.stopping() || !ran && q.q.Ended() {
			return err
		}
		wait := time.Duration(0)
		switch {
		case interval > 0:
			next = next.Add(interval)
			wait = next.Sub(q.clock.Now())
			if wait < 0 {
				next = q.clock.Now()
			}
		case !ran:
			wait = q.poll
		}
		if !ran {
			if err := q.rest(); err != nil {
				return err
			}
		}
		if err := q.wait(ctx, wait); err != nil || q.stopping() {
			return err
		}
	}
}

// whilePaused serves requests until the query is resumed or stopped.
func (q *Query) whilePaused(ctx context.Context) error {
	for {
		q.mu.Lock()
		resume := q.resume
		q.mu.Unlock()
		if resume == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.stop:
			return nil
		case <-resume:
			return nil
		case r := <-q.requests:
			if err := q.answer(ctx, r); err != nil {
				return err
			}
		}
	}
}

// answer does what was asked; a trigger that failed meanwhile ends the query, and whoever
// asked hears of it when the query says so too.
func (q *Query) answer(ctx context.Context, r request) error {
	err := r.do(ctx)
	if q.q.Err() != nil {
		q.last = func() { r.reply <- err }
		return q.q.Err()
	}
	r.reply <- err
	return nil
}

// rest makes commits durable while there is nothing to do.
func (q *Query) rest() error {
	if !q.idle {
		q.idle = true
		q.bus.tell(event{kind: idle, query: q})
	}
	return q.q.Rest()
}

// wait passes the time between triggers, and serves requests.
func (q *Query) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return q.serve(ctx)
	}
	t := q.clock.NewTimer(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.stop:
			return nil
		case <-t.C():
			return nil
		case r := <-q.requests:
			if err := q.answer(ctx, r); err != nil {
				return err
			}
		}
	}
}

// serve does one waiting request, if there is one.
func (q *Query) serve(ctx context.Context) error {
	select {
	case r := <-q.requests:
		if err := q.answer(ctx, r); err != nil {
			return err
		}
	default:
	}
	return ctx.Err()
}

func (q *Query) stopping() bool {
	select {
	case <-q.stop:
		return true
	default:
		return false
	}
}
