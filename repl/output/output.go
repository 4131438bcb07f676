// Package output owns how rows are written for whoever runs the program: as a table
// for people, as CSV, TSV, JSON, JSON lines, Markdown, or one line per value. It knows
// vectors and types; nothing of queries, of terminals or of the formats that sources
// and sinks read and write. Open this file first.
package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Format is a way to write rows.
type Format string

// The formats.
const (
	Table    Format = "table"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	JSON     Format = "json"
	JSONL    Format = "jsonl"
	Markdown Format = "markdown"
	Vertical Format = "vertical"
)

// Formats lists the names of all formats.
func Formats() []string {
	return []string{string(Table), string(CSV), string(TSV), string(JSON), string(JSONL), string(Markdown), string(Vertical)}
}

// Parse is the format of a name, in any case.
func Parse(name string) (Format, error) {
	for _, f := range Formats() {
		if strings.EqualFold(f, name) {
			return Format(f), nil
		}
	}
	return "", fmt.Errorf("there is no output format %q: it is one of %s", name, strings.Join(Formats(), ", "))
}

// Options say how values are shown.
type Options struct {
	Format Format
	Zone   *time.Location // nil = UTC
	// Null is the text of NULL. Nil is the format's own: NULL in tables, nothing in CSV
	// and TSV. JSON has its null.
	Null *string
}

func (o *Options) null(or string) string {
	if o.Null != nil {
		return *o.Null
	}
	return or
}

// style writes one format: the text before the rows, each row, and what follows.
type style interface {
	head(dst []byte) []byte
	row(dst []byte, cols []*vec.Vector, row int) []byte
	foot(dst []byte) []byte
}

// Writer writes the rows of one result.
type Writer struct {
	w     io.Writer
	style style
	buf   []byte
	begun bool
}

// flushAt is how many bytes are collected before they are written.
const flushAt = 1 << 15

// New returns a writer of rows that have these columns. Nothing is written before the
// first row or Close.
func New(w io.Writer, cols []types.Column, o Options) *Writer {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return &Writer{w: w, style: newStyle(cols, &o)}
}

func newStyle(cols []types.Column, o *Options) style {
	switch o.Format {
	case CSV:
		return newDelimited(cols, o, ',', appendQuoted)
	case TSV:
		return newDelimited(cols, o, '\t', appendEscaped)
	case JSON:
		return newJSON(cols, o, true)
	case JSONL:
		return newJSON(cols, o, false)
	case Markdown:
		return newMarkdown(cols, o)
	case Vertical:
		return newVertical(cols, o)
	}
	return newBox(cols, o)
}

// Write takes the rows of a batch, each as often as its weight says, and keeps nothing
// of it. What has been taken is on its way to the reader when Write returns.
func (w *Writer) Write(b *vec.Batch) error {
	w.begin()
	for i := range b.Rows() {
		row := b.Row(i)
		n := b.Weight(row)
		if n < 0 {
			return fmt.Errorf("output: a row of the result was taken back")
		}
		for range n {
			w.buf = w.style.row(w.buf, b.Cols, row)
		}
		if len(w.buf) >= flushAt {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return w.flush()
}

// Close writes what follows the rows.
func (w *Writer) Close() error {
	w.begin()
	w.buf = w.style.foot(w.buf)
	return w.flush()
}

func (w *Writer) begin() {
	if !w.begun {
		w.begun = true
		w.buf = w.style.head(w.buf)
	}
}

func (w *Writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}
