package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Moving: a projection whose expressions read the trigger's time, for all rows at all
// times: what they give for a row changes though the row does not.
//
// State: the rows of the input with their weights, and the time of the values that are out.
// +1/−1: the weight of the row changes.
// Emitted: at Flush, rows whose weight changed, with the difference; and, when the time has
// moved, rows that have other values now: the old ones with the negated weight, the new
// ones with it.
// Late: nothing.
// Dropped: rows that are gone.
// Cost: O(changed rows) in a trigger in which what the expressions take from the time is
// as before, else O(rows).
// Restart: the rows with their weights, and the time.

// MovingConfig describes a projection over the trigger's time.
type MovingConfig struct {
	Name     string
	Types    []types.Type // of all columns of the input
	Exprs    []expr.Node  // over them and now(); none is volatile
	Unlogged bool
}

// Moving is the operator of MovingConfig.
type Moving struct {
	held    *refresh // the rows; now is their weight, was what has been emitted
	cfg     MovingConfig
	project op.Op
	moves   []expr.Node // the expressions that read the time
	parts   []expr.Node // what they take from it, without columns
	time    int64       // of the values that are out
	logged  int64
	touched []uint32 // rows whose weight may have changed in this trigger, each once
	marked  []bool   // by row: it is in touched
}

// NewMoving returns the operator.
func NewMoving(cfg MovingConfig) *Moving {
	m := &Moving{cfg: cfg, project: op.NewProject(cfg.Exprs), time: NoFrontier, logged: NoFrontier,
		held: NewRefresh(RefreshConfig{Name: cfg.Name, Types: cfg.Types, Unlogged: cfg.Unlogged}).(*refresh)}
	for _, e := range cfg.Exprs {
		if expr.Volatility(e) == fn.Stable {
			m.moves = append(m.moves, e)
			m.parts = timeParts(m.parts, e)
		}
	}
	return m
}

// timeParts adds the largest parts of an expression that read the time and no column.
func timeParts(to []expr.Node, e expr.Node) []expr.Node {
	expr.Walk(e, func(x expr.Node) bool {
		if expr.Volatility(x) != fn.Stable {
			return false
		}
		if len(expr.ColumnsOf(x)) == 0 {
			to = append(to, x)
			return false
		}
		return true
	})
	return to
}

// Step implements Stepper.
func (m *Moving) Step(_ *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	b.MarkAll(vec.Contributed)
	m.held.groups = growZero(m.held.groups, b.Rows())[:b.Rows()]
	m.held.rows.FindOrInsert(b.Cols, b.Sel, nil, m.held.groups)
	m.held.grow()
	m.marked = growZero(m.marked, m.held.rows.Cap())
	for i, g := range m.held.groups {
		m.held.now[g] += b.Weight(b.Row(i))
		if !m.marked[g] {
			m.marked[g] = true
			m.touched = append(m.touched, g)
		}
	}
	return nil
}

// Flush implements Operator.
func (m *Moving) Flush(t *Trigger, out Emit) error {
	m.held.stats = Stats{}
	for _, g := range m.touched {
		if m.marked[g] = false; m.held.now[g] < 0 {
			return fmt.Errorf("%s: a row was deleted that is not there", m.cfg.Name)
		}
	}
	moved, err := m.moved(t.Ctx)
	if err != nil {
		return err
	}
	list := m.touched
	if moved = moved && !mutant.On("what reads the time keeps its first value"); moved {
		list = list[:0]
		m.held.rows.Each(func(g uint32) { list = append(list, g) })
	}
	for from := 0; from < len(list); from += vec.BatchSize {
		if err := m.change(t.Ctx, list[from:min(from+vec.BatchSize, len(list))], moved, out); err != nil {
			return err
		}
	}
	m.touched, m.time = trim(list), t.Ctx.Now
	return nil
}

// at is a context of its own at a time: what it counts is not counted twice.
func at(c *fn.Ctx, now int64) *fn.Ctx {
	own := *c
	own.Now = now
	return &own
}

// moved reports that what the expressions take from the time is not as before.
func (m *Moving) moved(c *fn.Ctx) (bool, error) {
	if m.time == c.Now || m.time == NoFrontier {
		return false, nil
	}
	return m.differs(c, &vec.Batch{N: 1}, m.parts, func(int) bool { return true })
}

// differs computes expressions now and at the time before, and asks about each row for
// which they differ, until the answer is yes.
func (m *Moving) differs(c *fn.Ctx, b *vec.Batch, exprs []expr.Node, yes func(row int) bool) (found bool, err error) {
	mark := c.Mark()
	defer c.Release(mark)
	was, err := computed(at(c, m.time), exprs, b)
	if err != nil {
		return false, err
	}
	is, err := computed(at(c, c.Now), exprs, b)
	if err != nil {
		return false, err
	}
	for i := range b.Rows() {
		if r := b.Row(i); !vec.EqualRows(was, r, is, r) && yes(r) {
			return true, nil
		}
	}
	return false, nil
}

func computed(c *fn.Ctx, exprs []expr.Node, b *vec.Batch) ([]*vec.Vector, error) {
	out := make([]*vec.Vector, len(exprs))
	for i, e := range exprs {
		v, err := e.Eval(c, b)
		if err != nil {
			return nil, expr.Blame(err, e, b)
		}
		out[i] = v
	}
	return out, nil
}

// change emits what is other about some rows.
func (m *Moving) change(c *fn.Ctx, groups []uint32, moved bool, out Emit) error {
	b := m.read(groups)
	other := make([]bool, b.N)
	if moved {
		kept := *b
		kept.Sel = make([]int32, 0, b.N)
		for i, g := range groups {
			if m.held.was[g] != 0 && m.held.now[g] != 0 {
				kept.Sel = append(kept.Sel, int32(i))
			}
		}
		if _, err := m.differs(c, &kept, m.moves, func(row int) bool { other[row] = true; return false }); err != nil {
			return err
		}
	}
	minus, plus := m.split(b, groups, other)
	m.held.stats.Removed += int64(len(minus.Sel))
	m.held.stats.Updated += int64(len(plus.Sel))
	if len(minus.Sel) > 0 {
		if err := m.project.Process(at(c, m.time), minus, out); err != nil {
			return err
		}
	}
	if len(plus.Sel) == 0 {
		return nil
	}
	return m.project.Process(c, plus, out)
}

// split gives the rows to take back with their old values, and those to emit with the
// values of now: where both are the same, the difference of the weights. The weights count
// as emitted then.
func (m *Moving) split(b *vec.Batch, groups []uint32, other []bool) (minus, plus *vec.Batch) {
	minus = &vec.Batch{N: b.N, Cols: b.Cols, Sel: make([]int32, 0, b.N), W: make([]int64, b.N)}
	plus = &vec.Batch{N: b.N, Cols: b.Cols, Sel: make([]int32, 0, b.N), W: make([]int64, b.N)}
	for i, g := range groups {
		was, now := m.held.was[g], m.held.now[g]
		if was != 0 && now != 0 && !other[i] {
			was, now = 0, now-was
		}
		if minus.W[i] = -was; was != 0 {
			minus.Sel = append(minus.Sel, int32(i))
		}
		if plus.W[i] = now; now != 0 {
			plus.Sel = append(plus.Sel, int32(i))
		}
		if m.held.was[g] != m.held.now[g] || m.held.now[g] == 0 {
			m.held.was[g] = m.held.now[g]
			m.held.dirty = append(m.held.dirty, g)
		}
	}
	return minus, plus
}

// read is a batch of the rows of groups.
func (m *Moving) read(groups []uint32) *vec.Batch {
	b := &vec.Batch{N: len(groups), Cols: make([]*vec.Vector, len(m.held.builders))}
	for i, o := range m.held.builders {
		o.Reset()
		m.held.rows.Key(groups, i, o)
		b.Cols[i] = o.Finish()
	}
	return b
}

// Due reports whether a row has other values at c's time: an empty trigger would emit.
func (m *Moving) Due(c *fn.Ctx) bool {
	if moved, err := m.moved(c); !moved || err != nil || m.held.rows.Len() == 0 {
		return err != nil // the trigger will tell
	}
	list := make([]uint32, 0, m.held.rows.Len())
	m.held.rows.Each(func(g uint32) { list = append(list, g) })
	for from := 0; from < len(list); from += vec.BatchSize {
		b := m.read(list[from:min(from+vec.BatchSize, len(list))])
		if due, err := m.differs(c, b, m.moves, func(int) bool { return true }); due || err != nil {
			return true
		}
	}
	return false
}

// Advance implements Operator.
func (m *Moving) Advance(_ *Trigger, _ [][]int64, _ Emit) error {
	if m.cfg.Unlogged {
		return m.LogState(discard{})
	}
	return nil
}

// LogState implements Operator. Keys: 00 → the time; 01, the row → its weight.
func (m *Moving) LogState(log Log) error {
	if m.time != m.logged {
		m.logged = m.time
		log.Put([]byte{tagBound}, binary.AppendVarint(nil, m.time))
	}
	return m.held.LogState(log)
}

// Load implements Operator.
func (m *Moving) Load(key, value []byte) error {
	if len(key) != 1 || key[0] != tagBound {
		return m.held.Load(key, value)
	}
	time, n := binary.Varint(value)
	if n <= 0 {
		return fmt.Errorf("%s: %w", m.cfg.Name, errStateKey)
	}
	m.time, m.logged = time, time
	return nil
}

// Stats implements Operator.
func (m *Moving) Stats() Stats { return m.held.Stats() }
