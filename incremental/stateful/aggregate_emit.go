package stateful

import (
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// emitChanges emits the net change of a bucket's touched groups, retractions before
// insertions, and settles it.
func (a *aggregate) emitChanges(b *bucket, out Emit) error {
	if !a.cfg.EmitOnClose {
		if err := a.emitChanged(b, out); err != nil {
			return err
		}
		fresh := a.tmp.firsts[:0]
		for _, g := range b.touched {
			if a.exists(b, g) {
				fresh = append(fresh, g)
			}
		}
		a.tmp.firsts = fresh
		if err := a.emitGroups(b, fresh, out); err != nil {
			return err
		}
	}
	for _, g := range b.changed {
		if !a.exists(b, g) {
			a.stats.Removed++
		}
	}
	a.stats.Updated += int64(b.settle(a.cfg.Global))
	return nil
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
	for from := 0; from < len(groups); from += vec.BatchSize {
		chunk := groups[from:min(from+vec.BatchSize, len(groups))]
		cols, err := a.rowsOf(b, chunk)
		if err != nil {
			return err
		}
		batch := &vec.Batch{Cols: cols, N: len(chunk)}
		if a.cfg.weighted {
			for _, g := range chunk {
				batch.W = append(batch.W, b.rows[g])
			}
		}
		if err := out(batch); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf makes the output rows of groups, valid until the next call.
func (a *aggregate) rowsOf(b *bucket, groups []uint32) ([]*vec.Vector, error) {
	for _, o := range a.builders {
		o.Reset()
	}
	nk := len(a.cfg.Keys)
	if err := a.results(b, groups, a.builders[nk:]); err != nil {
		return nil, err
	}
	cols := make([]*vec.Vector, len(a.builders))
	for k, place := range a.keyPlace {
		if place < 0 {
			cols[k] = b.at.vector(a.outTypes[k], len(groups))
			continue
		}
		b.table.Key(groups, place, a.builders[k])
		cols[k] = a.builders[k].Finish()
	}
	for i := nk; i < len(cols); i++ {
		cols[i] = a.builders[i].Finish()
	}
	return cols, nil
}

// emitChanged emits old and new rows of the groups that existed before.
func (a *aggregate) emitChanged(b *bucket, out Emit) error {
	if len(b.changed) == 0 {
		return nil
	}
	old := make([]*vec.Vector, len(b.old))
	for i, o := range b.old {
		old[i] = o.Finish()
	}
	for from := 0; from < len(b.changed); from += vec.BatchSize {
		to := min(from+vec.BatchSize, len(b.changed))
		if err := a.emitChunk(b, b.changed[from:to], sliceAll(old, from, to), out); err != nil {
			return err
		}
	}
	return nil
}

func sliceAll(vs []*vec.Vector, from, to int) []*vec.Vector {
	out := make([]*vec.Vector, len(vs))
	for i, v := range vs {
		out[i] = vec.Slice(v, from, to)
	}
	return out
}

// emitChunk emits what changed among groups, whose old results are given.
func (a *aggregate) emitChunk(b *bucket, groups []uint32, old []*vec.Vector, out Emit) error {
	cols, err := a.rowsOf(b, groups)
	if err != nil {
		return err
	}
	nk := len(a.cfg.Keys)
	gone, come := a.tmp.selOld[:0], a.tmp.sel[:0]
	for i, g := range groups {
		if !a.exists(b, g) {
			gone = append(gone, int32(i))
			continue
		}
		if vec.EqualRows(old, i, cols[nk:], i) && !mutant.On("aggregate emits unchanged rows") {
			continue
		}
		gone, come = append(gone, int32(i)), append(come, int32(i))
	}
	a.tmp.selOld, a.tmp.sel = gone, come
	if len(gone) > 0 && !mutant.On("aggregate forgets retractions") {
		minus := append(append([]*vec.Vector{}, cols[:nk]...), old...)
		if err := out(&vec.Batch{Cols: minus, N: len(groups), Sel: gone, W: a.tmp.minus[:len(groups)]}); err != nil {
			return err
		}
	}
	if len(come) == 0 {
		return nil
	}
	return out(&vec.Batch{Cols: cols, N: len(groups), Sel: come})
}
