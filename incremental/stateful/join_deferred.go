package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// With retractions, and for semi, anti and mark joins, the rows of a trigger are only
// added to the state; Flush compares what is there with what was.

// touch remembers a row as it was before the trigger.
type touch struct {
	slot            uint32
	w               int64
	degree, unknown int64
}

// lone is the home of a row that matches nothing.
const lone = uint64(noRow)<<32 | uint64(noRow)

func homeOf(group, part uint32) uint64 { return uint64(part)<<32 | uint64(group) }

// touch notes a row before it changes, and returns its words.
func (s *joinSide) touch(slot uint32) []uint64 {
	row := s.store.row(slot)
	if uint32(row[s.at.mark]) != 0 {
		return row
	}
	t := touch{slot: slot, w: int64(row[s.at.weight])}
	if s.at.degree >= 0 {
		t.degree = int64(row[s.at.degree])
	}
	if s.at.unknown >= 0 {
		t.unknown = int64(row[s.at.unknown])
	}
	s.touched = push(s.touched, t)
	row[s.at.mark] |= uint64(len(s.touched))
	return row
}

// weights are the weight of a row before and after the trigger.
func (s *joinSide) weights(slot uint32) (before, after int64) {
	row := s.store.row(slot)
	after = int64(row[s.at.weight])
	if i := uint32(row[s.at.mark]); i != 0 {
		return s.touched[i-1].w, after
	}
	return after, after
}

// collect adds the rows on time of a batch to the state.
func (j *join) collect(s *joinSide, b *vec.Batch, out Emit) error {
	j.split(s, b.Cols)
	if s.port == 1 && j.counted {
		j.count(s, b)
		return nil
	}
	if s.port == 0 && j.cfg.Kind.exists() && j.cfg.Kind != SemiJoin || j.pads(s) {
		j.addRows(s, b, s.lone, func(int) uint64 { return lone })
	}
	if j.cfg.NullAware > 0 {
		j.addCompared(s, b)
		return nil
	}
	j.find(s, b.Cols, s.rows)
	if j.counted && j.appends() {
		if err := j.passMatched(s, b, out); err != nil {
			return err
		}
	}
	j.addRows(s, b, s.rows, func(i int) uint64 { return homeOf(s.groups[i], noRow) })
	return nil
}

// appends tells that nothing is retracted.
func (j *join) appends() bool { return !j.cfg.Sides[0].Retract && !j.cfg.Sides[1].Retract }

// passMatched takes out the left rows that have a match already, and emits what they are
// for good: they are not stored.
func (j *join) passMatched(s *joinSide, b *vec.Batch, out Emit) error {
	matched, rows, groups := s.passed[:0], s.rows[:0], s.groups[:0]
	for i, r := range s.rows {
		if g := s.groups[i]; j.counts.at(g, false) > 0 {
			matched = append(matched, r)
		} else {
			rows, groups = append(rows, r), append(groups, g)
		}
	}
	s.passed, s.rows, s.groups = matched, rows, groups
	if len(matched) == 0 || j.cfg.Kind == AntiJoin {
		return nil
	}
	o := &vec.Batch{Cols: b.Cols, N: b.N, Sel: matched, W: b.W}
	if j.cfg.Kind == MarkJoin {
		isTrue := &vec.Vector{Type: types.Of(types.Bool), N: b.N, Const: true, Bool: []uint8{1}}
		o.Cols = append(append([]*vec.Vector{}, b.Cols...), isTrue)
	}
	return out(o)
}

// addCompared adds rows whose keys are compared under the rules of IN.
func (j *join) addCompared(s *joinSide, b *vec.Batch) {
	loose := j.looseRows(s, b.Cols)
	j.findParts(s, b.Cols, loose)
	j.addRows(s, b, loose, func(i int) uint64 { return homeOf(noRow, s.part[i]) })
	j.find(s, b.Cols, s.rows)
	j.findParts(s, b.Cols, s.rows)
	j.addRows(s, b, s.rows, func(i int) uint64 { return homeOf(s.groups[i], s.part[i]) })
}

// looseRows takes the rows with NULL in a compared key out of those on time.
func (j *join) looseRows(s *joinSide, cols []*vec.Vector) []int32 {
	s.lone = s.lone[:0]
	for _, c := range s.keys[:j.cfg.NullAware] {
		s.dropNulls(cols[c])
	}
	return s.lone
}

// findParts gives rows the groups of their selecting keys.
func (j *join) findParts(s *joinSide, cols []*vec.Vector, rows []int32) {
	s.part = growZero(s.part, len(rows))
	n := 1
	if j.parts == nil {
		clear(s.part)
	} else {
		j.keys = j.keys[:0]
		for _, c := range s.keys[j.cfg.NullAware:] {
			j.keys = append(j.keys, cols[c])
		}
		j.parts.FindOrInsert(j.keys, rows, nil, s.part)
		n = j.parts.Cap()
	}
	j.loose.grow(n)
	j.full.grow(n)
	j.totals.grow(n)
}

// addRows adds rows of a batch to those with the same values. home is called for a new
// row with its place in rows.
func (j *join) addRows(s *joinSide, b *vec.Batch, rows []int32, home func(i int) uint64) {
	if len(rows) == 0 {
		return
	}
	cols := s.stores(b.Cols)
	if !s.indexed {
		j.appendRows(s, b, cols, rows, home)
		return
	}
	s.hash(cols, rows)
	for i, r := range rows {
		slot := s.index.find(s.hashes[i], cols, int(r))
		if slot == noRow {
			s.slots = growZero(s.slots, 1)
			s.store.add(cols, rows[i:i+1], s.slots[:1])
			slot = s.slots[0]
			s.index.add(s.hashes[i], slot)
			j.settleIn(s, slot, home(i), b.Cols, int(r))
		}
		s.touch(slot)[s.at.weight] += uint64(b.Weight(int(r)))
	}
}

// appendRows is addRows for rows that need not be found again: equal ones are stored apart.
func (j *join) appendRows(s *joinSide, b *vec.Batch, cols []*vec.Vector, rows []int32, home func(i int) uint64) {
	s.slots = growZero(s.slots, len(rows))
	s.store.add(cols, rows, s.slots)
	for i, r := range rows {
		j.settleIn(s, s.slots[i], home(i), b.Cols, int(r))
		s.touch(s.slots[i])[s.at.weight] = uint64(b.Weight(int(r)))
	}
}

// hash hashes the stored columns of rows; without columns all rows are equal.
func (s *joinSide) hash(cols []*vec.Vector, rows []int32) {
	if len(cols) == 0 {
		s.hashes = growZero(s.hashes, len(rows))
		clear(s.hashes)
		return
	}
	s.hashes = vec.Hash(cols, len(rows), rows, s.hashes)
}

// settleIn puts a new row into the chains of its home.
func (j *join) settleIn(s *joinSide, slot uint32, home uint64, cols []*vec.Vector, row int) {
	group, part := uint32(home), uint32(home>>32)
	switch {
	case home == lone:
	case group == noRow:
		j.loose.add(s, s.at.link, part, slot)
	default:
		j.keyed.add(s, s.at.link, group, slot)
		if s.at.ring >= 0 {
			j.full.add(s, s.at.ring, part, slot)
		}
	}
	words := s.store.row(slot)
	words[s.at.home] = home
	if s.at.until >= 0 && home != lone {
		until := s.untilOf(cols, row)
		words[s.at.until] = uint64(until)
		s.expire.add(until, slot)
	}
}

// settle emits the net change of a trigger.
func (j *join) settle(t *Trigger, out Emit) error {
	if j.counted {
		j.affected()
	} else if err := j.changedPairs(t, out); err != nil {
		return err
	}
	for _, s := range j.sides {
		for i := range s.touched {
			if err := j.showChange(s, &s.touched[i], out); err != nil {
				return err
			}
		}
		if err := j.shown(s, out); err != nil {
			return err
		}
	}
	return j.clean()
}

// changedPairs visits the pairs of which a row has changed, each once.
func (j *join) changedPairs(t *Trigger, out Emit) error {
	j.pairs.batch = nil
	for _, s := range j.sides {
		for i := range len(s.touched) { // those that are touched from here on have new degrees alone
			slot := s.touched[i].slot
			if before, after := s.weights(slot); before == after {
				continue
			}
			if err := j.partners(t, s, slot, out); err != nil {
				return err
			}
		}
		if err := j.netPairs(t, out); err != nil {
			return err
		}
	}
	return nil
}

// partners adds the pairs of a changed row that may match. A changed right row leaves
// out the left rows that have changed too.
func (j *join) partners(t *Trigger, s *joinSide, slot uint32, out Emit) error {
	home := s.store.row(slot)[s.at.home]
	if home == lone {
		return nil
	}
	group, part := uint32(home), uint32(home>>32)
	o := j.other(s)
	if group != noRow {
		if err := j.walk(t, s, slot, j.keyed.first(o.port, group), o.at.link, out); err != nil {
			return err
		}
	}
	if part == noRow {
		return nil
	}
	if err := j.walk(t, s, slot, j.loose.first(o.port, part), o.at.link, out); err != nil || group != noRow {
		return err
	}
	return j.walk(t, s, slot, j.full.first(o.port, part), o.at.ring, out)
}

// walk pairs a row with those of a chain of the other input.
func (j *join) walk(t *Trigger, s *joinSide, slot, first uint32, word int, out Emit) error {
	o, p := j.other(s), &j.pairs
	for m := first; m != 0; m = uint32(o.store.word(m-1, word)) {
		if s.port == 1 && !mutant.On("a pair of two changed rows is visited twice") {
			if before, after := o.weights(m - 1); before != after {
				continue
			}
		}
		p.slots[s.port], p.slots[o.port] = append(p.slots[s.port], slot), append(p.slots[o.port], m-1)
		if p.len() == vec.BatchSize {
			if err := j.netPairs(t, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// netPairs tests the pairs under way, adds them to the degrees, and emits their changes.
func (j *join) netPairs(t *Trigger, out Emit) error {
	p := &j.pairs
	j.compare(p)
	if err := j.test(t.Ctx, p); err != nil {
		return err
	}
	left, right := j.sides[0], j.sides[1]
	j.picked = j.picked[:0]
	for i := range p.len() {
		l, r := p.slots[0][i], p.slots[1][i]
		lb, la := left.weights(l)
		rb, ra := right.weights(r)
		m := isTrue
		if len(p.marks) > 0 {
			m = p.marks[i]
		}
		left.matchChange(l, lb, rb, ra, m)
		right.matchChange(r, rb, lb, la, m)
		w := la*ra - lb*rb
		if mutant.On("pairs are not netted") {
			w = (la - lb) * ra
		}
		if w != 0 && !j.cfg.Kind.exists() {
			j.picked, p.w = append(j.picked, int32(i)), append(p.w, w)
		}
	}
	p.keep(j.picked)
	err := j.emitPairs(p, out)
	p.clear()
	return err
}

// matchChange adds the change of a partner's weight to the degree of a row; a new row
// counts all of it.
func (s *joinSide) matchChange(slot uint32, own, before, after int64, m mark) {
	d := after - before
	if own == 0 && !mutant.On("a new row has no old matches") {
		d = after
	}
	if s.at.degree < 0 || d == 0 || m == isFalse {
		return
	}
	word := s.at.degree
	if m == isUnknown {
		word = s.at.unknown
	}
	s.touch(slot)[word] += uint64(d)
}

// truthOf is the truth of a left row's match, or of whether a row of either input has one.
func (j *join) truthOf(degree, unknown int64) mark {
	switch {
	case degree > 0:
		return isTrue
	case unknown > 0 && !mutant.On("IN forgets that it does not know"):
		return isUnknown
	}
	return isFalse
}

// showChange emits what a touched row shows of itself now instead of what it showed.
func (j *join) showChange(s *joinSide, t *touch, out Emit) error {
	kind := j.cfg.Kind
	if !j.pads(s) && !(s.port == 0 && (kind.exists() || j.cfg.Single)) {
		return nil
	}
	before, after := j.truths(s, t)
	row := s.store.row(t.slot)
	w := int64(row[s.at.weight])
	if j.cfg.Single && s.port == 0 && w > 0 && int64(row[s.at.degree]) > 1 {
		return j.errTwice()
	}
	held := j.cfg.EmitOnExpiry && row[s.at.home] != lone && !s.ended()
	old, now := t.w, w
	if !j.isShown(s, before) || held && before != isTrue {
		old = 0
	}
	if !j.isShown(s, after) || held && after != isTrue {
		now = 0
	}
	if kind == MarkJoin && before != after {
		if err := j.show(s, t.slot, -old, before, out); err != nil {
			return err
		}
		return j.show(s, t.slot, now, after, out)
	}
	return j.show(s, t.slot, now-old, after, out)
}

// truths are the truth of a touched row's match before and after the trigger.
func (j *join) truths(s *joinSide, t *touch) (before, after mark) {
	row := s.store.row(t.slot)
	switch {
	case row[s.at.home] == lone:
		return isFalse, isFalse
	case j.counted:
		return j.countedTruth(row[s.at.home], true), j.countedTruth(row[s.at.home], false)
	case s.at.degree < 0:
		return isFalse, isFalse
	}
	unknown := int64(0)
	if s.at.unknown >= 0 {
		unknown = int64(row[s.at.unknown])
	}
	return j.truthOf(t.degree, t.unknown), j.truthOf(int64(row[s.at.degree]), unknown)
}

// isShown tells whether a row itself is in the output, given the truth of its match.
func (j *join) isShown(s *joinSide, m mark) bool {
	switch {
	case !j.cfg.Kind.exists():
		return m == isFalse && j.pads(s)
	case s.port == 1:
		return false
	case j.cfg.Kind == SemiJoin:
		return m == isTrue
	}
	return m == isFalse || j.cfg.Kind == MarkJoin
}

// clean takes out the rows that are gone, and ends the netting of the trigger.
func (j *join) clean() error {
	for _, s := range j.sides {
		for _, t := range s.touched {
			row := s.store.row(t.slot)
			row[s.at.mark] &^= 1<<32 - 1
			w := int64(row[s.at.weight])
			home := row[s.at.home]
			switch {
			case home == lone || s.ended():
				j.remove(s, t.slot)
			case w < 0:
				return j.noSuchRow()
			case w == 0 || j.isFinal(s, t.slot):
				j.remove(s, t.slot)
			default:
				s.log.touch(t.slot)
			}
		}
		s.touched = trim(s.touched)
	}
	if err := j.settleCounts(); err != nil {
		return err
	}
	j.dropIdle()
	return nil
}

func (j *join) noSuchRow() error {
	return fmt.Errorf("%s: a row is retracted that was not there", j.cfg.Name)
}

func (j *join) errTwice() error {
	return fmt.Errorf("%s: a subquery used as a value has more than one row: aggregate it, as with max(…), or add LIMIT 1", j.cfg.Name)
}

// isFinal tells that nothing can change any more what a row of a semi, anti or mark join
// shows of itself: it has a match, and nothing is retracted.
func (j *join) isFinal(s *joinSide, slot uint32) bool {
	if s.port != 0 || !j.cfg.Kind.exists() || j.cfg.Sides[0].Retract || j.cfg.Sides[1].Retract {
		return false
	}
	m := j.truthNow(s, slot)
	return m == isTrue || m == isUnknown && j.cfg.Kind == AntiJoin
}

func (j *join) truthNow(s *joinSide, slot uint32) mark {
	row := s.store.row(slot)
	t := touch{slot: slot}
	if row[s.at.home] == lone {
		return isFalse
	}
	_, after := j.truths(s, &t)
	return after
}

// remove forgets a stored row.
func (j *join) remove(s *joinSide, slot uint32) {
	group, part := noRow, noRow
	row := s.store.row(slot)
	if s.at.home >= 0 {
		group, part = uint32(row[s.at.home]), uint32(row[s.at.home]>>32)
	}
	switch {
	case s.at.home >= 0 && row[s.at.home] == lone:
	case s.at.home >= 0 && group == noRow:
		j.loose.remove(s, s.at.link, slot)
	default:
		if g, last := j.keyed.remove(s, s.at.link, slot); last {
			j.idle = append(j.idle, g)
		}
	}
	if s.at.ring >= 0 && group != noRow {
		j.full.remove(s, s.at.ring, slot)
	}
	if part != noRow {
		j.idleParts = append(j.idleParts, part)
	}
	if s.indexed {
		s.index.remove(slot)
	}
	s.log.remove(slot)
	s.store.remove(slot)
	if s.store.live == 0 {
		s.expire.reset()
		s.retire.reset()
	}
	j.stats.Removed++
}
