package format

import (
	"io"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Writer makes the files of one sink. It is safe for concurrent use.
type Writer interface {
	// Extension is how file names end: ".snappy.parquet", ".json.gz".
	Extension() string
	// Create starts a file on w. The caller closes w after FileWriter.Close.
	Create(w io.Writer) (FileWriter, error)
}

// FileWriter writes one file, in one goroutine.
type FileWriter interface {
	// Write appends the rows of b that count (Sel); weights are not looked at. Columns
	// are those of Config.Columns. It keeps nothing of b.
	Write(b *vec.Batch) error
	// Bytes is about the size of the file if it were closed now, for rolling.
	Bytes() int64
	// Close writes what is left and the footer. A file that was not closed is no file.
	Close() error
}
