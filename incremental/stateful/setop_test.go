package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// portSplit gives an operator with two ports rows whose last column, 0 or 1, names the
// port: the harness knows one port.
type portSplit struct {
	Parallel
}

func (p *portSplit) Step(t *Trigger, _ int, seq int64, b *vec.Batch, out Emit) error {
	return splitStep(p.Parallel, t, seq, b, out)
}

func (p *portSplit) Local(worker int) Stepper { return splitStepper{p.Parallel.Local(worker)} }

type splitStepper struct{ to Stepper }

func (s splitStepper) Step(t *Trigger, _ int, seq int64, b *vec.Batch, out Emit) error {
	return splitStep(s.to, t, seq, b, out)
}

func splitStep(to Stepper, t *Trigger, seq int64, b *vec.Batch, out Emit) error {
	last := len(b.Cols) - 1
	for port := range 2 {
		sel := []int32{}
		for i := range b.Rows() {
			if r := b.Row(i); b.Cols[last].Int(r) == int64(port) {
				sel = append(sel, int32(r))
			}
		}
		part := &vec.Batch{Cols: b.Cols[:last], N: b.N, W: b.W, Sel: sel, Fates: b.Fates}
		if err := to.Step(t, port, seq, part, out); err != nil {
			return err
		}
	}
	return nil
}

// setTwin counts the rows of both sides.
type setTwin struct {
	cfg   SetOpConfig
	front int64
	rows  [][]any
}

func (s *setTwin) take(c change) vec.Fate {
	if at := c.row[0]; s.cfg.Bound >= 0 && at != nil && at.(int64) < s.front {
		return vec.Late
	}
	if c.w > 0 {
		s.rows = append(s.rows, c.row)
	} else {
		s.rows = without(s.rows, c.row)
	}
	return vec.Contributed
}

func (s *setTwin) advance(fronts []int64) { s.front = fronts[0] }

func (s *setTwin) live() [][]any { return s.rows }

func (s *setTwin) want() bag {
	var sides [2]bag
	keys := map[string][]any{}
	sides[0], sides[1] = bag{}, bag{}
	for _, r := range s.rows {
		last := len(r) - 1
		sides[r[last].(int64)].add(r[:last], 1)
		keys[rowText(r[:last])] = r[:last]
	}
	out := bag{}
	for k, row := range keys {
		a, b := sides[0][k], sides[1][k]
		if !s.cfg.All {
			a, b = min(a, 1), min(b, 1)
		}
		n := min(a, b)
		if !s.cfg.Intersect {
			n = max(0, a-b)
		}
		if s.cfg.EmitOnClose && (row[0] == nil || row[0].(int64) >= s.front) {
			n = 0
		}
		if n > 0 {
			out.add(row, n)
		}
	}
	return out
}

var setInput = append(append([]types.Type{}, dedupInput...), types.Of(types.Int64))

func setRow(rng *rand.Rand, trigger int) []any {
	return append(dedupRow(rng, trigger), int64(rng.IntN(2)))
}

func setCases() []*opCase {
	var out []*opCase
	for i := range 16 {
		cfg := SetOpConfig{Name: "set", Types: dedupInput, Intersect: i&1 != 0, All: i&2 != 0, Bound: -1, EmitOnClose: i&8 != 0}
		if i&4 != 0 {
			cfg.Bound = 0
		} else if cfg.EmitOnClose {
			continue
		}
		name := fmt.Sprintf("intersect=%t all=%t bound=%d close=%t", cfg.Intersect, cfg.All, cfg.Bound, cfg.EmitOnClose)
		out = append(out, &opCase{name: name, types: setInput, row: setRow, fronts: aggFronts, retract: true, net: true,
			twin: func() twin { return &setTwin{cfg: cfg, front: NoFrontier} },
			make: func(t tester) Operator {
				op, err := NewSetOp(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return &portSplit{Parallel: op.(Parallel)}
			}})
	}
	return out
}

func TestSetOp(t *testing.T) { playAll(t, setCases(), 12) }

// The work of a trigger does not depend on how many rows are held: nothing walks them.
func TestSetOpCost(t *testing.T) {
	costs := [2]float64{}
	for i, rows := range []int{20_000, 40_000} {
		op, emit := setOpWith(t, rows)
		delta := numbered(0, 64)
		tr := &Trigger{}
		costs[i] = testing.AllocsPerRun(5, func() {
			for _, b := range []*vec.Batch{delta, {Cols: delta.Cols, N: delta.N, W: negative(delta.N)}} {
				if err := op.Step(tr, 1, 0, b, emit); err != nil {
					t.Fatal(err)
				}
				if err := op.Flush(tr, emit); err != nil {
					t.Fatal(err)
				}
				if err := op.LogState(discard{}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if costs[1] > 1.2*costs[0]+4 {
		t.Errorf("a trigger allocates %v times over 20,000 rows and %v times over 40,000", costs[0], costs[1])
	}
}

func BenchmarkSetOp(b *testing.B) {
	op, emit := setOpWith(b, 100_000)
	delta := numbered(50_000, vec.BatchSize)
	tr := &Trigger{}
	b.SetBytes(vec.BatchSize)
	for b.Loop() {
		if err := op.Step(tr, 1, 0, delta, emit); err != nil {
			b.Fatal(err)
		}
		if err := op.Flush(tr, emit); err != nil {
			b.Fatal(err)
		}
		if err := op.LogState(discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

// setOpWith is an EXCEPT that holds rows on its left.
func setOpWith(t testing.TB, rows int) (Operator, Emit) {
	op, err := NewSetOp(SetOpConfig{Name: "except", Types: []types.Type{types.Of(types.Int64)}, Bound: -1})
	if err != nil {
		t.Fatal(err)
	}
	emit := func(*vec.Batch) error { return nil }
	tr := &Trigger{}
	for from := 0; from < rows; from += vec.BatchSize {
		if err := op.Step(tr, 0, 0, numbered(from, min(vec.BatchSize, rows-from)), emit); err != nil {
			t.Fatal(err)
		}
	}
	if err := op.Flush(tr, emit); err != nil {
		t.Fatal(err)
	}
	if err := op.LogState(discard{}); err != nil {
		t.Fatal(err)
	}
	return op, emit
}

func numbered(from, n int) *vec.Batch {
	v := &vec.Vector{Type: types.Of(types.Int64), N: n}
	for i := range n {
		v.I64 = append(v.I64, int64(from+i))
	}
	return &vec.Batch{Cols: []*vec.Vector{v}, N: n}
}

func negative(n int) []int64 {
	w := make([]int64, n)
	for i := range w {
		w[i] = -1
	}
	return w
}
