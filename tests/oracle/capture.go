package oracle

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// outRow is a row that the sink received.
type outRow struct {
	values []any // as vec.ToAny gives them
	json   []any // as recorded cases write them
	weight int64
}

// capture is the sink: it keeps the rows of the last trigger.
type capture struct {
	cols []types.Column
	rows []outRow
}

// Marker implements sink.Sink.
func (*capture) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (c *capture) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	c.rows = nil
	return nil, rows(func(b *vec.Batch) error {
		for i := range b.Rows() {
			k := b.Row(i)
			r := outRow{weight: b.Weight(k)}
			for _, v := range b.Cols {
				x := vec.ToAny(v, k)
				r.values = append(r.values, x)
				r.json = append(r.json, toJSON(x, v.Type))
			}
			c.rows = append(c.rows, r)
		}
		return nil
	})
}

// Publish implements sink.Sink.
func (*capture) Publish(context.Context, sink.Batch, []byte) error { return nil }

// Discard implements sink.Sink.
func (*capture) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (*capture) Description() string { return "Oracle" }

// Close implements sink.Sink.
func (*capture) Close() error { return nil }

// take returns the rows of the last trigger, each as often as its weight says, and
// forgets them. Removed keys have weight −1.
func (c *capture) take() []outRow {
	var out []outRow
	for _, r := range c.rows {
		if r.weight < 0 {
			out = append(out, r)
			continue
		}
		for range r.weight {
			out = append(out, outRow{r.values, r.json, 1})
		}
	}
	c.rows = nil
	return out
}
