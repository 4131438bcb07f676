package stateful

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var presentTypes = []types.Type{types.Of(types.Int64), types.Of(types.Int64)}

// presentTwin keeps, naively, the right rows, and each left row with what it was joined with.
type presentTwin struct {
	outer, retract bool
	right          [][]any
	came           []presentRow
	sum            bag
}

type presentRow struct {
	row  []any
	with [][]any
}

func (p *presentTwin) rightChange(rng *rand.Rand) change {
	if n := len(p.right); n > 0 && rng.IntN(5) < 2 {
		i := rng.IntN(n)
		row := p.right[i]
		p.right = slices.Delete(p.right, i, i+1)
		return change{row, -1}
	}
	row := []any{pick(rng, int64(1), int64(2)), pick(rng, int64(7), int64(8))}
	p.right = append(p.right, row)
	return change{row, 1}
}

// leftChanges are net: no row comes and goes in one trigger.
func (p *presentTwin) leftChanges(rng *rand.Rand) (out []change) {
	gone := map[string]bool{}
	if p.retract {
		for range rng.IntN(4) {
			if len(p.came) == 0 {
				break
			}
			row := p.came[rng.IntN(len(p.came))].row
			last := len(p.came) - 1
			for rowText(p.came[last].row) != rowText(row) {
				last--
			}
			p.add(p.came[last], -1)
			p.came = slices.Delete(p.came, last, last+1)
			gone[rowText(row)] = true
			out = append(out, change{row, -1})
		}
	}
	for range rng.IntN(5) {
		row := []any{pick(rng, int64(1), int64(2), int64(3)), pick(rng, int64(0), int64(1))}
		if !gone[rowText(row)] {
			out = append(out, change{row, 1})
		}
	}
	return out
}

// join joins the left rows that come with the right rows that are there.
func (p *presentTwin) join(changes []change) {
	for _, c := range changes {
		if c.w < 0 {
			continue
		}
		r := presentRow{row: c.row}
		for _, x := range p.right {
			if c.row[0] != nil && c.row[0] == x[0] {
				r.with = append(r.with, x)
			}
		}
		if len(r.with) == 0 && p.outer {
			r.with = [][]any{{nil, nil}}
		}
		p.came = append(p.came, r)
		p.add(r, 1)
	}
}

func (p *presentTwin) add(r presentRow, w int64) {
	for _, x := range r.with {
		p.sum.add(slices.Concat(r.row, x), w)
	}
}

// batchesOf cuts changes into batches.
func batchesOf(rng *rand.Rand, ts []types.Type, changes []change) (out []*vec.Batch) {
	for len(changes) > 0 {
		n := 1 + rng.IntN(len(changes))
		bs := vec.NewBuilders(ts)
		b := &vec.Batch{N: n}
		for _, c := range changes[:n] {
			for i, x := range c.row {
				bs[i].AppendAny(x)
			}
			b.W = append(b.W, c.w)
		}
		for _, x := range bs {
			b.Cols = append(b.Cols, x.Take())
		}
		out, changes = append(out, b), changes[n:]
	}
	return out
}

func playPresent(t tester, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	tw := &presentTwin{outer: seed%2 == 0, retract: seed%4 < 2, sum: bag{}}
	fresh := func() Operator {
		op, err := NewPresent(PresentConfig{Name: "present", Types: [2][]types.Type{presentTypes, presentTypes}, Keys: [2][]int{{0}, {0}},
			NullSafe: []bool{false}, Outer: tw.outer, Retract: tw.retract})
		if err != nil {
			t.Fatalf("%v", err)
		}
		return op
	}
	op, log, sum := fresh(), memLog{}, bag{}
	for id := range 20 {
		left := tw.leftChanges(rng)
		var right []change
		for range rng.IntN(4) {
			right = append(right, tw.rightChange(rng))
		}
		tw.join(left)
		tr := &Trigger{BatchID: int64(id), Ctx: &fn.Ctx{}}
		delta, _, _, emit := collect()
		for port, changes := range [][]change{left, right} {
			for _, b := range batchesOf(rng, presentTypes, changes) {
				if err := op.Step(tr, port, 0, b, emit); err != nil {
					t.Fatalf("%v", err)
				}
			}
		}
		if err := op.Flush(tr, emit); err != nil {
			t.Fatalf("seed %d trigger %d: %v", seed, id, err)
		}
		if err := op.Advance(tr, nil, emit); err != nil {
			t.Fatalf("%v", err)
		}
		for k, w := range delta {
			if sum[k] += w; sum[k] == 0 {
				delete(sum, k)
			}
		}
		if sum.String() != tw.sum.String() {
			t.Errorf("seed %d trigger %d: emitted so far\n%s\nwant\n%s", seed, id, sum, tw.sum)
			return
		}
		if rng.IntN(3) > 0 {
			continue // several triggers go into one entry of the log
		}
		if err := op.LogState(log); err != nil {
			t.Fatalf("%v", err)
		}
		if rng.IntN(2) == 0 {
			op = fresh()
			log.load(t, op)
		}
	}
}

func presentCases() []*opCase { return []*opCase{{name: "present", plays: playPresent}} }

// TestPresent: what is emitted adds up to what a naive twin has joined, over restarts too.
func TestPresent(t *testing.T) { playAll(t, presentCases(), 200) }

// TestPresentLeavesNothing: without rows there is no state.
func TestPresentLeavesNothing(t *testing.T) {
	op, err := NewPresent(PresentConfig{Name: "present", Types: [2][]types.Type{presentTypes, presentTypes}, Keys: [2][]int{{0}, {0}},
		NullSafe: []bool{false}, Retract: true})
	if err != nil {
		t.Fatal(err)
	}
	log := memLog{}
	row := []any{int64(1), int64(2)}
	for id, w := range []int64{1, -1} {
		tr := &Trigger{BatchID: int64(id), Ctx: &fn.Ctx{}}
		_, _, _, emit := collect()
		for port := range 2 {
			for _, b := range batchesOf(rand.New(rand.NewPCG(1, 1)), presentTypes, []change{{row, w}}) {
				if err := op.Step(tr, port, 0, b, emit); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, err := range []error{op.Flush(tr, emit), op.Advance(tr, nil, emit), op.LogState(log)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := op.Stats(); s.Keys != 0 || len(log) != 0 {
		t.Errorf("%d keys and %d logged entries are left", s.Keys, len(log))
	}
	tr := &Trigger{BatchID: 2, Ctx: &fn.Ctx{}}
	b := batchesOf(rand.New(rand.NewPCG(1, 1)), presentTypes, []change{{row, -1}})[0]
	if err := op.Step(tr, 0, 0, b, nil); err != nil {
		t.Fatal(err)
	}
	if err := op.Flush(tr, func(*vec.Batch) error { return nil }); fmt.Sprint(err) != "present: a row was deleted that is not there" {
		t.Errorf("got %v", err)
	}
}
