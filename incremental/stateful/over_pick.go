package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// absent stands for a row that is not there.
const absent = ^uint32(0)

// overValues collects rows whose value is a function's, and appends the values.
type overValues struct {
	rows  []uint32
	found []uint32
	build *vec.Builder
}

func (v *overValues) reset(n int) { v.rows = growZero(v.rows, n)[:0] }

// emit appends column col of the rows; otherwise gives the value where there is no row.
func (v *overValues) emit(o *over, col int, out *vec.Builder, otherwise func(i int)) {
	v.found = v.found[:0]
	for _, r := range v.rows {
		if r != absent {
			v.found = append(v.found, r)
		}
	}
	if v.build == nil {
		v.build = vec.NewBuilder(o.cfg.Types[col])
	}
	v.build.Reset()
	o.rows.column(v.found, col, v.build)
	vals, at := v.build.Finish(), 0
	for i, r := range v.rows {
		if r == absent {
			otherwise(i)
			continue
		}
		out.AppendFrom(vals, at)
		at++
	}
}

// overAway computes lag and lead.
type overAway struct {
	o      *over
	f      *OverFunc
	picked overValues
	queue  []uint32
}

func (a *overAway) values(p *overPart, out *vec.Builder) error {
	a.picked.reset(len(p.row))
	switch {
	case a.f.Steered:
		a.steered(p)
	case a.f.N == 0:
		a.picked.rows = append(a.picked.rows, p.row...)
	case a.f.IgnoreNulls:
		a.overNulls(p)
	default:
		a.byPlace(p)
	}
	a.picked.emit(a.o, a.f.Args[0], out, func(i int) { a.f.otherwise(p, i, out) })
	return nil
}

// steered looks from each row as far as the row says.
func (a *overAway) steered(p *overPart) {
	for i := range p.row {
		n, ok := a.f.steer(p, i)
		step := int64(1)
		if (a.f.Kind == fn.Lag) != (n < 0) {
			step = -1
		}
		row := absent
		if ok {
			row = a.look(p, p.from+int64(i), step, max(n, -n))
		}
		a.picked.rows = append(a.picked.rows, row)
	}
}

// look is the n-th row from a position in a direction, of those that count.
func (a *overAway) look(p *overPart, at, step, n int64) uint32 {
	if n < 0 || n > p.n { // the least number has no opposite
		return absent
	}
	if !a.f.IgnoreNulls {
		at, n = at+step*n, 0
	}
	for ; n > 0; n-- {
		for at += step; at >= 0 && at < p.n && a.o.isNull(p.at(at), a.f.Args[0]); {
			at += step
		}
	}
	if at < 0 || at >= p.n {
		return absent
	}
	return p.at(at)
}

func (a *overAway) byPlace(p *overPart) {
	by := a.f.N
	if a.f.Kind == fn.Lag {
		by = -by
	}
	for i := range p.row {
		row := absent
		if at := p.from + int64(i) + by; at >= 0 && at < p.n {
			row = p.at(at)
		}
		a.picked.rows = append(a.picked.rows, row)
	}
}

// overNulls walks over the stretch with the last N values that are not NULL in a queue,
// forwards for lag and backwards for lead. The queue is filled from before the stretch.
func (a *overAway) overNulls(p *overPart) {
	step, first, edge := int64(1), p.from, int64(-1)
	if a.f.Kind == fn.Lead {
		step, first, edge = -1, p.from+int64(len(p.row))-1, p.n
	}
	a.queue = a.queue[:0] // newest last
	for at := first - step; at != edge && int64(len(a.queue)) < a.f.N; at -= step {
		if r := p.at(at); !a.o.isNull(r, a.f.Args[0]) {
			a.queue = append(a.queue, r)
		}
	}
	for i, j := 0, len(a.queue)-1; i < j; i, j = i+1, j-1 {
		a.queue[i], a.queue[j] = a.queue[j], a.queue[i]
	}
	a.picked.rows = a.picked.rows[:len(p.row)]
	vals := p.column(a.f.Args[0])
	for k := range p.row {
		i := k
		if step < 0 {
			i = len(p.row) - 1 - k
		}
		a.picked.rows[i] = absent
		if n := int64(len(a.queue)); n >= a.f.N {
			a.picked.rows[i] = a.queue[n-a.f.N]
		}
		if !vals.IsNull(i) {
			a.queue = append(a.queue, p.row[i])
		}
	}
}

// overPick computes first_value, last_value and nth_value.
type overPick struct {
	o          *over
	f          *OverFunc
	vals       overValues
	start, end []int64
	pieces     []extent
	gap        extent // positions known to be NULL
}

func (k *overPick) values(p *overPart, out *vec.Builder) error {
	f := &k.f.Frame
	k.start = p.bounds(f.Unit, f.Start, false, k.start)
	k.end = p.bounds(f.Unit, f.End, true, k.end)
	k.vals.reset(len(p.row))
	k.gap = extent{-1, -1}
	for i := range p.row {
		k.pieces = p.pieces(f.Exclude, i, k.start[i], k.end[i], k.pieces)
		row := absent
		if at := k.pick(p, i); at >= 0 {
			row = p.at(at)
		}
		k.vals.rows = append(k.vals.rows, row)
	}
	k.vals.emit(k.o, k.f.Args[0], out, func(int) { out.AppendNull() })
	return nil
}

// pick is the position that the function takes of the pieces, −1 = none.
func (k *overPick) pick(p *overPart, i int) int64 {
	if k.f.Kind == fn.LastValue {
		for i := len(k.pieces) - 1; i >= 0; i-- {
			if at := k.previous(p, k.pieces[i].to-1, k.pieces[i].from); at >= 0 {
				return at
			}
		}
		return -1
	}
	left := int64(1)
	if k.f.Kind == fn.NthValue {
		left, _ = k.f.steer(p, i)
	}
	if left < 1 {
		return -1
	}
	for _, w := range k.pieces {
		if !k.f.IgnoreNulls {
			if left <= w.to-w.from {
				return w.from + left - 1
			}
			left -= w.to - w.from
			continue
		}
		for at := k.next(p, w.from, w.to); at >= 0; at = k.next(p, at+1, w.to) {
			if left--; left == 0 {
				return at
			}
		}
	}
	return -1
}

// next is the first position from at on, and before end, that counts.
func (k *overPick) next(p *overPart, at, end int64) int64 {
	from := at
	for ; at < end; at++ {
		if at >= k.gap.from && at < k.gap.to {
			at = k.gap.to - 1
			continue
		}
		if !k.f.IgnoreNulls || !k.o.isNull(p.at(at), k.f.Args[0]) {
			break
		}
	}
	k.skipped(from, min(at, end))
	if at >= end {
		return -1
	}
	return at
}

// previous is the last position up to at, and not before start, that counts.
func (k *overPick) previous(p *overPart, at, start int64) int64 {
	end := at + 1
	for ; at >= start; at-- {
		if at >= k.gap.from && at < k.gap.to {
			at = k.gap.from
			continue
		}
		if !k.f.IgnoreNulls || !k.o.isNull(p.at(at), k.f.Args[0]) {
			break
		}
	}
	k.skipped(max(at+1, start), end)
	if at < start {
		return -1
	}
	return at
}

// skipped remembers a run of NULLs, so that frames that overlap walk over it once.
func (k *overPick) skipped(from, to int64) {
	switch {
	case from >= to:
	case from <= k.gap.to && to >= k.gap.from:
		k.gap = extent{min(from, k.gap.from), max(to, k.gap.to)}
	default:
		k.gap = extent{from, to}
	}
}
