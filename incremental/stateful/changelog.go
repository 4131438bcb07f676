package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Changelog
//
// State: nothing between triggers.
// +1/−1: a row that says so, as often as the weight, of the net change of the trigger. Of a
// key of which a row goes and another comes, both say that they are of an update.
// Emitted: at Flush, what goes before what comes.
// Late: nothing.
// Cost: O(1) per row; the changes of a trigger are held until its end.
// Restart: nothing.

// What became of a row.
const (
	opInsert int64 = 1 + iota
	opDelete
	opUpdateNew
	opUpdateOld
)

// ChangelogConfig describes rows made of changes.
type ChangelogConfig struct {
	Name  string
	Types []types.Type // of all columns of the input
	Key   []int        // by which rows are updates of one another; nil = none are
}

type changelog struct {
	cfg   ChangelogConfig
	rows  *rowBag
	stats Stats
}

// NewChangelog returns the operator.
func NewChangelog(cfg ChangelogConfig) Operator {
	return &changelog{cfg: cfg, rows: newRowBag(cfg.Types)}
}

// Step implements Stepper.
func (c *changelog) Step(_ *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	b.MarkAll(vec.Contributed)
	c.rows.add(b)
	return nil
}

// Flush implements Operator.
func (c *changelog) Flush(_ *Trigger, out Emit) error {
	c.stats = Stats{}
	if len(c.rows.fresh) == 0 {
		return nil
	}
	list := c.rows.news(false)
	c.rows = newRowBag(c.cfg.Types)
	keys := c.sides(list)
	for _, sign := range [2]int64{-1, 1} {
		for _, b := range list {
			if err := c.emit(b, sign, keys, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// sides tells of each key whether rows of it go (1), come (2), or both (3).
func (c *changelog) sides(list []*vec.Batch) *keySides {
	if c.cfg.Key == nil {
		return nil
	}
	var ts []types.Type
	for _, k := range c.cfg.Key {
		ts = append(ts, c.cfg.Types[k])
	}
	s := &keySides{cols: c.cfg.Key, table: hash.New(ts)}
	for _, b := range list {
		groups := s.groups(b)
		s.of = growZero(s.of, max(1, s.table.Cap()))
		for i, g := range groups {
			s.of[g] |= sideOf(b.Weight(b.Row(i)))
		}
	}
	return s
}

func sideOf(w int64) uint8 {
	if w < 0 {
		return 1
	}
	return 2
}

type keySides struct {
	cols  []int
	table *hash.Table
	of    []uint8 // by key
}

func (s *keySides) groups(b *vec.Batch) []uint32 {
	cols := make([]*vec.Vector, len(s.cols))
	for i, c := range s.cols {
		cols[i] = b.Cols[c]
	}
	out := make([]uint32, b.Rows())
	if len(cols) > 0 {
		s.table.FindOrInsert(cols, b.Sel, nil, out)
	}
	return out
}

// emit gives the rows of b whose weight has a sign, as often as it says.
func (c *changelog) emit(b *vec.Batch, sign int64, keys *keySides, out Emit) error {
	var groups []uint32
	if keys != nil {
		groups = keys.groups(b)
	}
	var rows []int32
	ops := vec.NewBuilder(types.Of(types.Int16))
	for i := range b.Rows() {
		row := b.Row(i)
		w := b.Weight(row) * sign
		op := opInsert
		switch update := keys != nil && keys.of[groups[i]] == 3; {
		case sign < 0 && update:
			op = opUpdateOld
		case sign < 0:
			op = opDelete
		case update:
			op = opUpdateNew
		}
		for ; w > 0; w-- {
			rows = append(rows, int32(row))
			ops.AppendInt(op)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	c.stats.Updated += int64(len(rows))
	made := b.Gather(rows)
	made.W, made.Cols = nil, append(made.Cols, ops.Take())
	return out(made)
}

// Advance implements Operator.
func (c *changelog) Advance(*Trigger, [][]int64, Emit) error { return nil }

// LogState implements Operator.
func (c *changelog) LogState(Log) error { return nil }

// Load implements Operator.
func (c *changelog) Load(_, _ []byte) error { return fmt.Errorf("%s: %w", c.cfg.Name, errStateKey) }

// Stats implements Operator.
func (c *changelog) Stats() Stats {
	s := c.stats
	s.Bytes = c.rows.bytes()
	return s
}
