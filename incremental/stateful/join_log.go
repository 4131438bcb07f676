package stateful

import (
	"encoding/binary"
	"math"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Keys of a join's state, version 1 (docs/formats/operator-state.md):
//
//	00                     four varints: the frontiers below which rows of the left and of
//	                       the right input are late, and those that they are kept for
//	01 side time number    uvarint rows, and their encodings
//	02 side time number    of a row: varint weight, degree, unknown degree; absent = 1 0 0
//	03 key…                varint: weight of the right rows of a key
//	04 selecting keys…     varints: weight of the right rows that IN compares, and of those
//	                       with NULL
//
// side is 0 or 1; time is a key encoding: the greatest time until which a row of the entry
// is kept, NULL if its rows are deleted one by one; number is eight bytes, that of the first
// row. Rows that were forgotten with the bound may still be in an entry with others.
const (
	tagRows   = 0x01
	tagWeight = 0x02
	tagCount  = 0x03
	tagTotal  = 0x04
)

// sideLog knows what of an input's rows has changed since the last LogState.
type sideLog struct {
	off     bool
	ranged  bool // expired rows go by range
	side    *joinSide
	fresh   []uint32 // new rows, in order
	changed []uint32 // rows with new weights or degrees, maybe more than once
	gone    []rowName
	next    uint64 // last number given
	closed  int64  // the range below it is deleted
	loaded  map[uint64]uint32
	slots   []uint32 // loaded rows that are not in chains yet
}

type rowName struct {
	until int64
	seq   uint64
}

func (l *sideLog) add(slots []uint32) {
	if !l.off {
		for _, slot := range slots {
			l.fresh = push(l.fresh, slot)
		}
	}
}

// change notes a row of which a degree has become positive.
func (l *sideLog) change(slot uint32) {
	if !l.off {
		l.changed = push(l.changed, slot)
	}
}

// touch notes a row that is new or has changed.
func (l *sideLog) touch(slot uint32) {
	if l.off {
		return
	}
	if l.side.store.row(slot)[l.side.at.seq] == 0 {
		l.fresh = push(l.fresh, slot)
	}
	l.changed = push(l.changed, slot)
}

// remove notes that a row goes.
func (l *sideLog) remove(slot uint32) {
	s := l.side
	if l.off || s.at.seq < 0 || s.ended() {
		return
	}
	name := l.name(slot)
	if name.seq != 0 && !(l.ranged && name.until < s.closed) {
		l.gone = append(l.gone, name)
	}
}

func (l *sideLog) name(slot uint32) rowName {
	s := l.side
	row := s.store.row(slot)
	n := rowName{seq: row[s.at.seq]}
	if s.at.until >= 0 {
		n.until = int64(row[s.at.until])
	}
	return n
}

func (l *sideLog) bytes() int64 {
	return int64(4*(cap(l.fresh)+cap(l.changed)+cap(l.slots)) + 16*cap(l.gone))
}

// key appends the key of an entry.
func (l *sideLog) key(dst []byte, tag byte, n rowName) []byte {
	dst = append(dst, tag, byte(l.side.port))
	if l.ranged {
		dst = vec.AppendIntKey(dst, n.until)
	} else {
		dst = vec.AppendNullKey(dst)
	}
	return binary.BigEndian.AppendUint64(dst, n.seq)
}

// LogState implements Operator.
func (j *join) LogState(log Log) error {
	if err := j.finishLoad(); err != nil {
		return err
	}
	j.logBounds(log)
	for _, s := range j.sides {
		s.log.write(j, log)
	}
	j.logs.write(j, log)
	return nil
}

func (j *join) logBounds(log Log) {
	now := [4]int64{j.sides[0].bound, j.sides[1].bound, j.sides[0].closed, j.sides[1].closed}
	if now == j.bounds || mutant.On("the bounds of a join are not logged") {
		return
	}
	j.bounds = now
	var val []byte
	for _, x := range now {
		val = binary.AppendVarint(val, x)
	}
	log.Put([]byte{tagBound}, val)
}

func (l *sideLog) write(j *join, log Log) {
	s := l.side
	l.writeRanges(log)
	var key []byte
	for _, n := range l.gone {
		log.Delete(l.key(key[:0], tagRows, n))
		log.Delete(l.key(key[:0], tagWeight, n))
	}
	if j.deferred {
		l.writeRows(log)
	} else {
		l.writeBlocks(log)
	}
	for _, slot := range l.changed {
		if s.store.exists(slot) && !mutant.On("degrees are not logged") {
			l.writeWeight(log, slot)
		}
	}
	l.fresh, l.changed, l.gone = trim(l.fresh), trim(l.changed), trim(l.gone)
}

// writeRanges deletes the entries of all rows that have expired.
func (l *sideLog) writeRanges(log Log) {
	s := l.side
	if s.closed == l.closed || !l.ranged && !s.ended() || mutant.On("expired rows stay in the log") {
		return
	}
	l.closed = s.closed
	for tag := byte(tagRows); tag <= tagWeight; tag++ {
		prefix := []byte{tag, byte(s.port)}
		if s.ended() {
			log.DeleteRange(prefix, []byte{tag, byte(s.port) + 1})
			continue
		}
		log.DeleteRange(vec.AppendIntKey(prefix, NoFrontier), vec.AppendIntKey([]byte{tag, byte(s.port)}, s.closed))
	}
}

// writeRows writes an entry for each new row.
func (l *sideLog) writeRows(log Log) {
	s := l.side
	var key, val []byte
	for _, slot := range l.fresh {
		if !s.store.exists(slot) || s.store.row(slot)[s.at.seq] != 0 {
			continue
		}
		l.next++
		s.store.row(slot)[s.at.seq] = l.next
		val = s.store.encode(binary.AppendUvarint(val[:0], 1), slot)
		log.Put(l.key(key[:0], tagRows, l.name(slot)), val)
	}
}

// writeBlocks writes the new rows, many an entry.
func (l *sideLog) writeBlocks(log Log) {
	s := l.side
	live := l.fresh[:0]
	for _, slot := range l.fresh {
		if s.store.exists(slot) {
			live = append(live, slot)
		}
	}
	var key, val []byte
	for len(live) > 0 {
		n := min(len(live), vec.BatchSize)
		name := rowName{until: NoFrontier, seq: l.next + 1}
		val = binary.AppendUvarint(val[:0], uint64(n))
		for _, slot := range live[:n] {
			l.next++
			row := s.store.row(slot)
			if s.at.seq >= 0 {
				row[s.at.seq] = l.next
			}
			if s.at.until >= 0 {
				name.until = max(name.until, int64(row[s.at.until]))
			}
			val = s.store.encode(val, slot)
		}
		log.Put(l.key(key[:0], tagRows, name), val)
		live = live[n:]
	}
}

// writeWeight writes the weight and degrees of a row, if they are not the usual ones.
func (l *sideLog) writeWeight(log Log, slot uint32) {
	s := l.side
	row := s.store.row(slot)
	key := l.key(nil, tagWeight, l.name(slot))
	w := [3]int64{1, 0, 0}
	for i, at := range []int{s.at.weight, s.at.degree, s.at.unknown} {
		if at >= 0 {
			w[i] = int64(row[at])
		}
	}
	if s.at.weight < 0 {
		w[1] >>= 1
	}
	if w == [3]int64{1, 0, 0} {
		log.Delete(key)
		return
	}
	var val []byte
	for _, x := range w {
		val = binary.AppendVarint(val, x)
	}
	log.Put(key, val)
}

// countLog knows which counts have changed since the last LogState.
type countLog struct {
	off    bool
	counts []uint32
	totals []uint32
	gone   [][]byte // keys of counts that are 0 now
}

func (l *countLog) count(j *join, g uint32) {
	switch {
	case l.off:
	case j.counts.n[g] != 0:
		l.counts = append(l.counts, g)
	default:
		l.gone = append(l.gone, keyBytes(j.table, []byte{tagCount}, g))
	}
}

func (l *countLog) total(j *join, p uint32) {
	switch {
	case l.off:
	case j.totals.rows[p] != 0:
		l.totals = append(l.totals, p)
	default:
		l.gone = append(l.gone, keyBytes(j.parts, []byte{tagTotal}, p))
	}
}

func keyBytes(t *hash.Table, dst []byte, g uint32) []byte {
	if t == nil {
		return dst
	}
	return t.KeyBytes(g, dst)
}

func (l *countLog) write(j *join, log Log) {
	for _, k := range l.gone {
		log.Delete(k)
	}
	for _, g := range l.counts {
		if n := j.counts.at(g, false); n != 0 {
			log.Put(keyBytes(j.table, []byte{tagCount}, g), binary.AppendVarint(nil, n))
		}
	}
	for _, p := range l.totals {
		if !j.totals.asked(p) {
			continue // forgotten since
		}
		val := binary.AppendVarint(nil, j.totals.rows[p])
		log.Put(keyBytes(j.parts, []byte{tagTotal}, p), binary.AppendVarint(val, j.totals.nulls[p]))
	}
	l.counts, l.totals, l.gone = trim(l.counts), trim(l.totals), trim(l.gone)
}

func (j *join) loadCount(key []byte, d *rowDecoder) error {
	g, n := uint32(0), 1
	if j.table != nil {
		var err error
		if g, err = j.table.InsertKey(key); err != nil {
			return err
		}
		n = j.table.Cap()
	}
	j.keyed.grow(n)
	j.counts.grow(n)
	j.counts.n[g] = d.varint()
	j.counts.live++
	if s := j.sides[1]; s.Keep != nil && s.Keep.Col >= 0 {
		s.expire.add(min(j.groupUntil(g), math.MaxInt64-1), g)
	}
	return d.err()
}

func (j *join) loadTotal(key []byte, d *rowDecoder) error {
	p, n := uint32(0), 1
	if j.parts != nil {
		var err error
		if p, err = j.parts.InsertKey(key); err != nil {
			return err
		}
		n = j.parts.Cap()
	}
	j.loose.grow(n)
	j.full.grow(n)
	j.totals.grow(n)
	j.totals.rows[p], j.totals.nulls[p] = d.varint(), d.varint()
	return d.err()
}
