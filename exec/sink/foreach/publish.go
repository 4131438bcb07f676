package foreach

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Sink hands rows to a writer or a batch function.
type Sink struct {
	cfg        sink.Config
	target     target
	partitions int
	by         []int // columns that decide the partition; nil = all
	schema     *schema
}

// Marker implements sink.Sink: what the program remembers is its own business.
func (s *Sink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{ID: -1}, nil }

// Stage implements sink.Sink.
func (s *Sink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	payload, err := staged.Partitioned(ctx, s.partitions, staged.ByHash(s.by), rows)
	return payload, s.wrap(err)
}

// Publish implements sink.Sink.
func (s *Sink) Publish(ctx context.Context, b sink.Batch, payload []byte) error {
	parts, err := staged.Split(payload)
	if err != nil {
		return s.wrap(err)
	}
	batches := make([][]*vec.Batch, len(parts))
	for i, p := range parts {
		err := p.Each(staged.Types(s.cfg.Columns), func(b *vec.Batch) error {
			batches[i] = append(batches[i], b)
			return nil
		})
		if err != nil {
			return s.wrap(fmt.Errorf("partition %d: %w", i, err))
		}
	}
	if s.target.batch != nil {
		return s.wrap(s.whole(ctx, b.ID, batches))
	}
	return s.wrap(s.all(ctx, b.ID, batches))
}

// all runs the partitions, some at the same time. The first error ends the others.
func (s *Sink) all(ctx context.Context, version int64, parts [][]*vec.Batch) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, rows := range parts {
		if len(rows) == 0 && s.cfg.Mode != sink.Complete {
			continue
		}
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := s.partition(ctx, i, version, rows); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// partition gives one partition to a new writer.
func (s *Sink) partition(ctx context.Context, part int, version int64, rows []*vec.Batch) (err error) {
	w := s.target.writer()
	defer func() {
		if err != nil {
			err = fmt.Errorf("partition %d: %w", part, err)
		}
	}()
	err = guarded(func() error {
		if mutant.On("a partition is called by the number of a row") {
			part = rows[0].N
		}
		ok, err := w.Open(ctx, part, version)
		if err != nil || !ok && !mutant.On("rows follow although open said false") {
			return err
		}
		for _, b := range rows {
			if err := s.process(ctx, w, b); err != nil {
				return err
			}
		}
		return nil
	})
	if mutant.On("close is not told of the error") {
		return errors.Join(err, guarded(func() error { return w.Close(nil) }))
	}
	return errors.Join(err, guarded(func() error { return w.Close(err) }))
}

func (s *Sink) process(ctx context.Context, w Writer, b *vec.Batch) error {
	for row := range b.N {
		if row&63 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r := Row{schema: s.schema, cols: b.Cols, row: row, weight: b.Weight(row)}
		for range s.times(r.weight) {
			if err := w.Process(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// times is how often a row is handed over: where weights only count equal rows, as often
// as it is there.
func (s *Sink) times(weight int64) int64 {
	if s.cfg.Mode == sink.Changelog || weight < 0 {
		return 1
	}
	return weight
}

// guarded makes an error of a panic: it is the program's code that runs.
func guarded(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the writer panicked: %v", r)
		}
	}()
	return do()
}

// Batch is what a BatchFunc is called with.
type Batch struct {
	ID             int64 // the same batch has the same number and rows at every call
	Query, QueryID string
	Mode           sink.Mode
	rows           []Row
	schema         *schema
}

func (s *Sink) whole(ctx context.Context, id int64, parts [][]*vec.Batch) error {
	b := &Batch{ID: id, Query: s.cfg.Query, QueryID: s.cfg.QueryID, Mode: s.cfg.Mode, schema: s.schema}
	for _, rows := range parts {
		for _, data := range rows {
			for row := range data.N {
				r := Row{schema: s.schema, cols: data.Cols, row: row, weight: data.Weight(row)}
				for range s.times(r.weight) {
					b.rows = append(b.rows, r)
				}
			}
		}
	}
	if len(b.rows) == 0 && s.cfg.Mode != sink.Complete {
		return nil
	}
	return guarded(func() error { return s.target.batch(ctx, b) })
}

// Len is the number of rows.
func (b *Batch) Len() int { return len(b.rows) }

// Rows are the rows in order. They are valid as long as the batch.
func (b *Batch) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, r := range b.rows {
			if !yield(r) {
				return
			}
		}
	}
}

// Columns are the names and types of the rows.
func (b *Batch) Columns() []types.Column { return b.schema.cols }

// Discard implements sink.Sink: nothing was staged outside.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (s *Sink) Description() string { return "ForeachSink[" + s.cfg.Name + "]" }

// Close implements sink.Sink.
func (s *Sink) Close() error { return nil }

func (s *Sink) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case s.cfg.Name == "":
		return fmt.Errorf("foreach: %w", err)
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
