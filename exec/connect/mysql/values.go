package mysql

import (
	"math"
	"strconv"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// unwritable says why values of a type have no place in a table; "" = they have.
func unwritable(t types.Type) string {
	if t.Kind == types.Decimal && t.Scale > 30 {
		return t.String() + " has more digits behind the point than MySQL's 30; cast it to one with fewer"
	}
	return ""
}

// value is what the driver is given for a value, and about the most bytes that its text
// takes in a statement. INTERVAL, ARRAY, MAP and STRUCT are text, the latter JSON.
func value(v *vec.Vector, row int, zone *time.Location) (any, int, error) {
	if v.IsNull(row) {
		return nil, 4, nil
	}
	f, i := v.At(row)
	switch f.Type.Kind {
	case types.Bool:
		return f.Bool[i] != 0, 1, nil
	case types.Int8, types.Int16, types.Int32, types.Int64:
		return f.I64[i], 20, nil
	case types.Float32, types.Float64:
		return number64(f, i)
	case types.Decimal:
		return vec.RowString(v, row, zone), 42, nil
	case types.Bytes:
		b := f.Bytes(i)
		return append([]byte{}, b...), 2*len(b) + 12, nil
	case types.Date:
		return inYears(time.Unix(f.I64[i]*86400, 0).UTC(), "2006-01-02")
	case types.Timestamp, types.TimestampNTZ:
		return inYears(time.UnixMicro(f.I64[i]).UTC(), "2006-01-02 15:04:05.000000")
	case types.Array, types.Map, types.Struct:
		text := vec.AppendJSON(nil, v, row, zone)
		return string(text), 2*len(text) + 4, nil
	case types.Interval, types.Time, types.UUID:
		return vec.RowString(v, row, zone), 2*40 + 4, nil
	}
	text := f.Bytes(i)
	return string(text), 2*len(text) + 4, nil
}

// number64 refuses what MySQL has no number for.
func number64(f *vec.Vector, i int) (any, int, error) {
	x := f.F64[i]
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, 0, valueError("MySQL has no " + string(vec.AppendFloat(nil, x, 64)) + "; replace it in the query, as in nullif")
	}
	if f.Type.Kind == types.Float32 {
		// The text of the 32 bits: those of 64 would be another number.
		return rawNumber(strconv.FormatFloat(x, 'g', -1, 32)), 24, nil
	}
	return rawNumber(strconv.FormatFloat(x, 'e', -1, 64)), 30, nil
}

// rawNumber goes to the server as text, which it converts.
func rawNumber(s string) any { return s }

// inYears is the text of a time; MySQL knows the years 1000 to 9999.
func inYears(t time.Time, layout string) (any, int, error) {
	if y := t.Year(); y < 1000 || y > 9999 {
		return nil, 0, valueError("MySQL has no time in the year " + strconv.Itoa(y) + ": " + t.Format(layout))
	}
	return t.Format(layout), 30, nil
}

// valueError is a value that has no place in a table.
type valueError string

func (e valueError) Error() string { return string(e) }
