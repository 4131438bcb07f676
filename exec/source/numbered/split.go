package numbered

import (
	"context"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// split is a range of rows.
type split struct {
	s        *numbers
	from, to int64
}

// Rows implements source.Split.
func (p *split) Rows() int64 { return p.to - p.from }

// Read implements source.Split.
func (p *split) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	f := p.s.filler(rd.Need, emit)
	n := p.from
	err := p.s.rows.Read(ctx, p.from, p.to, func(row ...any) error {
		n++
		return f.take(n-1, row)
	})
	switch {
	case err != nil:
		return err
	case n != p.to:
		return fmt.Errorf("there should be rows up to number %d, and there are %d", p.to-1, n-p.from)
	}
	return f.flush()
}

// filler collects rows in columns.
type filler struct {
	s        *numbers
	need     []int // columns of the log
	builders []*vec.Builder
	n        int
	emit     func(*vec.Batch) error
}

func (s *numbers) filler(need []int, emit func(*vec.Batch) error) *filler {
	f := &filler{s: s, emit: emit}
	for _, i := range need {
		f.need = append(f.need, s.at[i])
		f.builders = append(f.builders, vec.NewBuilder(s.cfg.Columns[i].Type))
	}
	return f
}

func (f *filler) take(number int64, row []any) error {
	if len(row) != len(f.s.log.Columns) {
		return fmt.Errorf("row %d has %d values, and there are %d columns", number, len(row), len(f.s.log.Columns))
	}
	for i, c := range f.need {
		if err := put(f.builders[i], row[c]); err != nil {
			return fmt.Errorf("row %d, column %q: %w", number, f.s.log.Columns[c].Name, err)
		}
	}
	if f.n++; f.n == vec.BatchSize {
		return f.flush()
	}
	return nil
}

// put appends a value if it is one of the column's type.
func put(b *vec.Builder, x any) error {
	kind, ok := b.Type().Kind, false
	switch v := x.(type) {
	case nil:
		ok = true
	case time.Time:
		x, ok = v.UnixMicro(), kind == types.Timestamp || kind == types.TimestampNTZ
	case bool:
		ok = kind == types.Bool
	case int64:
		ok = kind == types.Int8 || kind == types.Int16 || kind == types.Int32 || kind == types.Int64
	case float64:
		ok = kind == types.Float32 || kind == types.Float64
	case string:
		if ok = kind == types.String; kind == types.Time || kind == types.UUID || kind == types.JSON {
			var err error
			if x, err = types.ParseAny(kind, v); err != nil {
				return err
			}
			ok = true
		}
	case []byte:
		ok = kind == types.Bytes
	}
	if !ok {
		return fmt.Errorf("a Go %T is no %s", x, b.Type())
	}
	b.AppendAny(x)
	return nil
}

func (f *filler) flush() error {
	if f.n == 0 {
		return nil
	}
	b := &vec.Batch{N: f.n, Cols: make([]*vec.Vector, len(f.builders))}
	for i, x := range f.builders {
		b.Cols[i] = x.Take()
	}
	f.n = 0
	return f.emit(b)
}
