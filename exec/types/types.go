// Package types owns SQL data types: their identity, names, and physical
// representation. It knows nothing of vectors, functions or SQL text beyond a
// type's canonical spelling. Open this file first; int128.go has the 128-bit
// arithmetic, decimal.go the text of decimals, time.go that of dates and instants,
// interval.go the calendar interval, uuid.go and json.go the text of those types.
package types

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is the family of a SQL type.
type Kind uint8

// The kinds. Null is the type of a bare NULL before it is coerced.
const (
	Null Kind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Float32
	Float64
	Decimal
	String
	Bytes
	Date
	Timestamp
	TimestampNTZ
	Interval
	Time
	UUID
	JSON
	Array
	Map
	Struct
)

// Phys is how values of a type lie in a vector.
type Phys uint8

// The physical layouts.
const (
	PhysNull     Phys = iota // no storage: every row is NULL
	PhysBool                 // one byte a row, 0 or 1
	PhysInt64                // every integer; DATE (days), TIMESTAMP and TIMESTAMP_NTZ (µs since 1970), TIME (µs since midnight); DECIMAL of p ≤ 18 (unscaled)
	PhysFloat64              // FLOAT (rounded to 32 bits) and DOUBLE
	PhysInt128               // DECIMAL of p > 18 (unscaled)
	PhysString               // STRING, BYTES, UUID (its 16 bytes) and JSON (canonical text): views into a byte buffer
	PhysInterval             // months, days, µs
	PhysList                 // ARRAY and MAP: offsets into child vectors
	PhysStruct               // child vectors of equal length
)

// MaxPrecision is the greatest number of digits of a DECIMAL.
const MaxPrecision = 38

// Type is a SQL type. The zero value is the type of NULL. Compare with Equal.
type Type struct {
	Kind   Kind
	Prec   uint8   // DECIMAL: digits in all
	Scale  uint8   // DECIMAL: digits after the point
	Elem   *Type   // ARRAY: element; MAP: value
	Key    *Type   // MAP: key
	Fields []Field // STRUCT
}

// Field is a named member of a STRUCT.
type Field struct {
	Name string
	Type Type
}

// Of returns the type of a kind that has no parameters.
func Of(k Kind) Type { return Type{Kind: k} }

// DecimalOf returns DECIMAL(p, s).
func DecimalOf(p, s int) Type { return Type{Kind: Decimal, Prec: uint8(p), Scale: uint8(s)} }

// ArrayOf returns ARRAY<elem>.
func ArrayOf(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// MapOf returns MAP<key, value>.
func MapOf(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// StructOf returns STRUCT<fields>.
func StructOf(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

// Phys tells how the type's values lie in a vector.
func (t Type) Phys() Phys {
	switch t.Kind {
	case Null:
		return PhysNull
	case Bool:
		return PhysBool
	case Float32, Float64:
		return PhysFloat64
	case Decimal:
		if t.Prec > 18 {
			return PhysInt128
		}
		return PhysInt64
	case String, Bytes, UUID, JSON:
		return PhysString
	case Interval:
		return PhysInterval
	case Array, Map:
		return PhysList
	case Struct:
		return PhysStruct
	}
	return PhysInt64
}

// Equal reports whether two types are the same, field names included.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || t.Prec != o.Prec || t.Scale != o.Scale || len(t.Fields) != len(o.Fields) {
		return false
	}
	if !ptrEqual(t.Elem, o.Elem) || !ptrEqual(t.Key, o.Key) {
		return false
	}
	for i, f := range t.Fields {
		if f.Name != o.Fields[i].Name || !f.Type.Equal(o.Fields[i].Type) {
			return false
		}
	}
	return true
}

func ptrEqual(a, b *Type) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// IsInteger reports one of the four integer kinds.
func (t Type) IsInteger() bool { return t.Kind >= Int8 && t.Kind <= Int64 }

// IsFloat reports FLOAT or DOUBLE.
func (t Type) IsFloat() bool { return t.Kind == Float32 || t.Kind == Float64 }

// IsNumeric reports an integer, floating or decimal type.
func (t Type) IsNumeric() bool { return t.Kind >= Int8 && t.Kind <= Decimal }

// IsTime reports DATE, TIMESTAMP or TIMESTAMP_NTZ.
func (t Type) IsTime() bool { return t.Kind >= Date && t.Kind <= TimestampNTZ }

// IsNested reports ARRAY, MAP or STRUCT.
func (t Type) IsNested() bool { return t.Kind >= Array }

// HasInterval reports INTERVAL, or a nested type with one somewhere.
func (t Type) HasInterval() bool {
	if t.Kind == Interval || t.Elem != nil && t.Elem.HasInterval() || t.Key != nil && t.Key.HasInterval() {
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.HasInterval() })
}

// Ordered reports that SQL orders the values of the type: all but MAP, JSON and what
// contains them.
func (t Type) Ordered() bool {
	switch t.Kind {
	case Map, JSON:
		return false
	case Array:
		return t.Elem.Ordered()
	}
	for _, f := range t.Fields {
		if !f.Type.Ordered() {
			return false
		}
	}
	return true
}

var kindNames = [...]string{"NULL", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE",
	"DECIMAL", "STRING", "BYTES", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL",
	"TIME", "UUID", "JSON", "ARRAY", "MAP", "STRUCT"}

// WithArticle is the type in a sentence: "an INT", "a BIGINT".
func (t Type) WithArticle() string {
	s := t.String()
	if strings.ContainsRune("AEIOU", rune(s[0])) {
		return "an " + s
	}
	return "a " + s
}

// String is the canonical SQL spelling, accepted again by the parser.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Prec, t.Scale)
	case Array:
		return "ARRAY<" + t.Elem.String() + ">"
	case Map:
		return "MAP<" + t.Key.String() + "," + t.Elem.String() + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = quoteName(f.Name) + ":" + f.Type.String()
		}
		return "STRUCT<" + strings.Join(parts, ",") + ">"
	}
	return kindNames[t.Kind]
}

func quoteName(s string) string {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r < '0' || r > '9') {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// Column is a named, typed column of a schema.
type Column struct {
	Name string
	Type Type
}
