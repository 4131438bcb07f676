package expr

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Literal writes one value as SQL, such that it reads back with the same type.
func Literal(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		if v.Type.Kind == types.Null {
			return "NULL"
		}
		return "CAST(NULL AS " + v.Type.String() + ")"
	}
	if v.Type.IsNested() {
		return nestedLiteral(v, row)
	}
	text := vec.RowString(v, row, time.UTC)
	switch v.Type.Kind {
	case types.Bool:
		return strings.ToUpper(text)
	case types.Int32:
		return text
	case types.Decimal:
		return decimalLiteral(v.Type, text)
	case types.String:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case types.Bytes:
		return fmt.Sprintf("X'%X'", v.Bytes(row))
	case types.Date, types.Timestamp, types.TimestampNTZ, types.Interval, types.Time, types.UUID:
		return v.Type.String() + " '" + text + "'"
	case types.JSON:
		return "JSON '" + strings.ReplaceAll(text, "'", "''") + "'"
	case types.Int64:
		if i := v.Int(row); i != int64(int32(i)) {
			return text
		}
	}
	if v.Type.IsFloat() && strings.ContainsAny(text, "NI") {
		text = "'" + text + "'"
	}
	return "CAST(" + text + " AS " + v.Type.String() + ")"
}

// decimalLiteral leaves the cast out where the digits alone give the type.
func decimalLiteral(t types.Type, text string) string {
	digits := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(text, "-"), ".", ""), "0")
	if t.Scale > 0 && max(len(digits), int(t.Scale)) == int(t.Prec) {
		return text
	}
	return "CAST(" + text + " AS " + t.String() + ")"
}

func nestedLiteral(v *vec.Vector, row int) string {
	f, i := v.At(row)
	var parts []string
	switch v.Type.Kind {
	case types.Struct:
		for k, field := range v.Type.Fields {
			parts = append(parts, "'"+strings.ReplaceAll(field.Name, "'", "''")+"'", Literal(f.Child[k], i))
		}
		return "named_struct(" + strings.Join(parts, ", ") + ")"
	case types.Map:
		for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
			parts = append(parts, Literal(f.Child[0], e), Literal(f.Child[1], e))
		}
		return "map(" + strings.Join(parts, ", ") + ")"
	}
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		parts = append(parts, Literal(f.Child[0], e))
	}
	return "array(" + strings.Join(parts, ", ") + ")"
}

// quoteName writes a field name as SQL.
func quoteName(s string) string {
	for i := range len(s) {
		ch := s[i]
		letter := ch == '_' || ch|0x20 >= 'a' && ch|0x20 <= 'z' || ch > 127
		if !letter && (i == 0 || ch < '0' || ch > '9') {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
