package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/types"
)

// stored is how a leaf lies in the file.
type stored struct {
	kind     parquet.Kind
	size     int // FIXED_LEN_BYTE_ARRAY
	typ      types.Type
	unsigned bool
	unit     int64 // timestamps and times: units per second
}

// typeOf finds the SQL type of a leaf; an error names what we cannot read.
func typeOf(t parquet.Type) (stored, error) {
	s := stored{kind: t.Kind()}
	if s.kind == parquet.FixedLenByteArray {
		s.size = t.Length()
	}
	if lt := t.LogicalType(); lt != nil && lt.Value != nil {
		return s.logical(lt.Value)
	}
	switch s.kind {
	case parquet.Boolean:
		s.typ = types.Of(types.Bool)
	case parquet.Int32:
		s.typ = types.Of(types.Int32)
	case parquet.Int64:
		s.typ = types.Of(types.Int64)
	case parquet.Int96:
		s.typ = types.Of(types.Timestamp)
	case parquet.Float:
		s.typ = types.Of(types.Float32)
	case parquet.Double:
		s.typ = types.Of(types.Float64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		s.typ = types.Of(types.Bytes)
	default:
		return s, fmt.Errorf("unknown type %s", t)
	}
	return s, nil
}

func (s stored) logical(v meta.LogicalTypeValue) (stored, error) {
	switch lt := v.(type) {
	case *meta.StringType, *meta.EnumType:
		s.typ = types.Of(types.String)
	case *meta.JsonType:
		s.typ = types.Of(types.JSON)
	case *meta.BsonType:
		s.typ = types.Of(types.Bytes)
	case *meta.DateType:
		s.typ = types.Of(types.Date)
	case *meta.DecimalType:
		if lt.Precision > types.MaxPrecision || lt.Precision < 1 || lt.Scale < 0 || lt.Scale > lt.Precision {
			return s, fmt.Errorf("DECIMAL(%d,%d) is beyond DECIMAL(38,…)", lt.Precision, lt.Scale)
		}
		s.typ = types.DecimalOf(int(lt.Precision), int(lt.Scale))
	case *meta.IntType:
		s.unsigned = !lt.IsSigned
		s.typ = integerOf(int(lt.BitWidth), lt.IsSigned)
	case *meta.TimestampType:
		s.typ = types.Of(types.TimestampNTZ)
		if lt.IsAdjustedToUTC {
			s.typ = types.Of(types.Timestamp)
		}
		s.unit = unitsPerSecond(lt.Unit.Value)
	case *meta.UUIDType:
		s.typ, s.size = types.Of(types.UUID), 16
	case *meta.TimeType:
		s.typ, s.unit = types.Of(types.Time), unitsPerSecond(lt.Unit.Value)
	default:
		return s, fmt.Errorf("type %s is not supported", v)
	}
	return s, nil
}

func integerOf(width int, signed bool) types.Type {
	if !signed {
		width *= 2 // the next type that holds every value
	}
	switch width {
	case 8:
		return types.Of(types.Int8)
	case 16:
		return types.Of(types.Int16)
	case 32:
		return types.Of(types.Int32)
	case 64:
		return types.Of(types.Int64)
	}
	return types.DecimalOf(20, 0)
}

func unitsPerSecond(u meta.TimeUnitValue) int64 {
	switch u.(type) {
	case *meta.MilliSeconds:
		return 1e3
	case *meta.NanoSeconds:
		return 1e9
	}
	return 1e6
}

// convert finds the conversion of a leaf to a declared type: the same type, or one that
// holds every value of it. Nothing is rounded and nothing wraps.
func (s stored) convert(to types.Type) (c conversion, ok bool) {
	c = conversion{typ: to, width: widths[s.kind]}
	if s.kind == parquet.FixedLenByteArray {
		c.width = s.size
	}
	switch from := s.typ; {
	case to.Kind == types.Decimal:
		ok = s.toDecimal(&c)
	case to.IsInteger() && from.IsInteger() && to.Kind >= from.Kind:
		ok = s.toInteger(&c)
	case to.IsFloat():
		ok = s.toFloat(&c)
	case to.IsTime():
		ok = s.toTime(&c)
	case to.Kind == types.Bool && from.Kind == types.Bool:
		c.run, ok = boolean, true
	case to.Kind == types.Time && from.Kind == types.Time:
		c.run, ok = clock(s.kind, s.unit), true
	case from.Kind == types.UUID:
		c.run, ok = uuids, to.Kind == types.String
		if to.Kind == types.UUID || to.Kind == types.Bytes {
			c.run, ok = fixed(16), true
		}
	case to.Kind == types.JSON && (from.Kind == types.JSON || from.Kind == types.String):
		c.run, ok = documents, true
	case (to.Kind == types.String || to.Kind == types.Bytes) && isText(from):
		s.toBytes(&c)
		ok = true
	}
	return c, ok
}

var widths = map[parquet.Kind]int{parquet.Boolean: bitPacked, parquet.Int32: 4, parquet.Int64: 8, parquet.Int96: 12, parquet.Float: 4, parquet.Double: 8}

func (s stored) toInteger(c *conversion) bool {
	switch {
	case s.kind == parquet.Int64:
		c.run = long
	case s.unsigned:
		c.run = widen[uint32]
	default:
		c.run = widen[int32]
	}
	return true
}

func (s stored) toFloat(c *conversion) bool {
	double64 := c.typ.Kind == types.Float64
	switch {
	case s.kind == parquet.Float:
		c.run = toFloat[float32]
	case s.kind == parquet.Double && double64:
		c.run = double
	case s.kind == parquet.Int32 && s.typ.IsInteger() && double64 && s.unsigned:
		c.run = toFloat[uint32]
	case s.kind == parquet.Int32 && s.typ.IsInteger() && double64:
		c.run = toFloat[int32]
	default:
		return false
	}
	return true
}

// toTime reads dates and timestamps. A timestamp without zone may be declared TIMESTAMP:
// it is then taken to be UTC, as Spark does. The other way loses the zone: refused.
func (s stored) toTime(c *conversion) bool {
	to := c.typ.Kind
	switch {
	case s.typ.Kind == types.Date && to == types.Date:
		c.run = widen[int32]
	case s.typ.Kind == types.Date && to == types.TimestampNTZ:
		c.run = days
	case to == types.Date || s.typ.Kind == types.Timestamp && to == types.TimestampNTZ:
		return false
	case s.kind == parquet.Int96:
		c.run = int96
	case s.typ.Kind != types.Timestamp && s.typ.Kind != types.TimestampNTZ:
		return false
	case s.unit == 1e3:
		c.run = scaled(1000)
	case s.unit == 1e9:
		c.run = nanos
	default:
		c.run = long
	}
	return true
}

func isText(t types.Type) bool {
	return t.Kind == types.String || t.Kind == types.Bytes || t.Kind == types.JSON
}

func (s stored) toBytes(c *conversion) {
	c.run = byteArrays
	if s.kind == parquet.FixedLenByteArray {
		c.run = fixed(s.size)
	}
}

func (s stored) toDecimal(c *conversion) bool {
	from := s.typ
	if from.IsInteger() {
		from = types.DecimalOf(map[types.Kind]int{types.Int8: 3, types.Int16: 5, types.Int32: 10, types.Int64: 19}[from.Kind], 0)
	}
	up := int(c.typ.Scale) - int(from.Scale)
	if from.Kind != types.Decimal || up < 0 || int(c.typ.Prec)-int(c.typ.Scale) < int(from.Prec)-int(from.Scale) {
		return false
	}
	switch {
	case s.kind == parquet.Int64 && up == 0 && c.typ.Phys() == types.PhysInt64:
		c.run = long
	case s.kind == parquet.Int32 && up == 0 && !s.unsigned && c.typ.Phys() == types.PhysInt64:
		c.run = widen[int32]
	case s.kind == parquet.Int32 && s.unsigned:
		c.run = decimals(c.typ, up, uint32At)
	case s.kind == parquet.Int32:
		c.run = decimals(c.typ, up, int32At)
	case s.kind == parquet.Int64 && s.unsigned:
		c.run = decimals(c.typ, up, uint64At)
	case s.kind == parquet.Int64:
		c.run = decimals(c.typ, up, int64At)
	case s.kind == parquet.FixedLenByteArray:
		c.run = decimals(c.typ, up, fixedAt(s.size))
	default:
		c.run = decimals(c.typ, up, bytesAt)
	}
	return true
}
