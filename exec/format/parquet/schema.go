package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/types"
)

// schema is the Parquet schema of a sink's columns. Every column, field and element is
// optional, since SQL does not promise otherwise.
type schema struct {
	elements []meta.SchemaElement
	leaves   []leafSpec
	roots    []*shredder
}

// leafSpec is a leaf column to write.
type leafSpec struct {
	typ    types.Type
	kind   meta.Type
	size   int // FIXED_LEN_BYTE_ARRAY
	path   []string
	maxDef byte
	maxRep byte
}

// shredder takes a column apart into its leaves.
type shredder struct {
	typ  types.Type
	leaf int // index into leaves; −1 for nested types
	kids []*shredder
	rep  byte // repetition level of the elements of a list or map
}

func newSchema(cols []types.Column) (*schema, error) {
	s := &schema{elements: []meta.SchemaElement{{
		Name: "sqlstream_schema", NumChildren: thrift.New(int32(len(cols))),
	}}}
	for _, c := range cols {
		root, err := s.add(c.Name, c.Type, nil, 1, 0, meta.Optional)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		s.roots = append(s.roots, root)
	}
	return s, nil
}

// add appends a column below path. def is its definition level when it is not NULL,
// rep its repetition level.
func (s *schema) add(name string, t types.Type, path []string, def, rep byte, r meta.FieldRepetitionType) (*shredder, error) {
	path = append(path[:len(path):len(path)], name)
	e := meta.SchemaElement{Name: name, RepetitionType: thrift.New(r)}
	sh := &shredder{typ: t, leaf: -1}
	var err error
	kid := func(name string, t types.Type, path []string, def, rep byte, r meta.FieldRepetitionType) {
		if err == nil {
			var k *shredder
			k, err = s.add(name, t, path, def, rep, r)
			sh.kids = append(sh.kids, k)
		}
	}
	switch t.Kind {
	case types.Array:
		annotate(&e, &meta.ListType{}, deprecated.List, 1)
		s.elements = append(s.elements, e, group("list", 1))
		sh.rep = rep + 1
		kid("element", *t.Elem, append(path, "list"), def+2, rep+1, meta.Optional)
	case types.Map:
		annotate(&e, &meta.MapType{}, deprecated.Map, 1)
		s.elements = append(s.elements, e, group("key_value", 2))
		sh.rep = rep + 1
		kid("key", *t.Key, append(path, "key_value"), def+1, rep+1, meta.Required)
		kid("value", *t.Elem, append(path, "key_value"), def+2, rep+1, meta.Optional)
	case types.Struct:
		e.NumChildren = thrift.New(int32(len(t.Fields)))
		s.elements = append(s.elements, e)
		if len(t.Fields) == 0 {
			return nil, fmt.Errorf("Parquet has no STRUCT without fields")
		}
		for _, f := range t.Fields {
			kid(f.Name, f.Type, path, def+1, rep, meta.Optional)
		}
	default:
		sh.leaf = len(s.leaves)
		l := leafSpec{typ: t, path: path, maxDef: def, maxRep: rep}
		err = l.describe(&e)
		s.elements = append(s.elements, e)
		s.leaves = append(s.leaves, l)
	}
	return sh, err
}

func group(name string, kids int32) meta.SchemaElement {
	return meta.SchemaElement{Name: name, RepetitionType: thrift.New(meta.Repeated), NumChildren: thrift.New(kids)}
}

// annotate sets a group's logical type, and the older form that old readers look for.
func annotate(e *meta.SchemaElement, v meta.LogicalTypeValue, old deprecated.ConvertedType, kids int32) {
	e.LogicalType.Value, e.ConvertedType, e.NumChildren = v, thrift.New(old), thrift.New(kids)
}

// describe chooses how a scalar is stored, as Spark does.
func (l *leafSpec) describe(e *meta.SchemaElement) error {
	logical := func(kind meta.Type, v meta.LogicalTypeValue, old deprecated.ConvertedType) {
		l.kind, e.LogicalType.Value, e.ConvertedType = kind, v, thrift.New(old)
	}
	switch l.typ.Kind {
	case types.Bool:
		l.kind = meta.Boolean
	case types.Int8:
		logical(meta.Int32, &meta.IntType{BitWidth: 8, IsSigned: true}, deprecated.Int8)
	case types.Int16:
		logical(meta.Int32, &meta.IntType{BitWidth: 16, IsSigned: true}, deprecated.Int16)
	case types.Int32:
		l.kind = meta.Int32
	case types.Int64:
		l.kind = meta.Int64
	case types.Float32:
		l.kind = meta.Float
	case types.Float64:
		l.kind = meta.Double
	case types.String:
		logical(meta.ByteArray, &meta.StringType{}, deprecated.UTF8)
	case types.Bytes:
		l.kind = meta.ByteArray
	case types.Date:
		logical(meta.Int32, &meta.DateType{}, deprecated.Date)
	case types.Timestamp:
		logical(meta.Int64, timestampType(true), deprecated.TimestampMicros)
	case types.TimestampNTZ:
		l.kind, e.LogicalType.Value = meta.Int64, timestampType(false)
	case types.Time:
		l.kind, e.LogicalType.Value = meta.Int64, &meta.TimeType{Unit: meta.TimeUnit{Value: &meta.MicroSeconds{}}}
	case types.UUID:
		l.kind, l.size, e.LogicalType.Value = meta.FixedLenByteArray, 16, &meta.UUIDType{}
	case types.JSON:
		logical(meta.ByteArray, &meta.JsonType{}, deprecated.Json)
	case types.Decimal:
		logical(l.decimalKind(), &meta.DecimalType{Scale: int32(l.typ.Scale), Precision: int32(l.typ.Prec)}, deprecated.Decimal)
		e.Scale, e.Precision = thrift.New(int32(l.typ.Scale)), thrift.New(int32(l.typ.Prec))
	default:
		return fmt.Errorf("Parquet has no %s; cast it to STRING", l.typ)
	}
	e.Type = thrift.New(l.kind)
	if l.size > 0 {
		e.TypeLength = thrift.New(int32(l.size))
	}
	return nil
}

func timestampType(utc bool) *meta.TimestampType {
	return &meta.TimestampType{IsAdjustedToUTC: utc, Unit: meta.TimeUnit{Value: &meta.MicroSeconds{}}}
}

// decimalKind is INT32 and INT64 where the digits fit, else the fewest bytes that do.
func (l *leafSpec) decimalKind() meta.Type {
	switch {
	case l.typ.Prec <= 9:
		return meta.Int32
	case l.typ.Prec <= 18:
		return meta.Int64
	}
	bits := float64(l.typ.Prec)*3.3219280948873626 + 1
	l.size = int(bits/8) + 1
	return meta.FixedLenByteArray
}
