// Package memory is the source whose rows come from INSERT … VALUES, programs and
// tests. Rows that a range takes are in the range's log entries, so that they are
// written under sources/ before offsets/N and can be read again after a restart; rows
// that no range took yet are lost with the program. Weights are kept: a changelog
// input has insertions and deletions. Open this file first, then store.go.
package memory

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Connector describes the memory source over the rows of one engine.
func Connector(stores *Stores) source.Connector {
	return source.Connector{
		Name: "memory", Doc: "Holds the rows that INSERT INTO gives it, in memory.",
		Replayable: true, Weights: true,
		Recovery: "Rows of a batch that is not done are in the checkpoint; those that no batch has taken are gone with the program.",
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return open(stores, c)
		},
	}
}

// Source hands out the rows of a store.
type Source struct {
	cfg   source.Config
	store *Store
	inst  string
	types []types.Type
	at    position
	done  bool
}

// position is the offset in offsets/N. Position counts rows of the store of one run
// of the program, Rows those of all runs.
type position struct {
	Rows     int64  `json:"rows"`
	Instance string `json:"instance"`
	Position int64  `json:"position"`
}

// entry is a line of the source log: rows, encoded, or for a table, which needs no
// replay, a reference to them.
type entry struct {
	Rows int64  `json:"rows"`
	Data []byte `json:"data,omitempty"` // vec.EncodeBatch, in base64
	From int64  `json:"from,omitempty"`
}

func open(stores *Stores, c source.Config) (*Source, error) {
	s := &Source{cfg: c, store: stores.Get(c.Name), inst: stores.instance}
	s.at.Instance = stores.instance
	for _, col := range c.Columns {
		if col.Metadata != "" {
			return nil, fmt.Errorf("source %q: a memory source has no metadata column %q", c.Name, col.Metadata)
		}
		s.types = append(s.types, col.Type)
	}
	return s, nil
}

// Restore implements source.Source.
func (s *Source) Restore(r source.Range) error {
	p := position{Rows: -1}
	if len(r.Offset) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Offset, &p); err != nil || p.Rows < 0 || p.Instance == "" {
		return s.wrap(fmt.Errorf("offset %s is not that of a memory source", r.Offset))
	}
	if p.Instance != s.inst { // the rows of that run are gone, these are new
		p.Instance, p.Position = s.inst, 0
	}
	s.at = p
	return nil
}

// Snapshot implements source.Source: the number of rows in the store.
func (s *Source) Snapshot(context.Context) (source.Snapshot, error) { return s.store.Rows(), nil }

// Plan implements source.Source.
func (s *Source) Plan(_ context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	end := s.store.Rows()
	if n, ok := upTo.(int64); ok {
		end = min(end, n)
	}
	if l.Rows > 0 {
		end = min(end, s.at.Position+l.Rows)
	}
	from := s.at.Position
	s.done = end == s.store.Rows()
	if end <= from {
		return source.Range{}, false, nil
	}
	s.at.Position, s.at.Rows = end, s.at.Rows+end-from
	r, err := s.encode(from, end)
	return r, err == nil, s.wrap(err)
}

func (s *Source) encode(from, to int64) (source.Range, error) {
	var r source.Range
	var err error
	if r.Offset, err = json.Marshal(s.at); err != nil {
		return r, err
	}
	batches := s.store.between(from, to)
	if err := sameTypes(s.types, typesOf(batches[0])); err != nil {
		return r, err
	}
	if s.cfg.Finite && !s.cfg.Replay {
		return s.append(r, entry{Rows: to - from, From: from})
	}
	for _, b := range batches {
		if r, err = s.append(r, entry{Rows: int64(b.N), Data: vec.EncodeBatch(nil, b)}); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (s *Source) append(r source.Range, e entry) (source.Range, error) {
	line, err := json.Marshal(e)
	r.Entries = append(r.Entries, line)
	return r, err
}

// Splits implements source.Source. Rows of one range are one split: their order counts.
func (s *Source) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	p := &split{}
	for i, line := range r.Entries {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, s.wrap(fmt.Errorf("source log entry %d: %w", i+1, err))
		}
		p.rows += e.Rows
		if e.Data == nil {
			if e.From+e.Rows > s.store.Rows() {
				return nil, s.wrap(fmt.Errorf("%d rows that were in memory are gone", e.Rows))
			}
			p.batches = append(p.batches, s.store.between(e.From, e.From+e.Rows)...)
			continue
		}
		b, rest, err := vec.DecodeBatch(e.Data, s.types)
		if err != nil || len(rest) > 0 || int64(b.N) != e.Rows {
			return nil, s.wrap(fmt.Errorf("source log entry %d does not hold %d rows of the declared columns", i+1, e.Rows))
		}
		p.batches = append(p.batches, b)
	}
	if p.rows == 0 {
		return nil, nil
	}
	return []source.Split{p}, nil
}

// Committed implements source.Source.
func (s *Source) Committed(context.Context, source.Range) error { return nil }

// Finished implements source.Source.
func (s *Source) Finished() bool { return s.cfg.Finite && s.done }

// Description implements source.Source.
func (s *Source) Description() string { return "MemorySource[" + s.cfg.Name + "]" }

// Close implements source.Source.
func (s *Source) Close() error { return nil }

func (s *Source) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("source %q: %w", s.cfg.Name, err)
}

// split is the rows of a range.
type split struct {
	batches []*vec.Batch
	rows    int64
}

// Rows implements source.Split.
func (p *split) Rows() int64 { return p.rows }

// Read implements source.Split.
func (p *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	for _, b := range p.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		out := &vec.Batch{N: b.N, W: b.W, Cols: make([]*vec.Vector, len(rd.Need))}
		for i, col := range rd.Need {
			out.Cols[i] = b.Cols[col]
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}
