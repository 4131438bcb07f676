package avro

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func writeOptions() []option.Spec {
	return option.Join([]option.Spec{
		{Name: "avro_schema", Doc: "The schema (JSON) to write with. Default: a record of the columns, each of which may be null. Fields without a column get their default, else null; timestamps in milliseconds are rounded down."},
		{Name: "record_name", Doc: "The name of the record of the columns. Default: that of the topic, else topLevelRecord."},
		{Name: "compression", Aliases: []string{"codec"}, Type: option.Enum, Default: "snappy", Values: []string{"none", "uncompressed", "snappy", "deflate", "zstd"},
			Doc: "Compression of the blocks of files; messages are not compressed."},
	}, registry.WriteOptions())
}

// writer is format.MessageWriter for Avro.
type writer struct {
	config   format.Config
	text     string // of the schema
	schema   *schema
	codec    string
	registry *registry.Client
	subject  string
}

func newWriter(c format.Config) (format.Writer, error) {
	w := &writer{config: c, text: c.Options.Text("avro_schema"), codec: map[string]string{"none": "null", "uncompressed": "null", "zstd": "zstandard"}[c.Options.Enum("compression")]}
	if w.codec == "" {
		w.codec = c.Options.Enum("compression")
	}
	if err := w.connect(); err != nil {
		return nil, err
	}
	if w.text == "" {
		name := c.Options.Text("record_name")
		switch {
		case name == "":
			name = recordName(c.Subject)
		case !nameable(name):
			return nil, fmt.Errorf("record_name: %q is no name in Avro: letters, digits and _ are", name)
		}
		var err error
		if w.text, err = describe(name, c.Columns); err != nil {
			return nil, err
		}
	}
	s, _, err := parse(w.text, nil)
	if err != nil {
		return nil, fmt.Errorf("avro_schema: %w", err)
	}
	w.schema = s
	_, err = newRowEncoder(s, c.Columns)
	return w, err
}

func (w *writer) connect() (err error) {
	o := w.config.Options
	if w.registry, err = registry.Open(o); err != nil {
		return err
	}
	switch {
	case w.config.Messages && w.registry == nil && w.text == "":
		return errNoSchema
	case !w.config.Messages && w.registry != nil:
		return errors.New("schema_registry is for messages: Avro files hold their schema")
	}
	if w.registry != nil {
		w.subject, err = registry.Subject(o, w.config.Subject)
	}
	return err
}

// NewEncoder implements format.MessageWriter.
func (w *writer) NewEncoder(ctx context.Context) (format.MessageEncoder, error) {
	rows, err := newRowEncoder(w.schema, w.config.Columns)
	if err != nil {
		return nil, format.Misfit(err)
	}
	e := &encoder{rows: rows}
	if w.registry != nil {
		id, err := w.registry.Register(ctx, w.subject, registry.Avro, w.text, w.config.Options.Bool("auto_register_schemas"))
		if err != nil {
			return nil, err
		}
		e.header = registry.AppendHeader(nil, id)
	}
	return e, nil
}

// encoder is format.MessageEncoder for Avro.
type encoder struct {
	rows   *rowEncoder
	header []byte
}

// Append implements format.MessageEncoder.
func (e *encoder) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	return e.rows.append(append(dst, e.header...), b.Cols, row)
}

// Extension implements format.Writer.
func (w *writer) Extension() string { return ".avro" }

// Create implements format.Writer.
func (w *writer) Create(out io.Writer) (format.FileWriter, error) {
	rows, err := newRowEncoder(w.schema, w.config.Columns)
	if err != nil {
		return nil, err
	}
	c, err := codecNamed(w.codec)
	return &fileWriter{w: w, rows: rows, out: out, codec: c}, err
}

// fileWriter is format.FileWriter: it writes an object container.
type fileWriter struct {
	w     *writer
	rows  *rowEncoder
	out   io.Writer
	codec *codec

	block   []byte // rows that were not written yet
	count   int64  // of them
	packed  []byte
	written int64
	marker  []byte // nil: the header was not written yet
}

// writeBlock is when a block is written: as in other writers, small enough to be passed over.
const writeBlock = 64 << 10

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) (err error) {
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		if f.block, err = f.rows.append(f.block, b.Cols, row); err != nil {
			return err
		}
		f.count++
		if len(f.block) >= writeBlock || f.count >= maxEmpty {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bytes implements format.FileWriter.
func (f *fileWriter) Bytes() int64 { return f.written + int64(len(f.block)) }

// Close implements format.FileWriter.
func (f *fileWriter) Close() error {
	if err := f.header(); err != nil || f.count == 0 {
		return err
	}
	return f.flush()
}

// header writes the beginning of the file. The marker comes from the schema and the first
// rows: nothing that a row holds can be it by intent.
func (f *fileWriter) header() error {
	if f.marker != nil {
		return nil
	}
	sum := sha256.Sum256(append([]byte(f.w.text), f.block...))
	f.marker = sum[:markerSize]
	text := func(dst []byte, s string) []byte { return append(binary.AppendVarint(dst, int64(len(s))), s...) }
	h := binary.AppendVarint([]byte(magic), 2)
	h = text(text(h, "avro.schema"), f.w.text)
	h = text(text(h, "avro.codec"), f.w.codec)
	return f.write(append(append(h, 0), f.marker...))
}

func (f *fileWriter) write(b []byte) error {
	n, err := f.out.Write(b)
	f.written += int64(n)
	return err
}

// flush writes the rows so far as a block.
func (f *fileWriter) flush() error {
	err := f.header()
	if err != nil {
		return err
	}
	if f.packed, err = f.codec.pack(f.packed[:0], f.block); err != nil {
		return err
	}
	head := binary.AppendVarint(binary.AppendVarint(nil, f.count), int64(len(f.packed)))
	for _, b := range [][]byte{head, f.packed, f.marker} {
		if err := f.write(b); err != nil {
			return err
		}
	}
	f.block, f.count = f.block[:0], 0
	return nil
}
