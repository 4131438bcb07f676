package vec_test

import (
	"math"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestText(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	ts, f64 := types.Of(types.Timestamp), types.Of(types.Float64)
	window := types.StructOf(types.Field{Name: "start", Type: ts}, types.Field{Name: "n", Type: types.DecimalOf(5, 2)})
	for _, c := range []struct {
		t    types.Type
		v    any
		zone *time.Location
		want string
		json string
	}{
		{types.Of(types.Int64), nil, time.UTC, "NULL", "null"},
		{types.Of(types.Null), nil, time.UTC, "NULL", "null"},
		{types.Of(types.Bool), true, time.UTC, "true", "true"},
		{types.Of(types.Int64), math.MinInt64, time.UTC, "-9223372036854775808", "-9223372036854775808"},
		{f64, 1.0, time.UTC, "1.0", "1.0"},
		{f64, 0.1, time.UTC, "0.1", "0.1"},
		{f64, 1e15, time.UTC, "1000000000000000.0", "1000000000000000.0"},
		{f64, 1e16, time.UTC, "1e+16", "1e+16"},
		{f64, 1e-6, time.UTC, "1e-06", "1e-06"},
		{f64, math.Copysign(0, -1), time.UTC, "-0.0", "-0.0"},
		{f64, math.NaN(), time.UTC, "NaN", `"NaN"`},
		{f64, math.Inf(-1), time.UTC, "-Infinity", `"-Infinity"`},
		{types.Of(types.Float32), float64(float32(0.1)), time.UTC, "0.1", "0.1"},
		{types.DecimalOf(10, 2), 500, time.UTC, "5.00", "5.00"},
		{types.DecimalOf(10, 2), -5, time.UTC, "-0.05", "-0.05"},
		{types.DecimalOf(38, 0), types.Int128{Hi: math.MinInt64}, time.UTC, "-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"},
		{types.Of(types.String), "a\"\n\xff\u00e9\x01", time.UTC, "a\"\n\xff\u00e9\x01", `"a\"\n` + "\ufffd\u00e9" + `\u0001"`},
		{types.Of(types.Bytes), []byte{0, 255}, time.UTC, `\x00ff`, `"\\x00ff"`},
		{types.Of(types.Date), -1, time.UTC, "1969-12-31", `"1969-12-31"`},
		{ts, 1_500_000, time.UTC, "1970-01-01 00:00:01.5", `"1970-01-01 00:00:01.5"`},
		{ts, 0, berlin, "1970-01-01 01:00:00", `"1970-01-01 01:00:00"`},
		{types.Of(types.TimestampNTZ), 0, berlin, "1970-01-01 00:00:00", `"1970-01-01 00:00:00"`},
		{types.Of(types.Interval), types.IntervalValue{Months: 1, Days: 2, Micros: 3 * types.MicrosPerHour}, time.UTC, "1 month 2 days 03:00:00", `"1 month 2 days 03:00:00"`},
		{types.ArrayOf(f64), []any{1.0, nil}, time.UTC, "[1.0,null]", "[1.0,null]"},
		{types.MapOf(types.Of(types.String), types.Of(types.Int32)), [][2]any{{"k\"", 1}}, time.UTC, `{"k\"":1}`, `{"k\"":1}`},
		{window, []any{0, 125}, time.UTC, `{"start":"1970-01-01 00:00:00","n":1.25}`, `{"start":"1970-01-01 00:00:00","n":1.25}`},
	} {
		v := vec.FromAny(c.t, c.v)
		if got := vec.RowString(v, 0, c.zone); got != c.want {
			t.Errorf("text of %s %v is %s, want %s", c.t, c.v, got, c.want)
		}
		if got := string(vec.AppendJSON(nil, v, 0, c.zone)); got != c.json {
			t.Errorf("JSON of %s %v is %s, want %s", c.t, c.v, got, c.json)
		}
	}
}
