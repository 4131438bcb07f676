package guess

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"1": "BIGINT", "-5": "BIGINT", "9223372036854775808": "DOUBLE", "1.5": "DOUBLE", "1e3": "DOUBLE", "0": "BIGINT", "0.5": "DOUBLE",
		"007": "STRING", "0x10": "STRING", "1_000": "STRING", "-": "STRING", "": "STRING", "1.2.3": "STRING", "inf": "STRING",
		"true": "BOOLEAN", "True": "STRING", "2026-01-01": "DATE", "2026-01-01T10:00": "TIMESTAMP", "2026-01-01 10:00:00.5Z": "TIMESTAMP", "2026-13-01": "STRING",
	} {
		if got := Text(text).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestUnite(t *testing.T) {
	long, double, text, date, stamp := types.Of(types.Int64), types.Of(types.Float64), types.Of(types.String), types.Of(types.Date), types.Of(types.Timestamp)
	for _, c := range [][3]types.Type{
		{long, long, long}, {long, double, double}, {long, text, text}, {date, stamp, stamp}, {types.Type{}, long, long}, {date, long, text},
		{types.ArrayOf(types.Type{}), types.ArrayOf(long), types.ArrayOf(long)},
		{types.ArrayOf(long), long, text},
		{types.Of(types.Int32), long, long}, {types.Of(types.Float32), double, double}, {types.Of(types.Float32), types.Of(types.Int8), double},
		{types.DecimalOf(10, 2), types.DecimalOf(9, 4), types.DecimalOf(12, 4)}, {types.DecimalOf(10, 2), long, types.DecimalOf(21, 2)}, {types.DecimalOf(38, 10), long, types.DecimalOf(38, 10)}, {types.DecimalOf(38, 30), long, double},
		{date, types.Of(types.TimestampNTZ), types.Of(types.TimestampNTZ)}, {stamp, types.Of(types.TimestampNTZ), stamp},
		{types.MapOf(text, long), types.MapOf(text, double), types.MapOf(text, double)},
	} {
		if got, back := Unite(c[0], c[1]), Unite(c[1], c[0]); !got.Equal(c[2]) || !back.Equal(c[2]) {
			t.Errorf("%s and %s: %s and %s, want %s", c[0], c[1], got, back, c[2])
		}
	}
}

func TestMerge(t *testing.T) {
	got := Merge(
		[]types.Column{{Name: "a", Type: types.Of(types.Int64)}, {Name: "b"}},
		[]types.Column{{Name: "c", Type: types.StructOf()}, {Name: "a", Type: types.Of(types.Float64)}})
	want := "a DOUBLE b STRING c STRING "
	s := ""
	for _, c := range got {
		s += c.Name + " " + c.Type.String() + " "
	}
	if s != want {
		t.Errorf("merged %s, want %s", s, want)
	}
}
