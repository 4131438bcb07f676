package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Where no residual asks for more, the right rows of a semi, anti or mark join are only
// counted, by key; for IN, besides, by their selecting keys: all rows, and those with NULL.

// groupCounts are the weights of the right rows of each group.
type groupCounts struct {
	n       []int64
	mark    []uint32 // place among touched + 1
	touched []countTouch
	live    int // groups with rows
}

type countTouch struct {
	group      uint32
	rows, nuls int64 // before the trigger
}

func (c *groupCounts) grow(n int) { c.n, c.mark = growZero(c.n, n), growZero(c.mark, n) }

func (c *groupCounts) add(g uint32, w int64) {
	if c.mark[g] == 0 {
		c.touched = append(c.touched, countTouch{group: g, rows: c.n[g]})
		c.mark[g] = uint32(len(c.touched))
	}
	c.n[g] += w
}

// at is the count of a group before or after the trigger.
func (c *groupCounts) at(g uint32, before bool) int64 {
	switch {
	case int(g) >= len(c.n):
		return 0
	case before && c.mark[g] != 0:
		return c.touched[c.mark[g]-1].rows
	}
	return c.n[g]
}

func (c *groupCounts) bytes() int64 {
	return int64(8*cap(c.n) + 4*cap(c.mark) + 24*cap(c.touched))
}

// partTotals count the right rows that IN compares, by their selecting keys.
type partTotals struct {
	rows, nulls []int64
	mark        []uint32
	touched     []countTouch
}

func (p *partTotals) grow(n int) {
	p.rows, p.nulls, p.mark = growZero(p.rows, n), growZero(p.nulls, n), growZero(p.mark, n)
}

func (p *partTotals) add(part uint32, rows, nulls int64) {
	if p.mark[part] == 0 {
		p.touched = append(p.touched, countTouch{part, p.rows[part], p.nulls[part]})
		p.mark[part] = uint32(len(p.touched))
	}
	p.rows[part] += rows
	p.nulls[part] += nulls
}

func (p *partTotals) at(part uint32, before bool) (rows, nulls int64) {
	if before && p.mark[part] != 0 {
		t := p.touched[p.mark[part]-1]
		return t.rows, t.nuls
	}
	return p.rows[part], p.nulls[part]
}

// asked tells whether there are right rows that IN compares.
func (p *partTotals) asked(part uint32) bool {
	return int(part) < len(p.rows) && (p.rows[part] != 0 || p.nulls[part] != 0)
}

func (p *partTotals) bytes() int64 {
	return int64(8*(cap(p.rows)+cap(p.nulls)) + 4*cap(p.mark) + 24*cap(p.touched))
}

// count adds right rows on time to the counts.
func (j *join) count(s *joinSide, b *vec.Batch) {
	if j.cfg.NullAware > 0 {
		loose := j.looseRows(s, b.Cols)
		j.findParts(s, b.Cols, loose)
		for i, r := range loose {
			j.totals.add(s.part[i], b.Weight(int(r)), b.Weight(int(r)))
		}
		j.findParts(s, b.Cols, s.rows)
		for i, r := range s.rows {
			j.totals.add(s.part[i], b.Weight(int(r)), 0)
		}
	}
	j.find(s, b.Cols, s.rows)
	j.counts.grow(len(j.keyed.heads))
	for i, r := range s.rows {
		g := s.groups[i]
		if s.Keep != nil && s.Keep.Col >= 0 && j.counts.n[g] == 0 && j.counts.mark[g] == 0 {
			s.expire.add(s.untilOf(b.Cols, int(r)), g)
		}
		j.counts.add(g, b.Weight(int(r)))
	}
}

// countedTruth is the truth of the match of a left row at home, before or after the
// trigger.
func (j *join) countedTruth(home uint64, before bool) mark {
	group, part := uint32(home), uint32(home>>32)
	count, unknown := int64(0), int64(0)
	if group != noRow {
		count = j.counts.at(group, before)
	}
	if part != noRow {
		rows, nulls := j.totals.at(part, before)
		if unknown = nulls; group == noRow {
			unknown = rows
		}
	}
	return j.truthOf(count, unknown)
}

// affected touches the left rows whose match may have become true or false.
func (j *join) affected() {
	left := j.sides[0]
	touchAll := func(c *chains, group uint32, word int) {
		for m := c.first(0, group); m != 0; m = uint32(left.store.word(m-1, word)) {
			left.touch(m - 1)
		}
	}
	for _, t := range j.counts.touched {
		if flips(t.rows, j.counts.n[t.group]) {
			touchAll(&j.keyed, t.group, left.at.link)
		}
	}
	for _, t := range j.totals.touched {
		if flips(t.nuls, j.totals.nulls[t.group]) && !mutant.On("a NULL on the right changes nothing") {
			touchAll(&j.full, t.group, left.at.ring)
		}
		if flips(t.rows, j.totals.rows[t.group]) {
			touchAll(&j.loose, t.group, left.at.link)
		}
	}
}

func flips(before, after int64) bool { return (before > 0) != (after > 0) }

// settleCounts ends the netting of the counts.
func (j *join) settleCounts() error {
	c := &j.counts
	for _, t := range c.touched {
		c.mark[t.group] = 0
		switch n := c.n[t.group]; {
		case n < 0 && !j.expired(t.group):
			return j.noSuchRow()
		case (n == 0) != (t.rows == 0):
			c.live += boolInt(n != 0) - boolInt(t.rows != 0)
		}
		j.logs.count(j, t.group)
		j.idle = append(j.idle, t.group)
	}
	p := &j.totals
	for _, t := range p.touched {
		p.mark[t.group] = 0
		if (p.rows[t.group] < 0 || p.nulls[t.group] < 0) && !j.expiredPart(t.group) {
			return j.noSuchRow()
		}
		j.logs.total(j, t.group)
		j.idleParts = append(j.idleParts, t.group)
	}
	c.touched, p.touched = trim(c.touched), trim(p.touched)
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// dropIdle forgets the counts that no left row asks for and that none to come can, and
// the groups of which nothing is left.
func (j *join) dropIdle() {
	for _, g := range distinctGroups(j.idle) {
		if j.counts.at(g, false) != 0 {
			if !j.expired(g) {
				continue
			}
			j.counts.n[g] = 0
			j.counts.live--
			j.logs.count(j, g)
			j.stats.Removed++
		}
		if j.keyed.empty(g) && j.table != nil {
			j.table.Delete(g)
		}
	}
	for _, p := range distinctGroups(j.idleParts) {
		if j.totals.asked(p) {
			if !j.expiredPart(p) {
				continue
			}
			j.totals.rows[p], j.totals.nulls[p] = 0, 0
			j.logs.total(j, p)
		}
		if j.parts != nil && j.loose.empty(p) && j.full.empty(p) {
			j.parts.Delete(p)
		}
	}
	j.idle, j.idleParts = trim(j.idle), trim(j.idleParts)
	j.release()
}

func distinctGroups(groups []uint32) []uint32 {
	if len(groups) < 2 {
		return groups
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// expired tells that no left row is there or will come that asks for the count of a
// group.
func (j *join) expired(g uint32) bool {
	s := j.sides[1]
	if s.Keep == nil || s.closed == NoFrontier || j.keyed.first(0, g) != 0 {
		return false
	}
	return s.ended() || s.Keep.Col >= 0 && j.groupUntil(g) < s.closed
}

// expiredPart is expired for the totals of selecting keys.
func (j *join) expiredPart(p uint32) bool {
	return j.sides[1].ended() && j.loose.first(0, p) == 0 && j.full.first(0, p) == 0
}

// endCounts looks at all counts when no left row can come any more.
func (j *join) endCounts() {
	j.idle = liveGroups(j.idle, j.table)
	if j.cfg.NullAware > 0 {
		j.idleParts = liveGroups(j.idleParts, j.parts)
	}
}

func liveGroups(dst []uint32, t *hash.Table) []uint32 {
	if t == nil {
		return append(dst, 0)
	}
	t.Each(func(g uint32) { dst = append(dst, g) })
	return dst
}

// groupUntil is the last frontier at which the count of a group is kept.
func (j *join) groupUntil(g uint32) int64 {
	s := j.sides[1]
	k := slices.Index(s.keys, s.Keep.Col)
	b := vec.NewBuilder(j.cfg.KeyTypes[k])
	j.table.Key([]uint32{g}, k, b)
	v := b.Finish()
	if v.IsNull(0) {
		return EndOfInput
	}
	return min(later(v.Int(0), s.Keep.Shift), EndOfInput-1)
}

// release gives memory back when nothing is left.
func (j *join) release() {
	if j.table != nil && j.table.Len() == 0 && j.table.Cap() > 0 {
		j.table, j.keyed, j.counts = hash.New(j.cfg.KeyTypes), chains{}, groupCounts{}
	}
	if j.parts != nil && j.parts.Len() == 0 && j.parts.Cap() > 0 {
		j.parts = hash.New(j.cfg.KeyTypes[j.cfg.NullAware:])
		j.loose, j.full, j.totals = chains{}, chains{}, partTotals{}
	}
}

// compare finds, for IN, how the compared keys of each pair relate.
func (j *join) compare(p *pairSet) {
	if j.cfg.NullAware == 0 {
		return
	}
	for range p.len() {
		p.marks = append(p.marks, isTrue)
	}
	for k := range j.cfg.NullAware {
		l := j.column(p, 0, j.cfg.Keys[0][k], j.compared[0])
		r := j.column(p, 1, j.cfg.Keys[1][k], j.compared[1])
		for i := range p.marks {
			switch {
			case l.IsNull(i) || r.IsNull(i):
				p.marks[i] = min(p.marks[i], isUnknown)
			case !vec.Equal(l, i, r, i):
				p.marks[i] = isFalse
			}
		}
	}
}
