package scan

import (
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Value reads a single value of a type that is not nested, as it is written in paths and
// options: in the form that vec.FromAny takes.
func Value(text string, t types.Type, zone *time.Location) (any, bool) {
	times := NewTimes(zone, nil, nil, nil)
	switch t.Kind {
	case types.String, types.Bytes:
		return text, true
	case types.Bool:
		b := strings.EqualFold(text, "true")
		return b, b || strings.EqualFold(text, "false")
	case types.Int8, types.Int16, types.Int32, types.Int64:
		n, err := strconv.ParseInt(text, 10, 8<<(t.Kind-types.Int8))
		return n, err == nil
	case types.Float32, types.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if t.Kind == types.Float32 {
			f = float64(float32(f))
		}
		return f, err == nil
	case types.Date:
		return both(times.Date([]byte(text)))
	case types.Timestamp:
		return both(times.Timestamp([]byte(text)))
	case types.TimestampNTZ:
		return both(times.Local([]byte(text)))
	case types.Time, types.UUID, types.JSON:
		x, err := types.ParseAny(t.Kind, text)
		return x, err == nil
	case types.Decimal:
		d, err := types.ParseDecimal(text, int(t.Prec), int(t.Scale))
		return d, err == nil
	}
	return nil, false
}

func both(n int64, ok bool) (any, bool) { return n, ok }
