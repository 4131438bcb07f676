package rate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// MicroBatch describes the source that gives each micro-batch the same number of rows,
// all of one moment: a run of it is the same at any speed.
func MicroBatch() source.Connector {
	return source.Connector{
		Name: "rate_micro_batch", Aliases: []string{"rate-micro-batch"},
		Doc:        "Gives each micro-batch the same number of rows, all of one moment, for tests: a run is the same at any speed of the machine, as Spark's source of this name.",
		Options:    batchOptions(),
		Replayable: true,
		Columns:    columns(),
		Open: func(_ context.Context, c source.Config) (source.Source, error) {
			return openBatches(c)
		},
	}
}

func batchOptions() []option.Spec {
	return []option.Spec{
		{Name: "rows_per_batch", Type: option.Int, Min: 1, Max: 1_000_000_000, Required: true, Doc: "How many rows each micro-batch has."},
		{Name: "start_timestamp", Type: option.Int, Default: "0", Doc: "The time of the first micro-batch's rows, in ms since 1970."},
		{Name: "advance_ms_per_batch", Aliases: []string{"advance_millis_per_batch"}, Type: option.Int, Default: "1000",
			Doc: "By how much the time grows from micro-batch to micro-batch, in ms."},
		{Name: "num_partitions", Type: option.Int, Max: 10_000, Doc: "Into how many units a micro-batch is cut, of which each is read by one worker; by default by its size."},
		{Name: "num_batches", Type: option.Int, Min: 1, Doc: "The source ends after so many micro-batches; by default never."},
	}
}

// batches is the source of MicroBatch.
type batches struct {
	cfg            source.Config
	rows, parts    int64
	start, advance int64 // µs
	total          int64 // micro-batches; 0 = endless
	isTime         []bool
	done           int64 // micro-batches so far
}

// batchEnd is the offset in offsets/N: rows and, as Spark writes it, the time of the last.
type batchEnd struct {
	Rows      int64 `json:"offset"`
	Timestamp int64 `json:"timestamp"` // ms
}

func openBatches(c source.Config) (source.Source, error) {
	d, err := option.Open(batchOptions(), c.Options)
	if err != nil {
		return nil, err
	}
	s := &batches{cfg: c, rows: d.Int("rows_per_batch"), parts: d.Int("num_partitions"), start: d.Int("start_timestamp") * 1000,
		advance: d.Int("advance_ms_per_batch") * 1000, total: d.Int("num_batches")}
	if c.Finite && s.total == 0 {
		return nil, fmt.Errorf("source %q: a rate_micro_batch source without num_batches never ends, so it cannot be read as a table", c.Name)
	}
	s.isTime, err = timeColumns(c, "rate_micro_batch")
	return s, err
}

// Restore implements source.Source.
func (s *batches) Restore(r source.Range) error {
	if len(r.Offset) == 0 {
		return nil
	}
	n, err := s.number(r)
	s.done = n
	return err
}

// number counts the micro-batches up to the end of a range.
func (s *batches) number(r source.Range) (int64, error) {
	e := batchEnd{Rows: -1}
	if err := json.Unmarshal(r.Offset, &e); err != nil || e.Rows < 0 {
		return 0, fmt.Errorf("source %q: offset %s is not that of a rate_micro_batch source", s.cfg.Name, r.Offset)
	}
	n := e.Rows / s.rows
	if want := s.end(n); want != e {
		return 0, fmt.Errorf("source %q: offset %s was made with other options: rows_per_batch, start_timestamp and advance_ms_per_batch of a query with a checkpoint cannot be changed", s.cfg.Name, r.Offset)
	}
	return n, nil
}

// end is the offset behind n micro-batches.
func (s *batches) end(n int64) batchEnd {
	return batchEnd{Rows: n * s.rows, Timestamp: (s.start + n*s.advance) / 1000}
}

// Snapshot implements source.Source: one micro-batch more, as in Spark.
func (s *batches) Snapshot(context.Context) (source.Snapshot, error) { return s.done + 1, nil }

// Plan implements source.Source.
func (s *batches) Plan(_ context.Context, _ source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	if last, ok := upTo.(int64); s.Finished() || ok && s.done >= last {
		return source.Range{}, false, nil
	}
	s.done++
	offset, err := json.Marshal(s.end(s.done))
	return source.Range{Offset: offset}, err == nil, err
}

// Splits implements source.Source.
func (s *batches) Splits(_ context.Context, r source.Range) ([]source.Split, error) {
	n, err := s.number(r)
	if err != nil {
		return nil, err
	}
	parts := s.parts
	if parts == 0 {
		parts = (s.rows + 64*vec.BatchSize - 1) / (64 * vec.BatchSize)
	}
	unit := max((s.rows+parts-1)/parts, 1)
	var out []source.Split
	for from := int64(0); from < s.rows; from += unit {
		out = append(out, &batchSplit{s: s, at: s.start + (n-1)*s.advance, from: (n-1)*s.rows + from, n: min(unit, s.rows-from)})
	}
	return out, nil
}

// Committed implements source.Source.
func (s *batches) Committed(context.Context, source.Range) error { return nil }

// Finished implements source.Source.
func (s *batches) Finished() bool { return s.total > 0 && s.done >= s.total }

// Description implements source.Source.
func (s *batches) Description() string {
	return fmt.Sprintf("RateMicroBatchSource[rows_per_batch=%d]", s.rows)
}

// Close implements source.Source.
func (s *batches) Close() error { return nil }

// batchSplit is a part of a micro-batch.
type batchSplit struct {
	s           *batches
	at, from, n int64
}

// Rows implements source.Split.
func (p *batchSplit) Rows() int64 { return p.n }

// Read implements source.Split.
func (p *batchSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	var at [vec.BatchSize]int64
	for i := range at {
		at[i] = p.at
	}
	m := newMaker(p.s.cfg, p.s.isTime, rd.Need)
	b := &vec.Batch{Cols: make([]*vec.Vector, len(rd.Need))}
	for done := int64(0); done < p.n; done += vec.BatchSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.N = int(min(vec.BatchSize, p.n-done))
		m.Fill(b, p.from+done, at[:b.N])
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}
