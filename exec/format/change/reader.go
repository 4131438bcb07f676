package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Column is the op column of a source whose rows are changes: that of the option, else op.
func Column(c format.Config) string {
	if name := c.Options.Text("op_column"); name != "" {
		return name
	}
	return "op"
}

// NewReader makes the reader of a format whose rows are changes: of its envelope, or by
// the column that says what became of each row, which is none of c.Columns. key lists
// the columns of the PRIMARY KEY, nil = none.
func NewReader(f *format.Format, c format.Config, key []int) (format.Reader, error) {
	switch f.Changes {
	case format.ByEnvelope:
		c.Key = key
		return f.NewReader(c)
	case format.ByColumn:
		return newByColumn(f, c, len(key) > 0)
	}
	return nil, fmt.Errorf("format %s delivers no deletions", f.Name)
}

// byColumn is a format.Reader that turns the last column of another one into weights.
type byColumn struct {
	inner format.Reader
	op    int
	name  string
	keyed bool
}

func newByColumn(f *format.Format, c format.Config, keyed bool) (format.Reader, error) {
	r := &byColumn{op: len(c.Columns), name: Column(c), keyed: keyed}
	c.Columns = append(c.Columns[:r.op:r.op], types.Column{Name: r.name, Type: types.Of(types.String)})
	c.Check = &format.Check{Column: r.op, Reason: r.reason}
	var err error
	if r.inner, err = f.NewReader(c); err != nil {
		return nil, err
	}
	if m, ok := r.inner.(format.MessageReader); ok {
		return &messages{r, m}, nil
	}
	return r, nil
}

// reason says why a value of the op column is none, "" if it is one.
func (r *byColumn) reason(word []byte, null bool) string {
	if null {
		return fmt.Sprintf("field %q is missing: it says what became of the row", r.name)
	}
	if _, reason := Weight(word, r.keyed); reason != "" {
		return fmt.Sprintf("field %q: %s", r.name, reason)
	}
	return ""
}

// Sections implements format.Reader. Rows are not counted by their number.
func (r *byColumn) Sections(ctx context.Context, f format.File) ([]format.Section, error) {
	out, err := r.inner.Sections(ctx, f)
	for i := range out {
		out[i].Rows = -1
	}
	return out, err
}

// Read implements format.Reader.
func (r *byColumn) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	n := len(rd.Need)
	w := r.weighing(n)
	rd.Need = append(rd.Need[:n:n], r.op)
	return r.inner.Read(ctx, f, s, rd, func(b *vec.Batch) error {
		if err := w.weigh(b); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return emit(&w.out)
	})
}

// messages is a byColumn over a reader that decodes messages too.
type messages struct {
	*byColumn
	inner format.MessageReader
}

// ReadMessages implements format.MessageReader.
func (r *messages) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	n := len(rd.Need)
	w := r.weighing(n)
	rd.Need = append(rd.Need[:n:n], r.op)
	return r.inner.ReadMessages(ctx, m, rd, func(b *vec.Batch, from []int32) error {
		if err := w.weigh(b); err != nil {
			return err
		}
		return emit(&w.out, from)
	})
}

// weighing takes the op column from batches, and makes weights of it.
type weighing struct {
	r       *byColumn
	n       int // columns before it
	out     vec.Batch
	weights []int64
}

func (r *byColumn) weighing(n int) *weighing {
	return &weighing{r: r, n: n, weights: make([]int64, vec.BatchSize)}
}

// weigh makes out of a batch of the inner reader, which has tested the words already.
func (w *weighing) weigh(b *vec.Batch) (err error) {
	w.out = *b
	w.out.Cols, w.out.W = b.Cols[:w.n], w.weights[:b.N]
	op := b.Cols[w.n]
	b.Each(func(row int) {
		if op.IsNull(row) {
			err = errors.New(w.r.reason(nil, true))
			return
		}
		weight, reason := Weight(op.Bytes(row), w.r.keyed)
		if w.weights[row] = weight; reason != "" {
			err = fmt.Errorf("field %q: %s", w.r.name, reason)
		}
	})
	return err
}
