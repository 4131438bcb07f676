package stateful

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Keys of an aggregate's state, version 1 (docs/formats/state.md):
//
//	00                                  the bound: varint
//	01 bound? key… 00                   a group: uvarint rows, then the accumulators' states
//	01 bound? key… 01 aggregate sub     an entry of an accumulator
//
// bound and key are key encodings; bound is there only if some key is a bound.
const (
	tagBound = 0x00
	tagGroup = 0x01
	subRow   = 0x00
	subEntry = 0x01
)

var errStateKey = errors.New("corrupt state entry")

// discard is the Log of operators whose state is not logged.
type discard struct{}

func (discard) Put(key, value []byte)       {}
func (discard) Delete(key []byte)           {}
func (discard) DeleteRange(from, to []byte) {}

// logBound writes a bound that has moved.
func logBound(log Log, bound int64, logged *int64) {
	if bound != *logged && !mutant.On("the bound is not logged") {
		log.Put([]byte{tagBound}, binary.AppendVarint(nil, bound))
		*logged = bound
	}
}

// logClosed writes that everything below front is gone. Keys begin with the group tag and
// the bound value.
func logClosed(log Log, front int64) {
	switch {
	case front == NoFrontier || mutant.On("closed groups stay in the log"):
	case front == EndOfInput:
		log.DeleteRange([]byte{tagGroup}, []byte{tagGroup + 1})
	default:
		from := vec.AppendIntKey([]byte{tagGroup}, NoFrontier)
		log.DeleteRange(from, vec.AppendIntKey([]byte{tagGroup}, front))
	}
}

// LogState implements Operator.
func (a *aggregate) LogState(log Log) error {
	logBound(log, a.bound, &a.boundLogged)
	logClosed(log, a.closedTo)
	a.closedTo = NoFrontier
	for _, at := range sortedSlots(a.state.dirty) {
		b := a.state.all[at]
		if a.cfg.Unlogged {
			b.forgetDirty()
		} else {
			a.logBucket(log, b)
		}
		b.release()
		if b.used() > 0 && b.count() == 0 && !a.cfg.Global {
			a.state.remove(at)
		}
	}
	clear(a.state.dirty)
	return nil
}

func (a *aggregate) logBucket(log Log, b *bucket) {
	if len(b.dirty) == 0 {
		return
	}
	var key, val []byte
	for _, g := range b.dirty {
		b.flags[g] &^= flagDirty
		key = append(a.groupKey(key[:0], b, g), subRow)
		if !a.exists(b, g) {
			log.Delete(key)
			continue
		}
		val = binary.AppendUvarint(val[:0], uint64(b.rows[g]))
		for _, acc := range b.accs {
			if acc != nil {
				val = acc.AppendState(val, g)
			}
		}
		log.Put(key, val)
	}
	b.dirty = trim(b.dirty)
	for i, acc := range b.accs {
		if e, ok := acc.(fn.EntryAccumulator); ok && !mutant.On("entries are not logged") {
			a.logEntries(log, b, i, e)
		}
	}
}

func (a *aggregate) logEntries(log Log, b *bucket, i int, e fn.EntryAccumulator) {
	var key []byte
	e.DirtyEntries(func(g uint32, sub, val []byte) {
		if val != nil && !a.exists(b, g) { // its group has been closed
			return
		}
		key = append(a.groupKey(key[:0], b, g), subEntry, byte(i))
		key = append(key, sub...)
		if val == nil {
			log.Delete(key)
			return
		}
		log.Put(key, val)
	})
}

// groupKey appends the part of the key that all entries of a group share.
func (a *aggregate) groupKey(dst []byte, b *bucket, g uint32) []byte {
	dst = append(dst, tagGroup)
	if a.cfg.Bound >= 0 && a.width <= 1 {
		dst = b.at.appendKey(dst)
	}
	if b.table != nil {
		dst = b.table.KeyBytes(g, dst)
	}
	return dst
}

func (s slot) appendKey(dst []byte) []byte {
	if s.null {
		return vec.AppendNullKey(dst)
	}
	return vec.AppendIntKey(dst, s.at)
}

// Load implements Operator.
func (a *aggregate) Load(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return fmt.Errorf("%s: %w", a.cfg.Name, errStateKey)
		}
		a.bound, a.boundLogged = x, x
		return nil
	}
	if err := a.load.add(key, value); err != nil {
		return fmt.Errorf("%s: %w", a.cfg.Name, err)
	}
	return nil
}

// aggLoader collects loaded entries of one bucket and puts them into the state many at
// a time.
type aggLoader struct {
	op    *aggregate
	keys  []*vec.Builder // of the table
	cols  []*vec.Vector
	bound *vec.Builder
	at    slot
	items []loadItem
	buf   []byte
	group []uint32
}

type loadItem struct {
	agg      int // −1 = the group itself
	sub, val int // ends in buf
}

func newAggLoader(a *aggregate) *aggLoader {
	return &aggLoader{op: a, keys: vec.NewBuilders(a.tableKeys), bound: vec.NewBuilder(types.Of(types.Int64)),
		cols: make([]*vec.Vector, len(a.tableKeys))}
}

func (l *aggLoader) add(key, value []byte) error {
	if len(key) < 2 || key[0] != tagGroup {
		return errStateKey
	}
	at, rest, err := l.slotOf(key[1:])
	if err != nil {
		return err
	}
	if at != l.at || len(l.items) == vec.BatchSize {
		if err := l.finish(); err != nil {
			return err
		}
		l.at = at
	}
	for i, b := range l.keys {
		if rest, err = vec.DecodeKey(rest, l.op.tableKeys[i], b); err != nil {
			return err
		}
	}
	item := loadItem{agg: -1}
	switch {
	case len(rest) == 1 && rest[0] == subRow:
	case len(rest) >= 2 && rest[0] == subEntry && int(rest[1]) < len(l.op.specs):
		item.agg = int(rest[1])
		l.buf = append(l.buf, rest[2:]...)
	default:
		return errStateKey
	}
	item.sub = len(l.buf)
	l.buf = append(l.buf, value...)
	item.val = len(l.buf)
	l.items = append(l.items, item)
	return nil
}

// slotOf reads the bucket of a key; what it returns begins with the key of the table.
func (l *aggLoader) slotOf(key []byte) (slot, []byte, error) {
	a := l.op
	if a.cfg.Bound < 0 {
		return slot{}, key, nil
	}
	l.bound.Reset()
	rest, err := vec.DecodeKey(key, types.Of(types.Int64), l.bound)
	if err != nil {
		return slot{}, nil, err
	}
	v := l.bound.Finish()
	if a.width > 1 {
		rest = key
	}
	if v.IsNull(0) {
		return slot{null: true}, rest, nil
	}
	return a.bucketOf(v.I64[0]), rest, nil
}

// finish puts what was collected into the state.
func (l *aggLoader) finish() error {
	if len(l.items) == 0 {
		return nil
	}
	a := l.op
	b := a.state.all[l.at]
	if b == nil {
		b = newBucket(a, l.at, a.proto)
		a.state.put(l.at, b)
	}
	for i, k := range l.keys {
		l.cols[i] = k.Finish()
	}
	l.group = growZero(l.group, len(l.items))[:len(l.items)]
	b.find(l.cols, nil, l.group)
	from := 0
	for i, it := range l.items {
		if err := a.loadItem(b, l.group[i], it.agg, l.buf[from:it.sub], l.buf[it.sub:it.val]); err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
		from = it.val
	}
	for _, k := range l.keys {
		k.Reset()
	}
	l.items, l.buf = l.items[:0], l.buf[:0]
	return nil
}

func (a *aggregate) loadItem(b *bucket, g uint32, agg int, sub, val []byte) error {
	if agg >= 0 {
		e, ok := b.accs[agg].(fn.EntryAccumulator)
		if !ok {
			return errStateKey
		}
		return e.LoadEntry(g, sub, val)
	}
	rows, n := binary.Uvarint(val)
	if n <= 0 {
		return errStateKey
	}
	b.rows[g] = int64(rows)
	a.born = a.cfg.Global
	val = val[n:]
	for _, acc := range b.accs {
		if acc == nil {
			continue
		}
		var err error
		if val, err = acc.LoadState(val, g); err != nil {
			return err
		}
	}
	if len(val) > 0 {
		return errStateKey
	}
	return nil
}
