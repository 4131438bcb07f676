package stateful

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// triggerTime is now() of the harness: the frontier of the trigger.
type triggerTime struct{ expr.Node }

func (triggerTime) Type() types.Type { return stamp }
func (triggerTime) String() string   { return "now()" }
func (triggerTime) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return &vec.Vector{Type: stamp, N: 1, I64: []int64{c.Now}}, nil
}

// temporalTwin keeps every row, and shows those on the right side of the time.
type temporalTwin struct {
	cfg     TemporalConfig
	trigger int
	bound   int64 // of the trigger before
	rows    [][]any
}

func (m *temporalTwin) now() int64 {
	now := aggFronts(m.trigger)[0]
	if m.cfg.Past {
		now++
	}
	return max(now, m.bound)
}

func (m *temporalTwin) take(ch change) vec.Fate {
	if ch.w > 0 {
		m.rows = append(m.rows, ch.row)
	} else {
		m.rows = without(m.rows, ch.row)
	}
	if x := ch.row[0]; x == nil || m.cfg.Leaves && x.(int64) < m.now() {
		return vec.Filtered
	}
	return vec.Contributed
}

func (m *temporalTwin) advance([]int64) {
	m.bound = m.now()
	m.trigger++
}

func (m *temporalTwin) live() [][]any { return m.rows }
func (m *temporalTwin) want() bag {
	out := bag{}
	for _, r := range m.rows {
		if r[0] != nil && m.cfg.Leaves == (r[0].(int64) >= m.bound) {
			out.add(r, 1)
		}
	}
	return out
}

func temporalCases() []*opCase {
	var out []*opCase
	for name, cfg := range map[string]TemporalConfig{
		"x >= now()":       {Leaves: true},
		"x > now()":        {Leaves: true, Past: true, Width: 25},
		"x < now()":        {},
		"x <= now(), wide": {Past: true, Width: 25},
	} {
		cfg.Name, cfg.Types, cfg.Bound = "temporal", dedupInput, triggerTime{}
		out = append(out, &opCase{name: name, types: dedupInput, row: dedupRow, fronts: aggFronts, retract: true,
			twin: func() twin { return &temporalTwin{cfg: cfg, bound: NoFrontier} },
			make: func(t tester) Operator {
				op, err := NewTemporal(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return op
			}})
	}
	return out
}

func TestTemporal(t *testing.T) { playAll(t, temporalCases(), 15) }

// What has left, or has entered, is forgotten.
func TestTemporalForgets(t *testing.T) {
	for _, leaves := range []bool{true, false} {
		op, err := NewTemporal(TemporalConfig{Name: "temporal", Types: []types.Type{stamp}, Bound: triggerTime{}, Leaves: leaves})
		if err != nil {
			t.Fatal(err)
		}
		none := func(*vec.Batch) error { return nil }
		at := &Trigger{Ctx: &fn.Ctx{Now: 0}}
		if err := op.Step(at, 0, 0, &vec.Batch{N: 3, Cols: []*vec.Vector{{Type: stamp, N: 3, I64: []int64{5, 6, 7}}}}, none); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct{ now, keys int64 }{{0, 3}, {6, 2}, {8, 0}} {
			at.Ctx.Now = step.now
			if due := op.Due(at.Ctx); due != (step.now > 0) {
				t.Errorf("at %d: due is %v", step.now, due)
			}
			if err := op.Flush(at, none); err != nil {
				t.Fatal(err)
			}
			if err := op.Advance(at, nil, none); err != nil {
				t.Fatal(err)
			}
			if got := op.Stats().Keys; got != step.keys {
				t.Errorf("leaves=%v at %d: %d rows are kept, want %d", leaves, step.now, got, step.keys)
			}
		}
	}
}
