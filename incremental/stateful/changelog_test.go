package stateful

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// TestChangelog: what says that it came, less what says that it went, is the input; of one
// key, what goes and comes in a trigger is an update, and nothing else is.
func TestChangelog(t *testing.T) {
	ts := []types.Type{types.Of(types.Int64), types.Of(types.Int64)}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var key []int
		if seed%2 == 0 {
			key = []int{0}
		}
		op := NewChangelog(ChangelogConfig{Name: "changelog", Types: ts, Key: key})
		rows, sum := map[int64]int64{}, bag{}
		for id := range 12 {
			changes, kept := keyedChanges(rng, rows)
			tr := &Trigger{BatchID: int64(id), Ctx: &fn.Ctx{}}
			delta, _, _, emit := collect()
			for _, b := range batchesOf(rng, ts, changes) {
				if err := op.Step(tr, 0, 0, b, emit); err != nil {
					t.Fatal(err)
				}
			}
			if err := op.Flush(tr, emit); err != nil {
				t.Fatal(err)
			}
			for text, n := range delta {
				row, what := text[:len(text)-len(" | 1")], text[len(text)-1:]
				w := map[string]int64{"1": 1, "2": -1, "3": 1, "4": -1}[what]
				if sum[row] += w * n; sum[row] == 0 {
					delete(sum, row)
				}
				update := what == "3" || what == "4"
				if k := int64(row[0] - '0'); key != nil && update != kept[k] || key == nil && update {
					t.Fatalf("seed %d trigger %d: %s says %s", seed, id, row, what)
				}
			}
			want := bag{}
			for k, v := range rows {
				want.add([]any{k, v}, 1)
			}
			if sum.String() != want.String() {
				t.Fatalf("seed %d trigger %d: got\n%s\nwant\n%s", seed, id, sum, want)
			}
		}
	}
}

// keyedChanges changes rows by key, and tells of which keys a row goes and another comes.
func keyedChanges(rng *rand.Rand, rows map[int64]int64) (out []change, kept map[int64]bool) {
	kept = map[int64]bool{}
	for k := range int64(4) {
		old, there := rows[k]
		fresh, comes := int64(rng.IntN(3)), rng.IntN(3) > 0
		if there {
			out = append(out, change{[]any{k, old}, -1})
			delete(rows, k)
		}
		if comes {
			out = append(out, change{[]any{k, fresh}, 1})
			rows[k] = fresh
		}
		kept[k] = there && comes && old != fresh
	}
	return out, kept
}
