package stateful

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Limit
//
// State: how many rows have come.
// +1: passes if its number, from 0 on, is in [Offset, Offset + Limit); −1 does not come.
// Emitted: at once.
// Dropped: nothing; there is one counter.
// Cost: O(1) per row.
// Restart: the counter.

// LimitConfig describes LIMIT and OFFSET over append-only input in order of arrival.
type LimitConfig struct {
	Name   string
	Limit  int64 // −1 = all
	Offset int64
}

type limit struct {
	cfg    LimitConfig
	end    int64 // first number that does not pass any more
	seen   int64
	logged int64
	sel    []int32
	out    vec.Batch
	passed int64 // in this trigger
}

// NewLimit returns the operator. It wants rows in order of arrival.
func NewLimit(cfg LimitConfig) Operator {
	l := &limit{cfg: cfg, end: math.MaxInt64}
	if cfg.Limit >= 0 && cfg.Limit < math.MaxInt64-cfg.Offset {
		l.end = cfg.Offset + cfg.Limit
	}
	return l
}

// Step implements Operator.
func (l *limit) Step(_ *Trigger, _ int, _ int64, b *vec.Batch, out Emit) error {
	if b.W != nil {
		for i := range b.Rows() {
			if b.W[b.Row(i)] < 0 {
				return errors.New(l.cfg.Name + ": a retraction reached a limit in order of arrival")
			}
		}
	}
	l.sel = l.sel[:0]
	for i := range b.Rows() {
		r := b.Row(i)
		for range b.Weight(r) {
			if l.seen >= l.cfg.Offset && l.seen < l.end {
				l.sel = append(l.sel, int32(r))
			}
			l.seen++
		}
	}
	return l.emit(b, out)
}

// emit passes the selected rows; a row of weight 2 is selected twice.
func (l *limit) emit(b *vec.Batch, out Emit) error {
	if len(l.sel) == 0 {
		return nil
	}
	l.passed += int64(len(l.sel))
	for _, r := range l.sel {
		b.Mark(int(r), vec.Contributed)
	}
	if b.W != nil {
		many := b.Gather(l.sel)
		many.W, many.Fates, many.Origin = nil, nil, nil
		return out(many)
	}
	l.out = vec.Batch{Cols: b.Cols, N: b.N, Sel: l.sel}
	return out(&l.out)
}

// Flush implements Operator.
func (l *limit) Flush(*Trigger, Emit) error { return nil }

// Advance implements Operator.
func (l *limit) Advance(*Trigger, [][]int64, Emit) error { return nil }

// LogState implements Operator.
func (l *limit) LogState(log Log) error {
	l.passed = 0
	if l.seen == l.logged {
		return nil
	}
	l.logged = l.seen
	log.Put([]byte("seen"), binary.AppendVarint(nil, l.seen))
	return nil
}

// Load implements Operator.
func (l *limit) Load(_, value []byte) error {
	n, k := binary.Varint(value)
	if k <= 0 || n < 0 {
		return errors.New(l.cfg.Name + ": the counter in the state is damaged")
	}
	l.seen, l.logged = n, n
	return nil
}

// Stats implements Operator.
func (l *limit) Stats() Stats { return Stats{Keys: min(l.seen, 1), Bytes: 8, Updated: l.passed} }
