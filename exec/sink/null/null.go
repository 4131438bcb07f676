// Package null is the sink that takes every row and counts it, for measurements. Open
// this file first.
package null

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Connector describes the null sink.
func Connector() sink.Connector {
	const sentence = "Counts the rows and forgets them."
	return sink.Connector{
		Name: "null", Aliases: []string{"noop", "blackhole"},
		Doc:     "Takes all rows and keeps none, for measurements.",
		Modes:   map[sink.Mode]string{sink.Append: sentence, sink.Update: sentence, sink.Complete: sentence, sink.Changelog: sentence},
		Options: specs(),
		Deletes: true, Guarantee: sink.AtLeastOnce, Ephemeral: true, Concurrent: true,
		Open: func(_ context.Context, c sink.Config) (sink.Sink, error) {
			d, err := option.Open(specs(), c.Options)
			if err != nil {
				return nil, err
			}
			return &Sink{name: c.Name, digest: d.Bool("digest")}, nil
		},
	}
}

func specs() []option.Spec {
	return []option.Spec{{Name: "digest", Type: option.Bool, Default: "false",
		Doc: "Hashes every value, so that a measurement includes reading them; the sum over the rows is in the state log."}}
}

// Sink counts.
type Sink struct {
	name   string
	digest bool
	rows   int64
	hashes sync.Pool // of *[]uint64
}

type payload struct {
	Rows   int64  `json:"rows"`
	Digest uint64 `json:"digest,omitempty"` // sum of the hashes of the rows, in any order
}

// Rows is how many rows were published.
func (s *Sink) Rows() int64 { return s.rows }

// Marker implements sink.Sink.
func (s *Sink) Marker(context.Context) (sink.Marker, error) { return sink.Marker{ID: -1}, nil }

// Stage implements sink.Sink.
func (s *Sink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	var mu sync.Mutex
	var p payload
	err := rows(func(b *vec.Batch) error {
		sum := s.hash(b)
		mu.Lock()
		defer mu.Unlock()
		p.Rows += int64(b.Rows())
		p.Digest += sum
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

func (s *Sink) hash(b *vec.Batch) (sum uint64) {
	if !s.digest {
		return 0
	}
	buf, ok := s.hashes.Get().(*[]uint64)
	if !ok {
		buf = new([]uint64)
	}
	*buf = vec.Hash(b.Cols, b.N, b.Sel, *buf)
	for _, h := range (*buf)[:b.Rows()] {
		sum += h
	}
	s.hashes.Put(buf)
	return sum
}

// Publish implements sink.Sink.
func (s *Sink) Publish(_ context.Context, b sink.Batch, text []byte) error {
	var p payload
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("sink %q: payload of batch %d: %w", s.name, b.ID, err)
	}
	s.rows += p.Rows
	return nil
}

// Discard implements sink.Sink.
func (s *Sink) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (s *Sink) Description() string { return "NullSink" }

// Close implements sink.Sink.
func (s *Sink) Close() error { return nil }
