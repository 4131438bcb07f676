package json

import (
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
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
	}, format.TimeOptions())
}

// writer is format.Writer for JSON lines.
type writer struct {
	config                 format.Config
	dense                  bool // fields that are NULL are left out
	codec                  string
	date, timestamp, local *scan.Pattern
	names                  [][]byte // "name": of each column
}

func newWriter(c format.Config) (format.Writer, error) {
	w := &writer{config: c, dense: c.Options.Bool("ignore_null_fields"), codec: c.Options.Enum("compression")}
	var err error
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
	return &fileWriter{File: t, writer: w, times: scan.NewWriter(w.config.Zone, w.date, w.timestamp, w.local)}, nil
}

// fileWriter is format.FileWriter for JSON lines.
type fileWriter struct {
	*rows.File
	*writer
	times *scan.Writer
}

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) error {
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		f.row(b, row)
		if err := f.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileWriter) row(b *vec.Batch, row int) {
	dst := append(f.Buf, '{')
	first := true
	for i, v := range b.Cols {
		null := v.IsNull(row)
		if null && f.dense {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, f.names[i]...)
		dst = f.value(dst, v, row)
	}
	f.Buf = append(dst, '}', '\n')
}

// value appends a value; NULL is null.
func (f *fileWriter) value(dst []byte, v *vec.Vector, row int) []byte {
	if v.IsNull(row) {
		return append(dst, "null"...)
	}
	switch v.Type.Kind {
	case types.String:
		return appendText(dst, v.Bytes(row))
	case types.Bytes, types.Date, types.Timestamp, types.TimestampNTZ:
		return f.quoted(dst, v, row)
	case types.Array:
		return f.array(dst, v, row)
	case types.Map:
		return f.object(dst, v, row)
	case types.Struct:
		return f.fields(dst, v, row)
	}
	at := len(dst)
	dst, _ = rows.AppendNumber(dst, v, row)
	if c := dst[len(dst)-1]; v.Type.IsFloat() && c > '9' { // NaN, Infinity
		word := append([]byte{'"'}, dst[at:]...)
		dst = append(append(dst[:at], word...), '"')
	}
	return dst
}

func (f *fileWriter) quoted(dst []byte, v *vec.Vector, row int) []byte {
	dst = append(dst, '"')
	switch v.Type.Kind {
	case types.Bytes:
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes(row))
	case types.Date:
		dst = f.times.AppendDate(dst, v.Int(row))
	case types.Timestamp:
		dst = f.times.AppendTimestamp(dst, v.Int(row))
	default:
		dst = f.times.AppendLocal(dst, v.Int(row))
	}
	return append(dst, '"')
}

func (f *fileWriter) array(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '[')
	for i := v.Off[row]; i < v.Off[row+1]; i++ {
		if i > v.Off[row] {
			dst = append(dst, ',')
		}
		dst = f.value(dst, v.Child[0], int(i))
	}
	return append(dst, ']')
}

// object appends a map. Keys that are not text become text.
func (f *fileWriter) object(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '{')
	for i := v.Off[row]; i < v.Off[row+1]; i++ {
		if i > v.Off[row] {
			dst = append(dst, ',')
		}
		at := len(dst)
		dst = f.value(dst, v.Child[0], int(i))
		if dst[at] != '"' {
			word := append([]byte{'"'}, dst[at:]...)
			dst = append(append(dst[:at], word...), '"')
		}
		dst = f.value(append(dst, ':'), v.Child[1], int(i))
	}
	return append(dst, '}')
}

func (f *fileWriter) fields(dst []byte, v *vec.Vector, row int) []byte {
	v, row = v.At(row)
	dst = append(dst, '{')
	first := true
	for i, field := range v.Type.Fields {
		if f.dense && v.Child[i].IsNull(row) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendText(dst, []byte(field.Name)), ':')
		dst = f.value(dst, v.Child[i], row)
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
