package text

import (
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
