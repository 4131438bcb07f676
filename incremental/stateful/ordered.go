package stateful

import (
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Ordered state: the rows of partitions, in order, with weights. Top-n, OVER and ASOF are
// built on it.
//
// A row is a number that stays the same while the row exists, so that operators keep what
// they know of a row in slices beside it. Its values are in a hash table over all
// columns, from which columns() makes vectors; its order key is in sortKeys; its place
// is in the sequence of its partition. The order is that of the order columns, then of
// the whole row, ascending. Equal rows are one, with a weight.
//
// A trigger goes:
//
//	add      any number of times: rows of the delta. Nothing but pending weights changes.
//	touched  the partitions with changes, in the order of their first row
//	changes  of a partition: rows with the weight that is added; zero if it cancelled
//	apply    brings them into the sequence. Before it, cursors and weight show the state
//	         before the trigger, after it the state now; rows that are gone keep their
//	         values until logState.
//	settle   ends the trigger
//	logState writes what changed, and forgets rows of weight 0
//
// Cost: O(1) for a row that comes, O(log n) to apply it.
type ordered struct {
	cfg orderedConfig
	lay partLayout

	// entered, if set, is told of partitions that did not exist before.
	entered func(ps []uint32)

	table *hash.Table // all columns
	parts *hash.Table // partition columns
	keys  sortKeys
	seqs  sequences

	part  []uint32    // by row: its partition
	state []rowState  // by row
	of    []partition // by partition

	pending []rowChange // of the trigger under way
	touched []uint32
	dirty   []uint32 // rows whose weight changed since the last logState

	load    *orderedLoader
	input   []*vec.Vector
	rows    []uint32 // of the batch under way
	fresh   []uint32 // their partitions, of new rows
	sel     []int32
	key     []byte
	changed []rowChange
}

// orderedConfig describes an ordered state.
type orderedConfig struct {
	Name      string
	Types     []types.Type // of all columns
	Partition []int        // columns; none = one partition
	Order     []OrderColumn
	// Lead is the column with which keys of the log begin, so that rows below a bound are
	// dropped as a range; −1 = none.
	Lead int
}

// partition is what is kept per partition.
type partition struct {
	sequence
	head int32 // first of its pending changes + 1
	rows int32 // rows in the table, those of weight 0 included
}

// rowChange is a pending change of a row.
type rowChange struct {
	row  uint32
	next int32 // of the same partition + 1
	w    int64 // added to the weight
}

// rowState says what else is known of a row.
type rowState struct {
	change int32 // pending + 1
	flags  rowFlags
}

type rowFlags uint8

const (
	rowPlaced rowFlags = 1 << iota // in its sequence
	rowDirty                       // in dirty
	rowLogged                      // in the log
)

func newOrdered(cfg orderedConfig) *ordered {
	o := &ordered{cfg: cfg, lay: layPartitions(cfg)}
	o.reset()
	o.load = newOrderedLoader(o)
	return o
}

// reset empties the state and gives its memory back.
func (o *ordered) reset() {
	o.table, o.parts = hash.New(o.lay.rowTypes()), hash.New(o.lay.partTypes())
	o.keys, o.seqs = sortKeys{}, sequences{compare: o.compareRows}
	o.part, o.state, o.of = nil, nil, nil
	o.pending, o.touched, o.dirty = nil, nil, nil
}

// compareRows is the order of the rows of a partition.
func (o *ordered) compareRows(a, b uint32) int {
	if a == b {
		return 0
	}
	if c := o.keys.compare(a, b); c != 0 {
		return c
	}
	for _, t := range o.lay.ties {
		if c := o.table.Compare(a, b, t); c != 0 {
			if mutant.On("ties are broken by the row descending") {
				return -c
			}
			return c
		}
	}
	return 0
}

// peers tells whether two rows of a partition have equal order columns.
func (o *ordered) peers(a, b uint32) bool { return o.keys.compare(a, b) == 0 }

// add takes the rows of b that sel lists (nil = all), with their weights, and returns
// their numbers, valid until the next call.
func (o *ordered) add(b *vec.Batch, sel []int32) []uint32 {
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	o.rows = growZero(o.rows, n)[:n]
	o.input = o.input[:0]
	for _, c := range o.lay.perm {
		o.input = append(o.input, b.Cols[c])
	}
	if o.table.FindOrInsert(o.input, sel, nil, o.rows) > 0 {
		o.enter(b, sel)
	}
	for i, row := range o.rows {
		o.change(row, b.Weight(int(rowAt(sel, i))))
	}
	return o.rows
}

// enter gives the rows that are new a partition and an order key.
func (o *ordered) enter(b *vec.Batch, sel []int32) {
	o.grow()
	added := o.table.Added()
	o.sel = o.sel[:0]
	for i, row := range o.rows {
		if len(o.sel) < len(added) && row == added[len(o.sel)] {
			o.sel = append(o.sel, rowAt(sel, i))
		}
	}
	o.fresh = growZero(o.fresh, len(added))[:len(added)]
	o.input = o.input[:0]
	for _, c := range o.cfg.Partition {
		o.input = append(o.input, b.Cols[c])
	}
	o.parts.FindOrInsert(o.input, o.sel, nil, o.fresh)
	o.of = growZero(o.of, o.parts.Cap())
	if o.entered != nil && len(o.parts.Added()) > 0 {
		o.entered(o.parts.Added())
	}
	for i, row := range added {
		o.part[row] = o.fresh[i]
		o.of[o.fresh[i]].rows++
		o.key = appendOrderKey(o.key[:0], b.Cols, int(o.sel[i]), o.cfg.Order)
		o.keys.set(row, o.key)
	}
}

func rowAt(sel []int32, i int) int32 {
	if sel == nil {
		return int32(i)
	}
	return sel[i]
}

// grow makes room for every row of the table.
func (o *ordered) grow() {
	n := o.table.Cap()
	o.part, o.state = growZero(o.part, n), growZero(o.state, n)
	o.seqs.weight = growZero(o.seqs.weight, n)
	o.keys.grow(n)
}

// change adds to the pending weight of a row.
func (o *ordered) change(row uint32, w int64) {
	s := &o.state[row]
	if s.change > 0 {
		o.pending[s.change-1].w += w
		return
	}
	p := o.part[row]
	q := &o.of[p]
	if q.head == 0 {
		o.touched = append(o.touched, p)
	}
	o.pending = append(o.pending, rowChange{row: row, next: q.head, w: w})
	s.change = int32(len(o.pending))
	q.head = s.change
}

// changes lists the pending changes of a partition, in no order. The list is valid until
// the next call.
func (o *ordered) changes(p uint32) []rowChange {
	o.changed = o.changed[:0]
	for i := o.of[p].head; i > 0; i = o.pending[i-1].next {
		o.changed = append(o.changed, o.pending[i-1])
	}
	return o.changed
}

// apply brings the pending changes of a partition into its sequence.
func (o *ordered) apply(p uint32) error {
	q := &o.of[p]
	for i := q.head; i > 0; i = o.pending[i-1].next {
		c := o.pending[i-1]
		if err := o.set(q, c.row, o.seqs.weight[c.row]+c.w); err != nil {
			return err
		}
		o.state[c.row].change = 0
	}
	q.head = 0
	return nil
}

// set gives a row a new weight.
func (o *ordered) set(q *partition, row uint32, w int64) error {
	s, old := &o.state[row], o.seqs.weight[row]
	if s.flags&rowDirty == 0 {
		s.flags |= rowDirty
		o.dirty = append(o.dirty, row)
	}
	switch {
	case w < 0:
		return fmt.Errorf("%s: a row was deleted that is not there", o.cfg.Name)
	case w == old:
	case old == 0:
		o.seqs.weight[row] = w
		o.seqs.insert(&q.sequence, row)
		s.flags |= rowPlaced
	case w == 0:
		o.seqs.remove(&q.sequence, row, old)
		o.seqs.weight[row] = 0
		s.flags &^= rowPlaced
	default:
		o.seqs.weight[row] = w
		o.seqs.adjust(&q.sequence, row, w-old)
	}
	return nil
}

// evict takes a row out of its partition, whatever its weight.
func (o *ordered) evict(row uint32) {
	if err := o.set(&o.of[o.part[row]], row, 0); err != nil {
		panic(err)
	}
}

// settle ends the trigger; every touched partition has been applied.
func (o *ordered) settle() {
	o.pending, o.touched = trim(o.pending), trim(o.touched)
}

// weight is that of a row in its sequence.
func (o *ordered) weight(row uint32) int64 { return o.seqs.weight[row] }

// seq is the sequence of a partition.
func (o *ordered) seq(p uint32) *sequence { return &o.of[p].sequence }

// exists tells whether a partition has rows, those included that are gone since the last
// logState.
func (o *ordered) exists(p uint32) bool { return int(p) < len(o.of) && o.of[p].rows > 0 }

// columns are the values of rows, valid until the next call.
func (o *ordered) columns(rows []uint32) []*vec.Vector { return o.lay.columns(rows, o.table.Key) }

// column appends one column of rows to a builder.
func (o *ordered) column(rows []uint32, col int, out *vec.Builder) {
	o.table.Key(rows, o.lay.place[col], out)
}

// seekKey moves a cursor to the first row of a partition whose order key is not below key,
// what appendOrderKey writes; past the end if there is none.
func (o *ordered) seekKey(p uint32, c *cursor, key []byte) {
	head, tail := keyHead(key), keyTail(key)
	o.seqs.seek(o.seq(p), c, func(row uint32) bool { return o.keys.compareKey(row, head, tail) < 0 })
}

// sort brings rows of one partition into its order.
func (o *ordered) sort(rows []uint32) { slices.SortFunc(rows, o.compareRows) }

// partitions calls do with every partition that has rows, in ascending order of their
// numbers.
func (o *ordered) partitions(do func(p uint32)) {
	o.parts.Each(func(p uint32) {
		if !o.of[p].empty() {
			do(p)
		}
	})
}

// forget drops a partition whole. Who calls it drops the rows from the log, by a range
// that holds them.
func (o *ordered) forget(p uint32) {
	q := &o.of[p]
	o.seqs.clear(&q.sequence, func(row uint32) {
		o.seqs.weight[row] = 0
		o.state[row].flags &^= rowPlaced | rowLogged
		if o.state[row].flags&rowDirty == 0 {
			o.free(row)
		}
	})
}

// free gives the number of a row back, and that of its partition with the last one.
func (o *ordered) free(row uint32) {
	p := o.part[row]
	o.table.Delete(row)
	o.keys.drop(row)
	o.state[row] = rowState{}
	if o.of[p].rows--; o.of[p].rows == 0 {
		o.parts.Delete(p)
		o.of[p] = partition{}
	}
}

// stats fills in the size of the state.
func (o *ordered) stats(s *Stats) error {
	if err := o.load.finish(); err != nil {
		return err
	}
	s.Keys = int64(o.table.Len())
	s.Bytes = o.table.Bytes() + o.parts.Bytes() + o.keys.bytes() + o.seqs.bytes() + int64(8*cap(o.seqs.weight)) +
		int64(4*cap(o.part)+8*cap(o.state)+32*cap(o.of)+16*cap(o.pending)+4*(cap(o.touched)+cap(o.dirty)))
	return nil
}
