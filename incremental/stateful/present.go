package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Present
//
// State: the rows of the right input (port 1). If left rows can be retracted, besides: the
// rows of the left input with the trigger in which they came, and what each was joined with.
// +1/−1 on the right: the row is there, or gone, for left rows that come from now on; nothing
// is emitted.
// +1 on the left: emitted at Flush beside the right rows of its key that satisfy the residual,
// those of the same trigger included; without any, beside NULLs if the join is an outer one.
// −1 on the left: what the row was joined with is retracted; of equal rows, the one that came
// last goes first.
// Late: nothing.
// Dropped: rows that are gone.
// Cost: O(1) per row, and per pair with equal keys.
// Restart: the rows of both sides and the pairs.

// PresentConfig describes a join with what the right side is when a left row comes.
type PresentConfig struct {
	Name     string
	Types    [2][]types.Type // of all columns
	Keys     [2][]int
	NullSafe []bool // key by key
	// Residual is the rest of the condition, over left columns, then right ones; nil = true.
	Residual expr.Node
	Outer    bool
	Retract  bool // left rows can be retracted
	Unlogged bool
}

type present struct {
	cfg   PresentConfig
	join  StaticJoinConfig
	right *keyedBag
	// Without Retract: copies of the left batches of the trigger.
	batches []*vec.Batch
	// With Retract: the changes of the trigger; left rows with the number of their trigger, by
	// row; pairs, by left row and number.
	left        *rowBag
	came, given *keyedBag
	stats       Stats
}

// NewPresent returns the operator.
func NewPresent(cfg PresentConfig) (Operator, error) {
	if len(cfg.Keys[0]) != len(cfg.Keys[1]) {
		return nil, fmt.Errorf("%s: a key of each side", cfg.Name)
	}
	p := &present{cfg: cfg, right: newKeyedBag(cfg.Types[1], cfg.Keys[1])}
	nl := len(cfg.Types[0])
	p.join = StaticJoinConfig{Name: cfg.Name, InputKeys: cfg.Keys[0], StaticKeys: cfg.Keys[1], NullSafe: cfg.NullSafe,
		StaticTypes: cfg.Types[1], Residual: cfg.Residual}
	for _, k := range cfg.Keys[1] {
		p.join.KeyTypes = append(p.join.KeyTypes, cfg.Types[1][k])
	}
	if cfg.Outer {
		p.join.Kind = LeftJoin
	}
	if cfg.Retract {
		numbered := append(slices.Clone(cfg.Types[0]), types.Of(types.Int64))
		p.left = newRowBag(cfg.Types[0])
		p.came = newKeyedBag(numbered, upTo(nl))
		p.given = newKeyedBag(slices.Concat(numbered, cfg.Types[1]), upTo(nl+1))
		p.join.Residual = beyond(cfg.Residual, nl)
	}
	return p, nil
}

// upTo are the first n numbers.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// beyond is a condition whose right columns stand one further on, behind the number.
func beyond(e expr.Node, nl int) expr.Node {
	if e == nil {
		return nil
	}
	return expr.MapColumns(e, func(c int) int {
		if c >= nl {
			return c + 1
		}
		return c
	})
}

// Step implements Stepper.
func (p *present) Step(_ *Trigger, port int, _ int64, b *vec.Batch, _ Emit) error {
	b.MarkAll(vec.Contributed)
	switch {
	case port == 1:
		p.right.add(b)
	case p.cfg.Retract:
		p.left.add(b)
	case b.Rows() > 0:
		own := vec.Batch{Cols: b.Cols, N: b.N, W: b.W, Sel: b.Sel}
		p.batches = append(p.batches, own.Clone())
	}
	return nil
}

// Flush implements Operator.
func (p *present) Flush(t *Trigger, out Emit) error {
	p.stats = Stats{}
	p.right.begin()
	if err := p.right.settle(); err != nil {
		return fmt.Errorf("%s: %w", p.cfg.Name, err)
	}
	if !p.cfg.Retract {
		list := p.batches
		p.batches = nil
		for _, b := range list {
			if err := p.look(t.Ctx, b, out); err != nil {
				return err
			}
		}
		return nil
	}
	return p.flushChanges(t, out)
}

// flushChanges takes back what goes, then joins what comes.
func (p *present) flushChanges(t *Trigger, out Emit) error {
	p.came.begin()
	p.given.begin()
	list := p.left.news(false)
	p.left = newRowBag(p.cfg.Types[0])
	for _, b := range list {
		if err := p.takeBack(signed(b, -1), out); err != nil {
			return err
		}
	}
	for _, b := range list {
		if come := signed(b, 1); come.Rows() > 0 {
			numbered := p.numbered(come, t.BatchID)
			p.came.add(numbered)
			if err := p.look(t.Ctx, numbered, p.remembering(out)); err != nil {
				return err
			}
		}
	}
	for _, bag := range []*keyedBag{p.came, p.given} {
		if err := bag.settle(); err != nil {
			return fmt.Errorf("%s: %w", p.cfg.Name, err)
		}
	}
	return nil
}

// signed selects the rows of b whose weight has a sign.
func signed(b *vec.Batch, sign int64) *vec.Batch {
	out := *b
	out.Sel = []int32{}
	b.Each(func(row int) {
		if b.Weight(row)*sign > 0 {
			out.Sel = append(out.Sel, int32(row))
		}
	})
	return &out
}

// numbered puts the number of the trigger behind the columns of left rows.
func (p *present) numbered(b *vec.Batch, id int64) *vec.Batch {
	n := vec.NewBuilder(types.Of(types.Int64))
	for range b.N {
		n.AppendInt(id)
	}
	out := *b
	out.Cols = append(slices.Clone(b.Cols), n.Take())
	return &out
}

// look joins left rows with the right rows that are there.
func (p *present) look(c *fn.Ctx, b *vec.Batch, out Emit) error {
	ix, err := NewStaticIndex(p.join, p.matches(b))
	if err != nil {
		return err
	}
	return ix.Stage().Process(c, b, func(b *vec.Batch) error {
		p.stats.Updated += int64(b.Rows())
		return out(b)
	})
}

// matches are the right rows of the keys of left rows.
func (p *present) matches(b *vec.Batch) []*vec.Batch {
	var rows []uint32
	var weights []int64
	seen := map[uint32]bool{}
	for _, list := range p.right.find(b, p.cfg.Keys[0]) {
		if len(list) == 0 || seen[list[0]] {
			continue
		}
		seen[list[0]] = true
		for _, row := range list {
			rows, weights = append(rows, row), append(weights, p.right.w[row])
		}
	}
	return p.right.batches(rows, weights)
}

// remembering keeps pairs, whose number others do not see.
func (p *present) remembering(out Emit) Emit {
	return func(b *vec.Batch) error {
		p.given.add(b)
		return out(p.plain(b))
	}
}

// plain leaves the number out.
func (p *present) plain(b *vec.Batch) *vec.Batch {
	nl := len(p.cfg.Types[0])
	out := *b
	out.Cols = slices.Concat(b.Cols[:nl], b.Cols[nl+1:])
	return &out
}

// Advance implements Operator.
func (p *present) Advance(_ *Trigger, _ [][]int64, _ Emit) error {
	if p.cfg.Unlogged {
		return p.LogState(discard{})
	}
	return nil
}

// LogState implements Operator. Keys: 01, a right row; 02, a left row and its number; 03, a
// left row, its number and a right row → the weight.
func (p *present) LogState(log Log) error {
	p.right.logState(log, 1)
	if p.cfg.Retract {
		p.came.logState(log, 2)
		p.given.logState(log, 3)
	}
	return nil
}

// Load implements Operator.
func (p *present) Load(key, value []byte) error {
	if len(key) == 0 || key[0] == 0 || key[0] > 3 || key[0] > 1 && !p.cfg.Retract {
		return fmt.Errorf("%s: %w", p.cfg.Name, errStateKey)
	}
	bag := [...]*keyedBag{p.right, p.came, p.given}[key[0]-1]
	if err := bag.load(key[1:], value); err != nil {
		return fmt.Errorf("%s: %w", p.cfg.Name, err)
	}
	return nil
}

// Stats implements Operator.
func (p *present) Stats() Stats {
	s := p.stats
	for _, bag := range []*keyedBag{p.right, p.came, p.given} {
		if bag != nil {
			s.Keys += int64(bag.table.Len())
			s.Bytes += bag.bytes()
		}
	}
	return s
}
