// Package pace owns sources whose rows are made, not read: row i belongs to a moment,
// and is there once the clock has reached it. The moment of row 0 is in the offset, so
// that a range gives the same rows whenever it is read. What is in the rows is the
// business of the sources that use it (rate, datagen). Open this file first, then
// speed.go.
package pace

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// splitRows is how many rows are read as one unit.
const splitRows = 64 * vec.BatchSize

// Config says how many rows there are, and when.
type Config struct {
	source.Config
	Kind        string // of the source, in messages: "rate"
	Description string
	Speed       Speed
	Total       int64  // 0 = endless
	TotalOption string // the option that says so
	Start       *int64 // the moment of row 0, µs; nil = when the source is first looked at
	Partitions  int64  // a range is cut into so many units; 0 = by its size
	// Make returns what makes rows for one reader: batches have the columns of need.
	Make func(need []int) Maker
}

// Maker makes rows.
type Maker interface {
	// Fill sets b.Cols to the rows from, from+1, … of which there are b.N. at are their
	// moments.
	Fill(b *vec.Batch, from int64, at []int64)
}

// Source is a source.Source of made rows.
type Source struct {
	cfg       Config
	at        position
	started   bool
	committed atomic.Int64 // where the last committed range began
}

// position is the offset in offsets/N: rows made so far, and when row 0 was.
type position struct {
	Rows    int64 `json:"rows"`
	StartUs int64 `json:"start_us"`
}

// entry is the line of the source log: rows From … To−1.
type entry struct {
	From    int64 `json:"from"`
	To      int64 `json:"to"`
	StartUs int64 `json:"start_us"`
}

// New returns a source.
func New(c Config) (*Source, error) {
	if c.Finite && c.Total == 0 {
		return nil, fmt.Errorf("source %q: a %s source without %s never ends, so it cannot be read as a table", c.Name, c.Kind, c.TotalOption)
	}
	return &Source{cfg: c}, nil
}

// Restore implements source.Source.
func (s *Source) Restore(r source.Range) error {
	p := position{Rows: -1}
	if len(r.Offset) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Offset, &p); err != nil || p.Rows < 0 {
		return fmt.Errorf("source %q: offset %s is not that of a %s source", s.cfg.Name, r.Offset, s.cfg.Kind)
	}
	s.at, s.started = p, true
	return nil
}

// Snapshot implements source.Source: the number of rows that are there.
func (s *Source) Snapshot(context.Context) (source.Snapshot, error) { return s.available(), nil }

// available counts the rows whose moment has come; the clock may go back.
func (s *Source) available() int64 {
	now := s.cfg.Clock.Now().UnixMicro()
	if !s.started {
		s.at.StartUs, s.started = now, true
		if s.cfg.Start != nil {
			s.at.StartUs = *s.cfg.Start
		}
	}
	n := s.cfg.Total
	if !s.cfg.Finite {
		n = s.cfg.Speed.Before(now - s.at.StartUs)
		if s.cfg.Total > 0 {
			n = min(n, s.cfg.Total)
		}
	}
	return max(n, s.at.Rows)
}

// Plan implements source.Source.
func (s *Source) Plan(_ context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	end := s.available()
	if n, ok := upTo.(int64); ok {
		end = min(end, n)
	}
	if l.Rows > 0 {
		end = min(end, s.at.Rows+l.Rows)
	}
	if end <= s.at.Rows {
		return source.Range{}, false, nil
	}
	e := entry{From: s.at.Rows, To: end, StartUs: s.at.StartUs}
	s.at.Rows = end
	offset, err := json.Marshal(s.at)
	if err != nil {
		return source.Range{}, false, err
	}
	line, err := json.Marshal(e)
	return source.Range{Offset: offset, Entries: []json.RawMessage{line}}, err == nil, err
}

// Splits implements source.Source.
func (s *Source) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	var out []source.Split
	for _, line := range r.Entries {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("source %q: source log entry: %w", s.cfg.Name, err)
		}
		unit := int64(splitRows)
		if n := s.cfg.Partitions; n > 0 {
			unit = max((e.To-e.From+n-1)/n, 1)
		}
		for from := e.From; from < e.To; from += unit {
			out = append(out, &split{s: s, start: e.StartUs, from: from, to: min(from+unit, e.To)})
		}
	}
	return out, nil
}

// Committed implements source.Source.
func (s *Source) Committed(_ context.Context, r source.Range) error {
	for _, line := range r.Entries {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("source %q: source log entry: %w", s.cfg.Name, err)
		}
		s.committed.Store(e.From)
	}
	return nil
}

// Keep implements source.Keeper: only the last range may be read again, the offset
// says the rest.
func (s *Source) Keep(line json.RawMessage) bool {
	var e entry
	return json.Unmarshal(line, &e) != nil || e.From >= s.committed.Load()
}

// Finished implements source.Source.
func (s *Source) Finished() bool { return s.cfg.Total > 0 && s.at.Rows >= s.cfg.Total }

// Description implements source.Source.
func (s *Source) Description() string { return s.cfg.Description }

// Close implements source.Source.
func (s *Source) Close() error { return nil }

// split is a run of rows.
type split struct {
	s        *Source
	start    int64
	from, to int64
}

// Rows implements source.Split.
func (p *split) Rows() int64 { return p.to - p.from }

// Read implements source.Split.
func (p *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	b := &vec.Batch{Cols: make([]*vec.Vector, len(rd.Need))}
	m := p.s.cfg.Make(rd.Need)
	var at [vec.BatchSize]int64
	for from := p.from; from < p.to; from += vec.BatchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.N = int(min(vec.BatchSize, p.to-from))
		p.s.cfg.Speed.moments(at[:b.N], from, p.start)
		m.Fill(b, from, at[:b.N])
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}
