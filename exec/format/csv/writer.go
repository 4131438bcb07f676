package csv

import (
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
	f := &fileWriter{File: t, writer: w, times: scan.NewWriter(w.config.Zone, w.date, w.timestamp, w.local)}
	if w.header {
		for i, c := range w.config.Columns {
			f.separate(i)
			f.text([]byte(c.Name))
		}
		f.Buf = append(f.Buf, '\n')
	}
	return f, nil
}

// fileWriter is format.FileWriter for CSV.
type fileWriter struct {
	*rows.File
	*writer
	times   *scan.Writer
	scratch []byte
	err     error
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

func (f *fileWriter) row(b *vec.Batch, row int) error {
	for i, v := range b.Cols {
		f.separate(i)
		f.field(v, row)
	}
	f.Buf = append(f.Buf, '\n')
	if f.err != nil {
		return f.err
	}
	return f.EndRow()
}

func (f *fileWriter) separate(i int) {
	if i > 0 {
		f.Buf = append(f.Buf, f.dialect.delimiter)
	}
}

// field appends a value. What is not text is written first, then quoted if the
// delimiter or pattern makes that necessary.
func (f *fileWriter) field(v *vec.Vector, row int) {
	if v.IsNull(row) {
		f.Buf = append(f.Buf, f.dialect.null...)
		return
	}
	switch v.Type.Kind {
	case types.String, types.Bytes:
		f.text(v.Bytes(row))
		return
	case types.Date:
		f.scratch = f.times.AppendDate(f.scratch[:0], v.Int(row))
	case types.Timestamp:
		f.scratch = f.times.AppendTimestamp(f.scratch[:0], v.Int(row))
	case types.TimestampNTZ:
		f.scratch = f.times.AppendLocal(f.scratch[:0], v.Int(row))
	default:
		f.scratch, _ = rows.AppendNumber(f.scratch[:0], v, row)
	}
	f.text(f.scratch)
}

// text appends a field, in quotes where it would be read as something else without.
func (f *fileWriter) text(b []byte) {
	d := &f.dialect
	if d.quote == 0 && f.err == nil && d.special(b) {
		f.err = fmt.Errorf("text %q holds a delimiter or newline, and the files have no quotes (option quote)", b)
	}
	if d.quote == 0 || !f.all && !d.needsQuotes(b) {
		f.Buf = append(f.Buf, b...)
		return
	}
	f.Buf = append(f.Buf, d.quote)
	for _, c := range b {
		if c == d.quote || c == d.escape {
			f.Buf = append(f.Buf, d.escape)
		}
		f.Buf = append(f.Buf, c)
	}
	f.Buf = append(f.Buf, d.quote)
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
