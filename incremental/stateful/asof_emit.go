package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// asofOutput makes the batches that an ASOF join emits; their memory is used again.
type asofOutput struct {
	right []types.Type
	rows  [2][]uint32
	w     []int64
	batch vec.Batch
}

func newAsofOutput(cfg AsofConfig) asofOutput { return asofOutput{right: cfg.Types[1]} }

// emit emits pairs: those with a match, then those without.
func (a *asof) emit(pairs []asofPair, out Emit) error {
	for from := 0; from < len(pairs); from += vec.BatchSize {
		chunk := pairs[from:min(from+vec.BatchSize, len(pairs))]
		if err := a.emitChunk(chunk, true, out); err != nil {
			return err
		}
		if err := a.emitChunk(chunk, false, out); err != nil {
			return err
		}
	}
	return nil
}

func (a *asof) emitChunk(pairs []asofPair, matched bool, out Emit) error {
	o := &a.out
	o.rows[0], o.rows[1], o.w = o.rows[0][:0], o.rows[1][:0], o.w[:0]
	for _, p := range pairs {
		if (p.match > 0) == matched {
			o.rows[0], o.rows[1], o.w = append(o.rows[0], p.row), append(o.rows[1], p.match-1), append(o.w, p.w)
		}
	}
	n := len(o.w)
	if n == 0 {
		return nil
	}
	b := &o.batch
	*b = vec.Batch{Cols: append(b.Cols[:0], a.sides[0].columns(o.rows[0])...), N: n}
	if matched {
		b.Cols = append(b.Cols, a.sides[1].columns(o.rows[1])...)
	} else {
		b.Cols = o.nulls(b.Cols, n)
	}
	if !allOnes(o.w) {
		b.W = o.w
	}
	return out(b)
}

func (o *asofOutput) nulls(cols []*vec.Vector, n int) []*vec.Vector {
	for _, t := range o.right {
		cols = append(cols, vec.Nulls(t, n))
	}
	return cols
}

// emitAlone emits left rows beside NULLs.
func (o *asofOutput) emitAlone(b *vec.Batch, out Emit) error {
	b.Cols = o.nulls(b.Cols[:len(b.Cols):len(b.Cols)], b.N)
	return out(b)
}

// Rows implements Readable: the pairs as they stand.
func (a *asof) Rows(_ *fn.Ctx, out Emit) error {
	begun, stats := a.begun, a.stats
	if err := a.begin(); err != nil {
		return err
	}
	a.begun, a.stats = begun, stats
	l := a.sides[0]
	var pairs []asofPair
	l.partitions(func(p uint32) {
		rp := a.mate(l, a.sides[1], []uint32{p})[0]
		var c cursor
		for l.seqs.first(l.seq(p), &c); c.valid(); c.next() {
			if m := a.match(c.row(), rp); m > 0 || a.cfg.Outer {
				pairs = append(pairs, asofPair{c.row(), m, l.weight(c.row())})
			}
		}
	})
	return a.emit(pairs, out)
}

// netRows nets the rows of a trigger that are not kept.
type netRows struct {
	types []types.Type
	table *hash.Table
	w     []int64
	rows  []uint32
}

func newNetRows(ts []types.Type) *netRows { return &netRows{types: ts, table: hash.New(ts)} }

// add takes the rows of b that sel lists.
func (n *netRows) add(b *vec.Batch, sel []int32) {
	n.rows = growZero(n.rows, len(sel))[:len(sel)]
	n.table.FindOrInsert(b.Cols, sel, nil, n.rows)
	n.w = growZero(n.w, n.table.Cap())
	for i, row := range n.rows {
		n.w[row] += b.Weight(int(sel[i]))
	}
}

// flush gives what is left to emit, retractions first, and forgets it.
func (n *netRows) flush(emit Emit) error {
	if n.table.Len() == 0 {
		return nil
	}
	for _, sign := range [2]int64{-1, 1} {
		n.rows = n.rows[:0]
		for row, w := range n.w {
			if w*sign > 0 {
				n.rows = append(n.rows, uint32(row))
			}
		}
		for from := 0; from < len(n.rows); from += vec.BatchSize {
			if err := n.emit(n.rows[from:min(from+vec.BatchSize, len(n.rows))], emit); err != nil {
				return err
			}
		}
	}
	n.table, n.w = hash.New(n.types), nil
	return nil
}

func (n *netRows) emit(rows []uint32, emit Emit) error {
	bs := vec.NewBuilders(n.types)
	n.table.Keys(rows, bs)
	b := &vec.Batch{N: len(rows)}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	for _, row := range rows {
		b.W = append(b.W, n.w[row])
	}
	return emit(b)
}
