package parquet

import (
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// FuzzRead reads damaged files: any error is right, a panic or a batch that breaks its
// rules is not.
func FuzzRead(f *testing.F) {
	one := int64(1)
	rows := []nestedRow{{ID: 1, S: &inner{1, []string{"a", "b"}, nil}, L: []*int64{&one, nil}, R: []string{"r"}, M: map[string]*int64{"k": nil}}, {ID: 2}}
	f.Add(file(f, rows, parquet.Compression(&parquet.Uncompressed)))
	f.Add(file(f, rows, parquet.DataPageVersion(1)))
	f.Add(file(f, []scalars{{}, {I64: 5}}))
	in := types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int64)}, types.Field{Name: "y", Type: types.ArrayOf(types.Of(types.String))})
	f.Fuzz(func(t *testing.T, content []byte) {
		read(config(t, formattest.Columns("id", types.Int64, "s", in, "l", types.ArrayOf(types.Of(types.Int64)), "m", types.MapOf(types.Of(types.String), types.Of(types.Int64)))), content)
		read(config(t, formattest.Columns("i64", types.Int64, "s", types.String, "opts", types.String, "d38", types.DecimalOf(38, 4), "b", types.Bool)), content)
		infer(t.Context(), formattest.File("a", content), config(t, nil))
	})
}
