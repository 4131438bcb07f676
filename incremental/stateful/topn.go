package stateful

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TopN
//
// State: the rows of each partition in the order of the order columns, then of the
// whole row: all of them if rows can be deleted (ordered), else only the first ones, and
// for ranks their peers (keptRows).
// +1/−1: the row enters or leaves its partition. Over append-only input a row behind the
// last of a full partition is forgotten at once, as is one that another pushes out.
// Late: a row whose bound column is below the frontier of the trigger before.
// Emitted: at Flush the difference of the old and the new first rows, retractions first;
// a row whose carried rank changed is one. With EmitOnClose each partition once, at
// Advance, when it is below the frontier. NULL in the bound is final at the end of input.
// Dropped: partitions below the frontier, at Advance; without a bound nothing.
// Cost: O(log n) per row, then O(first rows) per touched partition.
// Restart: the rows with their weights, and the bound.
type topN struct {
	cfg  TopNConfig
	all  *ordered  // rows can be deleted
	kept *keptRows // rows cannot
	win  topWindows

	bound, boundLogged, closedTo int64
	times                        *topTimes // nil without a bound
	late                         lateFilter
	stats                        Stats
	begun                        bool // stats are those of the trigger under way
}

// NewTopN returns the operator.
func NewTopN(cfg TopNConfig) (Operator, error) {
	if cfg.EmitOnClose && cfg.Bound < 0 {
		return nil, fmt.Errorf("%s: partitions that never become final cannot be emitted on close", cfg.Name)
	}
	t := &topN{cfg: cfg, bound: NoFrontier, boundLogged: NoFrontier, closedTo: NoFrontier}
	t.late = lateFilter{name: cfg.Name, col: cfg.Bound}
	t.win = topWindows{cfg: &t.cfg, end: cfg.end()}
	if cfg.Retract {
		t.all = newOrdered(cfg.arrange())
		t.all.entered = t.enter
		t.win.src, t.win.seqs = t.all, &t.all.seqs
	} else {
		t.kept = newKeptRows(&t.cfg, &t.win)
		t.kept.entered = t.enter
		t.win.src, t.win.seqs = t.kept, &t.kept.seqs
	}
	if cfg.Bound >= 0 {
		t.times = newTopTimes(cfg)
	}
	return t, nil
}

// Step implements Stepper.
func (t *topN) Step(tr *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	t.begin()
	if err := t.finishLoad(); err != nil {
		return err
	}
	sel, err := t.late.onTime(tr, b, t.bound)
	t.stats.Late += t.late.taken()
	if err != nil || b.Rows() == 0 {
		return err
	}
	if t.all != nil {
		t.all.add(b, sel)
	} else {
		t.kept.add(b, sel)
	}
	return nil
}

func (t *topN) begin() {
	if !t.begun {
		t.stats, t.begun = Stats{}, true
	}
}

// Flush implements Operator.
func (t *topN) Flush(_ *Trigger, out Emit) error {
	t.begin()
	t.begun = false
	if err := t.finishLoad(); err != nil {
		return err
	}
	if t.all != nil {
		if err := t.apply(); err != nil {
			return err
		}
	}
	t.stats.Updated += int64(len(t.win.spans))
	if t.cfg.EmitOnClose {
		return nil
	}
	t.win.diff()
	if err := t.win.emit(t.win.gone, -1, out); err != nil {
		return err
	}
	return t.win.emit(t.win.come, 1, out)
}

// apply brings the changes of the trigger into the partitions.
func (t *topN) apply() error {
	for _, p := range t.all.touched {
		t.win.remember(p)
		if err := t.all.apply(p); err != nil {
			return err
		}
	}
	t.all.settle()
	return nil
}

// Advance implements Operator.
func (t *topN) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	if t.cfg.Bound >= 0 {
		front := fronts[0][t.cfg.Front]
		invariant.Assert(front >= t.bound, "frontiers never retreat")
		if front > t.bound {
			to := front
			if mutant.On("partitions close with the frontier of the trigger before") {
				to = t.bound
			}
			if err := t.closeTo(to, out); err != nil {
				return err
			}
			t.bound = front
		}
	}
	if t.cfg.Unlogged {
		return t.LogState(discard{})
	}
	return nil
}

// closeTo emits and forgets the partitions below front.
func (t *topN) closeTo(front int64, out Emit) error {
	if front == NoFrontier {
		return nil
	}
	t.win.come = t.win.come[:0]
	final := t.times.below(front, t.win.src.exists)
	if front == EndOfInput {
		final = t.partitions()
	}
	if t.cfg.EmitOnClose {
		for _, p := range final {
			t.win.come = t.win.window(p, t.win.come)
		}
		if err := t.win.emit(t.win.come, 1, out); err != nil {
			return err
		}
	}
	for _, p := range final {
		t.drop(p)
	}
	t.closedTo = max(t.closedTo, front)
	return nil
}

// drop forgets a partition.
func (t *topN) drop(p uint32) {
	t.stats.Removed++
	if t.all != nil {
		t.all.forget(p)
		return
	}
	t.kept.drop(p)
}

// LogState implements Operator.
func (t *topN) LogState(log Log) error {
	logBound(log, t.bound, &t.boundLogged)
	logClosed(log, t.closedTo)
	t.closedTo = NoFrontier
	if t.all != nil {
		t.all.logState(log)
	} else {
		t.kept.logState(log)
	}
	t.win.forget()
	return nil
}

// Load implements Operator.
func (t *topN) Load(key, value []byte) error {
	err := t.loadEntry(key, value)
	if err != nil {
		return fmt.Errorf("%s: %w", t.cfg.Name, err)
	}
	return nil
}

func (t *topN) loadEntry(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return errStateKey
		}
		t.bound, t.boundLogged = x, x
		return nil
	}
	if t.all != nil {
		return t.all.load.add(key, value)
	}
	return t.kept.load.add(key, value)
}

// finishLoad ends a restart.
func (t *topN) finishLoad() error {
	if t.all != nil {
		return t.all.load.finish()
	}
	t.kept.load.finish()
	return nil
}

// Stats implements Operator.
func (t *topN) Stats() Stats {
	s := t.stats
	if err := t.finishLoad(); err != nil {
		return s
	}
	if t.all != nil {
		if err := t.all.stats(&s); err != nil {
			return s
		}
	} else {
		s.Keys, s.Bytes = int64(t.kept.rows.Len()), t.kept.bytes()
	}
	if t.times != nil {
		s.Bytes += t.times.bytes()
	}
	return s
}

// Rows implements Readable: the first rows of all partitions, as they stand.
func (t *topN) Rows(_ *fn.Ctx, out Emit) error {
	if err := t.finishLoad(); err != nil {
		return err
	}
	var list []topEntry
	for _, p := range t.partitions() {
		list = t.win.window(p, list)
	}
	return t.win.emit(list, 1, out)
}

// parts is the table of partitions.
func (t *topN) parts() *hash.Table {
	if t.all != nil {
		return t.all.parts
	}
	return t.kept.parts
}

// enter notes when new partitions become final.
func (t *topN) enter(ps []uint32) {
	if t.times != nil {
		t.times.enter(ps, t.parts())
	}
}

// partitions lists all partitions.
func (t *topN) partitions() []uint32 {
	var out []uint32
	t.parts().Each(func(p uint32) { out = append(out, p) })
	return out
}

// topTimes find the partitions below a frontier.
type topTimes struct {
	column int // of the bound among the partition columns
	key    *vec.Builder
	at     []int64 // by partition
	lists  timeLists
}

func newTopTimes(cfg TopNConfig) *topTimes {
	return &topTimes{column: slices.Index(cfg.Partition, cfg.Bound), key: vec.NewBuilder(cfg.Types[cfg.Bound]),
		lists: newTimeLists(defaultWidth(cfg.Width, cfg.Types[cfg.Bound]))}
}

func (t *topTimes) enter(ps []uint32, parts *hash.Table) {
	t.at = growZero(t.at, parts.Cap())
	t.key.Reset()
	parts.Key(ps, t.column, t.key)
	v := t.key.Finish()
	for i, p := range ps {
		if t.at[p] = never; !v.IsNull(i) {
			t.at[p] = v.I64[i]
			t.lists.add(t.at[p], p)
		}
	}
}

// below takes out the partitions below a frontier. A partition that is gone, or whose
// number another one has, may still be in a list.
func (t *topTimes) below(front int64, exists func(p uint32) bool) []uint32 {
	var out []uint32
	t.lists.below(front, func(at int64, p uint32) bool {
		if !exists(p) || floorTo(t.at[p], t.lists.width) != at {
			return true
		}
		if t.at[p] >= front {
			return false
		}
		t.at[p] = never
		out = append(out, p)
		return true
	})
	return out
}

func (t *topTimes) bytes() int64 { return int64(8*cap(t.at)) + t.lists.bytes() }
