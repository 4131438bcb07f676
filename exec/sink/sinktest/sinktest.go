// Package sinktest helps to test sinks: rows, a clock on which nobody waits, the steps of
// the trigger loop with a crash between any two (loop.go), and a proxy that cuts
// connections (proxy.go). Tests alone use it. Open this file first.
package sinktest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Config is that of a sink named result, of the query counts.
func Config(mode sink.Mode, cols []types.Column, key []int, opts ...string) sink.Config {
	c := sink.Config{Name: "result", Query: "counts", QueryID: "f67b589e-31f6-4ace-b1ab-365c155acca3", Columns: cols, Key: key,
		Mode: mode, Zone: time.UTC, Clock: NewImpatient()}
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

// Columns are of the given kinds, named a, b, c, …
func Columns(kinds ...types.Kind) []types.Column {
	out := make([]types.Column, len(kinds))
	for i, k := range kinds {
		out[i] = types.Column{Name: string(rune('a' + i)), Type: types.Of(k)}
	}
	return out
}

// Batch makes rows of values as vec.FromAny takes them.
func Batch(cols []types.Column, rows ...[]any) *vec.Batch {
	b := &vec.Batch{N: len(rows), Cols: make([]*vec.Vector, len(cols))}
	for i, c := range cols {
		vals := make([]any, len(rows))
		for r, row := range rows {
			vals[r] = row[i]
		}
		b.Cols[i] = vec.FromAny(c.Type, vals...)
	}
	return b
}

// Weighted gives a batch weights.
func Weighted(b *vec.Batch, weights ...int64) *vec.Batch {
	b.W = weights
	return b
}

// Feed is what Stage is given.
func Feed(batches ...*vec.Batch) func(func(*vec.Batch) error) error {
	return func(emit func(*vec.Batch) error) error {
		for _, b := range batches {
			if err := emit(b); err != nil {
				return err
			}
		}
		return nil
	}
}

// Write stages and publishes a batch.
func Write(s sink.Sink, b sink.Batch, batches ...*vec.Batch) ([]byte, error) {
	payload, err := s.Stage(context.Background(), b, Feed(batches...))
	if err != nil {
		return nil, err
	}
	return payload, s.Publish(context.Background(), b, payload)
}

// Impatient is a clock that jumps to when a timer is due as soon as it is made: retries
// take no time, and their limits still count.
type Impatient struct {
	mu     sync.Mutex
	now    time.Time
	Waited []time.Duration // of the timers so far
}

// NewImpatient returns a clock that stands in the year 2033.
func NewImpatient() *Impatient { return &Impatient{now: time.Unix(2_000_000_000, 0)} }

// Now implements clock.Clock.
func (i *Impatient) Now() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now
}

// NewTimer implements clock.Clock.
func (i *Impatient) NewTimer(d time.Duration) clock.Timer {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.now = i.now.Add(d)
	i.Waited = append(i.Waited, d)
	return clock.NewFake(i.now).NewTimer(0)
}

// Has fails unless err is there and has all the texts.
func Has(err error, texts ...string) string {
	if err == nil {
		return "no error, expected one with " + strings.Join(texts, ", ")
	}
	for _, t := range texts {
		if !strings.Contains(err.Error(), t) {
			return "error " + err.Error() + "\nlacks " + t
		}
	}
	return ""
}
