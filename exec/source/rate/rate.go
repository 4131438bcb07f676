// Package rate is the source that makes rows at a steady pace: (timestamp, value),
// value counting from 0. Row i belongs to the moment start + i/rows_per_second and is
// there once the clock has reached it; start is in the offset, so that a range gives
// the same rows whenever it is read. Open this file first.
package rate

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// splitRows is how many rows are read as one unit.
const splitRows = 64 * vec.BatchSize

// Connector describes the rate source.
func Connector() source.Connector {
	return source.Connector{
		Name: "rate", Doc: "Makes rows at a steady pace, for trials and load tests.",
		Options: []option.Spec{
			{Name: "rows_per_second", Type: option.Int, Min: 1, Max: 1_000_000_000, Default: "1",
				Doc: "How many rows belong to each second."},
			{Name: "num_rows", Type: option.Int, Min: 1, Doc: "The source ends after so many rows; by default never."},
		},
		Replayable: true,
		Recovery:   "The rows of the batch are made again: their numbers and times follow from its range.",
		Columns:    columns(),
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return open(c)
		},
	}
}

func columns() []types.Column {
	return []types.Column{{Name: "timestamp", Type: types.Of(types.Timestamp)}, {Name: "value", Type: types.Of(types.Int64)}}
}

// Source makes rows.
type Source struct {
	cfg       source.Config
	perSecond int64
	total     int64  // 0 = endless
	isTime    []bool // by column
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

func open(c source.Config) (*Source, error) {
	specs := Connector().Options
	d, err := option.Open(specs, c.Options)
	if err != nil {
		return nil, err
	}
	s := &Source{cfg: c, perSecond: d.Int("rows_per_second"), total: d.Int("num_rows")}
	for _, col := range c.Columns {
		switch {
		case strings.EqualFold(col.Name, "timestamp") && col.Type.Kind == types.Timestamp:
			s.isTime = append(s.isTime, true)
		case strings.EqualFold(col.Name, "value") && col.Type.Kind == types.Int64:
			s.isTime = append(s.isTime, false)
		default:
			return nil, fmt.Errorf("source %q: a rate source has the columns timestamp TIMESTAMP and value BIGINT, not %s %s", c.Name, col.Name, col.Type)
		}
	}
	if c.Finite && s.total == 0 {
		return nil, fmt.Errorf("source %q: a rate source without num_rows never ends, so it cannot be read as a table", c.Name)
	}
	return s, nil
}

// Restore implements source.Source.
func (s *Source) Restore(r source.Range) error {
	p := position{Rows: -1}
	if len(r.Offset) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Offset, &p); err != nil || p.Rows < 0 {
		return fmt.Errorf("source %q: offset %s is not that of a rate source", s.cfg.Name, r.Offset)
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
	}
	n := s.total
	if !s.cfg.Finite {
		n = 1 + s.rowsIn(now-s.at.StartUs)
		if s.total > 0 {
			n = min(n, s.total)
		}
	}
	return max(n, s.at.Rows)
}

func (s *Source) rowsIn(us int64) int64 {
	if us < 0 {
		return -1
	}
	hi, lo := bits.Mul64(uint64(us), uint64(s.perSecond))
	q, _ := bits.Div64(hi, lo, 1e6)
	return int64(q)
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
		for from := e.From; from < e.To; from += splitRows {
			out = append(out, &split{s: s, start: e.StartUs, from: from, to: min(from+splitRows, e.To)})
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
func (s *Source) Finished() bool { return s.total > 0 && s.at.Rows >= s.total }

// Description implements source.Source.
func (s *Source) Description() string {
	return fmt.Sprintf("RateSource[rows_per_second=%d]", s.perSecond)
}

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
	store := make([][vec.BatchSize]int64, len(rd.Need))
	for from := p.from; from < p.to; from += vec.BatchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.N = int(min(vec.BatchSize, p.to-from))
		for i, col := range rd.Need {
			vals := store[i][:b.N]
			p.fill(vals, from, p.s.isTime[col])
			b.Cols[i] = vec.FromInts(p.s.cfg.Columns[col].Type, vals)
		}
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

func (p *split) fill(vals []int64, from int64, isTime bool) {
	if !isTime {
		for i := range vals {
			vals[i] = from + int64(i)
		}
		return
	}
	rate := p.s.perSecond
	for i := range vals {
		row := from + int64(i)
		vals[i] = p.start + row/rate*1e6 + row%rate*1e6/rate
	}
}
