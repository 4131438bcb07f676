package agg

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// probe is one aggregate under test, with a domain for its arguments and a naive
// computation over the rows that are there. Rows are argument tuples in order of arrival.
type probe struct {
	name    string
	agg     fn.Aggregate
	consts  []*vec.Vector // by argument; nil = varies
	types   []types.Type
	domain  [][]any // by argument
	naive   func(rows [][]any) any
	wrap    func(fn.AggImpl) fn.AggImpl
	appends bool // only without retraction
}

func (p probe) impl(t *testing.T) fn.AggImpl {
	t.Helper()
	args := make([]fn.Arg, len(p.types))
	for i, ty := range p.types {
		args[i] = fn.Arg{Type: ty}
		if i < len(p.consts) {
			args[i].Const = p.consts[i]
		}
	}
	impl, err := p.agg.Resolve(args)
	if err != nil {
		t.Fatal(err)
	}
	if p.wrap != nil {
		impl = p.wrap(impl)
	}
	return impl
}

// history is a random stream of rows with deletions of rows that are there.
type history struct {
	rows   [][][]any // by group: rows in order of arrival
	rng    *rand.Rand
	domain [][]any
	delete bool
}

type change struct {
	group uint32
	row   []any
	w     int64
}

const testGroups = 3

func (h *history) next() change {
	g := h.rng.IntN(testGroups)
	if h.delete && len(h.rows[g]) > 0 && h.rng.IntN(10) < 4 {
		i := h.rng.IntN(len(h.rows[g]))
		row := h.rows[g][i]
		h.forget(g, row)
		return change{uint32(g), row, -1}
	}
	row := make([]any, len(h.domain))
	for i, d := range h.domain {
		if h.rng.IntN(5) > 0 {
			row[i] = d[h.rng.IntN(len(d))]
		}
	}
	h.rows[g] = append(h.rows[g], row)
	return change{uint32(g), row, 1}
}

// forget removes the newest row that equals row.
func (h *history) forget(g int, row []any) {
	for i := len(h.rows[g]) - 1; i >= 0; i-- {
		if same(h.rows[g][i], row) {
			h.rows[g] = append(append([][]any{}, h.rows[g][:i]...), h.rows[g][i+1:]...)
			return
		}
	}
}

func same(a, b any) bool { return show(a) == show(b) }

func show(x any) string {
	if f, ok := x.(float64); ok && f == 0 {
		x = 0.0
	}
	return fmt.Sprintf("%T %v", x, x)
}

// addAll gives changes to an accumulator as one batch.
func addAll(t *testing.T, acc fn.Accumulator, ts []types.Type, cs []change, weighted, gaps bool) {
	t.Helper()
	rows := fn.AggRows{Args: make([]*vec.Vector, len(ts))}
	bs := vec.NewBuilders(ts)
	for i, c := range cs {
		if gaps {
			rows.Sel = append(rows.Sel, int32(2*i+1))
			appendRow(bs, make([]any, len(ts)))
			rows.W = append(rows.W, 99)
		}
		appendRow(bs, c.row)
		rows.W = append(rows.W, c.w)
		rows.Groups = append(rows.Groups, c.group)
	}
	for i, b := range bs {
		rows.Args[i] = b.Take()
	}
	if !weighted {
		rows.W = nil
	}
	if err := acc.Add(rows); err != nil {
		t.Fatal(err)
	}
}

func appendRow(bs []*vec.Builder, row []any) {
	for i, x := range row {
		bs[i].AppendAny(x)
	}
}

func results(t *testing.T, acc fn.Accumulator, ty types.Type) []any {
	t.Helper()
	out := vec.NewBuilder(ty)
	if err := acc.Result([]uint32{0, 1, 2}, out); err != nil {
		t.Fatal(err)
	}
	v := out.Finish()
	return []any{vec.ToAny(v, 0), vec.ToAny(v, 1), vec.ToAny(v, 2)}
}

// stored is the logged state of an accumulator, kept up to date by sync.
type stored struct {
	fixed   [testGroups][]byte
	entries map[string][]byte
}

func (s *stored) sync(acc fn.Accumulator) {
	for g := range s.fixed {
		s.fixed[g] = acc.AppendState(nil, uint32(g))
	}
	if e, ok := acc.(fn.EntryAccumulator); ok {
		e.DirtyEntries(func(g uint32, sub, val []byte) {
			key := string(append([]byte{byte(g)}, sub...))
			if val == nil {
				delete(s.entries, key)
				return
			}
			s.entries[key] = append([]byte{}, val...)
		})
	}
}

func (s *stored) load(t *testing.T, impl fn.AggImpl, retract bool) fn.Accumulator {
	t.Helper()
	acc := impl.New(retract)
	acc.Grow(testGroups)
	for g, b := range s.fixed {
		rest, err := acc.LoadState(append(append([]byte{}, b...), 7), uint32(g))
		if err != nil || len(rest) != 1 {
			t.Fatalf("load: %v, rest %v", err, rest)
		}
	}
	keys := make([]string, 0, len(s.entries))
	for k := range s.entries {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := acc.(fn.EntryAccumulator).LoadEntry(uint32(k[0]), []byte(k[1:]), s.entries[k]); err != nil {
			t.Fatal(err)
		}
	}
	return acc
}

func equalResult(got, want any) bool {
	g, ok1 := got.(float64)
	w, ok2 := want.(float64)
	if ok1 && ok2 {
		return g == w || g != g && w != w || math.Abs(g-w) <= 1e-12*max(1, math.Abs(w))
	}
	return reflect.DeepEqual(got, want)
}

// run plays a history in triggers: each adds directly or through locals that are merged,
// and every other one is followed by a restart.
func (p probe) run(t *testing.T, seed uint64, retract bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	impl := p.impl(t)
	h := &history{rows: make([][][]any, testGroups), rng: rng, domain: p.domain, delete: retract}
	state := impl.New(retract)
	state.Grow(testGroups)
	disk := &stored{entries: map[string][]byte{}}
	for trigger := range 8 {
		p.step(t, h, impl, state, retract)
		got := results(t, state, impl.Result)
		for g := range testGroups {
			if want := p.naive(h.rows[g]); !equalResult(got[g], want) {
				t.Fatalf("seed %d trigger %d group %d: got %s, want %s\nrows %v", seed, trigger, g, show(got[g]), show(want), h.rows[g])
			}
		}
		disk.sync(state)
		if rng.IntN(2) == 0 {
			state = disk.load(t, impl, retract)
			if again := results(t, state, impl.Result); !reflect.DeepEqual(fmt.Sprint(again), fmt.Sprint(got)) {
				t.Fatalf("seed %d: after restart %v, before %v", seed, again, got)
			}
		}
	}
	if retract {
		p.empty(t, h, impl, state, disk)
	}
}

// step adds one trigger's changes to the state.
func (p probe) step(t *testing.T, h *history, impl fn.AggImpl, state fn.Accumulator, retract bool) {
	rng := h.rng
	into := state
	local := rng.IntN(2) == 0
	if local {
		into = impl.New(retract)
		into.Grow(testGroups)
	}
	for range 1 + rng.IntN(3) {
		var cs []change
		for range rng.IntN(6) {
			cs = append(cs, h.next())
		}
		addAll(t, into, p.types, cs, retract, rng.IntN(2) == 0)
	}
	if local {
		if err := state.Merge(into, []uint32{0, 1, 2}, []uint32{0, 1, 2}); err != nil {
			t.Fatal(err)
		}
	}
}

// empty retracts everything and expects the state of the beginning.
func (p probe) empty(t *testing.T, h *history, impl fn.AggImpl, state fn.Accumulator, disk *stored) {
	for g := range testGroups {
		for _, row := range h.rows[g] {
			addAll(t, state, p.types, []change{{uint32(g), row, -1}}, true, false)
		}
	}
	disk.sync(state)
	fresh := impl.New(true)
	fresh.Grow(testGroups)
	for g := range uint32(testGroups) {
		if got, want := state.AppendState(nil, g), fresh.AppendState(nil, g); string(got) != string(want) {
			t.Errorf("state after full retraction is %x, empty is %x", got, want)
		}
	}
	if len(disk.entries) > 0 {
		t.Errorf("%d entries left after full retraction", len(disk.entries))
	}
	if state.Bytes() > fresh.Bytes()+256 {
		t.Errorf("%d bytes held after full retraction, %d when new", state.Bytes(), fresh.Bytes())
	}
}

func TestAccumulators(t *testing.T) {
	for _, p := range probes() {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(25) {
				p.run(t, seed, false)
				if !p.appends {
					p.run(t, seed, true)
				}
			}
		})
	}
}

// Naive computations.

func column(rows [][]any) []any {
	var out []any
	for _, r := range rows {
		if r[0] != nil {
			out = append(out, r[0])
		}
	}
	return out
}

// orNull is f over the first column's values that are not NULL, nil without any.
func orNull(f func(xs []any) any) func(rows [][]any) any {
	return func(rows [][]any) any {
		if xs := column(rows); len(xs) > 0 {
			return f(xs)
		}
		return nil
	}
}

func bigSum(xs []any) *big.Int {
	sum := new(big.Int)
	for _, x := range xs {
		switch x := x.(type) {
		case int64:
			sum.Add(sum, big.NewInt(x))
		case types.Int128:
			b, _ := new(big.Int).SetString(x.String(), 10)
			sum.Add(sum, b)
		}
	}
	return sum
}

func toInt128(b *big.Int) types.Int128 {
	hi := new(big.Int).Rsh(b, 64)
	lo := new(big.Int).Sub(b, new(big.Int).Lsh(hi, 64))
	return types.Int128{Hi: hi.Int64(), Lo: lo.Uint64()}
}

func floatSum(xs []any) float64 {
	exact := new(big.Float).SetPrec(3000)
	odd := 0.0
	for _, x := range xs {
		if f := x.(float64); math.IsNaN(f) || math.IsInf(f, 0) {
			odd += f
		} else {
			exact.Add(exact, new(big.Float).SetFloat64(f))
		}
	}
	f, _ := exact.Float64()
	return f + odd
}

// meanRound is sum·10^more/n, half away from zero.
func meanRound(xs []any, more int64) *big.Int {
	num := new(big.Int).Mul(bigSum(xs), new(big.Int).Exp(big.NewInt(10), big.NewInt(more), nil))
	r := new(big.Rat).SetFrac(num, big.NewInt(int64(len(xs))))
	out, _ := new(big.Int).SetString(r.FloatString(0), 10) // FloatString rounds half away
	return out
}

func sorted(ty types.Type, xs []any) []any {
	out := append([]any{}, xs...)
	sort.SliceStable(out, func(i, j int) bool {
		return vec.Compare(vec.FromAny(ty, out[i]), 0, vec.FromAny(ty, out[j]), 0) < 0
	})
	return out
}

func unique(ty types.Type, xs []any) []any {
	var out []any
	for i, x := range sorted(ty, xs) {
		if i == 0 || vec.Compare(vec.FromAny(ty, out[len(out)-1]), 0, vec.FromAny(ty, x), 0) != 0 {
			out = append(out, x)
		}
	}
	return out
}

var (
	ints    = []any{int64(-3), int64(0), int64(5), int64(5), int64(1) << 60}
	floats  = []any{0.1, -0.1, 1e300, -1e300, 5e-324, 3.5, math.Inf(1), math.NaN(), math.Inf(-1)}
	tame    = []any{0.1, 0.2, -7.25, 1e6}
	cents   = []any{int64(-10), int64(33), int64(99999999999)}
	wides   = []any{types.Int128{Hi: 5, Lo: 7}, types.Int128{Hi: -1, Lo: 3}, types.Int128From(12)}
	words   = []any{"", "a", "ab", "a\x00b"}
	lists   = []any{[]any{int64(1)}, []any{int64(1), nil}, []any{}}
	dec10   = types.DecimalOf(12, 2)
	dec30   = types.DecimalOf(30, 2)
	listOf  = types.ArrayOf(bigint)
	logical = []any{true, false}
)

func probes() []probe {
	ps := []probe{
		{name: "count", agg: Count, types: []types.Type{bigint}, domain: [][]any{ints},
			naive: func(rows [][]any) any { return int64(len(column(rows))) }},
		{name: "count star", agg: Count, types: nil, domain: nil,
			naive: func(rows [][]any) any { return int64(len(rows)) }},
		{name: "count_if", agg: CountIf, types: []types.Type{boolean}, domain: [][]any{logical}, naive: naiveCountIf},
		{name: "sum int", agg: Sum, types: []types.Type{bigint}, domain: [][]any{ints[:4]},
			naive: orNull(func(xs []any) any { return bigSum(xs).Int64() })},
		{name: "sum float", agg: Sum, types: []types.Type{double}, domain: [][]any{floats},
			naive: orNull(func(xs []any) any { return floatSum(xs) })},
		{name: "sum finite", agg: Sum, types: []types.Type{double}, domain: [][]any{floats[:6]},
			naive: orNull(func(xs []any) any { return floatSum(xs) })},
		{name: "sum decimal", agg: Sum, types: []types.Type{dec10}, domain: [][]any{cents},
			naive: orNull(func(xs []any) any { return toInt128(bigSum(xs)) })},
		{name: "sum wide", agg: Sum, types: []types.Type{dec30}, domain: [][]any{wides},
			naive: orNull(func(xs []any) any { return toInt128(bigSum(xs)) })},
		{name: "avg int", agg: Avg, types: []types.Type{bigint}, domain: [][]any{ints}, naive: orNull(func(xs []any) any {
			f, _ := new(big.Float).SetInt(bigSum(xs)).Float64()
			return f / float64(len(xs))
		})},
		{name: "avg float", agg: Avg, types: []types.Type{double}, domain: [][]any{tame},
			naive: orNull(func(xs []any) any { return floatSum(xs) / float64(len(xs)) })},
		{name: "avg decimal", agg: Avg, types: []types.Type{dec10}, domain: [][]any{cents},
			naive: orNull(func(xs []any) any { return meanRound(xs, 4).Int64() })},
		{name: "avg wide", agg: Avg, types: []types.Type{dec30}, domain: [][]any{wides},
			naive: orNull(func(xs []any) any { return toInt128(meanRound(xs, 4)) })},
		{name: "sum distinct", agg: Sum, types: []types.Type{bigint}, domain: [][]any{ints[:4]}, wrap: Distinct,
			naive: orNull(func(xs []any) any { return bigSum(unique(bigint, xs)).Int64() })},
		{name: "count distinct", agg: Count, types: []types.Type{text}, domain: [][]any{words}, wrap: Distinct,
			naive: func(rows [][]any) any { return int64(len(unique(text, column(rows)))) }},
		{name: "approx_count_distinct", agg: ApproxCountDistinct, types: []types.Type{double}, domain: [][]any{{0.0, math.Copysign(0, -1), math.NaN()}},
			naive: func(rows [][]any) any { return int64(len(unique(double, column(rows)))) }},
		{name: "min distinct", agg: Min, types: []types.Type{text}, domain: [][]any{words}, wrap: Distinct,
			naive: orNull(func(xs []any) any { return unique(text, xs)[0] })},
	}
	return append(append(ps, extremes()...), moreProbes()...)
}

func naiveCountIf(rows [][]any) any {
	n := int64(0)
	for _, x := range column(rows) {
		if x == true {
			n++
		}
	}
	return n
}

func extremes() []probe {
	var ps []probe
	for _, d := range []struct {
		ty   types.Type
		vals []any
	}{{bigint, ints}, {double, floats}, {text, words}, {dec30, wides}, {listOf, lists}, {boolean, logical}} {
		ps = append(ps,
			probe{name: "min " + d.ty.String(), agg: Min, types: []types.Type{d.ty}, domain: [][]any{d.vals},
				naive: orNull(func(xs []any) any { return sorted(d.ty, xs)[0] })},
			probe{name: "max " + d.ty.String(), agg: Max, types: []types.Type{d.ty}, domain: [][]any{d.vals},
				naive: orNull(func(xs []any) any { s := sorted(d.ty, xs); return s[len(s)-1] })})
	}
	return ps
}
