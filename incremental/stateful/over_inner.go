package stateful

import (
	"bytes"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overInner computes a window function with an order of its own: it takes places and
// neighbours among the rows of the frame in that order. All rows that the frames of a
// stretch reach are put in order once; each row then goes over its frame.
type overInner struct {
	o *over
	f *OverFunc

	start, end []int64
	pieces     []extent
	vals       overValues

	lo    int64    // position of rows[0]
	rows  []uint32 // that the frames reach, by position
	order []int32  // by place: the position
	place []int32  // by position: the place in the function's order, equal rows by position
	rank  []int32  // the place of the first equal row
	null  []bool   // what IGNORE NULLS leaves out
	build []*vec.Builder
	keys  []byte
	ends  []int
	list  []int32 // places of the rows of a frame
	seen  []int32 // by rank: the row + 1 that counted it last
}

func newOverInner(o *over, f *OverFunc) *overInner {
	v := &overInner{o: o, f: f}
	for _, k := range f.Order {
		v.build = append(v.build, vec.NewBuilder(k.Type))
	}
	return v
}

func (v *overInner) values(p *overPart, out *vec.Builder) error {
	f := &v.f.Frame
	v.start = p.bounds(f.Unit, f.Start, false, v.start)
	v.end = p.bounds(f.Unit, f.End, true, v.end)
	v.reached(p)
	v.sort()
	if v.f.Kind <= fn.NTile {
		for i := range p.row {
			v.number(p, i, out)
		}
		return nil
	}
	v.vals.reset(len(p.row))
	for i := range p.row {
		v.vals.rows = append(v.vals.rows, v.pick(p, i))
	}
	v.vals.emit(v.o, v.f.Args[0], out, func(i int) { v.f.otherwise(p, i, out) })
	return nil
}

// reached collects the rows that the frames and the stretch reach.
func (v *overInner) reached(p *overPart) {
	lo, hi := p.from, p.from+int64(len(p.row))
	for i, s := range v.start {
		if s < v.end[i] {
			lo, hi = min(lo, s), max(hi, v.end[i])
		}
	}
	v.lo, v.rows = lo, v.rows[:0]
	skip := v.o.rows.seqs.at(p.q, &p.cur, lo)
	for at := lo; at < hi; p.cur.next() {
		n := min(v.o.rows.weight(p.cur.row())-skip, hi-at)
		for range n {
			v.rows = append(v.rows, p.cur.row())
		}
		at, skip = at+n, 0
	}
}

// sort gives the rows their places.
func (v *overInner) sort() {
	n := len(v.rows)
	v.place, v.rank = growZero(v.place, n)[:n], growZero(v.rank, n)[:n]
	v.encode()
	v.order = growZero(v.order, n)[:n]
	for i := range v.order {
		v.order[i] = int32(i)
	}
	key := func(i int32) []byte { return v.keys[v.ends[i]:v.ends[i+1]] }
	slices.SortFunc(v.order, func(a, b int32) int {
		if c := bytes.Compare(key(a), key(b)); c != 0 {
			return c
		}
		return int(a - b)
	})
	for at, i := range v.order {
		v.place[i], v.rank[i] = int32(at), int32(at)
		if at > 0 && bytes.Equal(key(i), key(v.order[at-1])) {
			v.rank[i] = v.rank[v.order[at-1]]
		}
	}
	v.seen = growZero(v.seen, n)[:n]
	clear(v.seen)
	v.nulls()
}

// encode writes the sort key of each row.
func (v *overInner) encode() {
	cols := make([]*vec.Vector, len(v.f.Order))
	for k, c := range v.f.Order {
		v.build[k].Reset()
		v.o.rows.column(v.rows, c.Col, v.build[k])
		cols[k] = v.build[k].Finish()
	}
	v.keys, v.ends = v.keys[:0], append(v.ends[:0], 0)
	for i := range v.rows {
		for k, c := range cols {
			v.keys = vec.AppendSortKey(v.keys, c, i, v.f.Order[k].Order)
		}
		v.ends = append(v.ends, len(v.keys))
	}
}

// nulls marks the rows that IGNORE NULLS leaves out.
func (v *overInner) nulls() {
	v.null = growZero(v.null, len(v.rows))[:len(v.rows)]
	clear(v.null)
	if !v.f.IgnoreNulls {
		return
	}
	for i, r := range v.rows {
		v.null[i] = v.o.isNull(r, v.f.Args[0])
	}
}

// counts are the rows of the frame of row i of the stretch: all, those before the row by
// their place, those before its equals, and those up to them.
func (v *overInner) counts(p *overPart, i int) (all, before, below, upTo int64) {
	at := p.from + int64(i) - v.lo
	place, rank := v.place[at], v.rank[at]
	v.pieces = p.pieces(v.f.Frame.Exclude, i, v.start[i], v.end[i], v.pieces)
	for _, w := range v.pieces {
		all += w.to - w.from
		for j := w.from - v.lo; j < w.to-v.lo; j++ {
			if v.place[j] < place {
				before++
			}
			if v.rank[j] < rank {
				below++
			}
			if v.rank[j] <= rank {
				upTo++
			}
		}
	}
	return all, before, below, upTo
}

// number appends the value of row_number and its kin.
func (v *overInner) number(p *overPart, i int, out *vec.Builder) {
	all, before, below, upTo := v.counts(p, i)
	switch v.f.Kind {
	case fn.RowNumber:
		out.AppendInt(before + 1)
	case fn.Rank:
		out.AppendInt(below + 1)
	case fn.DenseRank:
		out.AppendInt(v.ranksBelow(p, i) + 1)
	case fn.PercentRank:
		out.AppendFloat(share(below, all-1))
	case fn.CumeDist:
		out.AppendFloat(share(upTo, all))
	default:
		n, ok := v.f.steer(p, i)
		if !ok || all == 0 {
			out.AppendNull()
			return
		}
		out.AppendInt(tileOf(min(before, all-1), all, n))
	}
}

func share(n, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// ranksBelow counts the different ranks of the frame below that of row i.
func (v *overInner) ranksBelow(p *overPart, i int) int64 {
	n, rank := int64(0), v.rank[p.from+int64(i)-v.lo]
	for _, w := range v.pieces {
		for j := w.from - v.lo; j < w.to-v.lo; j++ {
			if r := v.rank[j]; r < rank && v.seen[r] != int32(i+1) {
				v.seen[r] = int32(i + 1)
				n++
			}
		}
	}
	return n
}

// pick is the row of the frame of row i that the function takes.
func (v *overInner) pick(p *overPart, i int) uint32 {
	n, ok := v.f.steer(p, i)
	if !ok {
		return absent
	}
	kind := v.f.Kind
	if n < 0 && (kind == fn.Lag || kind == fn.Lead) {
		n, kind = -n, fn.Lag+fn.Lead-kind
	}
	own := v.place[p.from+int64(i)-v.lo]
	low, high := int32(-1), int32(len(v.rows)) // places between which the row lies
	switch kind {
	case fn.Lag:
		high = own
	case fn.Lead:
		low = own
	case fn.FirstValue, fn.LastValue:
		n = 1
	}
	if n == 0 && (kind == fn.Lag || kind == fn.Lead) {
		return p.row[i]
	}
	return v.nth(p, i, low, high, n, kind == fn.Lag || kind == fn.LastValue)
}

// nth is the n-th row of the frame whose place is between two others, from the first or
// from the last.
func (v *overInner) nth(p *overPart, i int, low, high int32, n int64, fromLast bool) uint32 {
	v.pieces = p.pieces(v.f.Frame.Exclude, i, v.start[i], v.end[i], v.pieces)
	v.list = v.list[:0]
	best := int32(-1)
	for _, w := range v.pieces {
		for j := w.from - v.lo; j < w.to-v.lo; j++ {
			at := v.place[j]
			if at <= low || at >= high || v.null[j] {
				continue
			}
			if n > 1 {
				v.list = append(v.list, at)
			} else if best < 0 || (at > best) == fromLast {
				best = at
			}
		}
	}
	if n > 1 && n <= int64(len(v.list)) {
		slices.Sort(v.list)
		best = v.list[n-1]
		if fromLast {
			best = v.list[int64(len(v.list))-n]
		}
	}
	if n < 1 || best < 0 {
		return absent
	}
	return v.rows[v.order[best]]
}
