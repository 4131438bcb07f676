package stateful

import (
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// emitChanges emits the net change of the touched groups of buckets, in each of them
// retractions before insertions, and settles them.
func (a *aggregate) emitChanges(bs []*bucket, out Emit) error {
	if !a.cfg.EmitOnClose {
		var pieces []piece
		for _, b := range bs {
			pieces = a.pieces(pieces, b)
		}
		if err := a.emitPieces(pieces, out); err != nil {
			return err
		}
	}
	for _, b := range bs {
		for _, g := range b.changed {
			if !a.exists(b, g) {
				a.stats.Removed++
			}
		}
		a.stats.Updated += int64(b.settle(a.cfg.Global))
	}
	return nil
}

// piece is a part of the changes of a bucket, of a batch at most.
type piece struct {
	b      *bucket
	groups []uint32
	old    []*vec.Vector // their old results; nil = they are new
}

// pieces appends the changes of a bucket: those of groups that existed before, then those
// of new ones.
func (a *aggregate) pieces(to []piece, b *bucket) []piece {
	if len(b.changed) > 0 {
		old := make([]*vec.Vector, len(b.old))
		for i, o := range b.old {
			old[i] = o.Finish()
		}
		for from := 0; from < len(b.changed); from += vec.BatchSize {
			upto := min(from+vec.BatchSize, len(b.changed))
			to = append(to, piece{b, b.changed[from:upto], sliceAll(old, from, upto)})
		}
	}
	for from := 0; from < len(b.touched); from += vec.BatchSize {
		to = append(to, piece{b, b.touched[from:min(from+vec.BatchSize, len(b.touched))], nil})
	}
	return to
}

func sliceAll(vs []*vec.Vector, from, to int) []*vec.Vector {
	out := make([]*vec.Vector, len(vs))
	for i, v := range vs {
		out[i] = vec.Slice(v, from, to)
	}
	return out
}

func (a *aggregate) exists(b *bucket, g uint32) bool {
	return b.rows[g] > 0 || a.cfg.Global || mutant.On("groups without rows stay")
}

// emitFinal emits groups that are final, if they have not been emitted before.
func (a *aggregate) emitFinal(b *bucket, groups []uint32, out Emit) error {
	if !a.cfg.EmitOnClose {
		return nil
	}
	return a.emitGroups(b, groups, out)
}

// emitGroups emits the rows of groups with weight 1.
func (a *aggregate) emitGroups(b *bucket, groups []uint32, out Emit) error {
	var pieces []piece
	for from := 0; from < len(groups); from += vec.BatchSize {
		pieces = append(pieces, piece{b, groups[from:min(from+vec.BatchSize, len(groups))], nil})
	}
	return a.emitPieces(pieces, out)
}

// emitPieces emits changes, in their order if the takers want one.
func (a *aggregate) emitPieces(pieces []piece, out Emit) error {
	rows := 0
	for _, p := range pieces {
		rows += len(p.groups)
	}
	return a.emitEach(len(pieces), rows, out, func(h *hand, i int, out Emit) error {
		if p := pieces[i]; p.old != nil {
			return a.emitChanged(h, p, out)
		}
		return a.emitFresh(h, pieces[i], out)
	})
}

// emitFresh emits the rows of those groups of a piece that exist.
func (a *aggregate) emitFresh(h *hand, p piece, out Emit) error {
	groups := h.tmp.firsts[:0]
	for _, g := range p.groups {
		if a.exists(p.b, g) {
			groups = append(groups, g)
		}
	}
	h.tmp.firsts = groups
	if len(groups) == 0 {
		return nil
	}
	cols, err := a.rowsOf(h, p.b, groups)
	if err != nil {
		return err
	}
	batch := &vec.Batch{Cols: cols, N: len(groups)}
	if a.cfg.weighted {
		for _, g := range groups {
			batch.W = append(batch.W, p.b.rows[g])
		}
	}
	return out(batch)
}

// rowsOf makes the output rows of groups, valid until the next call for h.
func (a *aggregate) rowsOf(h *hand, b *bucket, groups []uint32) ([]*vec.Vector, error) {
	for _, o := range h.builders {
		o.Reset()
	}
	nk := len(a.cfg.Keys)
	if err := a.resultsIn(h.ctx, b, groups, h.builders[nk:]); err != nil {
		return nil, err
	}
	cols := make([]*vec.Vector, len(h.builders))
	for k, place := range a.keyPlace {
		if place < 0 {
			cols[k] = b.at.vector(a.outTypes[k], len(groups))
			continue
		}
		b.table.Key(groups, place, h.builders[k])
		cols[k] = h.builders[k].Finish()
	}
	for i := nk; i < len(cols); i++ {
		cols[i] = h.builders[i].Finish()
	}
	return cols, nil
}

// emitChanged emits what changed among groups whose old results are known.
func (a *aggregate) emitChanged(h *hand, p piece, out Emit) error {
	cols, err := a.rowsOf(h, p.b, p.groups)
	if err != nil {
		return err
	}
	nk := len(a.cfg.Keys)
	gone, come := h.tmp.selOld[:0], h.tmp.sel[:0]
	for i, g := range p.groups {
		if !a.exists(p.b, g) {
			gone = append(gone, int32(i))
			continue
		}
		if vec.EqualRows(p.old, i, cols[nk:], i) && !mutant.On("aggregate emits unchanged rows") {
			continue
		}
		gone, come = append(gone, int32(i)), append(come, int32(i))
	}
	h.tmp.selOld, h.tmp.sel = gone, come
	n := len(p.groups)
	if len(gone) > 0 && !mutant.On("aggregate forgets retractions") {
		minus := append(append([]*vec.Vector{}, cols[:nk]...), p.old...)
		if err := out(&vec.Batch{Cols: minus, N: n, Sel: gone, W: h.tmp.minus[:n]}); err != nil {
			return err
		}
	}
	if len(come) == 0 {
		return nil
	}
	return out(&vec.Batch{Cols: cols, N: n, Sel: come})
}
