// Package guess owns schema inference from sample values: which SQL type a text looks
// like, and the type that holds two others. It knows no format. Open this file first.
package guess

import (
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Rows is how many rows of a file are looked at.
const Rows = 10_000

// Text is the type that an unquoted text looks like: BOOLEAN, BIGINT, DOUBLE, or what
// Quoted says.
func Text(s string) types.Type {
	if s == "true" || s == "false" || s == "TRUE" || s == "FALSE" {
		return types.Of(types.Bool)
	}
	if t, ok := Number(s); ok {
		return t
	}
	return Quoted(s)
}

// Number is BIGINT, or DOUBLE for other numbers. A number with leading zeros is a code,
// not a number: a telephone number would lose them.
func Number(s string) (types.Type, bool) {
	digits := s
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" || digits[0]-'0' > 9 || len(digits) > 1 && digits[0] == '0' && digits[1]-'0' <= 9 {
		return types.Type{}, false
	}
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return types.Of(types.Int64), true
	}
	for _, c := range []byte(s) {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return types.Type{}, false
		}
	}
	_, err := strconv.ParseFloat(s, 64)
	return types.Of(types.Float64), err == nil
}

// Quoted is DATE or TIMESTAMP for text that is one, else STRING.
func Quoted(s string) types.Type {
	if len(s) >= 10 && s[0]-'0' <= 9 && s[4] == '-' {
		if _, err := types.ParseDate(s); err == nil {
			return types.Of(types.Date)
		}
		if _, err := types.ParseTimestamp(s, time.UTC); len(s) >= 16 && err == nil {
			return types.Of(types.Timestamp)
		}
	}
	return types.Of(types.String)
}

// Unite is the type that holds the values of both; STRING if no other does. NULL is the
// type of a column without values so far.
func Unite(a, b types.Type) types.Type {
	switch {
	case a.Equal(b) || b.Kind == types.Null:
		return a
	case a.Kind == types.Null:
		return b
	case a.IsNumeric() && b.IsNumeric():
		return uniteNumbers(a, b)
	case a.Kind == types.Date && b.Kind == types.TimestampNTZ || a.Kind == types.TimestampNTZ && b.Kind == types.Date:
		return types.Of(types.TimestampNTZ)
	case a.Kind == types.Timestamp && b.Kind == types.TimestampNTZ || a.Kind == types.TimestampNTZ && b.Kind == types.Timestamp:
		return types.Of(types.Timestamp) // as in Spark, one without a zone is UTC
	case a.Kind == types.Date && b.Kind == types.Timestamp || a.Kind == types.Timestamp && b.Kind == types.Date:
		return types.Of(types.Timestamp)
	case a.Kind == types.Array && b.Kind == types.Array:
		return types.ArrayOf(Unite(*a.Elem, *b.Elem))
	case a.Kind == types.Map && b.Kind == types.Map:
		return types.MapOf(Unite(*a.Key, *b.Key), Unite(*a.Elem, *b.Elem))
	case a.Kind == types.Struct && b.Kind == types.Struct:
		return uniteFields(a, b)
	}
	return types.Of(types.String)
}

// uniteNumbers is the narrowest type that holds the numbers of both: the wider integer, a
// DECIMAL with the digits of both, else DOUBLE.
func uniteNumbers(a, b types.Type) types.Type {
	switch {
	case a.IsInteger() && b.IsInteger():
		return types.Of(max(a.Kind, b.Kind))
	case a.IsFloat() || b.IsFloat():
		return types.Of(types.Float64)
	}
	a, b = asDecimal(a), asDecimal(b)
	scale := max(a.Scale, b.Scale)
	digits := int(max(a.Prec-a.Scale, b.Prec-b.Scale)) + int(scale)
	if digits > types.MaxPrecision {
		return types.Of(types.Float64)
	}
	return types.DecimalOf(digits, int(scale))
}

// asDecimal is an integer type as the DECIMAL that holds it.
func asDecimal(t types.Type) types.Type {
	if t.Kind == types.Decimal {
		return t
	}
	return types.DecimalOf(map[types.Kind]int{types.Int8: 3, types.Int16: 5, types.Int32: 10, types.Int64: 19}[t.Kind], 0)
}

func uniteFields(a, b types.Type) types.Type {
	fields := append([]types.Field(nil), a.Fields...)
next:
	for _, f := range b.Fields {
		for i, g := range fields {
			if g.Name == f.Name {
				fields[i].Type = Unite(g.Type, f.Type)
				continue next
			}
		}
		fields = append(fields, f)
	}
	return types.StructOf(fields...)
}

// Settle replaces types that nothing was seen of: a column of NULLs is STRING, and so
// is an object without fields.
func Settle(t types.Type) types.Type {
	switch {
	case t.Kind == types.Null, t.Kind == types.Struct && len(t.Fields) == 0:
		return types.Of(types.String)
	case t.Kind == types.Array:
		return types.ArrayOf(Settle(*t.Elem))
	case t.Kind == types.Struct:
		fields := append([]types.Field(nil), t.Fields...)
		for i := range fields {
			fields[i].Type = Settle(fields[i].Type)
		}
		return types.StructOf(fields...)
	}
	return t
}

// Merge unites the columns of several files of one source, by name, in the order in
// which they were first seen.
func Merge(files ...[]types.Column) []types.Column {
	row := types.StructOf()
	for _, cols := range files {
		row = Unite(row, AsStruct(cols))
	}
	return Columns(row)
}

// AsStruct is a row of columns as one type.
func AsStruct(cols []types.Column) types.Type {
	var t types.Type
	t.Kind = types.Struct
	for _, c := range cols {
		t.Fields = append(t.Fields, types.Field{Name: c.Name, Type: c.Type})
	}
	return t
}

// Columns are the fields of a row, settled.
func Columns(row types.Type) []types.Column {
	var out []types.Column
	for _, f := range row.Fields {
		out = append(out, types.Column{Name: f.Name, Type: Settle(f.Type)})
	}
	return out
}
