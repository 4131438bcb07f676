package memory

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// relation is a table of rows in the order of arrival. Rows that went are marked, and
// left out when they are the majority.
type relation struct {
	mode    sink.Mode
	key     []int // update mode; nil = none
	batches []*vec.Batch
	gone    [][]bool // by batch and row; nil = none of the batch
	live    int64
	dead    int64
	index   map[string][]place // update: the row of a key; changelog: the equal rows
	text    []byte
}

type place struct{ batch, row int32 }

func newRelation(m sink.Mode, key []int) relation {
	r := relation{mode: m, key: key}
	if r.indexed() {
		r.index = map[string][]place{}
	}
	return r
}

// indexed reports whether rows are looked up.
func (r *relation) indexed() bool {
	return r.mode == sink.Changelog || r.mode == sink.Update && r.key != nil
}

func (r *relation) apply(batches []*vec.Batch) error {
	if r.mode == sink.Complete {
		*r = newRelation(r.mode, r.key)
	}
	if len(batches) > 0 {
		if err := r.add(vec.ConcatBatches(batches...)); err != nil {
			return err
		}
	}
	if r.dead > r.live+int64(vec.BatchSize) {
		r.rebuild()
	}
	return nil
}

var errTakenBack = errors.New("a row was taken back that is not in the table")

// add applies the rows of an owned batch: first those that come, then those that go,
// which may have come in the same batch. In update mode a key has one row in a batch.
func (r *relation) add(b *vec.Batch) error {
	var come []int32
	for row := range b.N {
		w := b.Weight(row)
		if r.mode == sink.Update && r.key != nil && w > 0 {
			r.remove(b, row)
		}
		for range w {
			come = append(come, int32(row))
		}
	}
	if len(come) == b.N && b.W == nil {
		r.append(b)
		return nil
	}
	kept := b.Gather(come)
	kept.W = nil
	r.append(kept)
	for row := range b.N {
		for range -b.Weight(row) {
			if !r.remove(b, row) {
				return errTakenBack
			}
		}
	}
	return nil
}

func (r *relation) append(b *vec.Batch) {
	if b.N == 0 {
		return
	}
	if r.indexed() {
		for row := range b.N {
			k := string(r.rowKey(b, row))
			r.index[k] = append(r.index[k], place{int32(len(r.batches)), int32(row)})
		}
	}
	r.batches, r.gone = append(r.batches, b), append(r.gone, nil)
	r.live += int64(b.N)
}

// rowKey is the key columns in update mode, the whole row in changelog mode.
func (r *relation) rowKey(b *vec.Batch, row int) []byte {
	r.text = r.text[:0]
	if r.mode == sink.Changelog {
		r.text = vec.AppendRowKey(r.text, b.Cols, row)
		return r.text
	}
	for _, c := range r.key {
		r.text = vec.AppendKey(r.text, b.Cols[c], row)
	}
	return r.text
}

// remove marks the last row equal to, or of the key of, the given one.
func (r *relation) remove(b *vec.Batch, row int) bool {
	if !r.indexed() {
		return false
	}
	k := r.rowKey(b, row)
	places := r.index[string(k)]
	if len(places) == 0 {
		return false
	}
	p := places[len(places)-1]
	if len(places) == 1 {
		delete(r.index, string(k))
	} else {
		r.index[string(k)] = places[:len(places)-1]
	}
	if r.gone[p.batch] == nil {
		r.gone[p.batch] = make([]bool, r.batches[p.batch].N)
	}
	r.gone[p.batch][p.row] = true
	r.live--
	r.dead++
	return true
}

// snapshot returns the live rows. Batches are shared; selections are new.
func (r *relation) snapshot() []*vec.Batch {
	var out []*vec.Batch
	for i, b := range r.batches {
		if r.gone[i] == nil {
			out = append(out, b)
			continue
		}
		part := *b
		part.Sel = make([]int32, 0, b.N)
		for row, gone := range r.gone[i] {
			if !gone {
				part.Sel = append(part.Sel, int32(row))
			}
		}
		if len(part.Sel) > 0 {
			out = append(out, &part)
		}
	}
	return out
}

// rebuild copies the live rows into new batches.
func (r *relation) rebuild() {
	old := r.snapshot()
	*r = newRelation(r.mode, r.key)
	for _, b := range old {
		r.append(b.Clone())
	}
}
