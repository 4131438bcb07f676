// Package memory is the sink that keeps the result where SELECT finds it, for
// development: bounded in rows, gone with the program. Results belongs to the engine,
// which hands the rows to queries (relation.go keeps them). Open this file first.
package memory

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Connector describes the memory sink, which keeps its rows in results.
func Connector(results *Results) sink.Connector {
	return sink.Connector{
		Name: "memory",
		Doc:  "Keeps the result in memory, where SELECT finds it under the sink's name.",
		Modes: map[sink.Mode]string{
			sink.Append:    "Adds the rows that have become final.",
			sink.Update:    "Replaces the rows of changed keys and removes those of keys that are gone; without a known key it adds the new versions.",
			sink.Complete:  "Replaces the whole result.",
			sink.Changelog: "Removes old rows and adds new ones: the table is the result as it stands.",
		},
		Options: []option.Spec{
			{Name: "max_rows", Type: option.Int, Min: 1, Default: "1000000", Doc: "The query fails when the table would have more rows."},
		},
		Deletes:   true,
		Guarantee: sink.AtLeastOnce,
		Ephemeral: true,
		Open: func(_ context.Context, c sink.Config) (sink.Sink, error) {
			return open(results, c)
		},
	}
}

// Results holds the tables of the memory sinks of one engine. It is safe for
// concurrent use.
type Results struct {
	mu     sync.Mutex
	byName map[string]*Result
}

// NewResults returns an empty holder.
func NewResults() *Results { return &Results{byName: map[string]*Result{}} }

// Get returns the table of a sink; nil when no query has opened it.
func (r *Results) Get(name string) *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byName[name]
}

// Drop forgets the table of a sink.
func (r *Results) Drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byName, name)
}

func (r *Results) put(name string, t *Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byName[name] = t
}

// Result is the table of one sink, at a trigger boundary at any time.
type Result struct {
	mu   sync.Mutex
	cols []types.Column
	rel  relation
	last int64 // newest batch, −1 = none
}

// Columns is the schema.
func (t *Result) Columns() []types.Column { return t.cols }

// Rows returns the rows of the batches published so far. The batches never change.
func (t *Result) Rows() []*vec.Batch {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rel.snapshot()
}

// LastBatch is the newest batch in the table, −1 = none.
func (t *Result) LastBatch() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Sink fills a Result.
type Sink struct {
	cfg   sink.Config
	types []types.Type
	most  int64
	table *Result
}

func open(results *Results, c sink.Config) (*Sink, error) {
	specs := Connector(nil).Options
	d, err := option.Open(specs, c.Options)
	if err != nil {
		return nil, err
	}
	s := &Sink{cfg: c, most: d.Int("max_rows"), table: &Result{cols: c.Columns, last: -1}}
	for _, col := range c.Columns {
		s.types = append(s.types, col.Type)
	}
	s.table.rel = newRelation(c.Mode, c.Key)
	results.put(c.Name, s.table)
	return s, nil
}

// Marker implements sink.Sink: the table begins empty with every run.
func (s *Sink) Marker(context.Context) (sink.Marker, error) {
	last := s.table.LastBatch()
	return sink.Marker{OK: last >= 0, ID: last}, nil
}

// Stage implements sink.Sink. The payload is the rows.
func (s *Sink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	var payload []byte
	n := int64(0)
	if s.cfg.Mode == sink.Append {
		n = s.table.rows()
	}
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		n += int64(b.Rows())
		if grows := s.cfg.Mode == sink.Append || s.cfg.Mode == sink.Complete; grows && n > s.most {
			return s.full()
		}
		payload = vec.EncodeBatch(payload, b)
		return nil
	})
	if err != nil {
		return nil, s.wrap(err)
	}
	return append(binary.AppendVarint(nil, int64(len(payload))), payload...), nil
}

func (t *Result) rows() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rel.live
}

func (s *Sink) full() error {
	return fmt.Errorf("the result has more than %d rows; raise max_rows, or write it to files", s.most)
}

// Publish implements sink.Sink.
func (s *Sink) Publish(_ context.Context, b sink.Batch, payload []byte) error {
	batches, err := s.decode(payload)
	if err != nil {
		return s.wrap(fmt.Errorf("payload of batch %d: %w", b.ID, err))
	}
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if b.ID <= s.table.last {
		return nil
	}
	if err := s.table.rel.apply(batches); err != nil {
		return s.wrap(err)
	}
	if s.table.rel.live > s.most {
		return s.wrap(s.full())
	}
	s.table.last = b.ID
	return nil
}

func (s *Sink) decode(payload []byte) ([]*vec.Batch, error) {
	n, used := binary.Varint(payload)
	if used <= 0 || n != int64(len(payload)-used) {
		return nil, fmt.Errorf("%d bytes do not hold what they say", len(payload))
	}
	var out []*vec.Batch
	for rest := payload[used:]; len(rest) > 0; {
		b, more, err := vec.DecodeBatch(rest, s.types)
		if err != nil {
			return nil, err
		}
		out, rest = append(out, b), more
	}
	return out, nil
}

// Discard implements sink.Sink.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (s *Sink) Description() string { return "MemorySink[" + s.cfg.Name + "]" }

// Close implements sink.Sink. The table stays.
func (s *Sink) Close() error { return nil }

func (s *Sink) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %q: %w", s.cfg.Name, err)
}
