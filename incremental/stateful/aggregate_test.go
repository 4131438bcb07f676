package stateful

import (
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var (
	bigint  = types.Of(types.Int64)
	text    = types.Of(types.String)
	stamp   = types.Of(types.Timestamp)
	boolean = types.Of(types.Bool)
)

// aggTwin groups rows by hand. Input rows are (time, key, value, flag).
type aggTwin struct {
	expand  func(row []any, bound int64) (keys [][]any, fate vec.Fate)
	boundAt int // index of the bound in a group's key, −1 = none
	onClose bool
	global  bool
	bound   int64
	groups  map[string]*twinGroup
	rows    [][]any
}

type twinGroup struct {
	key  []any
	rows [][]any
}

func (a *aggTwin) take(c change) vec.Fate {
	keys, fate := a.expand(c.row, a.bound)
	if fate != vec.Contributed {
		return fate
	}
	if c.w > 0 {
		a.rows = append(a.rows, c.row)
	} else {
		a.rows = without(a.rows, c.row)
	}
	for _, k := range keys {
		g := a.groups[rowText(k)]
		if g == nil {
			g = &twinGroup{key: k}
			a.groups[rowText(k)] = g
		}
		if c.w > 0 {
			g.rows = append(g.rows, c.row)
		} else {
			g.rows = without(g.rows, c.row)
		}
	}
	return fate
}

func without(rows [][]any, row []any) [][]any {
	for i, r := range rows {
		if rowText(r) == rowText(row) {
			return append(append([][]any{}, rows[:i]...), rows[i+1:]...)
		}
	}
	return rows
}

func (a *aggTwin) advance(fronts []int64) {
	if a.boundAt >= 0 {
		a.bound = fronts[0]
	}
}

func (a *aggTwin) live() [][]any { return a.rows }

func (a *aggTwin) want() bag {
	out := bag{}
	if a.global && len(a.groups) == 0 {
		out.add(naiveAggs(nil), 1)
	}
	for _, g := range a.groups {
		if len(g.rows) == 0 && !a.global {
			continue
		}
		if a.onClose {
			if at := g.key[a.boundAt]; at == nil || at.(int64) >= a.bound {
				continue
			}
		}
		out.add(append(append([]any{}, g.key...), naiveAggs(g.rows)...), 1)
	}
	return out
}

// naiveAggs is count(*), sum(v), min(v), count(DISTINCT v), count(*) FILTER (WHERE flag).
func naiveAggs(rows [][]any) []any {
	var vs []int64
	flagged := int64(0)
	for _, r := range rows {
		if r[2] != nil {
			vs = append(vs, r[2].(int64))
		}
		if r[3] == true {
			flagged++
		}
	}
	out := []any{int64(len(rows)), nil, nil, int64(0), flagged}
	if len(vs) == 0 {
		return out
	}
	sort.Slice(vs, func(i, j int) bool { return vs[i] < vs[j] })
	sum, distinct := int64(0), int64(0)
	for i, v := range vs {
		sum += v
		if i == 0 || vs[i-1] != v {
			distinct++
		}
	}
	out[1], out[2], out[3] = sum, vs[0], distinct
	return out
}

func resolve(t interface{ Fatalf(string, ...any) }, f fn.Aggregate, ts ...types.Type) fn.AggImpl {
	var args []fn.Arg
	for _, ty := range ts {
		args = append(args, fn.Arg{Type: ty})
	}
	impl, err := f.Resolve(args)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return impl
}

func testAggs(t tester) []AggregateSpec {
	return []AggregateSpec{
		{Impl: resolve(t, agg.Count), Filter: -1},
		{Impl: resolve(t, agg.Sum, bigint), Args: []int{2}, Filter: -1},
		{Impl: resolve(t, agg.Min, bigint), Args: []int{2}, Filter: -1},
		{Impl: resolve(t, agg.Count, bigint), Args: []int{2}, Filter: -1, Distinct: true},
		{Impl: resolve(t, agg.Count), Filter: 3},
	}
}

var aggInput = []types.Type{stamp, text, bigint, boolean}

// aggRow draws (time, key, value, flag): times of a few slots around the trigger.
func aggRow(rng *rand.Rand, trigger int) []any {
	return []any{
		pick(rng, int64(trigger)*10, int64(trigger-1)*10, int64(trigger-2)*10, int64(trigger+1)*10),
		pick(rng, "a", "b", "a\x00"),
		pick(rng, int64(1), int64(2), int64(-3)),
		pick(rng, true, false),
	}
}

// aggFronts stand still in every third trigger.
func aggFronts(trigger int) []int64 {
	if trigger == 0 {
		return []int64{NoFrontier}
	}
	return []int64{int64(trigger-trigger%3)*10 - 10}
}

func newAggTwin(mode AggregateConfig) func() twin {
	return func() twin {
		return &aggTwin{groups: map[string]*twinGroup{}, bound: NoFrontier, boundAt: mode.Bound, onClose: mode.EmitOnClose,
			global: mode.Global, expand: expander(mode)}
	}
}

func expander(cfg AggregateConfig) func(row []any, bound int64) ([][]any, vec.Fate) {
	return func(row []any, bound int64) ([][]any, vec.Fate) {
		key := []any{}
		for _, c := range cfg.Keys {
			key = append(key, row[c])
		}
		if cfg.Bound < 0 {
			return [][]any{key}, vec.Contributed
		}
		if cfg.Keep {
			bound = NoFrontier
		}
		at := key[cfg.Bound]
		if cfg.Panes != nil {
			return expandPanes(cfg, key, bound)
		}
		if at != nil && at.(int64) < bound {
			return nil, vec.Late
		}
		return [][]any{key}, vec.Contributed
	}
}

// expandPanes finds the windows of a pane by trying all.
func expandPanes(cfg AggregateConfig, key []any, bound int64) (keys [][]any, fate vec.Fate) {
	if key[cfg.Bound] == nil {
		return nil, vec.Filtered
	}
	x, p := key[cfg.Bound].(int64), cfg.Panes
	for s := int64(-300) + p.Offset; s <= x; s += p.Slide {
		if x >= s+p.Size {
			continue
		}
		if s < bound {
			fate = max(fate, vec.Late)
			continue
		}
		fate = vec.Contributed
		k := append([]any{}, key...)
		k[cfg.Bound] = s
		keys = append(keys, k)
	}
	return keys, fate
}

func aggCase(name string, cfg AggregateConfig) *opCase {
	for _, c := range cfg.Keys {
		cfg.KeyTypes = append(cfg.KeyTypes, aggInput[c])
	}
	cfg.Name = name
	if cfg.Width == 0 {
		cfg.Width = 1
	}
	return &opCase{name: name, types: aggInput, twin: newAggTwin(cfg), row: aggRow, fronts: aggFronts, retract: cfg.Retract, net: true,
		make: func(t tester) Operator {
			cfg.Aggs = testAggs(t)
			op, err := NewAggregate(cfg)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		}}
}

func aggCases() []*opCase {
	var out []*opCase
	for _, retract := range []bool{false, true} {
		suffix := " append"
		if retract {
			suffix = " retract"
		}
		add := func(name string, cfg AggregateConfig) {
			cfg.Retract = retract
			out = append(out, aggCase(name+suffix, cfg))
		}
		add("global", AggregateConfig{Bound: -1, Global: true})
		add("by key", AggregateConfig{Keys: []int{1}, Bound: -1})
		add("by two keys", AggregateConfig{Keys: []int{2, 1}, Bound: -1})
		add("by time", AggregateConfig{Keys: []int{0}, Bound: 0})
		add("by key and time", AggregateConfig{Keys: []int{1, 0}, Bound: 1})
		add("by time, wide buckets", AggregateConfig{Keys: []int{1, 0}, Bound: 1, Width: 25})
		add("kept", AggregateConfig{Keys: []int{1, 0}, Bound: 1, Keep: true})
		add("on close", AggregateConfig{Keys: []int{1, 0}, Bound: 1, EmitOnClose: true})
		add("on close, wide buckets", AggregateConfig{Keys: []int{0, 1}, Bound: 0, EmitOnClose: true, Width: 25})
		hop := &PaneConfig{Size: 30, Slide: 10, Pane: 10}
		odd := &PaneConfig{Size: 30, Slide: 20, Offset: 10, Pane: 10}
		sparse := &PaneConfig{Size: 10, Slide: 30, Pane: 10}
		add("panes", AggregateConfig{Keys: []int{1, 0}, Bound: 1, Panes: hop})
		add("panes by time alone", AggregateConfig{Keys: []int{0}, Bound: 0, Panes: odd})
		add("panes kept", AggregateConfig{Keys: []int{0, 1}, Bound: 0, Panes: odd, Keep: true})
		add("panes on close", AggregateConfig{Keys: []int{1, 0}, Bound: 1, Panes: hop, EmitOnClose: true})
		add("panes on close, odd", AggregateConfig{Keys: []int{0}, Bound: 0, Panes: odd, EmitOnClose: true})
		add("panes with holes", AggregateConfig{Keys: []int{1, 0}, Bound: 1, Panes: sparse})
	}
	return out
}

func TestAggregate(t *testing.T) { playAll(t, aggCases(), 6) }
