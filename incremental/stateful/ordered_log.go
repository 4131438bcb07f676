package stateful

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Keys of an ordered state, version 1 (docs/formats/operator-state.md):
//
//	01 row   the key encodings of all columns: the lead column, those of the partition,
//	         those of the order, the others → uvarint weight
//
// The owner writes its bound beside them, as aggregates do.

// logState writes the rows whose weight changed, and forgets those of weight 0.
func (o *ordered) logState(log Log) {
	var val []byte
	for _, row := range o.dirty {
		s := &o.state[row]
		s.flags &^= rowDirty
		w := o.seqs.weight[row]
		if w > 0 {
			o.key = o.table.KeyBytes(row, append(o.key[:0], tagGroup))
			val = binary.AppendUvarint(val[:0], uint64(w))
			log.Put(o.key, val)
			s.flags |= rowLogged
			continue
		}
		if s.flags&rowLogged != 0 && !mutant.On("deleted rows stay in the log") {
			o.key = o.table.KeyBytes(row, append(o.key[:0], tagGroup))
			log.Delete(o.key)
		}
		o.free(row)
	}
	o.dirty = trim(o.dirty)
	if o.table.Len() == 0 && o.table.Cap() > 0 {
		o.reset()
	}
}

// orderedLoader collects loaded rows and puts them into the state many at a time.
type orderedLoader struct {
	o       *ordered
	bs      []*vec.Builder // table columns
	weights []int64
}

func newOrderedLoader(o *ordered) *orderedLoader {
	return &orderedLoader{o: o, bs: vec.NewBuilders(o.lay.rowTypes())}
}

// add takes an entry whose key begins with tagGroup.
func (l *orderedLoader) add(key, value []byte) error {
	w, err := loadRow(key, value, l.bs)
	if err != nil {
		return err
	}
	if l.weights = append(l.weights, w); len(l.weights) == vec.BatchSize {
		return l.finish()
	}
	return nil
}

// loadRow reads an entry into builders of the stored columns, and returns the weight.
func loadRow(key, value []byte, bs []*vec.Builder) (int64, error) {
	if len(key) == 0 || key[0] != tagGroup {
		return 0, errStateKey
	}
	if err := vec.DecodeRowKey(key[1:], bs); err != nil {
		return 0, err
	}
	w, n := binary.Uvarint(value)
	if n <= 0 || n != len(value) || w == 0 || w > 1<<62 {
		return 0, errStateKey
	}
	return int64(w), nil
}

// finish puts what was collected into the state.
func (l *orderedLoader) finish() error {
	if len(l.weights) == 0 {
		return nil
	}
	o := l.o
	b := &vec.Batch{N: len(l.weights), W: l.weights, Cols: make([]*vec.Vector, len(l.bs))}
	for i, c := range o.lay.perm {
		b.Cols[c] = l.bs[i].Finish()
	}
	o.add(b, nil)
	for _, p := range o.touched {
		if err := o.apply(p); err != nil {
			return err
		}
	}
	o.settle()
	for _, row := range o.dirty {
		o.state[row].flags = o.state[row].flags&^rowDirty | rowLogged
	}
	o.dirty = o.dirty[:0]
	for _, x := range l.bs {
		x.Reset()
	}
	l.weights = l.weights[:0]
	return nil
}
