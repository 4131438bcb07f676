package avro

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// valueColumn is the column of a schema that is no record.
const valueColumn = "value"

// rowFields are the fields of a schema as a row: those of a record, or one for the whole.
func (s *schema) rowFields() []schemaField {
	if s.kind == recordKind {
		return s.fields
	}
	return []schemaField{{name: valueColumn, typ: s}}
}

// columns are the columns that hold the values of a schema.
func (s *schema) columns() ([]types.Column, error) {
	var out []types.Column
	for _, f := range s.rowFields() {
		t, err := f.typ.sqlType(nil)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.name, err)
		}
		out = append(out, types.Column{Name: f.name, Type: t})
	}
	return out, nil
}

// sqlType is the type that holds the values of a schema. open are the records around it.
func (s *schema) sqlType(open []*schema) (types.Type, error) {
	if t, ok := s.logicalType(); ok {
		return t, nil
	}
	switch s.kind {
	case arrayKind:
		elem, err := s.items.sqlType(open)
		return types.ArrayOf(elem), err
	case mapKind:
		elem, err := s.items.sqlType(open)
		return types.MapOf(types.Of(types.String), elem), err
	case recordKind:
		return s.structType(open)
	case unionKind:
		return s.unionType(open)
	}
	return types.Of(map[kind]types.Kind{nullKind: types.String, booleanKind: types.Bool, intKind: types.Int32, longKind: types.Int64, floatKind: types.Float32,
		doubleKind: types.Float64, bytesKind: types.Bytes, fixedKind: types.Bytes, stringKind: types.String, enumKind: types.String}[s.kind]), nil
}

// logicalType is the type of a logical type that we know on its base type.
func (s *schema) logicalType() (types.Type, bool) {
	switch k := s.kind; {
	case s.logical == "decimal" && (k == bytesKind || k == fixedKind) && s.prec <= types.MaxPrecision:
		return types.DecimalOf(s.prec, s.scale), true
	case s.logical == "date" && k == intKind:
		return types.Of(types.Date), true
	case s.unit() != 0 && s.local():
		return types.Of(types.TimestampNTZ), true
	case s.unit() != 0:
		return types.Of(types.Timestamp), true
	case s.clock() != 0:
		return types.Of(types.Time), true
	case s.isUUID(), s.logical == "uuid" && k == stringKind:
		return types.Of(types.UUID), true
	}
	return types.Type{}, false
}

// unit is how many units of a timestamp are a second; 0 = it is no timestamp.
func (s *schema) unit() int64 {
	if s.kind != longKind {
		return 0
	}
	return map[string]int64{"timestamp-millis": 1e3, "timestamp-micros": 1e6, "timestamp-nanos": 1e9,
		"local-timestamp-millis": 1e3, "local-timestamp-micros": 1e6, "local-timestamp-nanos": 1e9}[s.logical]
}

// clock is how many units of a time of day are a second; 0 = it is none.
func (s *schema) clock() int64 {
	switch {
	case s.logical == "time-millis" && s.kind == intKind:
		return 1e3
	case s.logical == "time-micros" && s.kind == longKind:
		return 1e6
	}
	return 0
}

func (s *schema) local() bool { return len(s.logical) > 5 && s.logical[:5] == "local" }

// isUUID reports a UUID of 16 bytes; one that is text is just that.
func (s *schema) isUUID() bool { return s.logical == "uuid" && s.kind == fixedKind && s.size == 16 }

func (s *schema) structType(open []*schema) (types.Type, error) {
	for _, o := range open {
		if o == s {
			return types.Type{}, fmt.Errorf("record %s contains itself, which no column can; declare the columns as far as they are needed", s.name)
		}
	}
	open = append(open[:len(open):len(open)], s)
	var fields []types.Field
	for _, f := range s.fields {
		t, err := f.typ.sqlType(open)
		if err != nil {
			return types.Type{}, err
		}
		fields = append(fields, types.Field{Name: f.name, Type: t})
	}
	if len(fields) == 0 {
		return types.Type{}, fmt.Errorf("record %s has no fields", s.name)
	}
	return types.StructOf(fields...), nil
}

// unionType is the type of what is not null, or a STRUCT with a member for each kind of
// value, all but one of which are NULL (as in Spark).
func (s *schema) unionType(open []*schema) (types.Type, error) {
	if inner, ok := s.nullable(); ok {
		return inner.sqlType(open)
	}
	if t, ok := s.numberType(); ok {
		return t, nil
	}
	var fields []types.Field
	for _, b := range s.members() {
		t, err := b.sqlType(open)
		if err != nil {
			return types.Type{}, err
		}
		fields = append(fields, types.Field{Name: memberName(len(fields)), Type: t})
	}
	if len(fields) == 0 {
		return types.Of(types.String), nil
	}
	return types.StructOf(fields...), nil
}

func memberName(i int) string { return fmt.Sprint("member", i) }

// members are the branches of a union that are not null.
func (s *schema) members() []*schema {
	var out []*schema
	for _, b := range s.branches {
		if b.kind != nullKind {
			out = append(out, b)
		}
	}
	return out
}

// numberType is the type of a union of numbers that holds them all: BIGINT for int and
// long, DOUBLE for float and double.
func (s *schema) numberType() (types.Type, bool) {
	whole, broken := 0, 0
	for _, b := range s.members() {
		_, known := b.logicalType()
		switch {
		case known:
			return types.Type{}, false
		case b.kind == intKind || b.kind == longKind:
			whole++
		case b.kind == floatKind || b.kind == doubleKind:
			broken++
		default:
			return types.Type{}, false
		}
	}
	switch {
	case broken == 0 && whole > 0:
		return types.Of(types.Int64), true
	case whole == 0 && broken > 0:
		return types.Of(types.Float64), true
	}
	return types.Type{}, false
}
