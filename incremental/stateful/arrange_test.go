package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Whatever the order and the batches in which the rows of a trigger come, the same one
// of each key is the first: the least.
func TestArrange(t *testing.T) {
	text, bigint := types.Of(types.String), types.Of(types.Int64)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		op, err := NewDedup(DedupConfig{Name: "first", Keys: []int{0}, KeyTypes: []types.Type{text}, Bound: -1})
		if err != nil {
			t.Fatal(err)
		}
		op = Arrange(op, []types.Type{text, bigint})
		got := map[string]int64{}
		emit := func(b *vec.Batch) error {
			b.Each(func(r int) { got[b.Cols[0].Text(r)] = b.Cols[1].Int(r) })
			return nil
		}
		want := map[string]int64{}
		tr := &Trigger{Ctx: &fn.Ctx{}}
		for trigger := range 3 {
			least := map[string]int64{}
			for range 1 + rnd.IntN(5) {
				n := 1 + rnd.IntN(6)
				keys, values := make([]any, n), make([]any, n)
				for i := range n {
					k, v := fmt.Sprint("k", rnd.IntN(4)), int64(rnd.IntN(9)-trigger*10)
					keys[i], values[i] = k, v
					if old, ok := least[k]; !ok || v < old {
						least[k] = v
					}
				}
				b := &vec.Batch{N: n, Cols: []*vec.Vector{vec.FromAny(text, keys...), vec.FromAny(bigint, values...)}}
				if err := op.Step(tr, 0, 0, b, emit); err != nil {
					t.Fatal(err)
				}
			}
			if err := op.Flush(tr, emit); err != nil {
				t.Fatal(err)
			}
			for k, v := range least {
				if _, ok := want[k]; !ok {
					want[k] = v
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
