package stateful

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Temporal: a filter that compares a column with a bound that moves with the trigger's
// time and never retreats: x ≥ bound (rows leave) or x < bound (rows enter).
//
// State: the rows that the bound has not passed yet, row → weight, in buckets by the
// column. Stored as an aggregate by all columns without aggregates.
// +1/−1: a row that the bound has passed is left out (leaves) or goes straight on
// (enters); of the others, leaving rows go on and are remembered, entering ones wait.
// Emitted: at Advance the rows that the bound passes in this trigger, with their weight
// (enters) or its negation (leaves). NULL is in no result.
// Dropped: what the bound has passed.
// Cost: O(1) per row that comes and per row that the bound passes.
// Restart: the rows with their weights, and the bound.

// TemporalConfig describes a temporal filter.
type TemporalConfig struct {
	Name  string
	Types []types.Type // of all columns
	Col   int          // the compared column; its type is an int64 one
	Bound expr.Node    // a monotone function of now(), of the column's type
	// Past adds one to the bound's value: x > e is x ≥ e+1, x ≤ e is x < e+1.
	Past bool
	// Leaves: rows are in the result while Col ≥ bound; otherwise, once Col < bound.
	Leaves   bool
	Width    int64 // as in AggregateConfig
	Unlogged bool
}

// Temporal is the operator of TemporalConfig. It implements Parallel.
type Temporal struct {
	*aggregate
	cfg TemporalConfig
	own *temporalStep
}

// NewTemporal returns the operator.
func NewTemporal(cfg TemporalConfig) (*Temporal, error) {
	keys := make([]int, len(cfg.Types))
	for i := range keys {
		keys[i] = i
	}
	a, err := newAggregate(AggregateConfig{Name: cfg.Name, Keys: keys, KeyTypes: cfg.Types, Retract: true, Bound: cfg.Col, Front: 0,
		EmitOnClose: true, Width: cfg.Width, Unlogged: cfg.Unlogged, weighted: true})
	if err != nil {
		return nil, err
	}
	m := &Temporal{aggregate: a, cfg: cfg}
	m.own = &temporalStep{op: m, rows: a.own}
	return m, nil
}

// bound is the value that the column is compared with in the trigger of c. It does not
// retreat with a clock that does.
func (m *Temporal) boundAt(c *fn.Ctx) (int64, error) {
	v, err := m.cfg.Bound.Eval(c, &vec.Batch{N: 1})
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", m.cfg.Name, m.cfg.Bound, err)
	}
	if v.IsNull(0) {
		return m.bound, nil
	}
	x := v.Int(0)
	if m.cfg.Past && x < math.MaxInt64 && !mutant.On("a temporal filter takes > for >=") {
		x++
	}
	return max(x, m.bound), nil
}

// temporalStep is a worker's part.
type temporalStep struct {
	op        *Temporal
	rows      *aggLocal
	kept, sel []int32
}

// Step implements Stepper.
func (m *Temporal) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	return m.own.Step(t, port, seq, b, out)
}

// Local implements Parallel.
func (m *Temporal) Local(worker int) Stepper {
	return &temporalStep{op: m, rows: m.local(worker)}
}

// Passes implements Passing.
func (m *Temporal) Passes() {}

// Step implements Stepper.
func (s *temporalStep) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	passed := s.op.bound
	if s.op.cfg.Leaves {
		var err error
		if passed, err = s.op.boundAt(t.Ctx); err != nil {
			return err
		}
	}
	s.split(b, passed)
	part := *b
	if part.Sel = s.kept; len(s.kept) > 0 {
		if err := s.rows.Step(t, port, seq, &part, out); err != nil {
			return err
		}
	}
	if !s.op.cfg.Leaves {
		part.Sel = s.sel
	}
	if len(part.Sel) == 0 {
		return nil
	}
	part.MarkAll(vec.Contributed)
	return out(&part)
}

// split lists the rows that the bound has not passed in kept, the others in sel.
func (s *temporalStep) split(b *vec.Batch, passed int64) {
	s.kept, s.sel = s.kept[:0], s.sel[:0]
	v := b.Cols[s.op.cfg.Col]
	for i := range b.Rows() {
		r := b.Row(i)
		switch {
		case v.IsNull(r):
		case v.Int(r) >= passed:
			s.kept = append(s.kept, int32(r))
		default:
			s.sel = append(s.sel, int32(r))
		}
	}
}

// Advance implements Operator: the frontier is the bound of the trigger's time.
func (m *Temporal) Advance(t *Trigger, _ [][]int64, out Emit) error {
	bound, err := m.boundAt(t.Ctx)
	if err != nil {
		return err
	}
	emit := out
	if m.cfg.Leaves && !mutant.On("rows never leave a temporal filter") {
		emit = func(b *vec.Batch) error {
			for i := range b.W {
				b.W[i] = -b.W[i]
			}
			return out(b)
		}
	} else if m.cfg.Leaves {
		emit = func(*vec.Batch) error { return nil }
	}
	return m.aggregate.Advance(t, [][]int64{{bound}}, emit)
}

// Due reports whether the bound at c's time passes a row: an empty trigger would emit.
func (m *Temporal) Due(c *fn.Ctx) bool {
	bound, err := m.boundAt(c)
	if err != nil {
		return true // the trigger will tell
	}
	if err := m.load.finish(); err != nil {
		return true
	}
	for _, at := range m.state.ascending() {
		if at.at >= bound {
			return false
		}
		if m.anyBelow(m.state.all[at], bound) {
			return true
		}
	}
	return false
}

// anyBelow reports a row of the bucket that the bound passes.
func (m *Temporal) anyBelow(b *bucket, bound int64) bool {
	live := b.live()
	if m.width <= 1 {
		return len(live) > 0
	}
	key := vec.NewBuilder(m.tableKeys[0])
	b.table.Key(live, 0, key)
	v := key.Finish()
	for i := range live {
		if v.Int(i) < bound {
			return true
		}
	}
	return false
}
