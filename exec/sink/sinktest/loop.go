package sinktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Loop goes through the steps of the trigger loop with a sink that remembers its batches.
// What the loop would have in its state log survives every crash.
type Loop struct {
	Open func() (sink.Sink, error)
	Rows func(batch int64) []*vec.Batch // always the same for a batch
	// Check looks at the output, which must be that of the batches up to last.
	Check func(last int64) error

	epoch  int64
	logged [][]byte
}

// Point is a step after which a run ends.
type Point int

// The points.
const (
	Opened Point = iota
	Recovered
	Staged
	Logged
	Published
	points
)

var errStop = errors.New("stop")

// CrashEverywhere runs batches, ending at each point of each batch once, and goes on with
// a new run each time.
func (l *Loop) CrashEverywhere(batches int64) error {
	for n := range batches {
		for p := range points {
			if err := l.Run(n, p); err != nil {
				return fmt.Errorf("batch %d, ending at point %d: %w", n, p, err)
			}
		}
	}
	if err := l.Run(batches, Opened); err != nil {
		return err
	}
	return l.Check(int64(len(l.logged)) - 1)
}

// Run is a run of the query that ends at a point of a batch.
func (l *Loop) Run(batch int64, end Point) error {
	s, err := l.Open()
	if err != nil {
		return err
	}
	l.epoch++
	err = l.run(s, sink.Batch{Epoch: l.epoch}, batch, end)
	if errors.Is(err, errStop) {
		err = nil
	}
	return errors.Join(err, s.Close())
}

func (l *Loop) run(s sink.Sink, b sink.Batch, batch int64, end Point) error {
	ctx := context.Background()
	stop := func(p Point) bool { return b.ID >= batch && p == end }
	if err := l.recover(ctx, s, &b); err != nil {
		return err
	}
	if stop(Opened) {
		return errStop
	}
	if err := s.Discard(ctx, b); err != nil {
		return err
	}
	for ; !stop(Recovered); b.ID++ {
		payload, err := s.Stage(ctx, b, Feed(l.Rows(b.ID)...))
		if err != nil || stop(Staged) {
			return cmp.Or(err, errStop)
		}
		l.logged = append(l.logged, payload)
		if stop(Logged) {
			return errStop
		}
		if err := s.Publish(ctx, b, payload); err != nil || stop(Published) {
			return cmp.Or(err, errStop)
		}
	}
	return errStop
}

// recover applies the marker rule and publishes the last logged batch again.
func (l *Loop) recover(ctx context.Context, s sink.Sink, b *sink.Batch) error {
	m, err := s.Marker(ctx)
	if err != nil {
		return err
	}
	last := int64(len(l.logged)) - 1
	if b.ID = last; last < 0 {
		b.ID = 0
		if m.OK {
			return fmt.Errorf("a new sink has the marker %v", m)
		}
		return nil
	}
	switch {
	case m.OK && m.ID == last && m.Digest != sink.Digest(l.logged[last]):
		return fmt.Errorf("the marker of batch %d has another digest", last)
	case m.OK && m.ID != last && m.ID != last-1, !m.OK && last > 0:
		return fmt.Errorf("the marker is %v, logged is batch %d", m, last)
	}
	if m.OK {
		if err := l.Check(m.ID); err != nil {
			return err
		}
	}
	for range 2 {
		if err := s.Publish(ctx, *b, l.logged[last]); err != nil {
			return err
		}
		if err := l.Check(last); err != nil {
			return err
		}
	}
	b.ID++
	return nil
}

// Zombie checks that a run which goes on after a newer one has begun writes nothing, and
// says so.
func (l *Loop) Zombie(say string) error {
	ctx := context.Background()
	old, err := l.Open()
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }()
	l.epoch++
	next := sink.Batch{ID: int64(len(l.logged)), Epoch: l.epoch}
	payload, err := old.Stage(ctx, next, Feed(l.Rows(next.ID)...))
	if err != nil {
		return err
	}
	if err := l.Run(next.ID, Recovered); err != nil {
		return err
	}
	for _, err := range []error{old.Publish(ctx, next, payload), old.Discard(ctx, next)} {
		if text := Has(err, say); text != "" {
			return errors.New(text)
		}
		var fenced *sink.FencedError
		if !errors.As(err, &fenced) {
			return fmt.Errorf("%w: it is no FencedError", err)
		}
	}
	return l.Check(next.ID - 1)
}
