package text

import (
	"context"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func writeOptions() []option.Spec { return []option.Spec{compress.Option()} }

// writer is format.Writer for text: a value is a line, NULL an empty one, as in Spark.
type writer struct{ codec string }

func newWriter(c format.Config) (format.Writer, error) {
	return &writer{c.Options.Enum("compression")}, checkColumns(c.Columns)
}

// Extension implements format.Writer.
func (w *writer) Extension() string { return ".txt" + compress.Extension(w.codec) }

// Create implements format.Writer.
func (w *writer) Create(out io.Writer) (format.FileWriter, error) {
	f, err := rows.NewFile(out, w.codec)
	if err != nil {
		return nil, err
	}
	return &fileWriter{f}, nil
}

// NewEncoder implements format.MessageWriter: a message is the text.
func (w *writer) NewEncoder(context.Context) (format.MessageEncoder, error) { return encoder{}, nil }

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

// fileWriter is format.FileWriter for text.
type fileWriter struct{ *rows.File }

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) error {
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		if v := b.Cols[0]; !v.IsNull(row) {
			f.Buf = append(f.Buf, v.Bytes(row)...)
		}
		f.Buf = append(f.Buf, '\n')
		if err := f.EndRow(); err != nil {
			return err
		}
	}
	return nil
}
