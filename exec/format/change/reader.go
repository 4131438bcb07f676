package change

import (
	"context"
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
	r.inner, err = f.NewReader(c)
	return r, err
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
	var out vec.Batch
	n := len(rd.Need)
	rd.Need = append(rd.Need[:n:n], r.op)
	weights := make([]int64, vec.BatchSize)
	return r.inner.Read(ctx, f, s, rd, func(b *vec.Batch) error {
		out = *b
		out.Cols, out.W = b.Cols[:n], weights[:b.N]
		var err error
		b.Each(func(row int) {
			if b.Cols[n].IsNull(row) {
				err = fmt.Errorf("%s: %s", f.Name, r.reason(nil, true))
				return
			}
			w, reason := Weight(b.Cols[n].Bytes(row), r.keyed)
			if weights[row] = w; reason != "" {
				err = fmt.Errorf("%s: field %q: %s", f.Name, r.name, reason)
			}
		})
		if err != nil {
			return err
		}
		return emit(&out)
	})
}
