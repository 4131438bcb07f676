package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// span is a stretch of a partition, from one row to another, both included. Either may be
// a row that is not in the partition, or no longer.
type span struct {
	lo, hi uint32
	from   int64 // where it lies before the changes are applied
	to     int64
}

// Which rows are touched is told from the partition before the changes alone: a row
// whose frame reaches a change only because rows between them went away is within the
// same reach of the last of those, which is a change too. Offsets count from the row
// itself, so the reach of a frame includes the way to it: the frame of a row moves when a
// row comes in between.

// touch finds the spans of a partition that depend on its pending changes.
func (o *over) touch(p uint32) {
	o.spans = o.spans[:0]
	changes := slices.DeleteFunc(o.rows.changes(p), func(c rowChange) bool { return c.w == 0 })
	if len(changes) == 0 {
		return
	}
	slices.SortFunc(changes, func(a, b rowChange) int { return o.rows.compareRows(a.row, b.row) })
	first, last := changes[0].row, changes[len(changes)-1].row
	o.part.open(o, p)
	if o.part.n == 0 {
		o.spans = append(o.spans, span{lo: first, hi: last})
		return
	}
	sum := int64(0)
	for _, c := range changes {
		sum += c.w
	}
	for _, c := range changes {
		o.addSpan(c.row, o.reach(c.row))
		if s := o.spans[len(o.spans)-1]; s.from == 0 && s.to == o.part.n {
			break // nothing is left to touch, but for rows that are new
		}
	}
	for i := range o.cfg.Funcs {
		if f := &o.cfg.Funcs[i]; f.Agg == nil && f.Kind <= fn.Rank {
			o.renumber(f.Kind, first, last, sum)
		}
	}
	o.cover(first, last)
}

// cover makes the last span reach changes beyond it, where touch stopped early.
func (o *over) cover(first, last uint32) {
	a, b := &o.spans[0], &o.spans[len(o.spans)-1]
	if o.rows.compareRows(first, a.lo) < 0 {
		a.lo = first
	}
	if o.rows.compareRows(last, b.hi) > 0 {
		b.hi = last
	}
}

// reach is the stretch of positions that a change of a row touches.
func (o *over) reach(row uint32) extent {
	p := &o.part
	at := p.seek(func(r uint32) bool { return o.rows.compareRows(r, row) < 0 })
	c := overChange{row: row, at: at, end: at + o.rows.weight(row)}
	out := extent{at, c.end}
	for i := range o.cfg.Funcs {
		from, to := o.reachOf(&o.cfg.Funcs[i], c)
		out.from, out.to = min(out.from, max(from, 0)), max(out.to, min(to, p.n))
	}
	return out
}

// overChange is a row that changes, and its positions before.
type overChange struct {
	row     uint32
	at, end int64
}

func (o *over) reachOf(f *OverFunc, c overChange) (from, to int64) {
	p := &o.part
	switch {
	case f.framed() && (f.Frame.Start.Varies || f.Frame.End.Varies), f.Steered && !f.framed():
		return 0, p.n
	case f.framed():
		return o.reachOfFrame(&f.Frame, c)
	}
	switch f.Kind {
	case fn.Fill:
		return o.reachOfFill(f, c)
	case fn.RowNumber, fn.Rank:
		return c.at, c.end // see renumber
	case fn.DenseRank:
		return c.at, p.n
	case fn.Lag, fn.Lead:
		if f.IgnoreNulls {
			return o.reachOverNulls(f, c)
		}
		if f.Kind == fn.Lead {
			return c.at - f.N, c.end
		}
		if mutant.On("lag looks back one row less") {
			return c.at, c.end + f.N - 1
		}
		return c.at, c.end + f.N
	}
	return 0, p.n
}

// reachOverNulls goes on until as many values that are not NULL have been met.
func (o *over) reachOverNulls(f *OverFunc, c overChange) (from, to int64) {
	p, left := &o.part, f.N
	if f.Kind == fn.Lag {
		for to = c.end; to < p.n && left > 0; to++ {
			if !o.isNull(p.at(to), f.Args[0]) {
				left--
			}
		}
		return c.at, to
	}
	for from = c.at; from > 0 && left > 0; from-- {
		if !o.isNull(p.at(from-1), f.Args[0]) {
			left--
		}
	}
	return from, c.end
}

// isNull reads one value of a row.
func (o *over) isNull(row uint32, col int) bool {
	return o.value(row, col).IsNull(0)
}

// value is one value of a row, valid until the next call for the same column.
func (o *over) value(row uint32, col int) *vec.Vector {
	if o.ones == nil {
		o.ones = make([]*vec.Builder, len(o.cfg.Types))
	}
	if o.ones[col] == nil {
		o.ones[col] = vec.NewBuilder(o.cfg.Types[col])
	}
	b := o.ones[col]
	b.Reset()
	o.one[0] = row
	o.rows.column(o.one[:], col, b)
	return b.Finish()
}

func (o *over) reachOfFrame(f *OverFrame, c overChange) (from, to int64) {
	switch f.Unit {
	case fn.FrameRows:
		return o.reachOfRows(f, c)
	case fn.FrameGroups:
		return o.reachOfGroups(f, c)
	case fn.FrameSession:
		return o.reachOfSession(f, c)
	}
	return o.reachBack(f, c), o.reachAhead(f, c)
}

func (o *over) reachOfRows(f *OverFrame, c overChange) (from, to int64) {
	from, to = c.at, c.end
	switch f.End.Kind {
	case fn.Following:
		from -= f.End.Offset
	case fn.UnboundedFollowing:
		from = 0
	}
	switch f.Start.Kind {
	case fn.Preceding:
		to += f.Start.Offset
	case fn.UnboundedPreceding:
		to = o.part.n
	}
	if mutant.On("rows before a change keep their frame") {
		from = c.at
	}
	return from, to
}

// reachOfGroups goes over as many groups of peers as the frame.
func (o *over) reachOfGroups(f *OverFrame, c overChange) (from, to int64) {
	p := &o.part
	from, to = p.groupStart(c.row), p.groupEnd(c.row)
	switch f.End.Kind {
	case fn.UnboundedFollowing:
		from = 0
	case fn.Following:
		for k := int64(0); k < f.End.Offset && from > 0; k++ {
			from = p.groupStart(p.at(from - 1))
		}
	}
	switch f.Start.Kind {
	case fn.UnboundedPreceding:
		to = p.n
	case fn.Preceding:
		for k := int64(0); k < f.Start.Offset && to < p.n; k++ {
			to = p.groupEnd(p.at(to))
		}
	}
	return from, to
}

// reachBack is the first row whose RANGE frame ends at or after the changed row.
func (o *over) reachBack(f *OverFrame, c overChange) int64 {
	switch {
	case f.End.Kind == fn.UnboundedFollowing:
		return 0
	case f.End.Kind == fn.CurrentRow || o.isNull(c.row, o.cfg.Order[0].Col):
		return o.part.groupStart(c.row)
	}
	return o.part.seek(func(r uint32) bool { return o.limitAgainst(r, f.End, c.row) < 0 })
}

// reachAhead is the row after the last whose RANGE frame begins at or before it.
func (o *over) reachAhead(f *OverFrame, c overChange) int64 {
	switch {
	case f.Start.Kind == fn.UnboundedPreceding:
		return o.part.n
	case f.Start.Kind == fn.CurrentRow || o.isNull(c.row, o.cfg.Order[0].Col):
		return o.part.groupEnd(c.row)
	}
	return o.part.seek(func(r uint32) bool { return o.limitAgainst(r, f.Start, c.row) <= 0 })
}

// limitAgainst orders the limit of row r and a row whose order key is not NULL.
func (o *over) limitAgainst(r uint32, b OverBound, row uint32) int {
	if o.isNull(r, o.cfg.Order[0].Col) { // the limit is the row itself
		return o.rows.keys.compare(r, row)
	}
	v := o.value(r, b.Limit)
	switch {
	case !v.IsNull(0):
		o.key = vec.AppendSortKey(o.key[:0], v, 0, o.cfg.Order[0].Order)
		return -o.rows.keys.compareKey(row, keyHead(o.key), keyTail(o.key))
	case b.Kind == fn.Preceding:
		return -1
	}
	return 1
}

// renumber adds the rows whose number changes: all behind the first change or, where as
// many rows came as went, those up to the last.
func (o *over) renumber(kind fn.WindowKind, first, last uint32, sum int64) {
	p := &o.part
	from := p.seek(func(r uint32) bool { return o.rows.compareRows(r, first) < 0 })
	to := p.n
	switch {
	case sum != 0 && !mutant.On("numbers change up to the last change only"):
	case kind == fn.Rank:
		to = p.groupEnd(last)
	default:
		to = p.seek(func(r uint32) bool { return o.rows.compareRows(r, last) <= 0 })
	}
	merged := span{lo: first, hi: last, from: from, to: to}
	kept := o.spans[:0]
	for _, s := range o.spans {
		if s.from <= merged.to && s.to >= merged.from {
			merged = o.united(merged, s)
		} else {
			kept = append(kept, s)
		}
	}
	o.spans = append(kept, o.edges(merged))
	slices.SortFunc(o.spans, func(a, b span) int { return o.rows.compareRows(a.lo, b.lo) })
}

// addSpan adds the reach of a changed row, which lies behind the spans so far or meets the
// last ones.
func (o *over) addSpan(row uint32, reach extent) {
	s := o.edges(span{lo: row, hi: row, from: reach.from, to: reach.to})
	for n := len(o.spans); n > 0 && o.spans[n-1].to >= s.from; n-- {
		s = o.united(s, o.spans[n-1])
		o.spans = o.spans[:n-1]
	}
	o.spans = append(o.spans, s)
}

// edges makes a span reach the rows at its ends, with all of their copies.
func (o *over) edges(s span) span {
	if s.from >= s.to {
		return s
	}
	p, seqs := &o.part, &o.rows.seqs
	s.from -= seqs.at(p.q, &p.cur, s.from)
	if r := p.cur.row(); o.rows.compareRows(r, s.lo) < 0 {
		s.lo = r
	}
	copies := seqs.at(p.q, &p.cur, s.to-1)
	r := p.cur.row()
	s.to += o.rows.weight(r) - 1 - copies
	if o.rows.compareRows(r, s.hi) > 0 {
		s.hi = r
	}
	return s
}

func (o *over) united(a, b span) span {
	if o.rows.compareRows(b.lo, a.lo) < 0 {
		a.lo = b.lo
	}
	if o.rows.compareRows(b.hi, a.hi) > 0 {
		a.hi = b.hi
	}
	a.from, a.to = min(a.from, b.from), max(a.to, b.to)
	return a
}
