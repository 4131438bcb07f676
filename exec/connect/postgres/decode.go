package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// decode appends a value in binary form, which is not NULL. After an error nothing has
// been appended.
type decode func(b *vec.Builder, data []byte) error

// errBytes is a value whose bytes are not those of its type.
var errBytes = errors.New("has bytes that are not of its type")

// typeOf is the type of ours that a column is read as, unless another is declared.
func typeOf(c column) types.Type {
	if c.wire.kind == arrayKind {
		return types.ArrayOf(typeOf(column{wire: wire{kind: c.wire.elem}, typmod: c.typmod}))
	}
	switch c.wire.kind {
	case boolKind:
		return types.Of(types.Bool)
	case int2Kind:
		return types.Of(types.Int16)
	case int4Kind:
		return types.Of(types.Int32)
	case int8Kind:
		return types.Of(types.Int64)
	case float4Kind:
		return types.Of(types.Float32)
	case float8Kind:
		return types.Of(types.Float64)
	case numericKind:
		return decimalOf(c.typmod)
	case byteaKind:
		return types.Of(types.Bytes)
	case dateKind:
		return types.Of(types.Date)
	case timestampKind:
		return types.Of(types.TimestampNTZ)
	case timestamptzKind:
		return types.Of(types.Timestamp)
	case intervalKind:
		return types.Of(types.Interval)
	case timeKind:
		return types.Of(types.Time)
	case uuidKind:
		return types.Of(types.UUID)
	case jsonKind, jsonbKind:
		return types.Of(types.JSON)
	}
	return types.Of(types.String)
}

// decimalOf is the type of a numeric column; without a precision, or with one that no
// DECIMAL has, it is DECIMAL(38,18), as in Spark.
func decimalOf(typmod int32) types.Type {
	prec, scale := int((typmod-4)>>16), int((typmod-4)&0x7ff)
	if typmod < 4 || prec > types.MaxPrecision || scale > prec {
		return types.DecimalOf(types.MaxPrecision, 18)
	}
	return types.DecimalOf(prec, scale)
}

// decoderOf chooses how values of a column are read as a type; nil = they are not.
func decoderOf(t types.Type, w wire) decode {
	switch {
	case t.Kind == types.Array && w.kind == arrayKind:
		if elem := decoderOf(*t.Elem, wire{kind: w.elem}); elem != nil {
			return arrayDecoder(elem)
		}
		return nil
	case t.IsInteger():
		return intDecoder(t.Kind, w.kind)
	case t.Kind == types.String:
		return textDecoder(w.kind)
	case !accepts(t, w.kind):
		if t.Kind == types.Float64 && w.kind == float4Kind {
			return decodeFloat4
		}
		return nil
	}
	switch w.kind {
	case boolKind:
		return decodeBool
	case float4Kind:
		return decodeFloat4
	case float8Kind:
		return decodeFloat8
	case numericKind:
		return numericDecoder(t)
	case byteaKind:
		return decodeBytes
	case dateKind:
		return decodeDate
	case timestampKind, timestamptzKind:
		return decodeTime
	case intervalKind:
		return decodeInterval
	case timeKind:
		return decodeClock
	case uuidKind:
		return fixedBytes(16)
	case jsonKind, jsonbKind:
		if t.Kind == types.JSON {
			return jsonDecoder(textDecoder(w.kind))
		}
	}
	return nil
}

// decodeClock reads µs of the day.
func decodeClock(b *vec.Builder, data []byte) error {
	if len(data) != 8 {
		return errBytes
	}
	us := int64(binary.BigEndian.Uint64(data))
	switch {
	case us == types.MicrosPerDay:
		return errors.New("is 24:00:00, and TIME ends before it")
	case us < 0 || us > types.MicrosPerDay:
		return errBytes
	}
	b.AppendInt(us)
	return nil
}

func fixedBytes(n int) decode {
	return func(b *vec.Builder, data []byte) error {
		if len(data) != n {
			return errBytes
		}
		b.AppendBytes(data)
		return nil
	}
}

// jsonDecoder brings the text that inner gives into canonical form.
func jsonDecoder(inner decode) decode {
	text := vec.NewBuilder(types.Of(types.String))
	return func(b *vec.Builder, data []byte) error {
		text.Reset()
		if err := inner(text, data); err != nil {
			return err
		}
		doc, err := types.AppendCanonicalJSON(nil, text.Finish().Bytes(0))
		if err == nil {
			b.AppendBytes(doc)
		}
		return err
	}
}

// intDecoder reads a whole number into a type that is at least as wide.
func intDecoder(t types.Kind, k kind) decode {
	switch {
	case k == int2Kind && t >= types.Int16:
		return func(b *vec.Builder, data []byte) error {
			if len(data) != 2 {
				return errBytes
			}
			b.AppendInt(int64(int16(binary.BigEndian.Uint16(data))))
			return nil
		}
	case k == int4Kind && t >= types.Int32:
		return func(b *vec.Builder, data []byte) error {
			if len(data) != 4 {
				return errBytes
			}
			b.AppendInt(int64(int32(binary.BigEndian.Uint32(data))))
			return nil
		}
	case k == int8Kind && t == types.Int64:
		return func(b *vec.Builder, data []byte) error {
			if len(data) != 8 {
				return errBytes
			}
			b.AppendInt(int64(binary.BigEndian.Uint64(data)))
			return nil
		}
	}
	return nil
}

func decodeBool(b *vec.Builder, data []byte) error {
	if len(data) != 1 {
		return errBytes
	}
	b.AppendBool(data[0] != 0)
	return nil
}

func decodeFloat4(b *vec.Builder, data []byte) error {
	if len(data) != 4 {
		return errBytes
	}
	b.AppendFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(data))))
	return nil
}

func decodeFloat8(b *vec.Builder, data []byte) error {
	if len(data) != 8 {
		return errBytes
	}
	b.AppendFloat(math.Float64frombits(binary.BigEndian.Uint64(data)))
	return nil
}

func decodeBytes(b *vec.Builder, data []byte) error {
	b.AppendBytes(data)
	return nil
}

func numericDecoder(t types.Type) decode {
	return func(b *vec.Builder, data []byte) error {
		x, err := readNumeric(data, int(t.Prec), int(t.Scale))
		if err != nil {
			if err == errNumericRange {
				err = fmt.Errorf("is out of the range of %s", t)
			}
			return err
		}
		b.AppendInt128(x)
		return nil
	}
}

func decodeDate(b *vec.Builder, data []byte) error {
	if len(data) != 4 {
		return errBytes
	}
	d := int32(binary.BigEndian.Uint32(data))
	switch d {
	case math.MaxInt32:
		b.AppendInt(types.InfiniteDay)
	case math.MinInt32:
		b.AppendInt(types.MinusInfiniteDay)
	default:
		b.AppendInt(int64(d) + epochDays)
	}
	return nil
}

func decodeTime(b *vec.Builder, data []byte) error {
	if len(data) != 8 {
		return errBytes
	}
	us := int64(binary.BigEndian.Uint64(data))
	switch {
	case us == math.MaxInt64:
		us = types.InfiniteMicros - epochMicros
	case us == math.MinInt64:
		us = types.MinusInfiniteMicros - epochMicros
	case us > math.MaxInt64-epochMicros:
		return errors.New("is later than the last TIMESTAMP")
	}
	b.AppendInt(us + epochMicros)
	return nil
}

func decodeInterval(b *vec.Builder, data []byte) error {
	if len(data) != 16 {
		return errBytes
	}
	v := types.IntervalValue{Micros: int64(binary.BigEndian.Uint64(data)), Days: int32(binary.BigEndian.Uint32(data[8:])), Months: int32(binary.BigEndian.Uint32(data[12:]))}
	if isInfinite(v) {
		return errors.New("is infinite, and INTERVAL is not")
	}
	b.AppendInterval(v)
	return nil
}

// textDecoder reads what is text in its binary form, or nearly so.
func textDecoder(k kind) decode {
	switch k {
	case textKind, jsonKind:
		return decodeBytes
	case jsonbKind:
		return func(b *vec.Builder, data []byte) error {
			if len(data) == 0 || data[0] != 1 {
				return errBytes
			}
			b.AppendBytes(data[1:])
			return nil
		}
	case uuidKind:
		return decodeUUID
	}
	return nil
}

func decodeUUID(b *vec.Builder, data []byte) error {
	if len(data) != 16 {
		return errBytes
	}
	var text [36]byte
	b.AppendBytes(types.AppendUUID(text[:0], data))
	return nil
}

// arrayDecoder reads arrays of one dimension. The elements are checked before any of them
// is appended, in a builder of their own.
func arrayDecoder(elem decode) decode {
	var spare *vec.Builder
	return func(b *vec.Builder, data []byte) error {
		if len(data) < 12 {
			return errBytes
		}
		switch dims := binary.BigEndian.Uint32(data); {
		case dims == 0:
			b.EndList()
			return nil
		case dims > 1:
			return fmt.Errorf("has %d dimensions, and ARRAY has one; let a query in PostgreSQL turn it into JSON: to_json(…)::text", dims)
		case len(data) < 20:
			return errBytes
		}
		if spare == nil {
			spare = vec.NewBuilder(b.Child(0).Type())
		}
		spare.Reset()
		n := binary.BigEndian.Uint32(data[12:])
		data = data[20:]
		for ; n > 0; n-- {
			rest, err := decodeCell(spare, data, elem)
			if err != nil {
				return err
			}
			data = rest
		}
		b.Child(0).AppendRows(spare.Finish(), nil)
		b.EndList()
		return nil
	}
}

// decodeCell reads a length and a value, as COPY and arrays have them.
func decodeCell(b *vec.Builder, data []byte, d decode) ([]byte, error) {
	if len(data) < 4 {
		return nil, errBytes
	}
	n := int(int32(binary.BigEndian.Uint32(data)))
	data = data[4:]
	if n < 0 {
		b.AppendNull()
		return data, nil
	}
	if n > len(data) {
		return nil, errBytes
	}
	return data[n:], d(b, data[:n])
}
