package conformance

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// nameTypes makes typeof tell the names that types have in DuckDB.
func nameTypes(r *fn.Registry) {
	f, ok := r.Scalar("typeof")
	if !ok {
		return
	}
	f.Nulls = fn.Custom
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 1 {
			return fn.Impl{}, fmt.Errorf("needs one argument")
		}
		name := duckType(args[0].Type)
		return fn.Impl{Args: []types.Type{args[0].Type}, Result: types.Of(types.String), Eval: func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return vec.NewConst(types.Of(types.String), name, rows.N), nil
		}}, nil
	}
}

var duckTypes = map[types.Kind]string{types.Null: `"NULL"`, types.Bool: "BOOLEAN", types.Int8: "TINYINT", types.Int16: "SMALLINT", types.Int32: "INTEGER", types.Int64: "BIGINT",
	types.Float32: "FLOAT", types.Float64: "DOUBLE", types.String: "VARCHAR", types.Bytes: "BLOB", types.Date: "DATE", types.Time: "TIME", types.Timestamp: "TIMESTAMP WITH TIME ZONE",
	types.TimestampNTZ: "TIMESTAMP", types.Interval: "INTERVAL", types.UUID: "UUID", types.JSON: "JSON"}

// duckType is what DuckDB calls a type.
func duckType(t types.Type) string {
	switch t.Kind {
	case types.Array:
		return duckType(*t.Elem) + "[]"
	case types.Map:
		return "MAP(" + duckType(*t.Key) + ", " + duckType(*t.Elem) + ")"
	case types.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = quotedIfNeeded(f.Name) + " " + duckType(f.Type)
		}
		if isTuple(t) {
			for i, f := range t.Fields {
				parts[i] = duckType(f.Type)
			}
			return "TUPLE(" + strings.Join(parts, ", ") + ")"
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	if name, ok := duckTypes[t.Kind]; ok {
		return name
	}
	return t.String() // DECIMAL(p,s)
}

func quotedIfNeeded(name string) string {
	for _, c := range name {
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z') {
			return quote(name)
		}
	}
	return name
}
