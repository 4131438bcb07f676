package cast

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func pair(first, second string) types.Type {
	return types.StructOf(types.Field{Name: first, Type: integer}, types.Field{Name: second, Type: text})
}

// Rule E28: the keys are the names of the fields.
func TestStructToMap(t *testing.T) {
	in := vec.FromAny(pair("a", "b"), []any{1, "x"}, nil, []any{nil, "not read"}, []any{nil, "y"})
	for _, k := range []types.Type{text, types.Of(types.Bytes)} {
		v, err := Kernel(in.Type, types.MapOf(k, text), false)(&fn.Ctx{Zone: time.UTC}, []*vec.Vector{in}, fn.Rows{N: 4, Sel: []int32{0, 1, 3}})
		if err != nil {
			t.Fatal(err)
		}
		for r, want := range map[int][2]string{0: {"1", "x"}, 3: {"", "y"}} {
			from, to := int(v.Off[r]), int(v.Off[r+1])
			if to-from != 2 || vec.RowString(v.Child[1], from, nil) != want[0] && !v.Child[1].IsNull(from) || vec.RowString(v.Child[1], from+1, nil) != want[1] {
				t.Errorf("row %d: %s", r, vec.RowString(v, r, nil))
			}
		}
		if !v.IsNull(1) {
			t.Error("a NULL struct is no NULL")
		}
	}
}

func TestKeysOfMaps(t *testing.T) {
	numbers := types.MapOf(integer, text)
	for _, c := range []struct {
		from  types.Type
		value any
		want  string
	}{
		{pair("1", "2"), []any{3, "x"}, `{"1":"3","2":"x"}`},
		{pair("a", "2"), []any{3, "x"}, "error"},
		{pair("1", "01"), []any{3, "x"}, "error"},
		{pair("1", "01"), nil, "NULL"},
		{types.MapOf(text, text), [][2]any{{"1", "x"}, {"01", "y"}}, "error"},
		{types.MapOf(text, text), [][2]any{{"1", "x"}, {"a", "y"}}, "error"},
		{types.MapOf(text, text), [][2]any{{"1", "x"}, {"2", nil}}, `{"1":"x","2":null}`},
	} {
		if got := convertOne(t, c.from, numbers, c.value, false); got != c.want {
			t.Errorf("CAST(%s %v) = %s, want %s", c.from, c.value, got, c.want)
		}
		if got := convertOne(t, c.from, numbers, c.value, true); c.want == "error" && got != "NULL" {
			t.Errorf("TRY_CAST(%s %v) = %s, want NULL", c.from, c.value, got)
		}
	}
}
