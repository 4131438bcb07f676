package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Refresh makes changes of a table that is read again.
//
// State: the rows of the last reading, with their weights.
// Input: all rows of the table, in triggers that begin with Renew; none in the others.
// Emitted: at Flush, what the new reading has more of (+) and less of (−) than the last.
// Late: nothing.
// Dropped: the rows that are gone.
// Cost: O(size of the table) in a trigger that reads it, else nothing.
// Restart: the rows of the last reading.

// RefreshConfig describes the reading of a table again and again.
type RefreshConfig struct {
	Name     string
	Types    []types.Type // of all columns
	Unlogged bool
}

// Renewer is an operator that must know that its input begins anew in this trigger, with
// all of its rows or with none.
type Renewer interface {
	Operator
	Renew()
}

type refresh struct {
	cfg      RefreshConfig
	rows     *hash.Table
	was, now []int64 // weight of each row in the last reading, and in the one under way
	renewed  bool
	dirty    []uint32 // rows whose weight changed since the last LogState
	groups   []uint32
	gone     []uint32
	come     []uint32
	builders []*vec.Builder
	stats    Stats
	key, num []byte
}

// NewRefresh returns the operator.
func NewRefresh(cfg RefreshConfig) Operator {
	return &refresh{cfg: cfg, rows: hash.New(cfg.Types), builders: vec.NewBuilders(cfg.Types)}
}

// Renew implements Renewer.
func (r *refresh) Renew() {
	r.renewed = true
	clear(r.now)
}

// Step implements Stepper.
func (r *refresh) Step(_ *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	b.MarkAll(vec.Contributed)
	r.groups = growZero(r.groups, b.Rows())[:b.Rows()]
	r.rows.FindOrInsert(b.Cols, b.Sel, nil, r.groups)
	r.grow()
	for i, g := range r.groups {
		r.now[g] += b.Weight(b.Row(i))
	}
	return nil
}

func (r *refresh) grow() {
	r.was, r.now = growZero(r.was, r.rows.Cap()), growZero(r.now, r.rows.Cap())
}

// Flush implements Operator.
func (r *refresh) Flush(_ *Trigger, out Emit) error {
	r.stats = Stats{}
	if !r.renewed {
		return nil
	}
	r.renewed, r.gone, r.come = false, r.gone[:0], r.come[:0]
	var owed bool
	r.rows.Each(func(g uint32) {
		owed = owed || r.now[g] < 0
		switch d := r.now[g] - r.was[g]; {
		case d < 0:
			r.gone = append(r.gone, g)
		case d > 0:
			r.come = append(r.come, g)
		}
	})
	if owed {
		return fmt.Errorf("%s: a row was deleted that is not there", r.cfg.Name)
	}
	r.stats.Updated, r.stats.Removed = int64(len(r.come)), int64(len(r.gone))
	if err := r.emit(r.gone, out); err != nil {
		return err
	}
	if err := r.emit(r.come, out); err != nil {
		return err
	}
	for _, list := range [2][]uint32{r.gone, r.come} {
		for _, g := range list {
			r.was[g] = r.now[g]
		}
		r.dirty = append(r.dirty, list...)
	}
	return nil
}

// emit gives rows with the difference of their weights.
func (r *refresh) emit(rows []uint32, out Emit) error {
	for from := 0; from < len(rows); from += vec.BatchSize {
		chunk := rows[from:min(from+vec.BatchSize, len(rows))]
		b := &vec.Batch{N: len(chunk), Cols: make([]*vec.Vector, len(r.builders)), W: make([]int64, len(chunk))}
		for i, o := range r.builders {
			o.Reset()
			r.rows.Key(chunk, i, o)
			b.Cols[i] = o.Finish()
		}
		for i, g := range chunk {
			b.W[i] = r.now[g] - r.was[g]
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// Advance implements Operator.
func (r *refresh) Advance(_ *Trigger, _ [][]int64, _ Emit) error {
	if r.cfg.Unlogged {
		return r.LogState(discard{})
	}
	return nil
}

// LogState implements Operator. Keys: 01, the row → its weight.
func (r *refresh) LogState(log Log) error {
	for _, g := range r.dirty {
		r.key = r.rows.KeyBytes(g, append(r.key[:0], tagGroup))
		if r.was[g] == 0 {
			log.Delete(r.key)
			r.rows.Delete(g)
			continue
		}
		r.num = binary.AppendVarint(r.num[:0], r.was[g])
		log.Put(r.key, r.num)
	}
	r.dirty = trim(r.dirty)
	if r.rows.Len() == 0 {
		r.rows, r.was, r.now = hash.New(r.cfg.Types), nil, nil
	}
	return nil
}

// Load implements Operator.
func (r *refresh) Load(key, value []byte) error {
	w, n := binary.Varint(value)
	if len(key) == 0 || key[0] != tagGroup || n <= 0 {
		return fmt.Errorf("%s: %w", r.cfg.Name, errStateKey)
	}
	g, err := r.rows.InsertKey(key[1:])
	if err != nil {
		return fmt.Errorf("%s: %w", r.cfg.Name, err)
	}
	r.grow()
	r.was[g], r.now[g] = w, w
	return nil
}

// Stats implements Operator.
func (r *refresh) Stats() Stats {
	s := r.stats
	s.Keys = int64(r.rows.Len())
	s.Bytes = r.rows.Bytes() + int64(8*(cap(r.was)+cap(r.now))+4*(cap(r.dirty)+cap(r.gone)+cap(r.come)+cap(r.groups)))
	return s
}
