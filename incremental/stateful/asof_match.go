package stateful

import (
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// settleKeys settles the keys of which an input has changes.
func (a *asof) settleKeys(port int) error {
	s, o := a.sides[port], a.sides[1-port]
	touched := s.touched
	for from := 0; from < len(touched); from += vec.BatchSize {
		ps := touched[from:min(from+vec.BatchSize, len(touched))]
		for i, mate := range a.mate(s, o, ps) {
			p := [2]uint32{ps[i], mate}
			if port == 1 {
				p[0], p[1] = p[1], p[0]
			}
			if err := a.settleKey(p[0], p[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mate finds the partitions of the other input with the keys of ps; hash.Missing if there is
// none. The list is valid until the next call.
func (a *asof) mate(s, o *asofSide, ps []uint32) []uint32 {
	a.mates = growZero(a.mates, len(ps))[:len(ps)]
	a.cols = a.cols[:0]
	for k, b := range a.keys {
		b.Reset()
		s.parts.Key(ps, k, b)
		a.cols = append(a.cols, b.Finish())
	}
	if o.parts.Len() == 0 {
		for i := range a.mates {
			a.mates[i] = hash.Missing
		}
		return a.mates
	}
	o.parts.Find(a.cols, nil, nil, a.mates)
	return a.mates
}

// settleKey brings the changes of a key into the state, and finds what they change in the
// output.
func (a *asof) settleKey(lp, rp uint32) error {
	l, r := a.sides[0], a.sides[1]
	changedL, changedR := l.changed(lp), r.changed(rp)
	if !changedL && !changedR {
		return nil // settled from the other side
	}
	a.stats.Updated++
	if !a.cfg.EmitOnClose {
		a.reach(lp, rp)
	}
	if changedL {
		if err := l.apply(lp); err != nil {
			return err
		}
	}
	if changedR {
		if err := r.apply(rp); err != nil {
			return err
		}
	}
	for _, h := range a.hits {
		a.compare(h, rp)
	}
	a.hits = trim(a.hits)
	return nil
}

// changed tells whether a partition has pending changes.
func (s *asofSide) changed(p uint32) bool { return p != hash.Missing && s.of[p].head != 0 }

// reach lists the left rows that are changed, or whose match may be.
func (a *asof) reach(lp, rp uint32) {
	l, r := a.sides[0], a.sides[1]
	if l.changed(lp) {
		for _, c := range l.changes(lp) {
			a.hit(c.row, rp)
		}
	}
	if lp == hash.Missing || !r.changed(rp) || l.seq(lp).empty() {
		return
	}
	a.moved = a.moved[:0]
	for _, c := range r.changes(rp) {
		if old := r.weight(c.row); (old > 0) != (old+c.w > 0) {
			a.moved = append(a.moved, c.row)
		}
	}
	r.sort(a.moved)
	var next, at cursor
	end := uint32(0)
	for i, row := range a.moved {
		r.seqs.seek(r.seq(rp), &next, func(x uint32) bool { return a.upTo(x, row) })
		if i > 0 && next.valid() && next.row() == end || i > 0 && !next.valid() && end == hash.Missing {
			continue // reached from the row before
		}
		if end = hash.Missing; next.valid() {
			end = next.row()
		}
		for a.from(lp, row, &at); at.valid() && (end == hash.Missing || !a.covers(end, at.row())); at.next() {
			a.hit(at.row(), rp)
		}
	}
}

// from moves a cursor to the first left row for which a right row is not too late.
func (a *asof) from(lp, right uint32, c *cursor) {
	l := a.sides[0]
	l.seqs.seek(l.seq(lp), c, func(x uint32) bool { return !a.covers(right, x) })
}

// covers tells that a right row is not behind a left one: by time alone it may be its
// match.
func (a *asof) covers(right, left uint32) bool {
	l, r := a.sides[0], a.sides[1]
	c := r.keys.compareKey(right, l.keys.head[left], l.keys.rest(left))
	if mutant.On("a right row of the same time always matches") {
		return c <= 0
	}
	return c < 0 || c == 0 && !a.cfg.Strict
}

// hit notes what the output has of a left row, before the trigger's changes are applied.
func (a *asof) hit(row, rp uint32) {
	l := a.sides[0]
	if l.seen[row] {
		return
	}
	l.seen[row] = true
	h := asofHit{row: row, w: l.weight(row)}
	if h.w > 0 {
		h.match = a.match(row, rp)
	}
	a.hits = append(a.hits, h)
}

// match is the right row of a left one + 1, 0 if there is none.
func (a *asof) match(left, rp uint32) uint32 {
	if rp == hash.Missing {
		return 0
	}
	r := a.sides[1]
	var c cursor
	r.seqs.seek(r.seq(rp), &c, func(x uint32) bool { return a.covers(x, left) })
	if c.prev(); !c.valid() || a.cfg.Void >= 0 && r.void[c.row()] && !mutant.On("a deleted version is valid") {
		return 0
	}
	return a.first(rp, c.row(), &c) + 1
}

// upTo tells that a right row is not behind another one; of a version, as a row, else by
// time alone.
func (a *asof) upTo(x, row uint32) bool {
	r := a.sides[1]
	if a.cfg.Void >= 0 {
		return r.compareRows(x, row) <= 0
	}
	return r.keys.compare(x, row) <= 0
}

// first is the row that is taken among right rows of one time, the last of which is given:
// the least one; of versions the last.
func (a *asof) first(rp, last uint32, c *cursor) uint32 {
	r := a.sides[1]
	if a.cfg.Void >= 0 || mutant.On("the greatest of several nearest rows is taken") {
		return last
	}
	r.seqs.seek(r.seq(rp), c, func(x uint32) bool { return r.keys.compare(x, last) < 0 })
	return c.row()
}

// compare finds what a row of the output was and is.
func (a *asof) compare(h asofHit, rp uint32) {
	l := a.sides[0]
	l.seen[h.row] = false
	now := asofHit{row: h.row, w: l.weight(h.row)}
	if now.w > 0 {
		now.match = a.match(h.row, rp)
	}
	if h.w > 0 && now.w > 0 && (h.match == now.match || mutant.On("a left row keeps its first match")) {
		a.change(h, now.w-h.w)
		return
	}
	a.change(h, -h.w)
	a.change(now, now.w)
}

// change adds a row to the output, w times.
func (a *asof) change(h asofHit, w int64) {
	if w == 0 || h.match == 0 && !a.cfg.Outer {
		return
	}
	list := &a.pairs[0]
	if w > 0 {
		list = &a.pairs[1]
	}
	*list = append(*list, asofPair{h.row, h.match, w})
}
