package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rowSource reads rows that the engine has in memory, once: a materialised view, the
// table of a memory sink.
type rowSource struct {
	name    string
	batches []*vec.Batch
	done    bool
}

// Restore implements source.Source.
func (s *rowSource) Restore(source.Range) error {
	return fmt.Errorf("%q is read once, and cannot go on after a restart: read it in a query of its own", s.name)
}

// Plan implements source.Source.
func (s *rowSource) Plan(context.Context, source.Limits, source.Snapshot) (source.Range, bool, error) {
	if s.done {
		return source.Range{}, false, nil
	}
	s.done = true
	return source.Range{Offset: json.RawMessage("0")}, true, nil
}

// Snapshot implements source.Source.
func (s *rowSource) Snapshot(context.Context) (source.Snapshot, error) { return nil, nil }

// Splits implements source.Source.
func (s *rowSource) Splits(context.Context, source.Range) ([]source.Split, error) {
	return []source.Split{s}, nil
}

// Rows implements source.Split.
func (s *rowSource) Rows() int64 {
	n := 0
	for _, b := range s.batches {
		n += b.Rows()
	}
	return int64(n)
}

// Read implements source.Split.
func (s *rowSource) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	for _, b := range s.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		out := vec.Batch{N: b.N, Sel: b.Sel, W: b.W, Cols: make([]*vec.Vector, len(rd.Need))}
		for i, c := range rd.Need {
			out.Cols[i] = b.Cols[c]
		}
		if err := emit(&out); err != nil {
			return err
		}
	}
	return nil
}

// Committed implements source.Source.
func (s *rowSource) Committed(context.Context, source.Range) error { return nil }

// Finished implements source.Source.
func (s *rowSource) Finished() bool { return s.done }

// Description implements source.Source.
func (s *rowSource) Description() string { return "Rows[" + s.name + "]" }

// Close implements source.Source.
func (s *rowSource) Close() error { return nil }

// memoryResult reads the table of a memory sink.
func (e *Engine) memoryResult(name string) (source.Source, error) {
	r := e.opt.Builtin.Results.Get(name)
	if r == nil {
		return nil, fmt.Errorf("memory sink %q: no query has filled it", name)
	}
	return &rowSource{name: name, batches: r.Rows()}, nil
}
