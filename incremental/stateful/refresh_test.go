package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var refreshTypes = []types.Type{types.Of(types.Int64), types.Of(types.String)}

// reading is a random content of a table: few values, NULLs, equal rows; sometimes none.
func reading(rng *rand.Rand) [][]any {
	var rows [][]any
	for range rng.IntN(12) * rng.IntN(2) {
		row := []any{int64(rng.IntN(4)), fmt.Sprint(rng.IntN(3))}
		if rng.IntN(4) == 0 {
			row[rng.IntN(2)] = nil
		}
		rows = append(rows, row)
	}
	return rows
}

// refreshStep reads a content (nil = the trigger does not read) and adds the delta to sum.
func refreshStep(t *testing.T, op Operator, rng *rand.Rand, rows [][]any, reads bool, sum bag) {
	t.Helper()
	tr := &Trigger{Ctx: &fn.Ctx{}}
	delta := bag{}
	emit := func(b *vec.Batch) error {
		b.Each(func(r int) {
			row := make([]any, len(b.Cols))
			for i, c := range b.Cols {
				if row[i] = nil; !c.IsNull(r) && i == 0 {
					row[i] = c.Int(r)
				} else if !c.IsNull(r) {
					row[i] = string(c.Bytes(r))
				}
			}
			if w := delta[fmt.Sprint(row)]; w != 0 {
				t.Fatalf("%v is emitted twice", row)
			}
			delta[fmt.Sprint(row)] = b.Weight(r)
			sum.add(row, b.Weight(r))
		})
		return nil
	}
	if reads {
		op.(Renewer).Renew()
	}
	for len(rows) > 0 {
		n := 1 + rng.IntN(len(rows))
		bs := vec.NewBuilders(refreshTypes)
		for _, row := range rows[:n] {
			bs[0].AppendAny(row[0])
			bs[1].AppendAny(row[1])
		}
		b := &vec.Batch{N: n, Cols: []*vec.Vector{bs[0].Take(), bs[1].Take()}}
		if err := op.(Stepper).Step(tr, 0, 0, b, emit); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := op.Flush(tr, emit); err != nil {
		t.Fatal(err)
	}
	if err := op.Advance(tr, nil, emit); err != nil {
		t.Fatal(err)
	}
}

// TestRefresh: after every trigger the sum of what was emitted is the last reading, over
// restarts too; an empty table leaves no state.
func TestRefresh(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		fresh := func() Operator { return NewRefresh(RefreshConfig{Name: "refresh", Types: refreshTypes}) }
		op, log, sum, want := fresh(), memLog{}, bag{}, bag{}
		for trigger := range 25 {
			var rows [][]any
			reads := rng.IntN(3) > 0 || trigger == 24
			if reads {
				if want = (bag{}); trigger < 24 {
					rows = reading(rng)
				}
				for _, row := range rows {
					want.add(row, 1)
				}
			}
			refreshStep(t, op, rng, rows, reads, sum)
			if err := op.LogState(log); err != nil {
				t.Fatal(err)
			}
			if sum.String() != want.String() {
				t.Fatalf("seed %d, trigger %d:\n%s\nwant\n%s", seed, trigger, sum, want)
			}
			if rng.IntN(3) == 0 {
				op = fresh()
				log.load(t, op)
			}
		}
		if s := op.Stats(); s.Keys != 0 || len(log) != 0 {
			t.Fatalf("seed %d: %d rows, %d entries are left of an empty table", seed, s.Keys, len(log))
		}
	}
}

func TestRefreshIdle(t *testing.T) {
	op, rng := NewRefresh(RefreshConfig{Name: "refresh", Types: refreshTypes}), rand.New(rand.NewPCG(1, 1))
	for i := range 3 {
		sum := bag{}
		refreshStep(t, op, rng, [][]any{{int64(1), "a"}, {nil, nil}}, true, sum)
		if len(sum) != 2-2*min(i, 1) {
			t.Errorf("reading %d: %s", i, sum)
		}
		sum = bag{}
		refreshStep(t, op, rng, nil, false, sum)
		if len(sum) != 0 {
			t.Errorf("a trigger that does not read gives %s", sum)
		}
		if err := op.LogState(discard{}); err != nil {
			t.Fatal(err)
		}
	}
}
