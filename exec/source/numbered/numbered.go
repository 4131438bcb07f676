// Package numbered makes sources of Go code whose rows have numbers: a log, an append-only
// table, a generator. The code says how many rows there are and gives those of a range;
// limits, restarts and exactly-once follow from the numbers, since the same range has the
// same rows at every reading. It is for programs that embed the engine, which register it
// with Engine.RegisterSource. Open this file first.
package numbered

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Log is what a program says of its rows. Calls may come from several goroutines.
type Log struct {
	Name    string // WITH (connector = 'name')
	Doc     string
	Options []option.Spec // of WITH, besides those of every source
	Columns []types.Column
	// Open opens the rows for one source; options are those of Options.
	Open func(ctx context.Context, o option.Decoded) (Rows, error)
}

// Rows are the rows of a source, numbered from 0.
type Rows interface {
	// End is the number behind the last row that is there now. It never gets less.
	End(ctx context.Context) (int64, error)
	// Read gives the rows from ≤ number < to in order, each as a value a column: nil, bool,
	// int64, float64, string, []byte, or time.Time. The same range has the same rows whenever
	// it is read, in a later process too; if it cannot be read any more, that is an error
	// which says what is missing.
	Read(ctx context.Context, from, to int64, emit func(row ...any) error) error
	Close() error
}

// Connector makes a kind of source of a log.
func Connector(l Log) source.Connector {
	return source.Connector{Name: l.Name, Doc: l.Doc, Options: l.Options, Replayable: true, Columns: l.Columns,
		Open: func(ctx context.Context, c source.Config) (source.Source, error) { return l.open(ctx, c) }}
}

func (l Log) open(ctx context.Context, c source.Config) (source.Source, error) {
	d, err := option.Open(l.Options, c.Options)
	if err != nil {
		return nil, err
	}
	s := &numbers{log: l, cfg: c}
	for _, col := range c.Columns {
		at, err := l.column(col)
		if err != nil {
			return nil, err
		}
		s.at = append(s.at, at)
	}
	s.rows, err = l.Open(ctx, d)
	return s, err
}

// column finds a declared column among those of the log.
func (l Log) column(c source.Column) (int, error) {
	for i, have := range l.Columns {
		if strings.EqualFold(have.Name, c.Name) {
			if !have.Type.Equal(c.Type) {
				return 0, fmt.Errorf("column %q of a %s source is %s, not %s", c.Name, l.Name, have.Type, c.Type)
			}
			return i, nil
		}
	}
	return 0, fmt.Errorf("a %s source has no column %q", l.Name, c.Name)
}

// numbers is the source of a log.
type numbers struct {
	log       Log
	cfg       source.Config
	rows      Rows
	at        []int // by declared column: the one of the log
	next      int64
	committed atomic.Int64 // where the last range begins that is committed
	done      bool         // a finite source has been planned to its end
}

// Restore implements source.Source.
func (s *numbers) Restore(r source.Range) error {
	if len(r.Offset) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Offset, &s.next); err != nil || s.next < 0 {
		return fmt.Errorf("source %q: offset %s is not that of a %s source", s.cfg.Name, r.Offset, s.log.Name)
	}
	return nil
}

// Plan implements source.Source.
func (s *numbers) Plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	end, ok := upTo.(int64)
	if !ok {
		var err error
		if end, err = s.rows.End(ctx); err != nil {
			return source.Range{}, false, err
		}
	}
	if end <= s.next {
		s.done = s.cfg.Finite
		return source.Range{}, false, nil
	}
	if l.Rows > 0 {
		end = min(end, s.next+l.Rows)
	}
	r, err := ranged(s.next, end)
	s.next, s.done = end, s.cfg.Finite
	return r, true, err
}

// ranged is a range as logs keep it: the position after it, and both ends.
func ranged(from, to int64) (r source.Range, err error) {
	if r.Offset, err = json.Marshal(to); err != nil {
		return r, err
	}
	entry, err := json.Marshal(ends{from, to})
	r.Entries = []json.RawMessage{entry}
	return r, err
}

// ends is an entry of the source log.
type ends struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Keep implements source.Keeper: only the last range may be read again, the offset says
// the rest.
func (s *numbers) Keep(line json.RawMessage) bool {
	var e ends
	return json.Unmarshal(line, &e) != nil || e.From >= s.committed.Load()
}

// Snapshot implements source.Source.
func (s *numbers) Snapshot(ctx context.Context) (source.Snapshot, error) { return s.rows.End(ctx) }

// Splits implements source.Source.
func (s *numbers) Splits(_ context.Context, r source.Range) (out []source.Split, err error) {
	for _, line := range r.Entries {
		var e ends
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("source %q: source log entry: %w", s.cfg.Name, err)
		}
		out = append(out, &split{s, e.From, e.To})
	}
	return out, nil
}

// Committed implements source.Source.
func (s *numbers) Committed(_ context.Context, r source.Range) error {
	for _, line := range r.Entries {
		var e ends
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("source %q: source log entry: %w", s.cfg.Name, err)
		}
		s.committed.Store(e.From)
	}
	return nil
}

// Finished implements source.Source.
func (s *numbers) Finished() bool { return s.done }

// Description implements source.Source.
func (s *numbers) Description() string { return s.log.Name + "[" + s.cfg.Name + "]" }

// Close implements source.Source.
func (s *numbers) Close() error { return s.rows.Close() }

// Backlog implements source.Backlogged.
func (s *numbers) Backlog() (int64, bool) {
	end, err := s.rows.End(context.Background())
	return max(end-s.next, 0), err == nil
}
