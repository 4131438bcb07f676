package op

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestExpand(t *testing.T) {
	b := &vec.Batch{Cols: []*vec.Vector{vec.FromStrings([]string{"a", "b", "c"}), vec.FromInts(types.Of(types.Int64), []int64{1, 2, 3})},
		N: 3, Sel: []int32{0, 2}, W: []int64{1, 1, -1}}
	x := NewExpand([]int{1, 0}, []ExpandSet{{ID: 0, In: []bool{true, true}}, {ID: 1, In: []bool{true, false}}, {ID: 3, In: []bool{false, false}}})
	var got [][]any
	err := x.Process(&fn.Ctx{}, b, func(o *vec.Batch) error {
		for i := range o.Rows() {
			r := o.Row(i)
			row := []any{o.Weight(r)}
			for _, c := range o.Cols {
				row = append(row, vec.ToAny(c, r))
			}
			got = append(got, row)
		}
		return nil
	})
	want := [][]any{
		{int64(1), "a", int64(1), int64(1), "a", int64(0)}, {int64(-1), "c", int64(3), int64(3), "c", int64(0)},
		{int64(1), "a", int64(1), int64(1), nil, int64(1)}, {int64(-1), "c", int64(3), int64(3), nil, int64(1)},
		{int64(1), "a", int64(1), nil, nil, int64(3)}, {int64(-1), "c", int64(3), nil, nil, int64(3)},
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v %v", got, err)
	}
	for i := range want {
		for k := range want[i] {
			if got[i][k] != want[i][k] {
				t.Errorf("row %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
}
