package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overTwin recomputes everything.
type overTwin struct {
	cfg   *OverConfig
	names map[*OverFunc]string
	rows  [][]any
	bound int64
}

func (w *overTwin) take(c change) vec.Fate {
	if b := w.cfg.Bound; b >= 0 && c.row[b] != nil && c.row[b].(int64) < w.bound {
		return vec.Late
	}
	if c.w > 0 {
		w.rows = append(w.rows, c.row)
	} else {
		w.rows = without(w.rows, c.row)
	}
	return vec.Contributed
}

func (w *overTwin) advance(fronts []int64) {
	if w.cfg.Bound >= 0 {
		w.bound = fronts[0]
	}
}

func (w *overTwin) want() bag { return overAll(w.cfg, w.names, w.rows) }

// live are the rows that are not final.
func (w *overTwin) live() [][]any { return w.rows }

// overFuncs collects functions with the names of their aggregates.
type overFuncs struct {
	funcs []OverFunc
	names []string
}

func (s *overFuncs) window(kind fn.WindowKind, n int64, frame OverFrame, nulls bool, args ...int) {
	t := bigint
	if kind == fn.PercentRank || kind == fn.CumeDist {
		t = types.Of(types.Float64)
	}
	s.funcs = append(s.funcs, OverFunc{Kind: kind, N: n, Args: args, IgnoreNulls: nulls, Result: t, Frame: frame})
	s.names = append(s.names, "")
}

func (s *overFuncs) agg(name string, frame OverFrame) {
	spec := &AggregateSpec{Args: []int{overV}, Filter: -1}
	switch name {
	case "count":
		spec.Impl, spec.Args, spec.Filter = resolveOver(agg.Count), nil, -1
	case "sum":
		spec.Impl = resolveOver(agg.Sum, bigint)
	case "min":
		spec.Impl = resolveOver(agg.Min, bigint)
	case "list":
		spec.Impl, spec.Ordered = resolveOver(agg.ArrayAgg, bigint), true
	default:
		spec.Impl, spec.Distinct = resolveOver(agg.Count, bigint), true
	}
	s.funcs = append(s.funcs, OverFunc{Agg: spec, Result: spec.Impl.Result, Frame: frame})
	s.names = append(s.names, name)
}

func resolveOver(a fn.Aggregate, ts ...types.Type) fn.AggImpl {
	var args []fn.Arg
	for _, t := range ts {
		args = append(args, fn.Arg{Type: t})
	}
	impl, err := a.Resolve(args)
	if err != nil {
		panic(err)
	}
	return impl
}

func preceding(n int64) OverBound { return OverBound{Kind: fn.Preceding, Offset: n, Limit: overLo} }
func following(n int64) OverBound { return OverBound{Kind: fn.Following, Offset: n, Limit: overHi} }

var (
	overFirst = OverBound{Kind: fn.UnboundedPreceding}
	overHere  = OverBound{Kind: fn.CurrentRow}
	overLast  = OverBound{Kind: fn.UnboundedFollowing}
)

// overCase is a case over the columns of over_naive_test.go.
func overCase(name string, desc, nullsLast bool, change func(*OverConfig, *overFuncs)) *opCase {
	order := OrderColumn{Col: overK, Type: bigint, Order: vec.Order{Desc: desc}}
	if nullsLast {
		order.Order.Nulls = vec.NullsLast
	}
	cfg := &OverConfig{Name: name, Types: []types.Type{bigint, bigint, bigint, bigint, bigint}, Visible: overVisible,
		Partition: []int{overG}, Order: []OrderColumn{order}, Bound: -1}
	fs := &overFuncs{}
	change(cfg, fs)
	cfg.Funcs = fs.funcs
	names := map[*OverFunc]string{}
	for i := range cfg.Funcs {
		names[&cfg.Funcs[i]] = fs.names[i]
	}
	back, ahead := int64(-overBack), int64(overAhead)
	if desc {
		back, ahead = -back, -ahead
	}
	return &opCase{
		name:    name,
		types:   cfg.Types,
		retract: true, ordered: true, net: true,
		make: func(t tester) Operator {
			op, err := NewOver(*cfg)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		},
		twin:   func() twin { return &overTwin{cfg: cfg, names: names, bound: NoFrontier} },
		fronts: func(int) []int64 { return []int64{NoFrontier} },
		row: func(rng *rand.Rand, _ int) []any {
			row := []any{pick(rng, int64(1)), pick(rng, int64(1), int64(2), int64(3), int64(4), int64(6)), pick(rng, int64(1), int64(2)), nil, nil}
			if k, ok := row[overK].(int64); ok {
				row[overLo], row[overHi] = k+back, k+ahead
			}
			return row
		},
	}
}

// overFrames are frames of a unit.
func overFrames(u fn.FrameUnit) []OverFrame {
	var out []OverFrame
	for i, b := range [][2]OverBound{{overFirst, overHere}, {preceding(2), following(1)}, {overFirst, following(1)}, {preceding(2), overLast},
		{following(1), following(1)}, {preceding(2), preceding(2)}, {overHere, overLast}, {preceding(2), overHere}, {overHere, following(1)}, {overFirst, preceding(2)}} {
		out = append(out, OverFrame{Unit: u, Start: b[0], End: b[1]}, OverFrame{Unit: u, Start: b[0], End: b[1], Exclude: fn.Exclusion(1 + i%3)})
	}
	return append(out, OverFrame{Unit: u, Start: overFirst, End: overLast})
}

func overCases() []*opCase {
	var out []*opCase
	for _, desc := range []bool{false, true} {
		for _, last := range []bool{false, true} {
			at := fmt.Sprintf(" desc=%t last=%t", desc, last)
			kinds := []fn.WindowKind{fn.RowNumber, fn.Rank, fn.DenseRank, fn.PercentRank, fn.CumeDist, fn.NTile}
			for _, k := range kinds {
				out = append(out, overCase(fmt.Sprintf("rank %d%s", k, at), desc, last, func(_ *OverConfig, s *overFuncs) { s.window(k, 3, OverFrame{}, false) }))
			}
			out = append(out, overCase("ranks"+at, desc, last, func(_ *OverConfig, s *overFuncs) {
				s.window(fn.RowNumber, 0, OverFrame{}, false)
				s.window(fn.Rank, 0, OverFrame{}, false)
			}))
			for _, k := range []fn.WindowKind{fn.Lag, fn.Lead} {
				out = append(out,
					overCase(fmt.Sprintf("away %d%s", k, at), desc, last, func(_ *OverConfig, s *overFuncs) { s.window(k, 2, OverFrame{}, false, overV) }),
					overCase(fmt.Sprintf("away nulls %d%s", k, at), desc, last, func(_ *OverConfig, s *overFuncs) { s.window(k, 2, OverFrame{}, true, overV, overK) }))
			}
			for u := range fn.FrameUnit(3) {
				for i, f := range overFrames(u) {
					out = append(out, overCase(fmt.Sprintf("frame %s %d%s", u, i, at), desc, last, func(_ *OverConfig, s *overFuncs) {
						s.agg([]string{"sum", "min", "list", "distinct", "count"}[i%5], f)
						s.window(fn.FirstValue+fn.WindowKind(i%3), 2, f, i%2 == 0, overV)
					}))
				}
			}
		}
	}
	return out
}

// stepped gives a case frontiers by a column, which goes forward with its rows.
func stepped(c *opCase, col int) *opCase {
	row := c.row
	c.row = func(rng *rand.Rand, trigger int) []any {
		r := row(rng, trigger)
		if r[overK] != nil || col == overK && trigger > 0 {
			r[overK] = int64(trigger*2 + rng.IntN(5))
			r[overLo], r[overHi] = r[overK].(int64)-overBack, r[overK].(int64)+overAhead
		}
		if col == overK && trigger == 0 { // a NULL that stays would keep its row
			r[overK], r[overLo], r[overHi] = int64(0), int64(-overBack), int64(overAhead)
		}
		if col == overG { // NULL is final at the end of input
			r[overG] = int64(trigger + rng.IntN(3))
		}
		return r
	}
	c.fronts = func(trigger int) []int64 {
		if trigger == historyTriggers-1 {
			return []int64{EndOfInput}
		}
		if col == overG {
			return []int64{int64(trigger)}
		}
		return []int64{int64(trigger * 2)}
	}
	return c
}

// overBounded are cases with a frontier: on the order column, over frames that begin, and
// on the partition. At the end nothing is left but rows without a time.
func overBounded() []*opCase {
	step := stepped
	keep := func(ahead, back, rows int64) func(int64) OverKeep {
		return func(f int64) OverKeep {
			if f == EndOfInput {
				return OverKeep{From: f, At: f}
			}
			return OverKeep{At: f - ahead, From: f - ahead - back, Rows: rows}
		}
	}
	ranged := OverFrame{Unit: fn.FrameRange, Start: preceding(2), End: following(1)}
	return []*opCase{
		step(overCase("bounded range", false, false, func(c *OverConfig, s *overFuncs) {
			c.Bound, c.Keep = overK, keep(overAhead, overBack, 0)
			s.agg("sum", ranged)
			s.agg("list", ranged)
		}), overK),
		step(overCase("bounded rows", false, true, func(c *OverConfig, s *overFuncs) {
			c.Bound, c.Keep = overK, keep(0, 0, 2)
			s.agg("list", OverFrame{Unit: fn.FrameRows, Start: preceding(2), End: overHere})
			s.window(fn.Lag, 2, OverFrame{}, false, overV)
		}), overK),
		step(overCase("bounded both", false, true, func(c *OverConfig, s *overFuncs) {
			c.Bound, c.Keep = overK, keep(overAhead, overBack, 1)
			s.agg("list", ranged)
			s.window(fn.Lag, 1, OverFrame{}, false, overV)
		}), overK),
		step(overCase("bounded partition", true, false, func(c *OverConfig, s *overFuncs) {
			c.Bound, c.Whole = overG, true
			s.window(fn.CumeDist, 0, OverFrame{}, false)
			s.agg("min", OverFrame{Unit: fn.FrameRange, Start: overFirst, End: overHere})
		}), overG),
	}
}

func TestOver(t *testing.T) { playAll(t, overCases(), 3) }

func TestOverBounded(t *testing.T) { playAll(t, overBounded(), 60) }

// TestOverLarge: partitions of several levels, against the same naive twin.
func TestOverLarge(t *testing.T) {
	c := overCase("large", false, false, func(_ *OverConfig, s *overFuncs) {
		s.window(fn.DenseRank, 0, OverFrame{}, false)
		s.agg("sum", OverFrame{Unit: fn.FrameRange, Start: overFirst, End: overHere})
		s.agg("min", OverFrame{Unit: fn.FrameRows, Start: preceding(300), End: following(150)})
		s.agg("sum", OverFrame{Unit: fn.FrameRows, Start: preceding(1), End: following(1), Exclude: fn.ExcludeTies})
	})
	rng := rand.New(rand.NewPCG(3, 4))
	tw := c.twin()
	r := c.newRun(t, variant{batch: 2048})
	row := func() []any {
		k := int64(rng.IntN(900))
		return []any{int64(1), k, pick(rng, int64(1), int64(2), int64(-3)), k - overBack, k + overAhead}
	}
	for trigger := range 8 {
		var changes []change
		n := 12
		if trigger == 0 {
			n = 900
		}
		for range n {
			ch := change{row(), 1}
			if live := tw.live(); trigger > 0 && rng.IntN(10) < 5 {
				ch = change{live[rng.IntN(len(live))], -1}
			}
			tw.take(ch)
			changes = append(changes, ch)
		}
		r.trigger(t, trigger, changes, []int64{NoFrontier})
		if got, want := r.sum.String(), tw.want().String(); got != want {
			t.Fatalf("trigger %d differs", trigger)
		}
	}
}

// A change in a large partition touches the rows whose frame it is in, and no others.
func TestOverTouchesFrames(t *testing.T) {
	for _, n := range []int{500, 1000, 4000} {
		c := overCase("touched", false, false, func(_ *OverConfig, s *overFuncs) {
			s.agg("sum", OverFrame{Unit: fn.FrameRows, Start: preceding(3), End: following(2)})
			s.window(fn.Lag, 2, OverFrame{}, false, overV)
		})
		r := c.newRun(t, variant{batch: 2048})
		var changes []change
		for k := range int64(n) {
			changes = append(changes, change{[]any{int64(1), k * 2, k, k*2 - 2, k*2 + 1}, 1})
		}
		r.trigger(t, 0, changes, []int64{NoFrontier})
		r.trigger(t, 1, []change{{[]any{int64(1), int64(n/2*2 + 1), int64(7), int64(0), int64(0)}, 1}}, []int64{NoFrontier})
		if got := r.op.Stats().Updated; got != 6 {
			t.Errorf("of %d rows one change touched %d", n, got)
		}
	}
}
