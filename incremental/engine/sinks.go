package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// viewSink is the output of a materialised view: the rows live in the query's own
// state, so nothing is published to the outside. Once somebody has read the view, its rows
// are held for readers as well, batch by batch.
type viewSink struct {
	name  string
	types []types.Type
	key   []int
	store atomic.Pointer[viewStore] // nil = nobody has read it
	mu    sync.Mutex                // guards delta
	delta []*vec.Batch              // of the batch under way
}

// Marker implements sink.Sink.
func (*viewSink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (v *viewSink) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	v.delta = nil
	return nil, rows(func(b *vec.Batch) error {
		if v.store.Load() == nil {
			return nil
		}
		b = b.Clone()
		v.mu.Lock()
		defer v.mu.Unlock()
		v.delta = append(v.delta, b)
		return nil
	})
}

// Publish implements sink.Sink: readers see the whole batch from now on.
func (v *viewSink) Publish(context.Context, sink.Batch, []byte) error {
	if s := v.store.Load(); s != nil {
		s.publish(v.delta)
	}
	v.delta = nil
	return nil
}

// Discard implements sink.Sink.
func (*viewSink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (v *viewSink) Description() string { return "MaterializedView[" + v.name + "]" }

// Close implements sink.Sink.
func (*viewSink) Close() error { return nil }

// tableSink fills a table that lives in memory: INSERT INTO table SELECT, CREATE TABLE
// AS. The rows become visible together, when the query's batch is published.
type tableSink struct {
	e *Engine
	p *physical.Output
}

func (e *Engine) tableSink(p *physical.Output) sink.Sink { return &tableSink{e, p} }

// Marker implements sink.Sink.
func (*tableSink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (t *tableSink) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	var out []byte
	err := rows(func(b *vec.Batch) error {
		if err := notNull(t.p.Table, b); err != nil {
			return err
		}
		out = vec.EncodeBatch(out, b)
		return nil
	})
	return out, err
}

// notNull refuses a row for a relation in memory that lacks what NOT NULL promises.
func notNull(r *catalog.Relation, b *vec.Batch) error {
	if r == nil {
		return nil
	}
	_, at := r.Inputs()
	for i, c := range at {
		if !r.Columns[c].NotNull || !b.Cols[i].HasNulls() {
			continue
		}
		for j := range b.Rows() {
			if b.Cols[i].IsNull(b.Row(j)) {
				return fmt.Errorf("column %q of %q is NULL, and is declared NOT NULL", r.Columns[c].Name, r.Name)
			}
		}
	}
	return nil
}

// Publish implements sink.Sink.
func (t *tableSink) Publish(_ context.Context, _ sink.Batch, payload []byte) error {
	if t.p.Table == nil {
		return errors.New("the table of the query is gone")
	}
	return t.e.appendEncoded(t.p.Table, payload)
}

// Discard implements sink.Sink.
func (*tableSink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (t *tableSink) Description() string { return "Table[" + t.p.Name + "]" }

// Close implements sink.Sink.
func (*tableSink) Close() error { return nil }

// forward is a sink that hands rows on as they come: the rows of a finite SELECT.
type forward struct {
	viewSink
	emit func(*vec.Batch) error
}

// Stage implements sink.Sink.
func (f *forward) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	return nil, rows(f.emit)
}

// Description implements sink.Sink.
func (*forward) Description() string { return "Client" }
