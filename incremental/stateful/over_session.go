package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
)

// A frame of the unit SESSION has the rows of a session: each of them comes before the one
// before it, moved by the gap. The limit of both bounds is the order key moved by it. Rows
// whose order key is NULL are one session.

// joined reports that of two rows that follow each other the second continues the session
// of the first.
func (o *over) joined(b OverBound, first, second uint32) bool {
	a, z := o.isNull(first, o.cfg.Order[0].Col), o.isNull(second, o.cfg.Order[0].Col)
	if a || z {
		return a && z
	}
	c := o.limitAgainst(first, OverBound{Kind: fn.Following, Limit: b.Limit}, second)
	return c > 0 || c == 0 && mutant.On("a row at the end of the gap continues a session")
}

// sessionStart and sessionEnd are where the session of the row at a position begins and ends.
func (p *overPart) sessionStart(b OverBound, pos int64) int64 {
	for pos > 0 && p.o.joined(b, p.at(pos-1), p.at(pos)) {
		pos--
	}
	return pos
}

func (p *overPart) sessionEnd(b OverBound, pos int64) int64 {
	for pos++; pos < p.n && p.o.joined(b, p.at(pos-1), p.at(pos)); pos++ {
	}
	return pos
}

// sessionBounds finds the sessions of the rows of the stretch.
func (p *overPart) sessionBounds(b OverBound, end bool, out []int64) {
	n := len(out)
	if end {
		at := p.sessionEnd(b, p.from+int64(n)-1)
		for i := n - 1; i >= 0; i-- {
			if i < n-1 && !p.o.joined(b, p.row[i], p.row[i+1]) {
				at = p.from + int64(i) + 1
			}
			out[i] = at
		}
		return
	}
	at := p.sessionStart(b, p.from)
	for i := range out {
		if i > 0 && !p.o.joined(b, p.row[i-1], p.row[i]) {
			at = p.from + int64(i)
		}
		out[i] = at
	}
}

// reachOfSession is the session before a changed row and the one behind it, where the row
// joins them.
func (o *over) reachOfSession(f *OverFrame, c overChange) (from, to int64) {
	p := &o.part
	from, to = c.at, c.end
	if from > 0 && o.joined(f.End, p.at(from-1), c.row) && !mutant.On("a row that comes late to a session leaves the rows before it") {
		from = p.sessionStart(f.End, from-1)
	}
	if to < p.n && o.joined(f.End, c.row, p.at(to)) {
		to = p.sessionEnd(f.End, to)
	}
	return from, to
}

// finalSessions is finalOf for a session: it is final when its last row, moved by the gap,
// is no more than the bound.
func (o *over) finalSessions(b OverBound, cut, bound int64) int64 {
	p := &o.part
	if cut == 0 || o.isNull(p.at(cut-1), o.cfg.Order[0].Col) {
		return cut
	}
	if v := o.value(p.at(cut-1), b.Limit); !v.IsNull(0) && v.Int(0) <= bound {
		return cut
	}
	if mutant.On("a session is final before the gap is over") {
		return cut
	}
	return p.sessionStart(b, cut-1)
}
