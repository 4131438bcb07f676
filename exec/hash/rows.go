package hash

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Rows keeps rows in the layout of a Table, without an index: equal ones apart, each
// under a number that stays the same while the row exists. Nothing refers to a batch
// after a call. It is used by one goroutine at a time.
type Rows struct{ t Table }

// NewRows returns an empty store of rows with columns of the given types.
func NewRows(columns []types.Type) *Rows {
	return &Rows{Table{layout: newLayout(columns), work: &work{}}}
}

// Load makes the rows of cols that sel lists (nil = the first n) known to Put, until the
// next call.
func (r *Rows) Load(cols []*vec.Vector, sel []int32, n int) { r.t.load(&r.t.probe, cols, sel, n) }

// Put keeps the i-th row of the last Load, and returns its number.
func (r *Rows) Put(i int) uint32 {
	g := r.t.newGroup()
	r.t.store(g, i)
	return g
}

// Delete removes a row that exists; its number may be given out again.
func (r *Rows) Delete(row uint32) { r.t.release(row) }

// Len is the number of rows that exist.
func (r *Rows) Len() int { return r.t.Len() }

// Cap is one more than the greatest number ever given out.
func (r *Rows) Cap() int { return r.t.Cap() }

// Key appends one column of rows.
func (r *Rows) Key(rows []uint32, column int, out *vec.Builder) { r.t.Key(rows, column, out) }

// KeyBytes appends the key encoding (vec.AppendRowKey) of a row.
func (r *Rows) KeyBytes(row uint32, dst []byte) []byte { return r.t.KeyBytes(row, dst) }

// Compare is what vec.Compare gives for one column of two rows.
func (r *Rows) Compare(a, b uint32, column int) int { return r.t.Compare(a, b, column) }

// Bytes is the memory held.
func (r *Rows) Bytes() int64 { return r.t.Bytes() }
