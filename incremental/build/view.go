package build

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// View shows the delta of a query to a sink in the query's mode. Rows that can
// change are brought together over the whole trigger, so that the sink sees the net
// change; append-only rows pass as they come.
type View struct {
	out     *physical.Output
	net     *netDelta // nil: rows pass
	fresh   bool      // rows that come without weights are of new keys, and pass
	Ignored int64     // removals that the sink was not told of (on_delete = 'ignore')
}

// NewView makes the view of an output. Nobody receives the delta of a materialised view,
// so it passes as it comes.
func NewView(o *physical.Output) *View {
	v := &View{out: o}
	if o.Target == physical.ToView {
		return v
	}
	kind := o.Input.Props().Kind
	if o.Mode == sink.Changelog || o.Mode == sink.Update && kind != physical.AppendOnly {
		v.net = newNetDelta(o.Input.Props().Columns)
		v.fresh = o.Mode == sink.Update && kind == physical.NoDelete
	}
	return v
}

// Passes reports that rows go through as they come: Take may be called by several
// goroutines if emit may.
func (v *View) Passes() bool { return v.net == nil }

// Take enters rows of the query; what may pass at once goes to emit.
func (v *View) Take(b *vec.Batch, emit func(*vec.Batch) error) error {
	if v.net != nil && !(v.fresh && b.W == nil) {
		return v.net.add(b)
	}
	if v.out.Mode == sink.Append && b.W != nil {
		if err := positive(b); err != nil {
			return err
		}
	}
	return emit(b)
}

func positive(b *vec.Batch) error {
	for i := range b.Rows() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		if b.W[row] < 0 {
			return fmt.Errorf("output: a retraction reached an append output: %s", rowText(b, row))
		}
	}
	return nil
}

func rowText(b *vec.Batch, row int) string {
	s := ""
	for i, c := range b.Cols {
		if i > 0 {
			s += " | "
		}
		s += vec.RowString(c, row, nil)
	}
	return s
}

// Flush emits what the trigger changed, and forgets it.
func (v *View) Flush(emit func(*vec.Batch) error) error {
	if v.net == nil {
		return nil
	}
	defer v.net.reset()
	if v.out.Mode == sink.Changelog {
		return v.net.emit(emit, func(int64, uint32) bool { return true })
	}
	replaced := v.net.replaced(v.out.Key)
	return v.net.emit(emit, func(w int64, g uint32) bool {
		if w > 0 {
			return true
		}
		if replaced[g] {
			return false
		}
		if !v.out.Deletes {
			v.Ignored++
		}
		return v.out.Deletes
	})
}

// netDelta sums the weights of equal rows.
type netDelta struct {
	cols    []types.Column
	table   *hash.Table
	weights []int64
	groups  []uint32
}

func newNetDelta(cols []types.Column) *netDelta {
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	return &netDelta{cols: cols, table: hash.New(ts)}
}

func (d *netDelta) reset() {
	d.table.Reset()
	d.weights = d.weights[:0]
}

func (d *netDelta) add(b *vec.Batch) error {
	n := b.Rows()
	if cap(d.groups) < n {
		d.groups = make([]uint32, n)
	}
	d.groups = d.groups[:n]
	d.table.FindOrInsert(b.Cols, b.Sel, nil, d.groups)
	for len(d.weights) < d.table.Cap() {
		d.weights = append(d.weights, 0)
	}
	for i, g := range d.groups {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		d.weights[g] += b.Weight(row)
	}
	return nil
}

// emit gives the rows with a weight other than 0 that keep accepts, removals first.
func (d *netDelta) emit(emit func(*vec.Batch) error, keep func(w int64, g uint32) bool) error {
	for _, sign := range []int64{-1, 1} {
		var groups []uint32
		for g, w := range d.weights {
			if w*sign > 0 && keep(w, uint32(g)) {
				groups = append(groups, uint32(g))
			}
		}
		for len(groups) > 0 {
			n := min(len(groups), vec.BatchSize)
			if err := emit(d.batch(groups[:n])); err != nil {
				return err
			}
			groups = groups[n:]
		}
	}
	return nil
}

func (d *netDelta) batch(groups []uint32) *vec.Batch {
	builders := make([]*vec.Builder, len(d.cols))
	for i, c := range d.cols {
		builders[i] = vec.NewBuilder(c.Type)
	}
	d.table.Keys(groups, builders)
	b := &vec.Batch{N: len(groups), W: make([]int64, len(groups)), Cols: make([]*vec.Vector, len(builders))}
	for i, x := range builders {
		b.Cols[i] = x.Finish()
	}
	for i, g := range groups {
		b.W[i] = d.weights[g]
	}
	return b
}

// replaced tells which removed rows have a new row with the same key.
func (d *netDelta) replaced(key []int) map[uint32]bool {
	var added, gone []uint32
	for g, w := range d.weights {
		switch {
		case w > 0:
			added = append(added, uint32(g))
		case w < 0:
			gone = append(gone, uint32(g))
		}
	}
	out := map[uint32]bool{}
	if len(added) == 0 || len(gone) == 0 || key == nil {
		return out
	}
	ts := make([]types.Type, len(key))
	for i, c := range key {
		ts[i] = d.cols[c].Type
	}
	keys := hash.New(ts)
	found := make([]uint32, max(len(added), len(gone)))
	keys.FindOrInsert(d.keyColumns(added, key), nil, nil, found[:len(added)])
	keys.Find(d.keyColumns(gone, key), nil, nil, found[:len(gone)])
	for i, g := range gone {
		out[g] = found[i] != hash.Missing
	}
	return out
}

func (d *netDelta) keyColumns(groups []uint32, key []int) []*vec.Vector {
	b := d.batch(groups)
	cols := make([]*vec.Vector, len(key))
	for i, c := range key {
		cols[i] = b.Cols[c]
	}
	return cols
}
