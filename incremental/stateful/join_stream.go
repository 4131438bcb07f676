package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Between inputs without retractions a row is joined with the stored rows of the other
// input when it comes, then stored. The degree word of a row is twice its degree, plus 1
// while it is out as a row without a match.

const shownBit = 1

// stream joins and stores the rows on time of a batch.
func (j *join) stream(t *Trigger, s *joinSide, b *vec.Batch, out Emit) error {
	if err := s.repeat(j, b); err != nil {
		return err
	}
	j.split(s, b.Cols)
	if len(s.lone) > 0 && j.pads(s) && !mutant.On("rows that can match nothing are lost") {
		if err := j.padRows(s, b, s.lone, out); err != nil {
			return err
		}
	}
	if len(s.rows) == 0 {
		return nil
	}
	if s.ended() {
		j.findOnly(s, b.Cols)
	} else {
		j.find(s, b.Cols, s.rows)
	}
	s.degrees = growZero(s.degrees, len(s.rows))
	clear(s.degrees)
	if err := j.probe(t, s, b, out); err != nil {
		return err
	}
	if s.ended() {
		return j.padUnmatched(s, b, out)
	}
	j.keepRows(s, b)
	return nil
}

// pads tells whether rows of an input that match nothing are emitted with NULLs.
func (j *join) pads(s *joinSide) bool {
	return j.cfg.Kind == FullJoin || j.cfg.Kind == LeftJoin && s.port == 0
}

// repeat makes a row of weight w w rows.
func (s *joinSide) repeat(j *join, b *vec.Batch) error {
	if b.W == nil {
		return nil
	}
	once := true
	for _, r := range s.rows {
		w := b.W[r]
		if w < 0 {
			return fmt.Errorf("%s: a retraction reached a join of inputs without retractions", j.cfg.Name)
		}
		once = once && w == 1
	}
	if once {
		return nil
	}
	var rows []int32
	for _, r := range s.rows {
		for range b.W[r] {
			rows = append(rows, r)
		}
	}
	s.rows = rows
	return nil
}

// findOnly is find without making groups.
func (j *join) findOnly(s *joinSide, cols []*vec.Vector) {
	if j.table == nil {
		j.find(s, cols, s.rows)
		return
	}
	s.groups = growZero(s.groups, len(s.rows))
	j.keys = j.keys[:0]
	for _, c := range s.keys {
		j.keys = append(j.keys, cols[c])
	}
	j.table.Find(j.keys, s.rows, nil, s.groups)
}

// probe emits the pairs of the rows on time with the stored rows of the other input: first
// those with the first row of each chain, then with the second, and so on, so that the
// loads of many rows are under way at once.
func (j *join) probe(t *Trigger, s *joinSide, b *vec.Batch, out Emit) error {
	o, p := j.other(s), &j.pairs
	p.batch, p.own = b, s.port
	s.active, s.cursor = growZero(s.active, len(s.rows))[:0], growZero(s.cursor, len(s.rows))[:0]
	for i, g := range s.groups {
		if g == hash.Missing {
			continue
		}
		if m := j.keyed.first(o.port, g); m != 0 {
			s.active, s.cursor = append(s.active, int32(i)), append(s.cursor, m)
		}
	}
	for len(s.active) > 0 {
		p.clear()
		p.at, p.rows = append(p.at, s.active...), growZero(p.rows, len(s.active))
		p.slots[o.port] = growZero(p.slots[o.port], len(s.active))
		left := 0
		for k, m := range s.cursor {
			i := s.active[k]
			p.rows[k], p.slots[o.port][k] = s.rows[i], m-1
			if next := uint32(o.store.word(m-1, o.at.link)); next != 0 {
				s.active[left], s.cursor[left] = i, next
				left++
			}
		}
		s.active, s.cursor = s.active[:left], s.cursor[:left]
		if err := j.streamPairs(t, s, out); err != nil {
			return err
		}
	}
	return nil
}

// streamPairs tests, counts and emits the pairs under way.
func (j *join) streamPairs(t *Trigger, s *joinSide, out Emit) error {
	o, p := j.other(s), &j.pairs
	if s.at.degree >= 0 && mutant.On("the residual is no part of the match") {
		for _, i := range p.at {
			s.degrees[i]++
		}
	}
	if err := j.test(t.Ctx, p); err != nil {
		return err
	}
	if s.at.degree >= 0 {
		for _, i := range p.at {
			s.degrees[i]++
		}
	}
	if o.at.degree >= 0 {
		for _, slot := range p.slots[o.port] {
			j.match(o, slot)
		}
	}
	err := j.emitPairs(p, out)
	p.clear()
	return err
}

// match adds a match to a stored row.
func (j *join) match(s *joinSide, slot uint32) {
	d := &s.store.row(slot)[s.at.degree]
	switch {
	case *d == shownBit:
		s.matched = append(s.matched, slot)
		*d = 0
		fallthrough
	case *d == 0:
		s.log.change(slot)
	case s.port == 0 && j.cfg.Single:
		j.twice = true
	}
	*d += 2
}

// keepRows stores the rows on time.
func (j *join) keepRows(s *joinSide, b *vec.Batch) {
	s.slots = growZero(s.slots, len(s.rows))
	s.store.add(s.stores(b.Cols), s.rows, s.slots)
	single := s.port == 0 && j.cfg.Single
	for i, slot := range s.slots {
		j.enter(s, slot, s.groups[i], b.Cols, int(s.rows[i]))
		if s.at.degree < 0 {
			continue
		}
		d := s.degrees[i]
		s.store.row(slot)[s.at.degree] = uint64(d) * 2
		if d == 0 && j.pads(s) && !j.cfg.EmitOnExpiry {
			s.pending = append(s.pending, slot)
		}
		if d > 0 {
			s.log.change(slot)
		}
		j.twice = j.twice || single && d > 1
	}
	s.log.add(s.slots)
}

// stores are the stored columns of an input's columns.
func (s *joinSide) stores(cols []*vec.Vector) []*vec.Vector {
	if len(s.columns) == len(cols) {
		return cols
	}
	s.cols = s.cols[:0]
	for _, c := range s.columns {
		s.cols = append(s.cols, cols[c])
	}
	return s.cols
}

// enter puts a stored row, whose values are also at a row of columns, into its chain and
// among those that expire.
func (j *join) enter(s *joinSide, slot, group uint32, cols []*vec.Vector, row int) {
	if j.removes(s) {
		j.keyed.add(s, s.at.link, group, slot)
	} else {
		j.keyed.addLast(s, s.at.link, group, slot)
	}
	if s.at.until >= 0 {
		until := s.untilOf(cols, row)
		s.store.row(slot)[s.at.until] = uint64(until)
		s.expire.add(until, slot)
	}
}

// removes tells whether rows of an input are ever forgotten.
func (j *join) removes(s *joinSide) bool { return j.deferred || s.Keep != nil }

// padRows emits rows of a batch with NULLs for the other input.
func (j *join) padRows(s *joinSide, b *vec.Batch, rows []int32, out Emit) error {
	slices.Sort(rows)
	o := &vec.Batch{N: b.N, Sel: rows}
	if b.W != nil { // a row of weight 2 is there twice
		o.N, o.Sel = len(rows), nil
	}
	for port, ts := range j.cfg.Types {
		for c, t := range ts {
			switch {
			case port != s.port:
				o.Cols = append(o.Cols, vec.Nulls(t, o.N))
			case b.W != nil:
				o.Cols = append(o.Cols, vec.Gather(b.Cols[c], rows))
			default:
				o.Cols = append(o.Cols, b.Cols[c])
			}
		}
	}
	return out(o)
}

// padUnmatched emits the rows on time without a match, when the other input has ended.
func (j *join) padUnmatched(s *joinSide, b *vec.Batch, out Emit) error {
	if s.port == 0 && j.cfg.Single {
		for _, d := range s.degrees {
			j.twice = j.twice || d > 1
		}
	}
	if !j.pads(s) {
		return nil
	}
	s.lone = s.lone[:0]
	for i, r := range s.rows {
		if s.degrees[i] == 0 {
			s.lone = append(s.lone, r)
		}
	}
	if len(s.lone) == 0 {
		return nil
	}
	return j.padRows(s, b, s.lone, out)
}

// settleStream emits the rows that have no match when the trigger ends, and retracts
// those that have one now.
func (j *join) settleStream(out Emit) error {
	for _, s := range j.sides {
		for _, slot := range s.matched {
			if err := j.show(s, slot, -1, isFalse, out); err != nil {
				return err
			}
		}
		for _, slot := range s.pending {
			d := &s.store.row(slot)[s.at.degree]
			if *d != 0 && !mutant.On("rows without a match do not wait for the end of the trigger") {
				continue
			}
			*d |= shownBit
			if err := j.show(s, slot, 1, isFalse, out); err != nil {
				return err
			}
		}
		if err := j.shown(s, out); err != nil {
			return err
		}
		s.matched, s.pending = trim(s.matched), trim(s.pending)
	}
	return nil
}
