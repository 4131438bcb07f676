package vec

import (
	"encoding/hex"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/types"
)

// RowString is the text of a value as the shell prints it, see AppendText.
func RowString(v *Vector, row int, zone *time.Location) string {
	return string(AppendText(nil, v, row, zone))
}

// AppendText appends a value as the shell, CSV and tests print it: NULL as NULL; text
// as it is; DECIMAL in its full scale; FLOAT and DOUBLE in the fewest digits that
// read back the same, with a point or an exponent (1.0, 0.1, 1e+16, NaN, Infinity);
// BYTES as \x and hexadecimal digits; TIMESTAMP in the zone; TIME as hh:mm:ss; INTERVAL
// as types.IntervalValue prints it; UUID with hyphens; JSON as its text; ARRAY, MAP and
// STRUCT as JSON (AppendJSON).
func AppendText(dst []byte, v *Vector, row int, zone *time.Location) []byte {
	if v.IsNull(row) {
		return append(dst, "NULL"...)
	}
	f, i := v.At(row)
	switch f.Type.Kind {
	case types.String, types.JSON:
		return append(dst, f.Bytes(i)...)
	case types.Array, types.Map, types.Struct:
		return appendNestedJSON(dst, f, i, zone)
	}
	return appendScalar(dst, f, i, zone)
}

// appendScalar appends the element i of flat storage, of any type but text and
// nested ones.
func appendScalar(dst []byte, f *Vector, i int, zone *time.Location) []byte {
	switch f.Type.Kind {
	case types.Bool:
		return strconv.AppendBool(dst, f.Bool[i] != 0)
	case types.Float32:
		return AppendFloat(dst, f.F64[i], 32)
	case types.Float64:
		return AppendFloat(dst, f.F64[i], 64)
	case types.Decimal:
		x := types.Int128{}
		if f.Type.Phys() == types.PhysInt128 {
			x = f.I128[i]
		} else {
			x = types.Int128From(f.I64[i])
		}
		return types.AppendDecimal(dst, x, int(f.Type.Scale))
	case types.Bytes:
		return hex.AppendEncode(append(dst, '\\', 'x'), f.Bytes(i))
	case types.Date:
		return types.AppendDate(dst, f.I64[i])
	case types.Timestamp:
		return types.AppendTimestamp(dst, f.I64[i], zone)
	case types.TimestampNTZ:
		return types.AppendTimestamp(dst, f.I64[i], time.UTC)
	case types.Interval:
		return f.Iv[i].Append(dst)
	case types.Time:
		return types.AppendTimeOfDay(dst, f.I64[i])
	case types.UUID:
		return types.AppendUUID(dst, f.Bytes(i))
	}
	return strconv.AppendInt(dst, f.I64[i], 10)
}

// AppendFloat appends the shortest text that reads back as x, rounded to 32 or 64
// bits; it always has a point or an exponent.
func AppendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "NaN"...)
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(x); a != 0 && (a < 1e-5 || a >= 1e16) {
		return strconv.AppendFloat(dst, x, 'e', -1, bits)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, bits)
	for _, c := range dst[from:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// AppendJSON appends a value as JSON: NULL as null; numbers, decimals, booleans and JSON
// bare; everything else, NaN and the infinities too, as a string of the text that
// AppendText gives; a STRUCT and a MAP as an object (a MAP's keys as text, in their
// order).
func AppendJSON(dst []byte, v *Vector, row int, zone *time.Location) []byte {
	if v.IsNull(row) {
		return append(dst, "null"...)
	}
	f, i := v.At(row)
	switch k := f.Type.Kind; {
	case f.Type.IsNested():
		return appendNestedJSON(dst, f, i, zone)
	case k == types.JSON:
		return append(dst, f.Bytes(i)...)
	case k == types.String:
		return AppendJSONString(dst, f.Bytes(i))
	case k == types.Bool, f.Type.IsInteger(), k == types.Decimal,
		f.Type.IsFloat() && !math.IsNaN(f.F64[i]) && !math.IsInf(f.F64[i], 0):
		return appendScalar(dst, f, i, zone)
	case k == types.Bytes:
		return AppendJSONString(dst, appendScalar(nil, f, i, zone))
	}
	dst = appendScalar(append(dst, '"'), f, i, zone) // times, intervals, UUIDs: nothing to escape
	return append(dst, '"')
}

func appendNestedJSON(dst []byte, f *Vector, i int, zone *time.Location) []byte {
	if f.Type.Kind == types.Struct {
		dst = append(dst, '{')
		for k, c := range f.Child {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSONString(dst, []byte(f.Type.Fields[k].Name))
			dst = AppendJSON(append(dst, ':'), c, i, zone)
		}
		return append(dst, '}')
	}
	open, end := byte('['), byte(']')
	if f.Type.Kind == types.Map {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		if e > int(f.Off[i]) {
			dst = append(dst, ',')
		}
		if f.Type.Kind == types.Map {
			dst = AppendJSONString(dst, AppendText(nil, f.Child[0], e, zone))
			dst = AppendJSON(append(dst, ':'), f.Child[1], e, zone)
			continue
		}
		dst = AppendJSON(dst, f.Child[0], e, zone)
	}
	return append(dst, end)
}

const hexDigits = "0123456789abcdef"

// AppendJSONString appends s as a JSON string; bytes that are not UTF-8 become
// U+FFFD.
func AppendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[from:i]...), c)
			from = i + 1
		}
		i++
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
