package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// extremes are the values at the edge of each type, each a column; NULL follows them.
func extremes() map[string]*vec.Vector {
	most := types.Pow10(38)
	most, _ = most.Sub(types.Int128From(1))
	least, _ := types.Int128From(0).Sub(most)
	first, last := int64(types.MinDay), int64(types.MaxDay)
	us := int64(types.MicrosPerDay)
	of := func(k types.Kind, vals ...any) *vec.Vector { return vec.FromAny(types.Of(k), append(vals, nil)...) }
	return map[string]*vec.Vector{
		"tiny":   of(types.Int8, -128, 127),
		"small":  of(types.Int16, -32768, 32767),
		"int":    of(types.Int32, math.MinInt32, math.MaxInt32),
		"big":    of(types.Int64, int64(math.MinInt64), int64(math.MaxInt64), int64(math.MaxInt64-1)),
		"real":   of(types.Float32, float64(math.MaxFloat32), float64(math.SmallestNonzeroFloat32), math.Inf(1), math.NaN(), float64(float32(0.1))),
		"double": of(types.Float64, math.MaxFloat64, 5e-324, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 0.0, float64(1<<53+2)),
		"whole":  vec.FromAny(types.DecimalOf(38, 0), most, least, types.Int128From(0), nil),
		"part":   vec.FromAny(types.DecimalOf(38, 38), most, least, types.Int128From(1), nil),
		"narrow": vec.FromAny(types.DecimalOf(18, 9), int64(999_999_999_999_999_999), int64(-1), nil),
		"text":   of(types.String, "", "NULL", "null", " ", "\\N", "a\"b,c'd", "é漢\U0001F600", "\\"),
		"bytes":  of(types.Bytes, []byte("x"), []byte("é")),
		"date":   of(types.Date, first, last, -141427, -1, 0, 11016),
		"ts":     of(types.Timestamp, first*us, (last+1)*us-1, -1, 0, -12219292800000001),
		"ntz":    of(types.TimestampNTZ, first*us, (last+1)*us-1, -1, 0, -12219292800000001),
		"time":   of(types.Time, 0, 1, us-1),
		"uuid":   of(types.UUID, strings.Repeat("\x00", 16), strings.Repeat("\xff", 16)),
		"json":   of(types.JSON, `""`, `"NULL"`, `{"a":[1,{"b":null}],"é":"\n\"\\"}`, `-1e400`, `123456789012345678901234567890.5`, `[]`),
		"list":   vec.FromAny(types.ArrayOf(types.Of(types.Float64)), []any{}, []any{nil}, []any{math.NaN(), -1.5}, nil),
		"map":    vec.FromAny(types.MapOf(types.Of(types.String), types.Of(types.Int64)), [][2]any{}, [][2]any{{"b", 1}, {"a", nil}, {"", int64(math.MinInt64)}}, nil),
		"struct": vec.FromAny(types.StructOf(types.Field{Name: "t", Type: types.Of(types.Time)}, types.Field{Name: "j", Type: types.Of(types.JSON)}), []any{1, `{"a":1}`}, []any{nil, nil}, nil),
	}
}

// TestExtremesThroughFormats: what a format writes at the edge of a type, it reads again;
// NULL, empty text and the word NULL stay apart. (A JSON null is NULL in a file of JSON.)
func TestExtremesThroughFormats(t *testing.T) {
	for _, f := range connectors(t).formats {
		if f.NewWriter == nil || f.MessagesOnly || f.Name == "text" || f.Infer == nil {
			continue
		}
		for name, v := range extremes() {
			if v.Type.IsNested() && f.Name == "csv" {
				continue
			}
			t.Run(f.Name+" "+name, func(t *testing.T) { throughFormat(t, f, v) })
		}
	}
}

func throughFormat(t *testing.T, f *format.Format, v *vec.Vector) {
	cols := []types.Column{{Name: "n", Type: types.Of(types.Int64)}, {Name: "v", Type: v.Type}}
	ids := make([]int64, v.N)
	var want []string
	for i := range ids {
		ids[i] = int64(i)
		want = append(want, formattest.Show(vec.FromInts(cols[0].Type, ids), i)+" | "+formattest.Show(v, i))
	}
	batch := vec.NewBatch(vec.FromInts(cols[0].Type, ids), v)
	w := formattest.Config(t, f.WriteOptions, cols)
	w.Zone = time.UTC
	raw := formattest.Write(t, f, w, batch)
	r := formattest.Config(t, f.ReadOptions, cols)
	r.Zone = time.UTC
	got, bad, err := formattest.Read(f, r, "f", raw)
	if err != nil || len(bad) > 0 || !slices.Equal(got, want) {
		t.Errorf("%v %v\ngot\n%s\nwant\n%s", err, bad, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
