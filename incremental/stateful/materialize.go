package stateful

import (
	"bytes"
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Materialize
//
// State: the integral of the input, row → weight; a weight below zero fails the
// query. Stored as an aggregate by all columns without aggregates.
// +1/−1: added to the row's weight.
// Emitted: with Whole, the whole result at Flush, in order, in each trigger that
// had input or changed something; otherwise the input, as it comes.
// Dropped: nothing.
// Cost: O(1) per row; O(n log n) for the whole result.
// Restart: the rows with their weights.

// MaterializeConfig describes the root of complete mode and of a materialised view, and
// ORDER BY and LIMIT of finite queries.
type MaterializeConfig struct {
	Name     string
	Types    []types.Type
	Order    []OrderColumn // Type is not looked at; equal rows are ordered by all columns
	Limit    int64         // −1 = none
	Offset   int64
	Whole    bool
	Unlogged bool
}

// Materialize is the operator of MaterializeConfig.
type Materialize struct {
	*aggregate
	mat     MaterializeConfig
	changed bool
}

// NewMaterialize returns the operator.
func NewMaterialize(cfg MaterializeConfig) (*Materialize, error) {
	keys := make([]int, len(cfg.Types))
	for i := range keys {
		keys[i] = i
	}
	a, err := newAggregate(AggregateConfig{Name: cfg.Name, Keys: keys, KeyTypes: cfg.Types, Retract: true, Bound: -1, Unlogged: cfg.Unlogged})
	if err != nil {
		return nil, err
	}
	return &Materialize{aggregate: a, mat: cfg}, nil
}

// matStep passes a worker's input on as it adds it to the state.
type matStep struct {
	*aggLocal
	whole bool
}

// Step implements Stepper.
func (s matStep) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	if err := s.aggLocal.Step(t, port, seq, b, out); err != nil || s.whole {
		return err
	}
	return out(b)
}

// Step implements Stepper.
func (m *Materialize) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	return matStep{m.own, m.mat.Whole}.Step(t, port, seq, b, out)
}

// Local implements Parallel.
func (m *Materialize) Local(worker int) Stepper { return matStep{m.local(worker), m.mat.Whole} }

// Flush implements Operator.
func (m *Materialize) Flush(t *Trigger, out Emit) error {
	if err := m.load.finish(); err != nil {
		return err
	}
	m.stats.Updated, m.stats.Removed, m.changed = 0, 0, false
	locals := append([]*aggLocal{m.own}, m.loc...)
	for _, at := range m.gather(locals) {
		b, err := m.mergeBucket(at, locals)
		if err != nil {
			return err
		}
		m.changed = true
		m.stats.Updated += int64(b.settle(false))
	}
	if !m.mat.Whole || !m.changed && !t.HasInput {
		return nil
	}
	return m.Snapshot(out)
}

// Changed reports whether the last trigger touched the result: if it did and nothing was
// emitted, the whole result is empty now.
func (m *Materialize) Changed() bool { return m.changed }

// Snapshot emits the result as it is now, in order, cut by LIMIT and OFFSET; a row of
// weight w comes w times. It must not run at the same time as another call.
func (m *Materialize) Snapshot(out Emit) error {
	if err := m.load.finish(); err != nil {
		return err
	}
	b := m.state.all[slot{}]
	if b == nil {
		return nil
	}
	skip, left := m.mat.Offset, m.mat.Limit
	if left < 0 {
		left = math.MaxInt64
	}
	chunk := make([]uint32, 0, vec.BatchSize)
	for _, g := range m.sortedGroups(b) {
		for w := b.rows[g]; w > 0 && left > 0; w-- {
			if skip > 0 {
				skip--
				continue
			}
			left--
			if chunk = append(chunk, g); len(chunk) == cap(chunk) {
				if err := m.emitGroups(b, chunk, out); err != nil {
					return err
				}
				chunk = chunk[:0]
			}
		}
	}
	return m.emitGroups(b, chunk, out)
}

// sortedGroups are the rows in the order of ORDER BY, then of all columns.
func (m *Materialize) sortedGroups(b *bucket) []uint32 {
	groups := b.live()
	var keys vec.KeyBuf
	for from := 0; from < len(groups); from += vec.BatchSize {
		chunk := groups[from:min(from+vec.BatchSize, len(groups))]
		cols := m.tmp.keysOf(b.table, chunk)
		for i := range chunk {
			keys.Append(func(dst []byte) []byte {
				for _, o := range m.mat.Order {
					dst = vec.AppendSortKey(dst, cols[o.Col], i, o.Order)
				}
				return vec.AppendRowKey(dst, cols, i)
			})
		}
	}
	order := make([]int32, len(groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return bytes.Compare(keys.Key(int(x)), keys.Key(int(y))) })
	out := make([]uint32, len(groups))
	for i, o := range order {
		out[i] = groups[o]
	}
	return out
}
