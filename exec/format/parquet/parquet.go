// Package parquet owns the Parquet format, to and from columns. It reads through
// parquet-go's typed pages (never boxed values), so that a column without NULLs is the
// page's own memory and a dictionary stays one. It knows neither file systems nor
// sources. Open this file first, then reader.go, leaf.go (pages), match.go and
// convert.go (types), node.go and nested.go (nested columns); writer.go is the other
// direction.
package parquet

import (
	"context"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Format describes Parquet.
func Format() *format.Format {
	return &format.Format{
		Name: "parquet",
		Doc: "Apache Parquet. Columns are matched by name, exactly or else regardless of case. A declared type may be wider than the file's (INT as BIGINT, " +
			"FLOAT as DOUBLE, DECIMAL with more digits); any other difference is an error that names file, column and both types. " +
			"TIMESTAMP reads timestamps of every unit, INT96 too; one without time zone is taken as UTC, as in Spark.",
		Changes: format.ByColumn,
		ReadOptions: option.Join(format.ChangeOptions(), []option.Spec{
			{Name: "missing_columns", Type: option.Enum, Values: []string{"null", "error"}, Default: "null",
				Doc: "What a declared column is that a file does not have: NULL, as in Spark, or an error. A file that has none of the columns is always an error."},
		}),
		Extensions:   []string{".parquet", ".parq"},
		Infer:        infer,
		NewReader:    newReader,
		WriteOptions: writeOptions(),
		NewWriter:    newWriter,
	}
}

// infer reads the schema of a file.
func infer(_ context.Context, f format.File, _ format.Config) ([]types.Column, error) {
	file, err := openFile(f)
	if err != nil {
		return nil, err
	}
	return columnsOf(f, file, false)
}

var _ format.Described = (*reader)(nil)

// Describe implements format.Described.
func (r *reader) Describe(_ context.Context, f format.File) ([]types.Column, error) {
	file, err := r.open(f)
	if err != nil {
		return nil, err
	}
	return columnsOf(f, file, true)
}

// columnsOf are the columns of a file; those of an unknown type are an error, or NULL.
func columnsOf(f format.File, file *parquet.File, lenient bool) ([]types.Column, error) {
	var out []types.Column
	for _, c := range file.Root().Columns() {
		t, err := sqlType(c)
		if err != nil && lenient {
			t, err = types.Type{}, nil
		}
		if err != nil {
			return nil, &format.FileError{File: f.Name, Err: fmt.Errorf("column %q: %w", c.Name(), err)}
		}
		out = append(out, types.Column{Name: c.Name(), Type: t})
	}
	return out, nil
}
