package json

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func writeOptions() []option.Spec {
	return option.Join([]option.Spec{
		{Name: "ignore_null_fields", Type: option.Bool, Default: "true", Doc: "Leave out fields that are NULL, as Spark does, instead of writing null."},
		compress.Option(),
	}, format.TimeOptions(), registry.WriteOptions())
}

// writer is format.Writer for JSON lines.
type writer struct {
	config                 format.Config
	dense                  bool // fields that are NULL are left out
	codec                  string
	date, timestamp, local *scan.Pattern
	names                  [][]byte // "name": of each column
	registry               *registry.Client
	subject                string
}

func newWriter(c format.Config) (format.Writer, error) {
	w := &writer{config: c, dense: c.Options.Bool("ignore_null_fields"), codec: c.Options.Enum("compression")}
	var err error
	if w.registry, err = client(c); err != nil {
		return nil, err
	}
	if w.registry != nil {
		if w.subject, err = registry.Subject(c.Options, c.Subject); err != nil {
			return nil, err
		}
	}
	if w.date, w.timestamp, w.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	for _, col := range c.Columns {
		if t := unwritable(col.Type); t != "" {
			return nil, fmt.Errorf("column %q: JSON has no %s; cast it to STRING", col.Name, t)
		}
		w.names = append(w.names, append(appendText(nil, []byte(col.Name)), ':'))
	}
	return w, nil
}

// unwritable names a part of a type that has no form in JSON.
func unwritable(t types.Type) string {
	switch t.Kind {
	case types.Interval:
		return t.String()
	case types.Array:
		return unwritable(*t.Elem)
	case types.Map:
		if t.Key.IsNested() {
			return "MAP with keys of type " + t.Key.String()
		}
		return unwritable(*t.Key) + unwritable(*t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if s := unwritable(f.Type); s != "" {
				return s
			}
		}
	}
	return ""
}

// Extension implements format.Writer.
func (w *writer) Extension() string { return ".json" + compress.Extension(w.codec) }

// Create implements format.Writer.
func (w *writer) Create(out io.Writer) (format.FileWriter, error) {
	t, err := rows.NewFile(out, w.codec)
	if err != nil {
		return nil, err
	}
	return &fileWriter{File: t, encoder: w.encoder()}, nil
}

// NewEncoder implements format.MessageWriter.
func (w *writer) NewEncoder(ctx context.Context) (format.MessageEncoder, error) {
	if w.registry == nil {
		return w.encoder(), nil
	}
	id, err := w.registry.Register(ctx, w.subject, registry.JSON, describe(w.subject, w.config.Columns), w.config.Options.Bool("auto_register_schemas"))
	return &headed{w.encoder(), registry.AppendHeader(nil, id)}, err
}

// headed is an encoder with the header of a schema registry before each message.
type headed struct {
	*encoder
	header []byte
}

// Append implements format.MessageEncoder.
func (h *headed) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	return h.object(append(dst, h.header...), b, row), nil
}

func (w *writer) encoder() *encoder {
	return &encoder{writer: w, times: scan.NewWriter(w.config.Zone, w.date, w.timestamp, w.local)}
}

// encoder appends rows as objects, in one goroutine. It is format.MessageEncoder.
type encoder struct {
	*writer
	times *scan.Writer
}

// fileWriter is format.FileWriter for JSON lines.
type fileWriter struct {
	*rows.File
	*encoder
}

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) error {
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		f.Buf = append(f.object(f.Buf, b, row), '\n')
		if err := f.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

// Append implements format.MessageEncoder: it appends the row as an object, which may be
// a part of a larger one.
func (e *encoder) Append(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	return e.object(dst, b, row), nil
}

func (e *encoder) object(dst []byte, b *vec.Batch, row int) []byte {
	dst = append(dst, '{')
	first := true
	for i, v := range b.Cols {
		null := v.IsNull(row)
		if null && e.dense {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, e.names[i]...)
		dst = e.value(dst, v, row)
	}
	return append(dst, '}')
}

// value appends a value; NULL is null.
func (e *encoder) value(dst []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, "null"...)
	}
	switch v.Type.Kind {
	case types.String:
		return appendText(dst, v.Bytes(row))
	case types.JSON:
		return append(dst, v.Bytes(row)...)
	case types.Bytes, types.Date, types.Timestamp, types.TimestampNTZ, types.Time, types.UUID:
		return e.quoted(dst, v, row)
	case types.Array:
		return e.array(dst, v, row)
	case types.Map:
		return e.entries(dst, v, row)
	case types.Struct:
		return e.fields(dst, v, row)
	}
	at := len(dst)
	dst, _ = rows.AppendNumber(dst, v, row)
	if c := dst[len(dst)-1]; v.Type.IsFloat() && c > '9' { // NaN, Infinity
		word := append([]byte{'"'}, dst[at:]...)
		dst = append(append(dst[:at], word...), '"')
	}
	return dst
}

func (e *encoder) quoted(dst []byte, v *vec.Vector, row int) []byte {
	dst = append(dst, '"')
	switch v.Type.Kind {
	case types.Bytes:
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes(row))
	case types.Date:
		dst = e.times.AppendDate(dst, v.Int(row))
	case types.Timestamp:
		dst = e.times.AppendTimestamp(dst, v.Int(row))
	case types.Time, types.UUID:
		dst = vec.AppendText(dst, v, row, nil)
	default:
		dst = e.times.AppendLocal(dst, v.Int(row))
	}
	return append(dst, '"')
}

func (e *encoder) array(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '[')
	for i := v.Off[row]; i < v.Off[row+1]; i++ {
		if i > v.Off[row] {
			dst = append(dst, ',')
		}
		dst = e.value(dst, v.Child[0], int(i))
	}
	return append(dst, ']')
}

// entries appends a map. Keys that are not text become text.
func (e *encoder) entries(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '{')
	for i := v.Off[row]; i < v.Off[row+1]; i++ {
		if i > v.Off[row] {
			dst = append(dst, ',')
		}
		at := len(dst)
		dst = e.value(dst, v.Child[0], int(i))
		if v.Type.Key.Kind == types.JSON || dst[at] != '"' {
			word := appendText(nil, dst[at:])
			dst = append(dst[:at], word...)
		}
		dst = e.value(append(dst, ':'), v.Child[1], int(i))
	}
	return append(dst, '}')
}

func (e *encoder) fields(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '{')
	first := true
	for i, field := range v.Type.Fields {
		if e.dense && v.Child[i].IsNull(row) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendText(dst, []byte(field.Name)), ':')
		dst = e.value(dst, v.Child[i], row)
	}
	return append(dst, '}')
}

const hexDigits = "0123456789abcdef"

// appendText appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendText(dst, b []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(b); {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, b[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, b[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, b[from:]...), '"')
}
