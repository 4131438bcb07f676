package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Load implements Operator.
func (j *join) Load(key, value []byte) error {
	if err := j.load(key, value); err != nil {
		return fmt.Errorf("%s: %w", j.cfg.Name, err)
	}
	return nil
}

func (j *join) load(key, value []byte) error {
	d := rowDecoder{src: value}
	switch {
	case len(key) == 1 && key[0] == tagBound:
		return j.loadBounds(&d)
	case len(key) > 2 && (key[0] == tagRows || key[0] == tagWeight) && key[1] < 2:
		return j.sides[key[1]].log.load(key, &d)
	case len(key) > 0 && key[0] == tagCount && j.counted:
		return j.loadCount(key[1:], &d)
	case len(key) > 0 && key[0] == tagTotal && j.counted:
		return j.loadTotal(key[1:], &d)
	}
	return errStateKey
}

func (j *join) loadBounds(d *rowDecoder) error {
	for i := range j.bounds {
		j.bounds[i] = d.varint()
	}
	for i, s := range j.sides {
		s.bound, s.closed = j.bounds[i], j.bounds[2+i]
		s.log.closed = s.closed
	}
	return d.err()
}

func (d *rowDecoder) err() error {
	if d.bad || len(d.src) > 0 {
		return errStateKey
	}
	return nil
}

func (l *sideLog) load(key []byte, d *rowDecoder) error {
	if len(key) < 8 {
		return errStateKey
	}
	seq := binary.BigEndian.Uint64(key[len(key)-8:])
	if key[0] == tagWeight {
		slot, ok := l.loaded[seq]
		if !ok {
			return nil // it has expired
		}
		return l.loadWeight(slot, d)
	}
	for n := d.uvarint(); n > 0; n-- {
		slot, rest, err := l.side.store.decode(d.src)
		if err != nil {
			return err
		}
		d.src = rest
		if l.side.at.seq >= 0 {
			l.remember(seq, slot)
		}
		l.slots = append(l.slots, slot)
		l.next = max(l.next, seq)
		seq++
	}
	return d.err()
}

func (l *sideLog) remember(seq uint64, slot uint32) {
	if l.loaded == nil {
		l.loaded = map[uint64]uint32{}
	}
	l.loaded[seq] = slot
	row := l.side.store.row(slot)
	row[l.side.at.seq] = seq
	if l.side.at.weight >= 0 {
		row[l.side.at.weight] = 1
	}
}

func (l *sideLog) loadWeight(slot uint32, d *rowDecoder) error {
	s := l.side
	w, degree, unknown := d.varint(), d.varint(), d.varint()
	row := s.store.row(slot)
	if s.at.weight < 0 {
		degree *= 2
	} else {
		row[s.at.weight] = uint64(w)
	}
	if s.at.degree >= 0 {
		row[s.at.degree] = uint64(degree)
	}
	if s.at.unknown >= 0 {
		row[s.at.unknown] = uint64(unknown)
	}
	return d.err()
}

// finishLoad puts the loaded rows into their chains.
func (j *join) finishLoad() error {
	for _, s := range j.sides {
		l := &s.log
		for from := 0; from < len(l.slots); from += vec.BatchSize {
			j.enterLoaded(s, l.slots[from:min(from+vec.BatchSize, len(l.slots))])
		}
		l.slots, l.loaded = nil, nil
	}
	return nil
}

// enterLoaded puts stored rows into their chains, and drops those that had expired.
func (j *join) enterLoaded(s *joinSide, slots []uint32) {
	cols := make([]*vec.Vector, len(s.stored))
	for i, c := range s.columns {
		cols[c] = &vec.Vector{}
		s.store.gather(i, slots, cols[c])
	}
	rows := make([]int32, 0, len(slots))
	for i, slot := range slots {
		if s.Keep != nil && !s.Retract && s.untilOf(cols, i) < s.closed {
			s.store.remove(slot)
			continue
		}
		rows = append(rows, int32(i))
	}
	if j.deferred {
		j.enterDeferred(s, cols, rows, slots)
		return
	}
	j.find(s, cols, rows)
	for i, r := range rows {
		slot := slots[r]
		j.enter(s, slot, s.groups[i], cols, int(r))
		if s.at.degree >= 0 && s.store.row(slot)[s.at.degree] == 0 && j.pads(s) && !j.cfg.EmitOnExpiry {
			s.store.row(slot)[s.at.degree] = shownBit
		}
	}
}

func (j *join) enterDeferred(s *joinSide, cols []*vec.Vector, rows []int32, slots []uint32) {
	if s.indexed {
		s.hash(s.stores(cols), rows)
		for i, r := range rows {
			s.index.add(s.hashes[i], slots[r])
		}
	}
	enter := func(rows []int32, home func(i int) uint64) {
		for i, r := range rows {
			j.settleIn(s, slots[r], home(i), cols, int(r))
		}
	}
	s.rows = append(s.rows[:0], rows...)
	if j.cfg.NullAware == 0 {
		j.find(s, cols, s.rows)
		enter(s.rows, func(i int) uint64 { return homeOf(s.groups[i], noRow) })
		return
	}
	loose := j.looseRows(s, cols)
	j.findParts(s, cols, loose)
	enter(loose, func(i int) uint64 { return homeOf(noRow, s.part[i]) })
	j.find(s, cols, s.rows)
	j.findParts(s, cols, s.rows)
	enter(s.rows, func(i int) uint64 { return homeOf(s.groups[i], s.part[i]) })
}
