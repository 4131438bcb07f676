package cast

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var (
	text    = types.Of(types.String)
	integer = types.Of(types.Int32)
	bigint  = types.Of(types.Int64)
	double  = types.Of(types.Float64)
)

// convertOne casts a single value and prints it; an error is "error".
func convertOne(t *testing.T, from, to types.Type, value any, try bool) string {
	t.Helper()
	if !types.CanCast(from, to) {
		t.Fatalf("no cast from %s to %s", from, to)
	}
	if from.Kind == types.Decimal {
		x, err := types.ParseDecimal(value.(string), int(from.Prec), int(from.Scale))
		if err != nil {
			t.Fatal(err)
		}
		value = x
	}
	in := vec.FromAny(from, value)
	v, err := Kernel(from, to, try)(&fn.Ctx{Zone: time.UTC}, []*vec.Vector{in}, fn.Rows{N: 1})
	var bad *fn.DataError
	switch {
	case errors.As(err, &bad):
		return "error"
	case err != nil:
		t.Fatal(err)
	}
	if !v.Type.Equal(to) {
		t.Fatalf("cast to %s gave %s", to, v.Type)
	}
	return vec.RowString(v, 0, time.UTC)
}

func TestValues(t *testing.T) {
	dec := types.DecimalOf
	for _, c := range []struct {
		from  types.Type
		value any
		to    types.Type
		want  string
	}{
		{text, " 12 ", integer, "12"},
		{text, "+7", integer, "7"},
		{text, "-2147483648", integer, "-2147483648"},
		{text, "2147483648", integer, "error"},
		{text, "9223372036854775807", bigint, "9223372036854775807"},
		{text, "9223372036854775808", bigint, "error"},
		{text, "18446744073709551617", bigint, "error"},
		{text, "1.5", integer, "error"},
		{text, "1e3", integer, "error"},
		{text, "", integer, "error"},
		{text, "-", integer, "error"},
		{text, "1_0", double, "error"},
		{text, "0x10", double, "error"},
		{text, "1e3", double, "1000.0"},
		{text, "nan", double, "NaN"},
		{text, "-Infinity", double, "-Infinity"},
		{text, "1e400", double, "error"},
		{text, "12345.67", dec(4, 1), "error"},
		{text, "2.45", dec(4, 1), "2.5"},
		{text, "-2.45", dec(4, 1), "-2.5"},
		{text, "1e3", dec(10, 2), "1000.00"},
		{text, "T", types.Of(types.Bool), "true"},
		{text, "no", types.Of(types.Bool), "false"},
		{text, "on", types.Of(types.Bool), "error"},
		{text, "2024-02-30", types.Of(types.Date), "error"},
		{text, "2024-2-9", types.Of(types.Date), "2024-02-09"},
		{text, "2024", types.Of(types.Timestamp), "2024-01-01 00:00:00"},
		{text, "2024-02-29 7:05", types.Of(types.Timestamp), "2024-02-29 07:05:00"},
		{text, "2024-02-29T10:11:12.5+02:00", types.Of(types.Timestamp), "2024-02-29 08:11:12.5"},
		{text, "2024-02-29T10:11:12.5+02:00", types.Of(types.TimestampNTZ), "2024-02-29 10:11:12.5"},
		{text, "2024-02-29 10:11x", types.Of(types.Timestamp), "error"},
		{text, "24-02-29", types.Of(types.Timestamp), "error"},
		{text, "1 day 02:00:00", types.Of(types.Interval), "1 day 02:00:00"},
		{bigint, int64(3_000_000_000), integer, "error"},
		{bigint, int64(1<<53 + 1), double, "9007199254740992.0"},
		{integer, int64(7), dec(3, 2), "7.00"},
		{integer, int64(10), dec(3, 2), "error"},
		{integer, int64(0), types.Of(types.Bool), "false"},
		{double, 1.9, integer, "1"},
		{double, -1.9, integer, "-1"},
		{double, math.NaN(), integer, "error"},
		{double, 9.3e18, bigint, "error"},
		{double, 0.1, types.Of(types.Float32), "0.1"},
		{double, 2.675, dec(5, 2), "2.68"}, // by its shortest text, as in Spark
		{dec(10, 2), "-1.55", integer, "-1"},
		{dec(10, 2), "-1.55", dec(5, 1), "-1.6"},
		{dec(10, 2), "1.55", double, "1.55"},
		{dec(38, 0), "12345678901234567890", bigint, "error"},
		{dec(38, 0), "12345678901234567890", dec(18, 0), "error"},
		{types.Of(types.Bool), true, dec(1, 0), "1"},
		{types.Of(types.Bool), true, dec(1, 1), "error"},
		{types.ArrayOf(text), []any{"1", nil, "x"}, types.ArrayOf(integer), "error"},
		{types.ArrayOf(text), []any{"1", nil}, types.ArrayOf(integer), "[1,null]"},
		{types.ArrayOf(integer), []any{int64(1)}, text, "[1]"},
	} {
		if got := convertOne(t, c.from, c.to, c.value, false); got != c.want {
			t.Errorf("CAST(%s %v AS %s) = %s, want %s", c.from, c.value, c.to, got, c.want)
		}
		if c.want != "error" || c.from.IsNested() {
			continue
		}
		if got := convertOne(t, c.from, c.to, c.value, true); got != "NULL" {
			t.Errorf("TRY_CAST(%s %v AS %s) = %s, want NULL", c.from, c.value, c.to, got)
		}
	}
}

func TestNestedTry(t *testing.T) {
	got := convertOne(t, types.ArrayOf(text), types.ArrayOf(integer), []any{"1", "x"}, true)
	if got != "[1,null]" {
		t.Errorf("got %s", got)
	}
}

// roundTrips are types whose text reads back as the same value.
var roundTrips = []types.Type{
	types.Of(types.Bool), types.Of(types.Int8), integer, bigint, types.Of(types.Float32), double, types.DecimalOf(7, 3), types.DecimalOf(38, 10),
	types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ), types.Of(types.Interval),
}

func TestTextRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		typ := roundTrips[rnd.IntN(len(roundTrips))]
		b := vec.NewBuilder(typ)
		appendRandom(rnd, b, typ)
		in := b.Take()
		c := &fn.Ctx{Zone: time.UTC}
		s, err := Kernel(typ, text, false)(c, []*vec.Vector{in}, fn.Rows{N: 1})
		if err != nil {
			t.Fatal(err)
		}
		back, err := Kernel(text, typ, false)(c, []*vec.Vector{s}, fn.Rows{N: 1})
		if err != nil {
			t.Fatalf("%s %q: %v", typ, s.Text(0), err)
		}
		if !vec.Equal(in, 0, back, 0) {
			t.Fatalf("%s %q reads back as %s", typ, s.Text(0), vec.RowString(back, 0, time.UTC))
		}
	}
}

func appendRandom(rnd *rand.Rand, b *vec.Builder, t types.Type) {
	switch t.Kind {
	case types.Bool:
		b.AppendBool(rnd.IntN(2) == 0)
	case types.Int8:
		b.AppendInt(rnd.Int64N(256) - 128)
	case types.Int32:
		b.AppendInt(int64(int32(rnd.Uint32())))
	case types.Int64:
		b.AppendInt(int64(rnd.Uint64()))
	case types.Float32:
		b.AppendFloat(float64(math.Float32frombits(rnd.Uint32())))
	case types.Float64:
		b.AppendFloat(math.Float64frombits(rnd.Uint64()))
	case types.Decimal:
		b.AppendInt128(types.Int128From(rnd.Int64N(20_000_000) - 10_000_000).DivPow10(rnd.IntN(4)))
	case types.Date:
		b.AppendInt(rnd.Int64N(types.MaxDay-types.MinDay) + types.MinDay)
	case types.Interval:
		b.AppendInterval(types.IntervalValue{Months: int32(rnd.IntN(99) - 50), Days: int32(rnd.IntN(99) - 50), Micros: rnd.Int64N(1e12) - 5e11})
	default:
		b.AppendInt(rnd.Int64N(1e17) - 5e16)
	}
}

// TestZones moves times between instants and wall clocks in a zone with daylight
// saving.
func TestZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 7, 1, 23, 30, 0, 0, time.UTC)
	ts, ntz, date := types.Of(types.Timestamp), types.Of(types.TimestampNTZ), types.Of(types.Date)
	c := &fn.Ctx{Zone: berlin}
	run := func(from, to types.Type, x int64) int64 {
		v, err := Kernel(from, to, false)(c, []*vec.Vector{vec.FromInts(from, []int64{x})}, fn.Rows{N: 1})
		if err != nil {
			t.Fatal(err)
		}
		return v.I64[0]
	}
	local := run(ts, ntz, at.UnixMicro())
	if want := at.Add(2 * time.Hour).UnixMicro(); local != want || run(ntz, ts, local) != at.UnixMicro() {
		t.Errorf("wall clock %d, want %d", local, want)
	}
	day := run(ts, date, at.UnixMicro())
	if want := types.DaysFromCivil(2024, 7, 2); day != want {
		t.Errorf("day %d, want %d", day, want)
	}
	if got, want := run(date, ts, day), time.Date(2024, 7, 2, 0, 0, 0, 0, berlin).UnixMicro(); got != want {
		t.Errorf("midnight %d, want %d", got, want)
	}
}

func TestTimeUUIDJSON(t *testing.T) {
	clock, uuid, doc, ts, ntz := types.Of(types.Time), types.Of(types.UUID), types.Of(types.JSON), types.Of(types.Timestamp), types.Of(types.TimestampNTZ)
	const id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
	row := types.StructOf(types.Field{Name: "a", Type: integer}, types.Field{Name: "b", Type: types.ArrayOf(text)}, types.Field{Name: "c", Type: types.MapOf(integer, clock)})
	for _, c := range []struct {
		from  types.Type
		value any
		to    types.Type
		want  string
	}{
		{text, "10:00:00.5", clock, "10:00:00.5"},
		{text, "7:05", clock, "07:05:00"},
		{text, "2024-02-29 10:11:12+02:00", clock, "10:11:12"},
		{text, "2024-02-29", clock, "error"},
		{text, "24:00:00", clock, "error"},
		{ts, int64(-1), clock, "23:59:59.999999"},
		{ntz, int64(86_400_000_001), clock, "00:00:00.000001"},
		{clock, int64(3_600_000_000), text, "01:00:00"},
		{clock, int64(3_600_000_000), types.Of(types.Interval), "01:00:00"},
		{text, "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", uuid, id},
		{text, "a0eebc99", uuid, "error"},
		{types.Of(types.Bytes), []byte("0123456789abcdef"), uuid, "30313233-3435-3637-3839-616263646566"},
		{types.Of(types.Bytes), []byte("0123"), uuid, "error"},
		{uuid, "0123456789abcdef", types.Of(types.Bytes), `\x30313233343536373839616263646566`},
		{uuid, "0123456789abcdef", text, "30313233-3435-3637-3839-616263646566"},
		{text, ` {"b":1, "a":[ ]}`, doc, `{"a":[],"b":1}`},
		{text, `{"b"`, doc, "error"},
		{text, "", doc, "error"},
		{integer, int64(7), doc, "7"},
		{double, math.NaN(), doc, `"NaN"`},
		{clock, int64(0), doc, `"00:00:00"`},
		{types.ArrayOf(text), []any{"1", nil}, doc, `["1",null]`},
		{doc, `{"a":[],"b":1}`, text, `{"a":[],"b":1}`},
		{doc, "null", text, "null"},
		{doc, "null", integer, "NULL"},
		{doc, "12", integer, "12"},
		{doc, `"12"`, integer, "12"},
		{doc, "1.5", integer, "1"},
		{doc, "-0.5", integer, "0"},
		{doc, "\"1.5\"", integer, "error"},
		{doc, "1.5", types.DecimalOf(38, 9), "1.500000000"},
		{doc, "[]", integer, "error"},
		{doc, "true", types.Of(types.Bool), "true"},
		{doc, `"` + id + `"`, uuid, id},
		{doc, `{"A":1,"b":["x",2,{"y":null}],"c":{"1":"10:00"},"d":0}`, row, `{"a":1,"b":["x","2","{\"y\":null}"],"c":{"1":"10:00:00"}}`},
		{doc, `{"A":2,"a":1,"b":null}`, row, `{"a":1,"b":null,"c":null}`},
		{doc, `{"a":"x"}`, row, `error, or {"a":null,"b":null,"c":null}`},
		{doc, `{"a":1,"c":{"1":"x"}}`, row, `error, or {"a":1,"b":null,"c":{"1":null}}`},
		{doc, `{"c":{"x":"10:00"}}`, row, "error"}, // NULL is no key
		{doc, `{"c":[]}`, row, `error, or {"a":null,"b":null,"c":null}`},
		{doc, "[]", row, "error"},
		{doc, "[]", types.ArrayOf(doc), "[]"},
		{doc, `[{"a":"]}\""},[1],null]`, types.ArrayOf(doc), `[{"a":"]}\""},[1],null]`},
	} {
		want, try, partly := strings.Cut(c.want, ", or ")
		if got := convertOne(t, c.from, c.to, c.value, false); got != want {
			t.Errorf("CAST(%s %v AS %s) = %s, want %s", c.from, c.value, c.to, got, want)
		}
		if !partly {
			try = "NULL"
		}
		if want == "error" {
			if got := convertOne(t, c.from, c.to, c.value, true); got != try {
				t.Errorf("TRY_CAST(%s %v AS %s) = %s, want %s", c.from, c.value, c.to, got, try)
			}
		}
	}
}
