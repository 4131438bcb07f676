// Package raw owns the format of values that are not looked into: one column holds the
// bytes as they are. It knows neither file systems nor sources. Open this file first.
package raw

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Format describes raw values.
func Format() *format.Format {
	return &format.Format{
		Name:    "raw",
		Aliases: []string{"binary", "bytes"},
		Doc: "One column, BYTES or STRING, named value unless it is declared otherwise: it holds a message as it is. " +
			"A message without a value is NULL. As STRING it must be UTF-8, else the row is bad.",
		MessagesOnly: true,
		Columns:      columns(),
		NewReader:    newReader,
		NewWriter:    newWriter,
	}
}

func columns() []types.Column {
	return []types.Column{{Name: "value", Type: types.Of(types.Bytes)}}
}

func checkColumns(cols []types.Column) error {
	if len(cols) != 1 {
		return fmt.Errorf("the raw format has exactly one column, of type BYTES or STRING; there are %d", len(cols))
	}
	if k := cols[0].Type.Kind; k != types.Bytes && k != types.String {
		return fmt.Errorf("column %q: the raw format holds BYTES or STRING, not %s; cast it", cols[0].Name, cols[0].Type)
	}
	return nil
}

// reader is format.MessageReader for raw values.
type reader struct {
	format.NoFiles
	typ    types.Type
	policy format.Policy
}

func newReader(c format.Config) (format.Reader, error) {
	if err := checkColumns(c.Columns); err != nil {
		return nil, err
	}
	return &reader{format.NoFiles{}, c.Columns[0].Type, format.Policy{OnError: c.OnError, Corrupt: -1}}, nil
}

// ReadMessages implements format.MessageReader.
func (r *reader) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	d := r.session(rd.Need)
	d.BeginMessages(ctx, &m, rd, emit)
	return d.EachMessage(m.Buf, func(p, end int) { d.take(m.Buf, p, end) }, d.TakeNulls)
}

// session is one call of ReadMessages.
type session struct {
	rows.Set
	value *column.Column
}

func (r *reader) session(need []int) *session {
	d := &session{value: column.New(r.typ, vec.BatchSize)}
	d.Policy = r.policy
	for range need {
		d.Cols = append(d.Cols, d.value)
	}
	return d
}

// take makes block[p:q] a row.
func (d *session) take(block []byte, p, q int) {
	if d.value.Type.Kind == types.String && !utf8.Valid(block[p:q]) {
		d.Report(block, p, q, "text that is not UTF-8; declare the column BYTES")
		return
	}
	d.value.Str[d.Row] = vec.StrRef{Off: uint32(p), Len: uint32(q - p)}
	d.Take()
}

// writer is format.MessageWriter for raw values.
type writer struct{ format.NoFiles }

func newWriter(c format.Config) (format.Writer, error) { return writer{}, checkColumns(c.Columns) }

// NewEncoder implements format.MessageWriter.
func (writer) NewEncoder(context.Context) (format.MessageEncoder, error) { return encoder{}, nil }

type encoder struct{}

// Append implements format.MessageEncoder.
func (encoder) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	if b.Cols[0].IsNull(row) {
		return dst, nil
	}
	return append(dst, b.Cols[0].Bytes(row)...), nil
}

// Null implements format.NullMessages.
func (encoder) Null(b *vec.Batch, row int) bool { return b.Cols[0].IsNull(row) }
