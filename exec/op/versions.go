package op

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// versions appends a BOOLEAN that tells whether a row is a deletion, and takes the weights
// away: a deletion is a row like others.
type versions struct {
	out  vec.Batch
	gone []uint8
}

// NewVersions returns the operator.
func NewVersions() Op { return &versions{} }

// Process implements Op.
func (v *versions) Process(_ *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	v.gone = append(v.gone[:0], make([]uint8, b.N)...)
	for i := range b.Rows() {
		if row := b.Row(i); b.Weight(row) < 0 {
			v.gone[row] = 1
		}
	}
	v.out = *b
	v.out.W = nil
	v.out.Cols = append(b.Cols[:len(b.Cols):len(b.Cols)], &vec.Vector{Type: types.Of(types.Bool), N: b.N, Bool: v.gone})
	return emit(&v.out)
}
