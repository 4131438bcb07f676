package stateful

import (
	"encoding/binary"
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rowBag is a multiset of rows. A row has a weight, what of it has been given out, and what
// is pending: added, and not yet taken.
type rowBag struct {
	types   []types.Type
	table   *hash.Table
	w       []int64
	shown   []int64 // the weight that others know
	pending []int64
	flags   []bagFlags
	fresh   []uint32 // rows with pending changes
	touched []uint32 // rows whose weight changed since the last logState
	total   int64    // of all weights
	found   []uint32
	key     []byte
}

var errNotThere = errors.New("a row was deleted that is not there")

type bagFlags uint8

const (
	bagFresh bagFlags = 1 << iota
	bagTouched
	bagLogged
)

func newRowBag(ts []types.Type) *rowBag { return &rowBag{types: ts, table: hash.New(ts)} }

// add takes the rows of b with their weights.
func (r *rowBag) add(b *vec.Batch) {
	n := b.Rows()
	r.found = growZero(r.found, n)[:n]
	r.table.FindOrInsert(b.Cols, b.Sel, nil, r.found)
	r.grow()
	for i, row := range r.found {
		r.pending[row] += b.Weight(b.Row(i))
		if r.flags[row]&bagFresh == 0 {
			r.flags[row] |= bagFresh
			r.fresh = append(r.fresh, row)
		}
	}
}

func (r *rowBag) grow() {
	n := r.table.Cap()
	r.w, r.shown, r.pending, r.flags = growZero(r.w, n), growZero(r.shown, n), growZero(r.pending, n), growZero(r.flags, n)
}

// news applies what is pending, and returns it. Of a set, a row that is there stays as it
// is.
func (r *rowBag) news(set bool) []*vec.Batch {
	var rows []uint32
	var weights []int64
	for _, row := range r.fresh {
		w := r.pending[row]
		r.pending[row] = 0
		r.flags[row] &^= bagFresh
		r.touch(row)
		if set {
			w = max(0, min(w, 1)-r.w[row])
		}
		if w == 0 {
			continue
		}
		r.w[row] += w
		r.total += w
		rows, weights = append(rows, row), append(weights, w)
	}
	r.fresh = r.fresh[:0]
	return r.batches(rows, weights)
}

func (r *rowBag) touch(row uint32) {
	if r.flags[row]&bagTouched == 0 {
		r.flags[row] |= bagTouched
		r.touched = append(r.touched, row)
	}
}

// take applies what is pending, as news does.
func (r *rowBag) take() ([]*vec.Batch, error) {
	fresh := len(r.touched)
	batches := r.news(false)
	for _, row := range r.touched[fresh:] {
		if r.w[row] < 0 {
			return nil, errNotThere
		}
	}
	return batches, nil
}

// all are the rows with their weights.
func (r *rowBag) all() []*vec.Batch {
	var rows []uint32
	var weights []int64
	r.table.Each(func(row uint32) {
		if r.w[row] != 0 {
			rows, weights = append(rows, row), append(weights, r.w[row])
		}
	})
	return r.batches(rows, weights)
}

// zero takes all rows out, pending ones too.
func (r *rowBag) zero() {
	r.table.Each(func(row uint32) {
		r.w[row], r.pending[row] = 0, 0
		r.flags[row] &^= bagFresh
		r.touch(row)
	})
	r.fresh, r.total = r.fresh[:0], 0
}

// batches are copies of rows.
func (r *rowBag) batches(rows []uint32, weights []int64) (out []*vec.Batch) {
	for from := 0; from < len(rows); from += vec.BatchSize {
		to := min(from+vec.BatchSize, len(rows))
		bs := vec.NewBuilders(r.types)
		r.table.Keys(rows[from:to], bs)
		b := &vec.Batch{N: to - from}
		for _, x := range bs {
			b.Cols = append(b.Cols, x.Take())
		}
		if !allOnes(weights[from:to]) {
			b.W = weights[from:to]
		}
		out = append(out, b)
	}
	return out
}

// emit gives out what changed since the last time, retractions first.
func (r *rowBag) emit(out Emit) error {
	for _, sign := range [2]int64{-1, 1} {
		var rows []uint32
		var weights []int64
		for _, row := range r.touched {
			if d := r.w[row] - r.shown[row]; d*sign > 0 {
				rows, weights = append(rows, row), append(weights, d)
			}
		}
		for _, b := range r.batches(rows, weights) {
			if err := out(b); err != nil {
				return err
			}
		}
	}
	for _, row := range r.touched {
		r.shown[row] = r.w[row]
	}
	return nil
}

// logState writes the rows whose weight changed, under a prefix, and forgets those that
// are gone.
func (r *rowBag) logState(log Log, prefix ...byte) {
	for _, row := range r.touched {
		r.flags[row] &^= bagTouched
		if r.w[row] == 0 && r.flags[row]&bagLogged == 0 {
			r.free(row)
			continue
		}
		r.key = r.table.KeyBytes(row, append(r.key[:0], prefix...))
		if r.w[row] == 0 {
			log.Delete(r.key)
			r.free(row)
			continue
		}
		log.Put(r.key, binary.AppendUvarint(nil, uint64(r.w[row])))
		r.flags[row] |= bagLogged
	}
	r.touched = trim(r.touched)
	if r.table.Len() == 0 && r.table.Cap() > 0 {
		*r = *newRowBag(r.types)
	}
}

// sweep forgets the rows that are gone, of a bag that is not logged.
func (r *rowBag) sweep() { r.logState(discard{}) }

func (r *rowBag) free(row uint32) {
	r.table.Delete(row)
	r.w[row], r.shown[row], r.pending[row], r.flags[row] = 0, 0, 0, 0
}

// load restores a logged row.
func (r *rowBag) load(key, value []byte) error {
	w, n := binary.Uvarint(value)
	if n <= 0 || w == 0 || w > 1<<62 {
		return errStateKey
	}
	row, err := r.table.InsertKey(key)
	if err != nil {
		return err
	}
	r.grow()
	r.w[row], r.shown[row], r.flags[row] = int64(w), int64(w), bagLogged
	r.total += int64(w)
	return nil
}

func (r *rowBag) bytes() int64 {
	return r.table.Bytes() + int64(8*(cap(r.w)+cap(r.shown)+cap(r.pending))+cap(r.flags)+4*(cap(r.fresh)+cap(r.touched)))
}

// Rows implements Readable.
func (r *recursive) Rows(_ *fn.Ctx, out Emit) error {
	for _, b := range r.rows.all() {
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}
