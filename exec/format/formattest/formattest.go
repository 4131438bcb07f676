// Package formattest helps to test formats: it reads and writes files in memory, prints
// rows, and makes random columns. Only tests import it. Open this file first, then
// random.go.
package formattest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Columns makes columns of name, type pairs; a type is a types.Type or types.Kind.
func Columns(spec ...any) []types.Column {
	var out []types.Column
	for i := 0; i < len(spec); i += 2 {
		t, ok := spec[i+1].(types.Type)
		if !ok {
			t = types.Of(spec[i+1].(types.Kind))
		}
		out = append(out, types.Column{Name: spec[i].(string), Type: t})
	}
	return out
}

// Config makes a configuration with options as name, text pairs.
func Config(t testing.TB, specs []option.Spec, cols []types.Column, opts ...string) format.Config {
	t.Helper()
	var vals []option.Value
	for i := 0; i < len(opts); i += 2 {
		vals = append(vals, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	d, err := option.Decode(specs, vals)
	if err != nil {
		t.Fatal(err)
	}
	return format.Config{Columns: cols, Options: d}
}

// File is a file in memory.
func File(name string, content []byte) format.File {
	return format.File{Name: name, R: bytes.NewReader(content), Size: int64(len(content))}
}

// Read reads all columns of a file and prints its rows.
func Read(f *format.Format, c format.Config, name string, content []byte) (rows []string, bad []format.BadRow, err error) {
	r, err := f.NewReader(c)
	if err != nil {
		return nil, nil, err
	}
	file := File(name, content)
	sections, err := r.Sections(context.Background(), file)
	if err != nil {
		return nil, nil, err
	}
	return ReadSections(r, file, sections, len(c.Columns))
}

// ReadSections reads the first n columns of sections of a file.
func ReadSections(r format.Reader, f format.File, sections []format.Section, n int) (rows []string, bad []format.BadRow, err error) {
	need := make([]int, n)
	for i := range need {
		need[i] = i
	}
	rd := format.Reading{Need: need, Bad: func(b format.BadRow) {
		b.Raw = bytes.Clone(b.Raw)
		bad = append(bad, b)
	}}
	for _, s := range sections {
		err := r.Read(context.Background(), f, s, rd, func(b *vec.Batch) error {
			rows = append(rows, Rows(b)...)
			return nil
		})
		if err != nil {
			return rows, bad, err
		}
	}
	return rows, bad, nil
}

// ReadChanges reads all columns of a file with a reader and prints its rows, each with
// its weight before it.
func ReadChanges(r format.Reader, cols int, name string, content []byte) (rows []string, bad []format.BadRow, err error) {
	file := File(name, content)
	sections, err := r.Sections(context.Background(), file)
	rd := format.Reading{Bad: func(b format.BadRow) {
		b.Raw = bytes.Clone(b.Raw)
		bad = append(bad, b)
	}}
	for i := range cols {
		rd.Need = append(rd.Need, i)
	}
	for _, s := range sections {
		if err == nil {
			err = r.Read(context.Background(), file, s, rd, func(b *vec.Batch) error {
				texts := Rows(b)
				b.Each(func(row int) {
					rows = append(rows, fmt.Sprintf("%+d %s", b.Weight(row), texts[0]))
					texts = texts[1:]
				})
				return nil
			})
		}
	}
	return rows, bad, err
}

// Write writes batches as a file.
func Write(t testing.TB, f *format.Format, c format.Config, batches ...*vec.Batch) []byte {
	t.Helper()
	w, err := f.NewWriter(c)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	file, err := w.Create(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := file.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if file.Bytes() != int64(out.Len()) {
		t.Errorf("Bytes says %d after Close, the file has %d", file.Bytes(), out.Len())
	}
	return out.Bytes()
}

// Rows prints the rows of a batch that count, fields between bars.
func Rows(b *vec.Batch) []string {
	var rows []string
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		var parts []string
		for _, v := range b.Cols {
			if v.N != b.N {
				panic(fmt.Sprintf("column of %d rows in a batch of %d", v.N, b.N))
			}
			parts = append(parts, Show(v, row))
		}
		rows = append(rows, strings.Join(parts, " | "))
	}
	return rows
}

// Show prints a value so that different values look different.
func Show(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		return "NULL"
	}
	v, row = v.At(row)
	switch v.Type.Kind {
	case types.Bool:
		return fmt.Sprint(v.Bool[row] != 0)
	case types.Float32, types.Float64:
		return fmt.Sprint(v.F64[row])
	case types.String, types.Bytes, types.UUID, types.JSON:
		return fmt.Sprintf("%q", v.Text(row))
	case types.Timestamp, types.TimestampNTZ:
		return time.UnixMicro(v.I64[row]).UTC().Format("2006-01-02T15:04:05.999999")
	case types.Decimal:
		if v.Type.Prec > 18 {
			return string(types.AppendDecimal(nil, v.I128[row], int(v.Type.Scale)))
		}
		return string(types.AppendDecimal(nil, types.Int128From(v.I64[row]), int(v.Type.Scale)))
	case types.Array, types.Map, types.Struct:
		return nested(v, row)
	}
	return fmt.Sprint(v.I64[row])
}

func nested(v *vec.Vector, row int) string {
	var parts []string
	if v.Type.Kind == types.Struct {
		for _, c := range v.Child {
			parts = append(parts, Show(c, row))
		}
		return "(" + strings.Join(parts, ",") + ")"
	}
	for i := int(v.Off[row]); i < int(v.Off[row+1]); i++ {
		part := Show(v.Child[0], i)
		if v.Type.Kind == types.Map {
			part += ":" + Show(v.Child[1], i)
		}
		parts = append(parts, part)
	}
	if v.Type.Kind == types.Map {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}
