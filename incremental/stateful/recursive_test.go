package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// pairStep makes (a, c) of a pair (a, b) of the recursion and a pair (b, c) of input 1.
type pairStep struct {
	rows, edges map[[2]any]int64
	work        int
}

func newPairStep() (StepGraph, error) {
	return &pairStep{rows: map[[2]any]int64{}, edges: map[[2]any]int64{}}, nil
}

func pairsOf(batches []*vec.Batch) map[[2]any]int64 {
	out := map[[2]any]int64{}
	for _, b := range batches {
		for i := range b.Rows() {
			out[[2]any{vec.ToAny(b.Cols[0], b.Row(i)), vec.ToAny(b.Cols[1], b.Row(i))}] += b.Weight(b.Row(i))
		}
	}
	return out
}

func (p *pairStep) Run(_ *Trigger, feeds [][]*vec.Batch, out Emit) error {
	rows, edges := pairsOf(feeds[0]), pairsOf(feeds[1])
	var w []int64
	bs := vec.NewBuilders(pairTypes[:2])
	join := func(l, r map[[2]any]int64) {
		for x, a := range l {
			for y, b := range r {
				p.work++
				if x[1] != nil && x[1] == y[0] {
					bs[0].AppendAny(x[0])
					bs[1].AppendAny(y[1])
					w = append(w, a*b)
				}
			}
		}
	}
	join(rows, p.edges)
	for k, n := range rows {
		p.rows[k] += n
	}
	join(p.rows, edges)
	for k, n := range edges {
		p.edges[k] += n
	}
	if len(w) == 0 {
		return nil
	}
	return out(&vec.Batch{Cols: []*vec.Vector{bs[0].Take(), bs[1].Take()}, W: w, N: len(w)})
}

func (p *pairStep) Bytes() int64 { return 0 }

var pairTypes = []types.Type{types.Of(types.Int64), types.Of(types.Int64), types.Of(types.Int64)}

// wayTwin follows all ways anew.
type wayTwin struct {
	all  bool
	rows [][]any
}

func (p *wayTwin) take(c change) vec.Fate {
	if c.w > 0 {
		p.rows = append(p.rows, c.row)
	} else {
		p.rows = without(p.rows, c.row)
	}
	return vec.Contributed
}

func (p *wayTwin) advance([]int64) {}

func (p *wayTwin) live() [][]any { return p.rows }

func (p *wayTwin) want() bag {
	out := bag{}
	var round [][]any
	add := func(row []any) {
		if p.all || out[rowText(row)] == 0 {
			out.add(row, 1)
			round = append(round, row)
		}
	}
	for _, r := range p.rows {
		if r[2] == int64(0) {
			add(r[:2])
		}
	}
	for len(round) > 0 {
		last := round
		round = nil
		for _, l := range last {
			for _, r := range p.rows {
				if r[2] == int64(1) && l[1] != nil && l[1] == r[0] {
					add([]any{l[0], r[1]})
				}
			}
		}
	}
	return out
}

func recursiveCases() []*opCase {
	var out []*opCase
	for i := range 4 {
		all, retract := i&1 != 0, i&2 != 0
		cfg := RecursiveConfig{Name: "recursive", Types: pairTypes[:2], Inputs: [][]types.Type{pairTypes[:2], pairTypes[:2]}, All: all,
			Rounds: 30, Rows: 100_000, NewStep: newPairStep}
		out = append(out, &opCase{name: fmt.Sprintf("all %v retract %v", all, retract), types: pairTypes, retract: retract, net: true, ordered: true,
			fronts: aggFronts, twin: func() twin { return &wayTwin{all: all} },
			row: func(rng *rand.Rand, _ int) []any {
				a, b := rng.IntN(5), rng.IntN(5)
				if all { // without circles
					a, b = min(a, b), max(a, b)+1
				}
				return []any{pick(rng, int64(a)), pick(rng, int64(b)), int64(min(rng.IntN(3), 1))}
			},
			make: func(t tester) Operator {
				op, err := NewRecursive(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return &onePort{op}
			}})
	}
	return out
}

// onePort gives the rows of an operator with two ports by their last column.
type onePort struct{ Operator }

func (p *onePort) Step(t *Trigger, _ int, seq int64, b *vec.Batch, out Emit) error {
	return splitStep(p.Operator, t, seq, b, out)
}

func TestRecursive(t *testing.T) { playAll(t, recursiveCases(), 15) }

// TestRecursiveCostIsThatOfTheDelta: rows that are there already are not joined again.
func TestRecursiveCostIsThatOfTheDelta(t *testing.T) {
	cost := func(rows int) int {
		steps := &pairStep{rows: map[[2]any]int64{}, edges: map[[2]any]int64{}}
		op, err := NewRecursive(RecursiveConfig{Name: "recursive", Types: pairTypes[:2], Inputs: [][]types.Type{pairTypes[:2], pairTypes[:2]},
			Rounds: 30, Rows: 100_000, NewStep: func() (StepGraph, error) { return steps, nil }})
		if err != nil {
			t.Fatal(err)
		}
		given := 0
		r := op.(*recursive)
		r.step = counted{steps, &given}
		feed := func(port, from, n int) {
			b := numbered(from, n)
			b.Cols = append(b.Cols, numbered(from+1_000_000, n).Cols[0])
			b.Fates = &vec.Fates{Of: make([]vec.Fate, n)}
			if err := op.Step(&Trigger{}, port, 0, b, nil); err != nil {
				t.Fatal(err)
			}
			if err := op.Flush(&Trigger{}, func(*vec.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if err := op.LogState(discard{}); err != nil {
				t.Fatal(err)
			}
		}
		feed(0, 0, rows)
		given = 0
		feed(0, rows, 10)
		return given
	}
	if small, large := cost(1000), cost(2000); small != 10 || large != 10 {
		t.Errorf("the step is given %d rows over 1,000, %d over 2,000, of 10 that came", small, large)
	}
}

// counted counts the rows that a step is given.
type counted struct {
	StepGraph
	n *int
}

func (c counted) Run(t *Trigger, feeds [][]*vec.Batch, out Emit) error {
	for _, f := range feeds {
		for _, b := range f {
			*c.n += b.Rows()
		}
	}
	return c.StepGraph.Run(t, feeds, out)
}

func BenchmarkRecursiveUnion(b *testing.B) {
	for b.Loop() {
		op, err := NewRecursive(RecursiveConfig{Name: "recursive", Types: pairTypes[:2], Inputs: [][]types.Type{pairTypes[:2], pairTypes[:2]},
			Rounds: 1000, Rows: 1_000_000, NewStep: newPairStep})
		if err != nil {
			b.Fatal(err)
		}
		x := numbered(0, 64)
		x.Cols = append(x.Cols, numbered(1, 64).Cols[0])
		x.Fates = &vec.Fates{Of: make([]vec.Fate, 64)}
		for port := range 2 {
			if err := op.Step(&Trigger{}, port, 0, x, nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := op.Flush(&Trigger{}, func(*vec.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
