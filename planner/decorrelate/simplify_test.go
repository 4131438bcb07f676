package decorrelate

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// TestUniqueJoin: which joins of one row with others have at most one row.
func TestUniqueJoin(t *testing.T) {
	cols := []types.Column{{Name: "a", Type: types.Of(types.Bool)}}
	one := &logical.Values{Columns: cols, Rows: [][]expr.Node{{expr.Bool(true)}}}
	two := &logical.Values{Columns: cols, Rows: [][]expr.Node{{expr.Bool(true)}, {expr.Bool(false)}}}
	for _, c := range []struct {
		kind logical.JoinKind
		r    logical.Node
		want bool
	}{
		{logical.Inner, one, true}, {logical.Left, one, true}, {logical.Full, one, false},
		{logical.Inner, two, false}, {logical.Left, two, false}, {logical.Full, two, false},
		{logical.Semi, two, true}, {logical.Anti, two, true}, {logical.Mark, two, true},
	} {
		j := &logical.Join{Kind: c.kind, L: &logical.Project{Input: one, Exprs: logical.Columns(one), Names: []string{"a"}}, R: c.r}
		for _, at := range [][]int{nil, {0}, {1}} {
			if got := unique(j, at); got != c.want {
				t.Errorf("%s join of 1 row with %d, columns %v: %t, want %t", c.kind, len(c.r.(*logical.Values).Rows), at, got, c.want)
			}
		}
	}
}
