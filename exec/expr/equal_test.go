package expr

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Lists of values of different types are different.
func TestEqualLists(t *testing.T) {
	x := &Column{Index: 0, Name: "x", T: types.Of(types.Int64)}
	ints, bools := NewIn(x, []*Const{Int(types.Of(types.Int64), 1)}), NewIn(&Column{Index: 1, Name: "y", T: types.Of(types.Bool)}, []*Const{Bool(true)})
	if Equal(ints, bools) || !Equal(ints, NewIn(x, []*Const{Int(types.Of(types.Int64), 1)})) {
		t.Error("lists are compared without their types")
	}
}
