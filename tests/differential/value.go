package differential

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// dialect is whose SQL is written: ours is the empty one.
type dialect string

// value is a typed constant. text is the value of a simple type as SQL writes it, list
// that of a nested one: elements, fields, or keys and values in turn.
type value struct {
	t    types.Type
	null bool
	text string
	list []value
	iv   [3]int64 // months, days, µs
}

// sql writes the value such that each engine reads the same value of the same type.
func (v value) sql(d dialect) string {
	if v.null {
		if v.t.Kind == types.Null {
			return "NULL"
		}
		return "CAST(NULL AS " + typeName(v.t, d) + ")"
	}
	switch v.t.Kind {
	case types.Bool:
		return v.text
	case types.Int32:
		if !strings.HasPrefix(v.text, "-") {
			return v.text
		}
	case types.String:
		return quoteFor(d, v.text)
	case types.Bytes:
		return bytesSQL(v.text, d)
	case types.Date, types.Time, types.Timestamp, types.TimestampNTZ:
		return timeSQL(v, d)
	case types.Interval:
		return intervalSQL(v.iv, d)
	case types.Array, types.Map, types.Struct:
		return v.nestedSQL(d)
	}
	return "CAST(" + quote(v.text) + " AS " + typeName(v.t, d) + ")"
}

// quoteFor writes text; Spark, when it takes backslashes as they are, takes doubled quotes
// so too.
func quoteFor(d dialect, s string) string {
	if d == Spark && strings.Contains(s, "'") {
		return `"` + s + `"`
	}
	return quote(s)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func bytesSQL(text string, d dialect) string {
	if d != DuckDB {
		return "X'" + hex.EncodeToString([]byte(text)) + "'"
	}
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\x%02X`, text[i])
	}
	return "CAST('" + b.String() + "' AS BLOB)"
}

func timeSQL(v value, d dialect) string {
	name := typeName(v.t, d)
	if d == DuckDB && v.t.Kind == types.Timestamp {
		return name + " '" + v.text + "+00'"
	}
	return name + " '" + v.text + "'"
}

func intervalSQL(iv [3]int64, d dialect) string {
	switch {
	case d != Spark:
		return fmt.Sprintf("INTERVAL '%d months %d days %d microseconds'", iv[0], iv[1], iv[2])
	case iv[1] == 0 && iv[2] == 0:
		return fmt.Sprintf("INTERVAL '%d' MONTH", iv[0])
	case iv[0] == 0:
		us := iv[1]*86_400_000_000 + iv[2]
		sign := ""
		if us < 0 {
			sign, us = "-", -us
		}
		return fmt.Sprintf("INTERVAL '%s%d.%06d' SECOND", sign, us/1_000_000, us%1_000_000)
	}
	return fmt.Sprintf("make_interval(0, %d, 0, %d, 0, 0, CAST('%d.%06d' AS DECIMAL(18,6)))", iv[0], iv[1], iv[2]/1_000_000, iv[2]%1_000_000)
}

func (v value) nestedSQL(d dialect) string {
	parts := make([]string, len(v.list))
	for i, x := range v.list {
		parts[i] = x.sql(d)
	}
	switch {
	case v.t.Kind == types.Array && len(parts) == 0:
		return fmt.Sprintf("CAST(%s AS %s)", map[bool]string{true: "[]", false: "array()"}[d == DuckDB], typeName(v.t, d))
	case v.t.Kind == types.Array && d == DuckDB:
		return "[" + strings.Join(parts, ", ") + "]"
	case v.t.Kind == types.Array:
		return "array(" + strings.Join(parts, ", ") + ")"
	case v.t.Kind == types.Struct:
		return structSQL(v.t, parts, d)
	case len(parts) == 0:
		return fmt.Sprintf("CAST(%s AS %s)", map[bool]string{true: "MAP {}", false: "map()"}[d == DuckDB], typeName(v.t, d))
	}
	if d != DuckDB {
		return "map(" + strings.Join(parts, ", ") + ")"
	}
	var keys, vals []string
	for i := 0; i < len(parts); i += 2 {
		keys, vals = append(keys, parts[i]), append(vals, parts[i+1])
	}
	return "MAP([" + strings.Join(keys, ", ") + "], [" + strings.Join(vals, ", ") + "])"
}

func structSQL(t types.Type, parts []string, d dialect) string {
	for i, f := range t.Fields {
		if d == DuckDB {
			parts[i] = "'" + f.Name + "': " + parts[i]
		} else {
			parts[i] = "'" + f.Name + "', " + parts[i]
		}
	}
	if d == DuckDB {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "named_struct(" + strings.Join(parts, ", ") + ")"
}

// typeName is a type as an engine spells it.
func typeName(t types.Type, d dialect) string {
	switch t.Kind {
	case types.Array:
		if d == DuckDB {
			return typeName(*t.Elem, d) + "[]"
		}
		return "ARRAY<" + typeName(*t.Elem, d) + ">"
	case types.Map:
		if d == DuckDB {
			return "MAP(" + typeName(*t.Key, d) + ", " + typeName(*t.Elem, d) + ")"
		}
		return "MAP<" + typeName(*t.Key, d) + ", " + typeName(*t.Elem, d) + ">"
	case types.Struct:
		return structName(t, d)
	}
	if n, ok := simpleNames[d][t.Kind]; ok {
		return n
	}
	return t.String()
}

func structName(t types.Type, d dialect) string {
	parts := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		sep := ": "
		if d == DuckDB {
			sep = " "
		}
		parts[i] = f.Name + sep + typeName(f.Type, d)
	}
	if d == DuckDB {
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	return "STRUCT<" + strings.Join(parts, ", ") + ">"
}

var simpleNames = map[dialect]map[types.Kind]string{
	Spark:  {types.Bytes: "BINARY"},
	DuckDB: {types.String: "VARCHAR", types.Bytes: "BLOB", types.Timestamp: "TIMESTAMPTZ", types.TimestampNTZ: "TIMESTAMP"},
}

// constant is the value as the binder shows a constant to a function; nil where the
// type makes that hard.
func (v value) constant() *vec.Vector {
	switch {
	case v.null:
		return vec.Nulls(v.t, 1)
	case v.t.Kind == types.String:
		return vec.NewConst(v.t, v.text, 1)
	case v.t.Kind == types.Bool:
		return vec.NewConst(v.t, v.text == "true", 1)
	case v.t.IsInteger():
		var n int64
		fmt.Sscan(v.text, &n)
		return vec.NewConst(v.t, n, 1)
	case v.t.IsFloat():
		var x float64
		fmt.Sscan(v.text, &x)
		return vec.NewConst(v.t, x, 1)
	case v.t.Kind == types.Interval:
		return vec.NewConst(v.t, types.IntervalValue{Months: int32(v.iv[0]), Days: int32(v.iv[1]), Micros: v.iv[2]}, 1)
	}
	return nil
}
