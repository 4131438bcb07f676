package types

import (
	"strconv"
	"strings"
)

// CommonType is the type that values of both types have in a CASE, COALESCE, UNION,
// array or IN list, as Spark's ANSI mode finds it; false if there is none. STRING
// gives way to the other type, as a literal does.
func CommonType(a, b Type) (Type, bool) {
	switch {
	case a.Equal(b):
		return a, true
	case a.Kind == Null:
		return b, true
	case b.Kind == Null:
		return a, true
	case a.IsNumeric() && b.IsNumeric():
		return commonNumber(a, b), true
	case a.IsTime() && b.IsTime():
		return commonTime(a, b), true
	case a.Kind == String:
		return stringWith(b)
	case b.Kind == String:
		return stringWith(a)
	case a.Kind == b.Kind && a.IsNested():
		return commonNested(a, b)
	}
	return Type{}, false
}

func commonNumber(a, b Type) Type {
	switch {
	case a.IsInteger() && b.IsInteger():
		return Of(max(a.Kind, b.Kind))
	case a.IsFloat() || b.IsFloat():
		if a.Kind == Float32 && b.Kind == Float32 {
			return a
		}
		return Of(Float64)
	}
	return WiderDecimal(AsDecimal(a), AsDecimal(b))
}

func commonTime(a, b Type) Type {
	if a.Kind == Timestamp || b.Kind == Timestamp {
		return Of(Timestamp)
	}
	if a.Kind == TimestampNTZ || b.Kind == TimestampNTZ {
		return Of(TimestampNTZ)
	}
	return Of(Date)
}

func stringWith(t Type) (Type, bool) {
	switch {
	case t.IsInteger():
		return Of(Int64), true
	case t.IsNumeric():
		return Of(Float64), true
	case t.Kind == Bool, t.Kind == Bytes, t.Kind >= Date && t.Kind <= JSON:
		return t, true
	}
	return Type{}, false
}

func commonNested(a, b Type) (Type, bool) {
	if a.Kind == Struct {
		return commonStruct(a, b)
	}
	elem, ok := CommonType(*a.Elem, *b.Elem)
	if !ok {
		return Type{}, false
	}
	if a.Kind == Array {
		return ArrayOf(elem), true
	}
	key, ok := CommonType(*a.Key, *b.Key)
	return MapOf(key, elem), ok
}

func commonStruct(a, b Type) (Type, bool) {
	if len(a.Fields) != len(b.Fields) {
		return Type{}, false
	}
	fields := make([]Field, len(a.Fields))
	for i, f := range a.Fields {
		t, ok := CommonType(f.Type, b.Fields[i].Type)
		if !ok || !strings.EqualFold(f.Name, b.Fields[i].Name) {
			return Type{}, false
		}
		fields[i] = Field{Name: f.Name, Type: t}
	}
	return StructOf(fields...), true
}

// unnamed reports a row whose fields nobody named: col1, col2 and so on.
func unnamed(t Type) bool {
	for i, f := range t.Fields {
		if f.Name != "col"+strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}

// comparedRow is the type in which a STRUCT and a row are compared, field by field: its names
// are those of the STRUCT.
func comparedRow(a, b Type) (Type, bool) {
	names := a
	if unnamed(a) {
		names = b
	}
	fields := make([]Field, len(a.Fields))
	for i := range fields {
		t, ok := ComparisonType(a.Fields[i].Type, b.Fields[i].Type)
		if !ok {
			return Type{}, false
		}
		fields[i] = Field{Name: names.Fields[i].Name, Type: t}
	}
	return StructOf(fields...), true
}

// ComparisonType is the type in which two types are compared; false if they cannot
// be. Text is compared with exact numbers as DECIMAL, with floating ones as DOUBLE.
func ComparisonType(a, b Type) (Type, bool) {
	if a.Kind == UUID && b.Kind == Bytes || a.Kind == Bytes && b.Kind == UUID {
		return Of(UUID), true
	}
	if a.Kind == Struct && b.Kind == Struct && len(a.Fields) == len(b.Fields) && (unnamed(a) || unnamed(b)) {
		return comparedRow(a, b)
	}
	if a.Kind != String && b.Kind != String || a.Kind == b.Kind {
		return CommonType(a, b)
	}
	other := a
	if a.Kind == String {
		other = b
	}
	switch {
	case other.IsInteger():
		return DecimalOf(MaxPrecision, 18), true
	case other.Kind == Decimal:
		whole, scale := int(other.Prec-other.Scale), max(int(other.Scale), 18)
		if whole+scale > MaxPrecision {
			return Of(Float64), true
		}
		return DecimalOf(MaxPrecision, scale), true
	}
	return CommonType(a, b)
}

// AsDecimal is the DECIMAL that holds every value of an integer type; a DECIMAL is
// itself.
func AsDecimal(t Type) Type {
	switch t.Kind {
	case Int8:
		return DecimalOf(3, 0)
	case Int16:
		return DecimalOf(5, 0)
	case Int32:
		return DecimalOf(10, 0)
	case Int64:
		return DecimalOf(20, 0)
	}
	return t
}

// WiderDecimal is the DECIMAL that holds the values of both, as far as 38 digits
// allow; digits before the point go first.
func WiderDecimal(a, b Type) Type {
	scale := max(int(a.Scale), int(b.Scale))
	whole := max(int(a.Prec)-int(a.Scale), int(b.Prec)-int(b.Scale))
	if whole+scale > MaxPrecision {
		scale = MaxPrecision - whole
	}
	return DecimalOf(whole+scale, scale)
}

// The types of decimal arithmetic, Spark's rules: exact while 38 digits suffice; then
// the scale shrinks, but not below 6.

// DecimalSum is the type of a + b and a − b.
func DecimalSum(a, b Type) Type {
	scale := max(int(a.Scale), int(b.Scale))
	whole := max(int(a.Prec)-int(a.Scale), int(b.Prec)-int(b.Scale))
	return adjusted(whole+scale+1, scale)
}

// DecimalProduct is the type of a * b.
func DecimalProduct(a, b Type) Type {
	return adjusted(int(a.Prec)+int(b.Prec)+1, int(a.Scale)+int(b.Scale))
}

// DecimalQuotient is the type of a / b.
func DecimalQuotient(a, b Type) Type {
	scale := max(6, int(a.Scale)+int(b.Prec)+1)
	return adjusted(int(a.Prec)-int(a.Scale)+int(b.Scale)+scale, scale)
}

// DecimalRemainder is the type of a % b.
func DecimalRemainder(a, b Type) Type {
	scale := max(int(a.Scale), int(b.Scale))
	whole := min(int(a.Prec)-int(a.Scale), int(b.Prec)-int(b.Scale))
	return adjusted(whole+scale, scale)
}

func adjusted(prec, scale int) Type {
	if prec <= MaxPrecision {
		return DecimalOf(max(prec, 1), scale)
	}
	return DecimalOf(MaxPrecision, max(MaxPrecision-(prec-scale), min(scale, 6)))
}

// CanCast reports whether CAST(x AS to) exists for x of type from. Numbers and
// timestamps do not cast to each other: the unit would be a guess.
func CanCast(from, to Type) bool {
	if from.Kind == Null || from.Equal(to) || to.Kind == String {
		return true
	}
	switch {
	case from.Kind == JSON, to.Kind == JSON:
		return to.Kind != Null
	case from.Kind == String:
		return to.Kind != Null
	case from.IsNumeric():
		return to.IsNumeric() || to.Kind == Bool || to.Kind == Bytes && from.IsInteger()
	case from.Kind == Bool:
		return to.IsNumeric()
	case from.IsTime():
		return to.IsTime() || to.Kind == Time && from.Kind != Date
	case from.Kind == Time:
		return to.Kind == Interval
	case from.Kind == UUID:
		return to.Kind == Bytes
	case from.Kind == Bytes:
		return to.Kind == UUID || to.IsInteger()
	case from.Kind == Struct && to.Kind == Map:
		return fieldsFit(from, to)
	case from.IsNested():
		return from.Kind == to.Kind && canCastNested(from, to)
	}
	return false
}

// fieldsFit reports that the names of a struct's fields can be keys of a map and all of the
// fields its values.
func fieldsFit(from, to Type) bool {
	for _, f := range from.Fields {
		if !CanCast(f.Type, *to.Elem) {
			return false
		}
	}
	return CanCast(Of(String), *to.Key)
}

func canCastNested(from, to Type) bool {
	if from.Kind != Struct {
		return CanCast(*from.Elem, *to.Elem) && (from.Kind == Array || CanCast(*from.Key, *to.Key))
	}
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !CanCast(f.Type, to.Fields[i].Type) {
			return false
		}
	}
	return true
}

// CanCoerce reports whether a value of type from may stand where to is wanted
// without CAST: upward among numbers and times, STRING to a simple type, a simple
// type to STRING, NULL to anything.
func CanCoerce(from, to Type) bool {
	switch {
	case from.Kind == Null || from.Equal(to):
		return true
	case to.Kind == String:
		return !from.IsNested() && from.Kind != Bytes
	case from.Kind == String:
		return !to.IsNested() && to.Kind != Null
	case from.IsNumeric() && to.IsNumeric():
		return numberFits(from, to)
	case from.IsTime() && to.IsTime():
		return from.Kind == Date || to.Kind != Date
	case from.Kind == to.Kind && from.IsNested():
		return coerceNested(from, to)
	}
	return false
}

func numberFits(from, to Type) bool {
	switch {
	case to.IsFloat():
		return from.Kind != Float64 || to.Kind == Float64
	case to.IsInteger():
		return from.IsInteger() && from.Kind <= to.Kind
	}
	f := AsDecimal(from)
	return !from.IsFloat() && f.Scale <= to.Scale && f.Prec-f.Scale <= to.Prec-to.Scale
}

func coerceNested(from, to Type) bool {
	if from.Kind != Struct {
		return CanCoerce(*from.Elem, *to.Elem) && (from.Kind == Array || CanCoerce(*from.Key, *to.Key))
	}
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !CanCoerce(f.Type, to.Fields[i].Type) {
			return false
		}
	}
	return true
}
