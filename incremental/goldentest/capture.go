package goldentest

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// capture is the sink of a query under test: it keeps the rows of the last trigger.
type capture struct {
	rows []*vec.Batch
}

// Marker implements sink.Sink.
func (*capture) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (c *capture) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	c.rows = nil
	return nil, rows(func(b *vec.Batch) error {
		c.rows = append(c.rows, b.Clone())
		return nil
	})
}

// Publish implements sink.Sink.
func (*capture) Publish(context.Context, sink.Batch, []byte) error { return nil }

// Discard implements sink.Sink.
func (*capture) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (*capture) Description() string { return "Test" }

// Close implements sink.Sink.
func (*capture) Close() error { return nil }

// take returns the rows of the last trigger and forgets them.
func (c *capture) take() []*vec.Batch {
	rows := c.rows
	c.rows = nil
	return rows
}
