package stateful

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func singleJoin(t *testing.T, kind JoinKind, retract bool) Operator {
	op, err := NewJoin(JoinConfig{Name: "scalar", Kind: kind, Types: [2][]types.Type{{bigint}, {bigint, bigint}}, Keys: [2][]int{{0}, {0}},
		KeyTypes: []types.Type{bigint}, Single: true, Sides: [2]JoinSide{{}, {Retract: retract}}})
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// give steps rows (key, value, weight) and ends the trigger.
func give(t *testing.T, op Operator, port int, rows ...[3]int64) (vals []int64, err error) {
	t.Helper()
	out := func(b *vec.Batch) error {
		for i := range b.Rows() {
			r := b.Row(i)
			if v := b.Cols[len(b.Cols)-1]; v.Type.Kind == types.Int64 && !v.IsNull(r) {
				vals = append(vals, b.Weight(r)*v.Int(r))
			}
		}
		return nil
	}
	tr := &Trigger{Ctx: &fn.Ctx{}}
	for _, r := range rows {
		cols := []*vec.Vector{vec.FromInts(bigint, []int64{r[0]}), vec.FromInts(bigint, []int64{r[1]})}
		if err := op.Step(tr, port, 0, &vec.Batch{Cols: cols[:2-1+port], N: 1, W: []int64{r[2]}}, out); err != nil {
			return nil, err
		}
	}
	if err := op.Flush(tr, out); err != nil {
		return nil, err
	}
	return vals, op.Advance(tr, [][]int64{{NoFrontier}, {NoFrontier}}, out)
}

// A scalar subquery may have two rows in the middle of a trigger, but not at its end.
func TestJoinSingle(t *testing.T) {
	for _, kind := range []JoinKind{InnerJoin, LeftJoin} {
		op := singleJoin(t, kind, true)
		if _, err := give(t, op, 0, [3]int64{1, 0, 1}); err != nil {
			t.Fatal(err)
		}
		vals, err := give(t, op, 1, [3]int64{1, 7, 1}, [3]int64{1, 8, 1}, [3]int64{1, 7, -1})
		if err != nil || len(vals) != 1 || vals[0] != 8 {
			t.Fatalf("%s: %v, %v", kind, vals, err)
		}
		if _, err = give(t, op, 1, [3]int64{1, 9, 1}); err == nil || !strings.Contains(err.Error(), "more than one row") {
			t.Errorf("%s: two rows at the end: %v", kind, err)
		}
		for _, first := range []int{0, 1} {
			op := singleJoin(t, kind, false)
			if _, err := give(t, op, first, [3]int64{1, 7, 1}); err != nil {
				t.Fatal(err)
			}
			if _, err := give(t, op, 1, [3]int64{1, 8, 1}); err != nil {
				t.Fatal(err)
			}
			if _, err := give(t, op, 1-first, [3]int64{1, 9, 1}); err == nil || !strings.Contains(err.Error(), "more than one row") {
				t.Errorf("%s, append-only, port %d first: %v", kind, first, err)
			}
		}
	}
}

// A retraction of what is not there is an error, not a negative row.
func TestJoinUnknownRetraction(t *testing.T) {
	op := singleJoin(t, LeftJoin, true)
	if _, err := give(t, op, 1, [3]int64{1, 7, -1}); err == nil || !strings.Contains(err.Error(), "retracted that was not there") {
		t.Errorf("got %v", err)
	}
	if _, err := give(t, singleJoin(t, LeftJoin, false), 0, [3]int64{1, 7, -1}); err == nil || !strings.Contains(err.Error(), "without retractions") {
		t.Errorf("got %v", err)
	}
}

// What a join refuses.
func TestJoinConfig(t *testing.T) {
	for _, c := range []JoinConfig{
		{Kind: LeftJoin, NullAware: 1, KeyTypes: []types.Type{bigint}, Keys: [2][]int{{0}, {0}}},
		{Kind: AntiJoin, NullAware: 1},
		{Kind: AntiJoin, NullAware: 1, KeyTypes: []types.Type{bigint}, Keys: [2][]int{{0}, {0}}, NullSafe: []bool{true}},
		{Kind: FullJoin, Single: true},
		{Kind: LeftJoin, EmitOnExpiry: true, Sides: [2]JoinSide{{Retract: true}}},
		{Kind: LeftJoin, KeyTypes: []types.Type{bigint}},
	} {
		if _, err := NewJoin(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// countTest counts the pairs that it is asked about.
type countTest struct{ pairs int }

func (c *countTest) Type() types.Type                     { return boolean }
func (c *countTest) String() string                       { return "true" }
func (c *countTest) Children() []expr.Node                { return nil }
func (c *countTest) WithChildren(k []expr.Node) expr.Node { return c }
func (c *countTest) Eval(_ *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	c.pairs += b.N
	return expr.Bool(true).Eval(nil, b)
}

// The work of a trigger goes with its rows and their matches, not with the state.
func TestJoinCost(t *testing.T) {
	for _, kind := range allKinds {
		for _, retract := range []bool{false, true} {
			small, large := joinCost(t, kind, retract, 1000), joinCost(t, kind, retract, 4000)
			if small != large || small == 0 {
				t.Errorf("%s, retract %t: a delta costs %d pairs with 1,000 keys, %d with 4,000", kind, retract, small, large)
			}
		}
	}
}

func joinCost(t *testing.T, kind JoinKind, retract bool, keys int) int {
	c := &countTest{}
	sides := JoinSide{Retract: retract}
	op, err := NewJoin(JoinConfig{Name: "cost", Kind: kind, Types: [2][]types.Type{{bigint}, {bigint, bigint}}, Keys: [2][]int{{0}, {0}},
		KeyTypes: []types.Type{bigint}, Residual: c, Sides: [2]JoinSide{sides, sides}})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][3]int64
	for k := range int64(keys) {
		rows = append(rows, [3]int64{k, k, 1})
	}
	for port := range 2 {
		if _, err := give(t, op, port, rows...); err != nil {
			t.Fatal(err)
		}
	}
	c.pairs = 0
	delta := [][3]int64{{1, 1, 1}, {2, 5, 1}, {3, 6, 1}, {int64(keys), 1, 1}}
	for port := range 2 {
		if _, err := give(t, op, port, delta...); err != nil {
			t.Fatal(err)
		}
	}
	return c.pairs
}
