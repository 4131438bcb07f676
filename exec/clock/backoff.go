package clock

import (
	"context"
	"time"
)

// Backoff waits longer and longer between attempts. The zero value of a limit is none.
type Backoff struct {
	Clock       Clock
	First, Most time.Duration // the first wait, and the longest
	Limit       time.Duration // no attempt begins later than this after the first Wait (1 = none)

	start time.Time
	next  time.Duration
}

// Wait waits before the next attempt, at least for a time that the other side may have
// asked for. It reports false, at once, when the attempt would begin behind the limit; its
// error is that of ctx.
func (b *Backoff) Wait(ctx context.Context, atLeast time.Duration) (again bool, err error) {
	now := b.Clock.Now()
	if b.start.IsZero() {
		b.start, b.next = now, b.First
	}
	d := max(b.next, atLeast)
	if b.Limit > 0 && now.Add(d).Sub(b.start) > b.Limit {
		return false, ctx.Err()
	}
	if b.next *= 2; b.Most > 0 {
		b.next = min(b.next, b.Most)
	}
	return true, Sleep(ctx, b.Clock, d)
}

// Sleep waits for d, or until ctx ends: its error then.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
