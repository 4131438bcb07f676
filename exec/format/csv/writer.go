package csv

import (
	"context"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func writeOptions() []option.Spec {
	return option.Join(dialectOptions(), []option.Spec{
		{Name: "header", Type: option.Bool, Default: "false", Doc: "Begin each file with a line of the column names."},
		{Name: "quote_all", Type: option.Bool, Default: "false", Doc: "Put every field in quotes that is not NULL, not only those that need them."},
		compress.Option(),
	}, format.TimeOptions())
}

// writer is format.Writer for CSV.
type writer struct {
	config                 format.Config
	dialect                dialect
	header, all            bool
	codec                  string
	date, timestamp, local *scan.Pattern
}

func newWriter(c format.Config) (format.Writer, error) {
	w := &writer{config: c, header: c.Options.Bool("header"), all: c.Options.Bool("quote_all"), codec: c.Options.Enum("compression")}
	var err error
	if w.dialect, err = newDialect(c.Options); err != nil {
		return nil, err
	}
	if w.date, w.timestamp, w.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	for _, col := range c.Columns {
		if err := scalar(col); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Extension implements format.Writer.
func (w *writer) Extension() string { return ".csv" + compress.Extension(w.codec) }

// Create implements format.Writer.
func (w *writer) Create(out io.Writer) (format.FileWriter, error) {
	t, err := rows.NewFile(out, w.codec)
	if err != nil {
		return nil, err
	}
	f := &fileWriter{File: t, encoder: w.encoder()}
	if w.header {
		for i, c := range w.config.Columns {
			f.Buf = f.text(f.separate(f.Buf, i), []byte(c.Name))
		}
		f.Buf = append(f.Buf, '\n')
	}
	return f, nil
}

// NewEncoder implements format.MessageWriter: a message is a record, without a newline.
func (w *writer) NewEncoder(context.Context) (format.MessageEncoder, error) { return w.encoder(), nil }

func (w *writer) encoder() *encoder {
	return &encoder{writer: w, times: scan.NewWriter(w.config.Zone, w.date, w.timestamp, w.local)}
}

// encoder appends records, in one goroutine. It is format.MessageEncoder.
type encoder struct {
	*writer
	times   *scan.Writer
	scratch []byte
	err     error
}

// fileWriter is format.FileWriter for CSV.
type fileWriter struct {
	*rows.File
	*encoder
}

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) error {
	if b.Sel == nil {
		for row := range b.N {
			if err := f.row(b, row); err != nil {
				return err
			}
		}
		return nil
	}
	for _, row := range b.Sel {
		if err := f.row(b, int(row)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileWriter) row(b *vec.Batch, row int) (err error) {
	if f.Buf, err = f.Append(f.Buf, b, row); err != nil {
		return err
	}
	f.Buf = append(f.Buf, '\n')
	return f.EndRow()
}

// Append implements format.MessageEncoder.
func (e *encoder) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	e.err = nil
	for i, v := range b.Cols {
		dst = e.field(e.separate(dst, i), v, row)
	}
	return dst, e.err
}

func (e *encoder) separate(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, e.dialect.delimiter)
	}
	return dst
}

// field appends a value. What is not text is written first, then quoted if the
// delimiter or pattern makes that necessary.
func (e *encoder) field(dst []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, e.dialect.null...)
	}
	switch v.Type.Kind {
	case types.String, types.Bytes, types.JSON:
		return e.text(dst, v.Bytes(row))
	case types.Date:
		e.scratch = e.times.AppendDate(e.scratch[:0], v.Int(row))
	case types.Timestamp:
		e.scratch = e.times.AppendTimestamp(e.scratch[:0], v.Int(row))
	case types.TimestampNTZ:
		e.scratch = e.times.AppendLocal(e.scratch[:0], v.Int(row))
	case types.Time, types.UUID:
		e.scratch = vec.AppendText(e.scratch[:0], v, row, nil)
	default:
		e.scratch, _ = rows.AppendNumber(e.scratch[:0], v, row)
	}
	return e.text(dst, e.scratch)
}

// text appends a field, in quotes where it would be read as something else without.
func (e *encoder) text(dst, b []byte) []byte {
	d := &e.dialect
	if d.quote == 0 && e.err == nil && d.special(b) {
		e.err = fmt.Errorf("text %q holds a delimiter or newline, and the files have no quotes (option quote)", b)
	}
	if d.quote == 0 || !e.all && !d.needsQuotes(b) {
		return append(dst, b...)
	}
	dst = append(dst, d.quote)
	for _, c := range b {
		if c == d.quote || c == d.escape {
			dst = append(dst, d.escape)
		}
		dst = append(dst, c)
	}
	return append(dst, d.quote)
}

func (d *dialect) needsQuotes(b []byte) bool {
	if len(b) == 0 || string(b) == string(d.null) || b[0] == '#' || b[0] <= ' ' || b[len(b)-1] <= ' ' {
		return true
	}
	return d.special(b)
}

// special reports text that ends a field, or begins quotes.
func (d *dialect) special(b []byte) bool {
	for _, c := range b {
		if c == d.delimiter || c == d.quote && c != 0 || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}
