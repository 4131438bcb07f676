package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// twoPorts gives an operator with two ports rows whose last column names the port, and each
// port the frontier of its number.
type twoPorts struct{ Operator }

func (p *twoPorts) Step(t *Trigger, _ int, seq int64, b *vec.Batch, out Emit) error {
	return splitStep(p.Operator, t, seq, b, out)
}

func (p *twoPorts) Advance(t *Trigger, fronts [][]int64, out Emit) error {
	return p.Operator.Advance(t, [][]int64{fronts[0][:1], fronts[0][1:]}, out)
}

// asofTwin joins everything anew.
type asofTwin struct {
	cfg   AsofConfig
	front [2]int64
	rows  [2][][]any
}

func (a *asofTwin) take(c change) vec.Fate {
	last := len(c.row) - 1
	port := c.row[last].(int64)
	if at := c.row[a.cfg.Time[port]]; a.cfg.Late[port] != nil && at != nil && at.(int64) < a.front[port] {
		return vec.Late
	}
	if c.w > 0 {
		a.rows[port] = append(a.rows[port], c.row)
	} else {
		a.rows[port] = without(a.rows[port], c.row)
	}
	return vec.Contributed
}

func (a *asofTwin) advance(fronts []int64) { a.front = [2]int64{fronts[0], fronts[1]} }

func (a *asofTwin) live() [][]any { return append(append([][]any{}, a.rows[0]...), a.rows[1]...) }

func (a *asofTwin) want() bag {
	out := bag{}
	for _, l := range a.rows[0] {
		m := a.match(l)
		width := len(l) - 1
		row := append([]any{}, l[:width]...)
		if m != nil && a.cfg.Void >= 0 && m[a.cfg.Void] == true {
			m = nil
		}
		switch {
		case m != nil:
			row = append(row, m[:width]...)
		case a.cfg.Outer:
			row = append(row, make([]any, width)...)
		default:
			continue
		}
		alone := l[a.cfg.Time[0]] == nil
		for k, c := range a.cfg.Keys[0] {
			alone = alone || l[c] == nil && !(a.cfg.NullSafe != nil && a.cfg.NullSafe[k])
		}
		if a.cfg.EmitOnClose && !alone && l[a.cfg.Time[0]].(int64) >= min(a.front[0], a.front[1]) {
			continue
		}
		out.add(row, 1)
	}
	return out
}

func (a *asofTwin) match(l []any) []any {
	var best []any
	for _, r := range a.rows[1] {
		if !a.matches(l, r) {
			continue
		}
		if best == nil || a.nearer(r, best) {
			best = r
		}
	}
	return best
}

func (a *asofTwin) matches(l, r []any) bool {
	for k, c := range a.cfg.Keys[0] {
		x, y := l[c], r[a.cfg.Keys[1][k]]
		if (x == nil || y == nil) && !(a.cfg.NullSafe != nil && a.cfg.NullSafe[k] && x == nil && y == nil) || x != y {
			return false
		}
	}
	x, y := l[a.cfg.Time[0]], r[a.cfg.Time[1]]
	if x == nil || y == nil {
		return false
	}
	c := compareAny(x, y)
	if a.cfg.Forward {
		c = -c
	}
	return c > 0 || c == 0 && !a.cfg.Strict
}

// nearer tells that a right row is taken before another.
func (a *asofTwin) nearer(x, y []any) bool {
	c := compareAny(x[a.cfg.Time[1]], y[a.cfg.Time[1]])
	if a.cfg.Forward {
		c = -c
	}
	if c == 0 {
		if c = (&topTwin{}).compare(x, y); a.cfg.Void < 0 {
			c = -c
		}
	}
	return c > 0
}

var asofInput = setInput

// asofRow has times, keys and values of few kinds.
func asofRow(rng *rand.Rand, trigger int) []any { return setRow(rng, trigger) }

// asofFronts are those of the left and of the right input.
func asofFronts(trigger int) []int64 {
	f := aggFronts(trigger)[0]
	g := aggFronts(max(0, trigger-1))[0]
	if trigger%2 == 1 {
		f, g = g, f
	}
	return []int64{f, g}
}

// fronts never retreat.
func asofRising(trigger int) []int64 {
	out := []int64{NoFrontier, NoFrontier}
	for i := range trigger + 1 {
		for k, f := range asofFronts(i) {
			out[k] = max(out[k], f)
		}
	}
	return out
}

func asofCases() []*opCase {
	var out []*opCase
	for i := range 32 {
		cfg := AsofConfig{Types: [2][]types.Type{dedupInput, dedupInput}, Void: -1, Keys: [2][]int{{1}, {1}}, Forward: i&1 != 0, Strict: i&2 != 0,
			Outer: i&4 != 0, Front: [2]int{-1, -1}}
		if i&8 != 0 {
			cfg.Front, cfg.Late = [2]int{0, 0}, [2]*JoinLate{{}, {}}
		}
		if i&16 != 0 {
			cfg.Retract = [2]bool{true, true}
		}
		out = append(out, asofCase(cfg))
		if cfg.Late[0] != nil && !cfg.Forward && !cfg.Retract[0] {
			cfg.EmitOnClose = true
			out = append(out, asofCase(cfg))
		}
	}
	none := AsofConfig{Types: [2][]types.Type{dedupInput, dedupInput}, Void: -1, Keys: [2][]int{{}, {}}, Outer: true, Front: [2]int{-1, 0}, Late: [2]*JoinLate{nil, {}}}
	safe := AsofConfig{Types: [2][]types.Type{dedupInput, dedupInput}, Void: -1, Keys: [2][]int{{1}, {1}}, NullSafe: []bool{true}, Outer: true, Front: [2]int{-1, -1},
		Retract: [2]bool{true, true}}
	flags := []types.Type{stamp, text, types.Of(types.Bool)}
	void := AsofConfig{Types: [2][]types.Type{flags, flags}, Void: 2, Keys: [2][]int{{1}, {1}}, Outer: true, Late: [2]*JoinLate{{}, {}}}
	versions := asofCase(void)
	versions.types = append(flags[:3:3], types.Of(types.Int64))
	versions.row = func(rng *rand.Rand, trigger int) []any {
		row := asofRow(rng, trigger)
		row[2] = pick(rng, true, false)
		return row
	}
	return append(out, asofCase(none), asofCase(safe), versions)
}

func asofCase(cfg AsofConfig) *opCase {
	cfg.Name = fmt.Sprintf("keys %d forward %v strict %v outer %v fronts %v close %v retract %v", len(cfg.Keys[0]), cfg.Forward, cfg.Strict, cfg.Outer,
		cfg.Front, cfg.EmitOnClose, cfg.Retract)
	return &opCase{name: cfg.Name, types: asofInput, row: asofRow, fronts: asofRising, retract: cfg.Retract[0], net: true, ordered: true,
		end:  []int64{EndOfInput, EndOfInput}, // the last right row of each key cannot be deleted when it is late
		twin: func() twin { return &asofTwin{cfg: cfg, front: [2]int64{NoFrontier, NoFrontier}} },
		make: func(t tester) Operator {
			op, err := NewAsof(cfg)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return &twoPorts{op}
		}}
}

func TestAsof(t *testing.T) { playAll(t, asofCases(), 8) }

// TestAsofCleans checks that what is held does not grow with the past.
func TestAsofCleans(t *testing.T) {
	op, err := NewAsof(AsofConfig{Types: [2][]types.Type{dedupInput, dedupInput}, Void: -1, Keys: [2][]int{{1}, {1}}, Late: [2]*JoinLate{{}, {}}})
	if err != nil {
		t.Fatal(err)
	}
	var most, first int64
	for trigger := range 60 {
		at := int64(trigger * 100)
		for port := range 2 {
			bs := vec.NewBuilders(dedupInput)
			for i := range 50 {
				bs[0].AppendAny(at + int64(i))
				bs[1].AppendAny([]string{"a", "b", "c"}[i%3])
				bs[2].AppendAny(int64(i))
			}
			b := &vec.Batch{N: 50, Fates: &vec.Fates{Of: make([]vec.Fate, 50)}}
			for _, x := range bs {
				b.Cols = append(b.Cols, x.Take())
			}
			if err := op.Step(&Trigger{}, port, 0, b, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := op.Flush(&Trigger{}, func(*vec.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := op.Advance(&Trigger{}, [][]int64{{at}, {at + 20}}, nil); err != nil {
			t.Fatal(err)
		}
		if err := op.LogState(discard{}); err != nil {
			t.Fatal(err)
		}
		if s := op.Stats(); trigger == 10 {
			first = s.Keys
		} else {
			most = max(most, s.Keys)
		}
	}
	if most > first+50 || first > 200 {
		t.Errorf("%d rows are held after 10 triggers, up to %d later", first, most)
	}
}

// asofWith is an ASOF join of one key that holds rows on both sides: two left ones for each
// right one, up to the middle.
func asofWith(t testing.TB, rows int) (Operator, *int) {
	ts := []types.Type{types.Of(types.Int64)}
	op, err := NewAsof(AsofConfig{Types: [2][]types.Type{ts, ts}, Void: -1, Keys: [2][]int{{}, {}}, Front: [2]int{-1, -1}, Outer: true, Retract: [2]bool{true, true}})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < rows; from += vec.BatchSize {
		n := min(vec.BatchSize, rows-from)
		right := numbered(from, n)
		for i := range right.Cols[0].I64 {
			right.Cols[0].I64[i] *= 2
		}
		for port, b := range []*vec.Batch{numbered(from, n), right} {
			if err := op.Step(&Trigger{}, port, 0, b, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	emitted := new(int)
	flushAsof(t, op, emitted)
	return op, emitted
}

func flushAsof(t testing.TB, op Operator, emitted *int) {
	*emitted = 0
	if err := op.Flush(&Trigger{}, func(b *vec.Batch) error { *emitted += b.Rows(); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := op.LogState(discard{}); err != nil {
		t.Fatal(err)
	}
}

// TestAsofCostIsThatOfTheDelta counts comparisons over a state and over one of twice the
// size.
func TestAsofCostIsThatOfTheDelta(t *testing.T) {
	cost := func(rows int) (n int64) {
		op, emitted := asofWith(t, rows)
		a := op.(*asof)
		for _, s := range a.sides {
			inner := s.seqs.compare
			s.seqs.compare = func(x, y uint32) int { n++; return inner(x, y) }
		}
		b := numbered(rows/2, 1)
		b.W = negative(1)
		if err := op.Step(&Trigger{}, 1, 0, b, nil); err != nil {
			t.Fatal(err)
		}
		flushAsof(t, op, emitted)
		if *emitted == 0 || *emitted > 8 {
			t.Errorf("%d rows changed", *emitted)
		}
		return n + int64(*emitted)
	}
	small, large := cost(20_000), cost(40_000)
	if large > small+small/4+50 {
		t.Errorf("%d comparisons over 20,000 rows, %d over 40,000", small, large)
	}
}

func BenchmarkAsof(b *testing.B) {
	op, emitted := asofWith(b, 100_000)
	delta := numbered(150_000, vec.BatchSize)
	gone := &vec.Batch{Cols: delta.Cols, N: delta.N, W: negative(delta.N)}
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range []*vec.Batch{delta, gone} {
			if err := op.Step(&Trigger{}, 0, 0, x, nil); err != nil {
				b.Fatal(err)
			}
			flushAsof(b, op, emitted)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*vec.BatchSize), "ns/row")
}
