package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// control is START, STOP, PAUSE, RESUME, CANCEL and AWAIT QUERY.
func (e *Engine) control(ctx context.Context, s *ast.QueryControl) (*Result, error) {
	if s.Recompute || s.Savepoint || s.Checkpoint != nil {
		return nil, refuse(s.Span, "RECOMPUTE, WITH SAVEPOINT and FROM CHECKPOINT are not supported yet")
	}
	if s.Timeout != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, intervalOf(s.Timeout))
		defer cancel()
	}
	if s.Name == nil {
		return e.awaitMany(ctx, s)
	}
	q, err := e.named(s.Name)
	if err != nil {
		return nil, err
	}
	switch s.Action {
	case ast.StopQuery:
		q.RequestStop()
		err = q.Await(ctx)
	case ast.CancelQuery:
		q.Kill()
	case ast.AwaitQuery:
		err = q.Await(ctx)
	case ast.PauseQuery:
		q.Pause()
	case ast.ResumeQuery:
		q.Resume()
	case ast.StartQuery:
		return e.again(ctx, q)
	default:
		return nil, refuse(s.Span, "%s QUERY is not supported", s.Action)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Result{Message: fmt.Sprintf("query %s is still %s", q.Name, q.Status())}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Result{Message: fmt.Sprintf("query %s is %s", q.Name, q.Status())}, nil
}

// Again runs a query that has ended once more, on its checkpoint: START QUERY.
func (e *Engine) Again(ctx context.Context, q *Query) (*Query, error) {
	release, err := e.turn.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	r, err := e.again(ctx, q)
	if err != nil {
		return nil, err
	}
	return r.Query, nil
}

// again is START QUERY.
func (e *Engine) again(ctx context.Context, q *Query) (*Result, error) {
	select {
	case <-q.done:
	default:
		return nil, fmt.Errorf("query %q is %s already", q.Name, q.Status())
	}
	n, err := e.launch(ctx, q.Plan, q.SQL, q.target)
	if err != nil {
		return nil, err
	}
	return &Result{Message: fmt.Sprintf("query %s started", n.Name), Query: n}, nil
}

func (e *Engine) awaitMany(ctx context.Context, s *ast.QueryControl) (*Result, error) {
	if s.Any {
		return e.awaitAny(ctx)
	}
	switch err := e.AwaitAll(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return &Result{Message: "queries are still running"}, nil
	case err != nil:
		return nil, err
	}
	return &Result{Message: "all queries have ended"}, nil
}

func (e *Engine) awaitAny(ctx context.Context) (*Result, error) {
	active := e.Active()
	if len(active) == 0 {
		return &Result{Message: "no query is running"}, nil
	}
	i, err := firstEnded(ctx, active)
	if errors.Is(err, context.DeadlineExceeded) {
		return &Result{Message: "no query has ended"}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := active[i].Err(); err != nil {
		return nil, err
	}
	return &Result{Message: fmt.Sprintf("query %s is %s", active[i].Name, active[i].Status())}, nil
}

// intervalOf is a constant interval without months as a duration.
func intervalOf(i *ast.Interval) time.Duration {
	return time.Duration(i.Days*86_400_000_000+i.Micros) * time.Microsecond
}

func (e *Engine) named(n *ast.Name) (*Query, error) {
	if q := e.Query(n.String()); q != nil {
		return q, nil
	}
	var names []string
	for _, q := range e.Queries() {
		names = append(names, q.Name)
	}
	d := diag.Errorf(diag.UnknownQuery, n.Span, "there is no query named %q", n.String())
	if best := diag.DidYouMean(n.String(), names); best != "" {
		d = d.WithHint("did you mean %q?", best)
	}
	return nil, diag.NewError(nil, d)
}

// runTrigger is RUN TRIGGER: one trigger of a MANUAL query, or of all of them.
func (e *Engine) runTrigger(ctx context.Context, s *ast.RunTrigger) (*Result, error) {
	queries := e.Active()
	if s.For != nil {
		q, err := e.named(s.For)
		if err != nil {
			return nil, err
		}
		queries = []*Query{q}
	}
	ran := 0
	for _, q := range queries {
		if s.For == nil && (q.Plan.Trigger == nil || q.Plan.Trigger.Kind != ast.TriggerManual) {
			continue
		}
		p, err := q.RunTrigger(ctx)
		if err != nil {
			return nil, err
		}
		if p != nil {
			ran++
		}
	}
	return &Result{Message: fmt.Sprintf("%d triggers ran", ran)}, nil
}

func refuse(span diag.Span, format string, args ...any) error {
	return diag.NewError(nil, diag.Errorf(diag.NotSupported, span, format, args...))
}
