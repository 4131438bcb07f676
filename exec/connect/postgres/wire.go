package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/sqlstream/sqlstream/exec/types"
)

// kind is how values of a PostgreSQL type look in the binary protocol.
type kind byte

// The kinds. Their numbers are in logged payloads: they never change.
const (
	unknownKind kind = iota
	boolKind
	int2Kind
	int4Kind
	int8Kind
	float4Kind
	float8Kind
	numericKind
	textKind // text, varchar, char, name, enums, citext: the bytes of the text
	byteaKind
	dateKind
	timestampKind
	timestamptzKind
	intervalKind
	jsonKind
	jsonbKind
	uuidKind
	arrayKind
	timeKind
)

// wire is the shape of a column's values: what must still hold when a payload that was
// made for it is published.
type wire struct {
	kind    kind
	elem    kind   // of an array
	elemOID uint32 // of an array, which names it in each value
	oid     uint32 // of the base type
	name    string // of the base type, for messages
}

// same reports that bytes made for one fit the other.
func (w wire) same(o wire) bool {
	return w.kind == o.kind && w.elem == o.elem && (w.kind != arrayKind || w.elemOID == o.elemOID)
}

// wireOf reads oid, typname and typtype of a base type and of its elements.
func wireOf(r [][]byte) wire {
	w := wire{oid: uint32(number(r[0])), name: string(r[1])}
	if r[3] == nil {
		w.kind = kindOf(w.oid, w.name, r[2][0])
		return w
	}
	w.elemOID = uint32(number(r[3]))
	if w.elem = kindOf(w.elemOID, string(r[4]), r[5][0]); w.elem != unknownKind {
		w.kind = arrayKind
	}
	w.name = string(r[4]) + "[]"
	return w
}

func kindOf(oid uint32, name string, typtype byte) kind {
	switch oid {
	case pgtype.BoolOID:
		return boolKind
	case pgtype.Int2OID:
		return int2Kind
	case pgtype.Int4OID:
		return int4Kind
	case pgtype.Int8OID:
		return int8Kind
	case pgtype.Float4OID:
		return float4Kind
	case pgtype.Float8OID:
		return float8Kind
	case pgtype.NumericOID:
		return numericKind
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return textKind
	case pgtype.ByteaOID:
		return byteaKind
	case pgtype.DateOID:
		return dateKind
	case pgtype.TimestampOID:
		return timestampKind
	case pgtype.TimestamptzOID:
		return timestamptzKind
	case pgtype.IntervalOID:
		return intervalKind
	case pgtype.JSONOID:
		return jsonKind
	case pgtype.JSONBOID:
		return jsonbKind
	case pgtype.UUIDOID:
		return uuidKind
	case pgtype.TimeOID:
		return timeKind
	}
	if typtype == 'e' || name == "citext" {
		return textKind
	}
	return unknownKind
}

// ddlType is the PostgreSQL type of a column that is created for a type of ours.
func ddlType(t types.Type) string {
	switch t.Kind {
	case types.Bool:
		return "boolean"
	case types.Int8, types.Int16:
		return "smallint"
	case types.Int32:
		return "integer"
	case types.Int64:
		return "bigint"
	case types.Float32:
		return "real"
	case types.Float64:
		return "double precision"
	case types.Decimal:
		return fmt.Sprintf("numeric(%d,%d)", t.Prec, t.Scale)
	case types.Bytes:
		return "bytea"
	case types.Date:
		return "date"
	case types.Timestamp:
		return "timestamp with time zone"
	case types.TimestampNTZ:
		return "timestamp without time zone"
	case types.Interval:
		return "interval"
	case types.Time:
		return "time"
	case types.UUID:
		return "uuid"
	case types.JSON:
		return "jsonb"
	case types.Array:
		if !t.Elem.IsNested() {
			return ddlType(*t.Elem) + "[]"
		}
		return "jsonb"
	case types.Map, types.Struct:
		return "jsonb"
	}
	return "text"
}

// fits tells why values of type t cannot all be written into column c as they are; ""
// when they can.
func fits(t types.Type, c column) string {
	if t.Kind == types.Decimal && c.wire.kind == numericKind && !decimalFits(t, c.typmod) {
		return fmt.Sprintf("%s holds fewer digits than %s; write CAST(%s AS DECIMAL(p,s)) to round, or make the column wider", c.typeText, t, c.name)
	}
	if c.wire.kind == unknownKind {
		return fmt.Sprintf("type %s is none that this sink writes; make it %s", c.typeText, ddlType(t))
	}
	if t.Kind == types.Array && c.wire.kind == arrayKind {
		if accepts(*t.Elem, c.wire.elem) && (t.Elem.Kind != types.Decimal || decimalFits(*t.Elem, c.typmod)) {
			return ""
		}
	} else if accepts(t, c.wire.kind) {
		return ""
	}
	return fmt.Sprintf("the query gives %s, and the column is %s; cast in the query, or ALTER COLUMN %s TYPE %s", t, c.typeText, quote(c.name), ddlType(t))
}

func decimalFits(t types.Type, typmod int32) bool {
	if typmod < 4 {
		return true
	}
	prec, scale := int((typmod-4)>>16), int((typmod-4)&0x7ff)
	if scale >= 1024 {
		scale -= 2048
	}
	return scale >= int(t.Scale) && prec-scale >= int(t.Prec)-int(t.Scale)
}

// decimalWithin reports that all values of a numeric column are of a DECIMAL.
func decimalWithin(typmod int32, t types.Type) bool {
	if typmod < 4 {
		return false
	}
	prec, scale := int((typmod-4)>>16), int((typmod-4)&0x7ff)
	if scale >= 1024 {
		scale -= 2048
	}
	return scale <= int(t.Scale) && prec-scale <= int(t.Prec)-int(t.Scale)
}

// numericText is the type of a numeric column in SQL.
func numericText(typmod int32) string {
	if typmod < 4 {
		return "numeric"
	}
	return fmt.Sprintf("numeric(%d,%d)", (typmod-4)>>16, (typmod-4)&0x7ff)
}

// accepts reports that every value of a type of ours has its like in a kind.
func accepts(t types.Type, k kind) bool {
	switch t.Kind {
	case types.Bool:
		return k == boolKind
	case types.Int8, types.Int16:
		return k == int2Kind || k == int4Kind || k == int8Kind || k == numericKind
	case types.Int32:
		return k == int4Kind || k == int8Kind || k == numericKind
	case types.Int64:
		return k == int8Kind || k == numericKind
	case types.Float32:
		return k == float4Kind || k == float8Kind
	case types.Float64:
		return k == float8Kind
	case types.Decimal:
		return k == numericKind
	case types.String:
		return k == textKind || k == jsonKind || k == jsonbKind || k == uuidKind
	case types.Bytes:
		return k == byteaKind
	case types.Date:
		return k == dateKind
	case types.Timestamp:
		return k == timestamptzKind
	case types.TimestampNTZ:
		return k == timestampKind
	case types.Interval:
		return k == intervalKind
	case types.Time:
		return k == timeKind
	case types.UUID:
		return k == uuidKind
	}
	return k == jsonbKind || k == jsonKind
}

// texts reads a JSON array of strings; NULL is none.
func texts(data []byte) (out []string, err error) {
	if data == nil {
		return nil, nil
	}
	return out, json.Unmarshal(data, &out)
}

// String names the shape of values, for messages.
func (w wire) String() string {
	names := [...]string{"an unknown type", "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "text", "bytea", "date",
		"timestamp without time zone", "timestamp with time zone", "interval", "json", "jsonb", "uuid", "an array", "time without time zone"}
	switch {
	case w.kind == arrayKind && int(w.elem) < len(names):
		return names[w.elem] + "[]"
	case int(w.kind) < len(names):
		return names[w.kind]
	}
	return names[0]
}
