package stateful

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Upsert makes changes of rows that replace one another by key.
//
// State: the row of each key. Keys and rows are in hash tables; a row is a number.
// +1: the row takes the place of the row of its key. −1: the row of the key is gone; only
// the key is looked at, and a key that is not there is no error.
// Emitted: at Flush, per key that was touched, the row from before the trigger (−1) and
// the row now (+1), if they differ.
// Late: a row whose bound column is below the frontier of the trigger before, whole: if
// its half were taken, the row that is there would go. NULL, as in a deletion that has
// the key alone, is on time.
// Dropped: nothing but deleted rows.
// Cost: O(1) per row.
// Restart: the row of each key, and the bound.

// UpsertConfig describes the reading of a source with a primary key.
type UpsertConfig struct {
	Name     string
	Types    []types.Type // of all columns
	Keys     []int        // columns of the primary key
	Bound    int          // column that carries the frontier, −1 = none
	Front    int          // which frontier of fronts[0] is its
	Unlogged bool
}

type upsert struct {
	cfg      UpsertConfig
	keyTypes []types.Type
	keys     *hash.Table
	rows     *hash.Table // all columns
	owner    []uint32    // by row: its key
	now      []uint32    // by key: its row + 1, 0 = none
	before   []uint32    // by key, if touched: its row before the trigger + 1
	touched  []uint32    // keys, in the order of their first row
	flags    []groupFlags
	stale    []uint32 // rows that were replaced within the trigger
	dirty    []uint32 // keys whose row changed since the last LogState

	late                     lateFilter
	bound, boundLogged       int64
	keyCols                  []*vec.Vector
	keyOf, rowOf, gone, come []uint32
	builders                 []*vec.Builder
	stats                    Stats
	key, value               []byte
}

// NewUpsert returns the operator. Its input must come in order of arrival.
func NewUpsert(cfg UpsertConfig) (Operator, error) {
	if len(cfg.Keys) == 0 {
		return nil, fmt.Errorf("%s: a primary key has columns", cfg.Name)
	}
	u := &upsert{cfg: cfg, bound: NoFrontier, boundLogged: NoFrontier, builders: vec.NewBuilders(cfg.Types)}
	for _, k := range cfg.Keys {
		u.keyTypes = append(u.keyTypes, cfg.Types[k])
	}
	u.late = lateFilter{name: cfg.Name, col: cfg.Bound}
	u.empty()
	return u, nil
}

// empty begins with no rows.
func (u *upsert) empty() {
	u.keys, u.rows = hash.New(u.keyTypes), hash.New(u.cfg.Types)
	u.owner, u.now, u.before, u.flags = nil, nil, nil, nil
	u.stale, u.touched, u.dirty = nil, nil, nil
}

// Step implements Stepper.
func (u *upsert) Step(t *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	sel, err := u.late.onTime(t, b, u.bound)
	if err != nil {
		return err
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	u.keyCols = u.keyCols[:0]
	for _, c := range u.cfg.Keys {
		u.keyCols = append(u.keyCols, b.Cols[c])
	}
	u.keyOf, u.rowOf = growZero(u.keyOf, n)[:n], growZero(u.rowOf, n)[:n]
	u.keys.FindOrInsert(u.keyCols, sel, nil, u.keyOf)
	u.rows.FindOrInsert(b.Cols, sel, nil, u.rowOf)
	u.now, u.before = growZero(u.now, u.keys.Cap()), growZero(u.before, u.keys.Cap())
	u.flags, u.owner = growZero(u.flags, u.keys.Cap()), growZero(u.owner, u.rows.Cap())
	for i, k := range u.keyOf {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		u.put(k, u.rowOf[i], b.Weight(r))
	}
	return nil
}

// put lets a row, or a deletion, take the place of the row of its key.
func (u *upsert) put(k, row uint32, w int64) {
	if u.flags[k]&flagTouched == 0 {
		u.flags[k] |= flagTouched
		u.before[k] = u.now[k]
		u.touched = append(u.touched, k)
	}
	u.owner[row] = k
	u.stale = append(u.stale, row)
	if old := u.now[k]; old != 0 {
		u.stale = append(u.stale, old-1)
	}
	u.now[k] = 0
	if w > 0 {
		u.now[k] = row + 1
	}
}

// Flush implements Operator.
func (u *upsert) Flush(_ *Trigger, out Emit) error {
	u.stats = Stats{Late: u.late.taken()}
	u.gone, u.come = u.gone[:0], u.come[:0]
	for _, k := range u.touched {
		u.flags[k] &^= flagTouched
		before, now := u.before[k], u.now[k]
		if before == now && (now == 0 || !mutant.On("an upsert of the same row is a change")) {
			continue
		}
		u.stats.Updated++
		u.dirty = append(u.dirty, k)
		if before != 0 && !mutant.On("an upsert leaves the row before it") {
			u.gone = append(u.gone, before-1)
		}
		if now != 0 {
			u.come = append(u.come, now-1)
		} else {
			u.stats.Removed++
		}
	}
	if err := u.emit(u.gone, -1, out); err != nil {
		return err
	}
	return u.emit(u.come, 1, out)
}

// emit gives rows with a weight.
func (u *upsert) emit(rows []uint32, w int64, out Emit) error {
	for from := 0; from < len(rows); from += vec.BatchSize {
		chunk := rows[from:min(from+vec.BatchSize, len(rows))]
		b := &vec.Batch{N: len(chunk), Cols: make([]*vec.Vector, len(u.builders))}
		for i, o := range u.builders {
			o.Reset()
			u.rows.Key(chunk, i, o)
			b.Cols[i] = o.Finish()
		}
		if w < 0 {
			b.W = make([]int64, len(chunk))
			for i := range b.W {
				b.W[i] = w
			}
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}

// Advance implements Operator.
func (u *upsert) Advance(t *Trigger, fronts [][]int64, _ Emit) error {
	if u.cfg.Bound >= 0 {
		front := fronts[0][u.cfg.Front]
		invariant.Assert(front >= u.bound, "frontiers never retreat")
		u.bound = max(u.bound, front)
	}
	u.sweep()
	if u.cfg.Unlogged {
		return u.LogState(discard{})
	}
	return nil
}

// sweep forgets rows that are no key's, now that their values are not needed any more, and
// keys that came and went within the trigger.
func (u *upsert) sweep() {
	slices.Sort(u.stale)
	for _, r := range slices.Compact(u.stale) {
		if u.now[u.owner[r]] != r+1 {
			u.rows.Delete(r)
		}
	}
	for _, k := range u.touched {
		if u.before[k] == 0 && u.now[k] == 0 {
			u.keys.Delete(k)
		}
	}
	u.stale, u.touched = trim(u.stale), trim(u.touched)
}

// LogState implements Operator. Keys: 00 → the bound; 01, the key → the row.
func (u *upsert) LogState(log Log) error {
	logBound(log, u.bound, &u.boundLogged)
	for _, k := range u.dirty {
		u.key = u.keys.KeyBytes(k, append(u.key[:0], tagGroup))
		if u.now[k] == 0 {
			log.Delete(u.key)
			continue
		}
		u.value = u.rows.KeyBytes(u.now[k]-1, u.value[:0])
		log.Put(u.key, u.value)
	}
	slices.Sort(u.dirty)
	for _, k := range slices.Compact(u.dirty) {
		if u.now[k] == 0 {
			u.keys.Delete(k)
		}
	}
	u.dirty = trim(u.dirty)
	if u.keys.Len() == 0 {
		u.empty()
	}
	return nil
}

// Load implements Operator.
func (u *upsert) Load(key, value []byte) error {
	if err := u.loadEntry(key, value); err != nil {
		return fmt.Errorf("%s: %w", u.cfg.Name, err)
	}
	return nil
}

func (u *upsert) loadEntry(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return errStateKey
		}
		u.bound, u.boundLogged = x, x
		return nil
	}
	if len(key) == 0 || key[0] != tagGroup {
		return errStateKey
	}
	k, err := u.keys.InsertKey(key[1:])
	if err != nil {
		return err
	}
	row, err := u.rows.InsertKey(value)
	if err != nil {
		return err
	}
	u.now, u.before = growZero(u.now, u.keys.Cap()), growZero(u.before, u.keys.Cap())
	u.flags, u.owner = growZero(u.flags, u.keys.Cap()), growZero(u.owner, u.rows.Cap())
	u.now[k], u.owner[row] = row+1, k
	return nil
}

// Stats implements Operator.
func (u *upsert) Stats() Stats {
	s := u.stats
	s.Keys = int64(u.keys.Len())
	s.Bytes = u.keys.Bytes() + u.rows.Bytes() + int64(4*(cap(u.now)+cap(u.before)+cap(u.owner)+cap(u.dirty)+cap(u.stale)+cap(u.touched))+cap(u.flags))
	return s
}
