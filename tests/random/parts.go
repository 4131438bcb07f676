package random

import (
	"context"
	"errors"
	"runtime"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// inParts makes memory sources give every batch as a split of its own, which gives way
// before it is read, so that several workers take part in triggers of a few rows.
func inParts(reg *builtin.Registry) error {
	c, ok := reg.Source("memory")
	if !ok {
		return errors.New("there is no memory source")
	}
	open := c.Open
	c.Open = func(ctx context.Context, cfg source.Config) (source.Source, error) {
		s, err := open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		return partedSource{s}, nil
	}
	return nil
}

type partedSource struct{ source.Source }

// Splits implements source.Source.
func (s partedSource) Splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	list, err := s.Source.Splits(ctx, r)
	if len(list) != 1 {
		return list, err
	}
	out := make([]source.Split, len(r.Entries))
	for i := range out {
		out[i] = part{list[0], i}
	}
	return out, err
}

// part is one batch of a split.
type part struct {
	source.Split
	number int
}

// Rows implements source.Split.
func (part) Rows() int64 { return -1 }

// Read implements source.Split.
func (p part) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	for range 4 {
		runtime.Gosched()
	}
	i := 0
	return p.Split.Read(ctx, rd, func(b *vec.Batch) error {
		i++
		if i != p.number+1 {
			return nil
		}
		return emit(b)
	})
}
