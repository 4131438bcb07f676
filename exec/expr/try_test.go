package expr

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestTry has bad rows at the edges, in a selection, and next to one another.
func TestTry(t *testing.T) {
	cast, err := NewCast(&Column{Index: 0, Name: "s", T: types.Of(types.String)}, types.Of(types.Int32), false)
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(vec.FromStrings([]string{"x", "1", "y", "z", "5", "6", "w"}))
	for _, sel := range [][]int32{nil, {0, 1, 4}, {3}, {2, 3}, {1, 4, 5}, {}} {
		for _, lenient := range []bool{false, true} {
			c := &fn.Ctx{Zone: time.UTC, NullOnError: lenient}
			part := *b
			part.Sel = sel
			v, err := (&Try{X: cast}).Eval(c, &part)
			if err != nil || c.NullOnError != lenient || c.Errors != 0 {
				t.Fatalf("%v: %v, %d errors", sel, err, c.Errors)
			}
			rows := fn.Rows{N: b.N, Sel: sel}
			for i := range rows.Len() {
				r := rows.At(i)
				digit := b.Cols[0].Text(r)[0] <= '9'
				if v.IsNull(r) == digit || digit && v.Int(r) != int64(b.Cols[0].Text(r)[0]-'0') {
					t.Errorf("%v: row %d", sel, r)
				}
			}
		}
	}
}
