package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overPart reads one partition, as it is, by position: a row of weight w has w of them.
// It holds a stretch of rows for which functions are computed.
type overPart struct {
	o *over
	p uint32
	q *sequence
	n int64 // positions

	from int64    // position of row[0]
	row  []uint32 // by position

	peersOf          int // len(row) for which the peers are known; 0 = not
	peerFrom, peerTo []int64

	cur  cursor
	cols map[int]*vec.Vector // values of the stretch, by input column
	keep []*vec.Builder
	key  []byte
}

// open goes to a partition; what was known of another, or of this one before a change,
// is forgotten.
func (p *overPart) open(o *over, part uint32) {
	p.o, p.p, p.q = o, part, o.rows.seq(part)
	p.n = p.q.weight
	p.from, p.row, p.peersOf = 0, p.row[:0], 0
	if p.cols == nil {
		p.cols = map[int]*vec.Vector{}
		p.keep = make([]*vec.Builder, len(o.cfg.Types))
	}
}

// stretch takes the rows of a span.
func (p *overPart) stretch(s span) {
	seqs := &p.o.rows.seqs
	seqs.find(p.q, &p.cur, s.lo)
	p.from, p.row, p.peersOf = 0, trim(p.row), 0
	clear(p.cols)
	if !p.cur.valid() {
		return
	}
	p.from = p.cur.before()
	for ; p.cur.valid() && p.o.rows.compareRows(p.cur.row(), s.hi) <= 0; p.cur.next() {
		for range p.o.rows.weight(p.cur.row()) {
			p.row = append(p.row, p.cur.row())
		}
	}
}

// column are the values of an input column over the stretch.
func (p *overPart) column(c int) *vec.Vector {
	if v, ok := p.cols[c]; ok {
		return v
	}
	if p.keep[c] == nil {
		p.keep[c] = vec.NewBuilder(p.o.cfg.Types[c])
	}
	p.keep[c].Reset()
	p.o.rows.column(p.row, c, p.keep[c])
	v := p.keep[c].Finish()
	p.cols[c] = v
	return v
}

// at is the row at a position, which must be in the partition.
func (p *overPart) at(pos int64) uint32 {
	if i := pos - p.from; i >= 0 && i < int64(len(p.row)) {
		return p.row[i]
	}
	p.o.rows.seqs.at(p.q, &p.cur, pos)
	return p.cur.row()
}

// position of the first row for which below is false.
func (p *overPart) seek(below func(row uint32) bool) int64 {
	p.o.rows.seqs.seek(p.q, &p.cur, below)
	return p.cur.before()
}

// groupStart and groupEnd are where the peers of a row begin and end.
func (p *overPart) groupStart(row uint32) int64 {
	keys := &p.o.rows.keys
	return p.seek(func(r uint32) bool { return keys.compare(r, row) < 0 })
}

func (p *overPart) groupEnd(row uint32) int64 {
	keys := &p.o.rows.keys
	return p.seek(func(r uint32) bool { return keys.compare(r, row) <= 0 })
}

// keyStart and keyEnd are where rows with an order key begin and end.
func (p *overPart) keyStart(key []byte) int64 {
	head, tail, keys := keyHead(key), keyTail(key), &p.o.rows.keys
	return p.seek(func(r uint32) bool { return keys.compareKey(r, head, tail) < 0 })
}

func (p *overPart) keyEnd(key []byte) int64 {
	head, tail, keys := keyHead(key), keyTail(key), &p.o.rows.keys
	return p.seek(func(r uint32) bool { return keys.compareKey(r, head, tail) <= 0 })
}

// peers finds where the peers of each row of the stretch begin and end.
func (p *overPart) peers() (from, to []int64) {
	n := len(p.row)
	if p.peersOf == n {
		return p.peerFrom, p.peerTo
	}
	p.peersOf = n
	p.peerFrom, p.peerTo = growZero(p.peerFrom, n)[:n], growZero(p.peerTo, n)[:n]
	start, end := p.groupStart(p.row[0]), p.groupEnd(p.row[n-1])
	for i := range n {
		if i > 0 && p.row[i] != p.row[i-1] && !p.o.rows.peers(p.row[i], p.row[i-1]) {
			start = p.from + int64(i)
		}
		p.peerFrom[i] = start
	}
	for i := n - 1; i >= 0; i-- {
		if i < n-1 && p.peerFrom[i] != p.peerFrom[i+1] {
			end = p.peerFrom[i+1]
		}
		p.peerTo[i] = end
	}
	return p.peerFrom, p.peerTo
}

// notNull are the positions of the rows whose order key is not NULL.
func (p *overPart) notNull() (from, to int64) {
	if p.o.cfg.Order[0].Order.NullsFirst() {
		return p.keyEnd(p.o.null), p.n
	}
	return 0, p.keyStart(p.o.null)
}

// bounds computes one end of the frame of each row of the stretch: the position where it
// begins or, for an end, the one after the last.
func (p *overPart) bounds(unit fn.FrameUnit, b OverBound, end bool, out []int64) []int64 {
	n := len(p.row)
	out = growZero(out, n)[:n]
	switch {
	case b.Kind == fn.UnboundedPreceding:
		clear(out)
	case b.Kind == fn.UnboundedFollowing:
		for i := range out {
			out[i] = p.n
		}
	case b.Varies && b.By >= 0:
		p.varyingBounds(unit, b, end, out)
	case unit == fn.FrameSession:
		p.sessionBounds(b, end, out)
	case unit == fn.FrameRows:
		p.rowBounds(b, end, out)
	case b.Kind == fn.CurrentRow:
		from, to := p.peers()
		if end {
			from = to
		}
		copy(out, from)
	case unit == fn.FrameGroups:
		p.groupBounds(b, end, out)
	default:
		p.rangeBounds(b, end, out)
	}
	return out
}

func (p *overPart) rowBounds(b OverBound, end bool, out []int64) {
	by := b.Offset
	switch b.Kind {
	case fn.Preceding:
		by = -by
	case fn.CurrentRow:
		by = 0
	}
	if end {
		by++
	}
	for i := range out {
		out[i] = max(min(p.from+int64(i)+by, p.n), 0)
	}
}

// varyingBounds finds the bound of each row by an offset of its own. Where that is NULL,
// the frame ends before it begins.
func (p *overPart) varyingBounds(unit fn.FrameUnit, b OverBound, end bool, out []int64) {
	by := p.column(b.By)
	for i := range out {
		one := OverBound{Kind: b.Kind}
		switch {
		case by.IsNull(i) && end:
			out[i] = 0
			continue
		case by.IsNull(i):
			out[i] = p.n
			continue
		}
		one.Offset = min(by.Int(i), p.n)
		if unit == fn.FrameGroups {
			out[i] = p.groupAway(p.row[i], one, end)
			continue
		}
		if b.Kind == fn.Preceding {
			one.Offset = -one.Offset
		}
		if end {
			one.Offset++
		}
		out[i] = max(min(p.from+int64(i)+one.Offset, p.n), 0)
	}
}

// groupAway walks over groups of peers from a row.
func (p *overPart) groupAway(row uint32, b OverBound, end bool) int64 {
	start, stop := p.groupStart(row), p.groupEnd(row)
	for k := int64(0); k < b.Offset; k++ {
		switch {
		case b.Kind == fn.Preceding && start == 0:
			return 0
		case b.Kind == fn.Following && stop == p.n:
			return p.n
		case b.Kind == fn.Preceding:
			stop = start
			start = p.groupStart(p.at(start - 1))
		default:
			start = stop
			stop = p.groupEnd(p.at(stop))
		}
	}
	if end {
		return stop
	}
	return start
}

// groupBounds goes from group to group, along the starts of the groups of the stretch and
// of those around it that a frame reaches.
func (p *overPart) groupBounds(b OverBound, end bool, out []int64) {
	from, _ := p.peers()
	var starts []int64 // of groups that follow one another; the last is an end
	for i, s := range from {
		if i == 0 || s != from[i-1] {
			starts = append(starts, s)
		}
	}
	first := 0 // in starts: the first group of the stretch
	if b.Kind == fn.Preceding {
		var before []int64
		for at := starts[0]; int64(len(before)) < b.Offset && at > 0; {
			at = p.groupStart(p.at(at - 1))
			before = append(before, at)
		}
		first = len(before)
		for i, j := 0, len(before)-1; i < j; i, j = i+1, j-1 {
			before[i], before[j] = before[j], before[i]
		}
		starts = append(before, starts...)
	}
	at := p.peerTo[len(out)-1]
	starts = append(starts, at)
	for k := int64(0); b.Kind == fn.Following && k < b.Offset && at < p.n; k++ {
		at = p.groupEnd(p.at(at))
		starts = append(starts, at)
	}
	g := first - 1
	for i := range out {
		if i == 0 || from[i] != from[i-1] {
			g++
		}
		out[i] = groupBound(starts, g, b, end, p.n)
	}
}

func groupBound(starts []int64, g int, b OverBound, end bool, n int64) int64 {
	k := int(min(b.Offset, int64(len(starts))))
	if b.Kind == fn.Preceding {
		k = -k
	}
	g += k
	if end {
		g++
	}
	switch {
	case g < 0:
		return 0
	case g >= len(starts):
		return n
	}
	return starts[g]
}

// rangeBounds finds the limit of each row among the keys. Peers have the same limit, unless it varies.
func (p *overPart) rangeBounds(b OverBound, end bool, out []int64) {
	from, to := p.peers()
	keys, limits := p.column(p.o.cfg.Order[0].Col), p.column(b.Limit)
	for i := range out {
		switch {
		case i > 0 && from[i] == from[i-1] && !b.Varies:
			out[i] = out[i-1]
		case keys.IsNull(i) && end:
			out[i] = to[i]
		case keys.IsNull(i):
			out[i] = from[i]
		case limits.IsNull(i): // out of the type
			first, last := p.notNull()
			out[i] = last
			if b.Kind == fn.Preceding {
				out[i] = first
			}
		default:
			p.key = vec.AppendSortKey(p.key[:0], limits, i, p.o.cfg.Order[0].Order)
			if end {
				out[i] = p.keyEnd(p.key)
			} else {
				out[i] = p.keyStart(p.key)
			}
		}
	}
}

// extent is a run of positions.
type extent struct{ from, to int64 }

// pieces are the positions of a frame without what it excludes.
func (p *overPart) pieces(x fn.Exclusion, i int, s, e int64, into []extent) []extent {
	into = into[:0]
	add := func(from, to int64) {
		if from < to {
			into = append(into, extent{from, to})
		}
	}
	if x == fn.ExcludeNothing {
		add(s, e)
		return into
	}
	pos := p.from + int64(i)
	from, to := pos, pos+1
	if x != fn.ExcludeCurrentRow {
		pf, pt := p.peers()
		from, to = pf[i], pt[i]
	}
	add(s, min(e, from))
	if x == fn.ExcludeTies && pos >= s && pos < e {
		add(pos, pos+1)
	}
	add(max(s, to), e)
	return into
}
