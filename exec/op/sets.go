package op

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// ExpandSet is a grouping set: its id, and which of the copied columns it has.
type ExpandSet struct {
	ID int64
	In []bool
}

// setExpand gives a batch once for every grouping set. Nothing is copied: columns are
// shared, those that a set does not have are a constant NULL.
type setExpand struct {
	cols []int
	sets []ExpandSet
	out  vec.Batch
}

// NewExpand returns the operator. It appends copies of cols and the id of the set.
func NewExpand(cols []int, sets []ExpandSet) Op { return &setExpand{cols: cols, sets: sets} }

// Process implements Op.
func (x *setExpand) Process(_ *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	nulls := make([]*vec.Vector, len(x.cols))
	for i, c := range x.cols {
		nulls[i] = vec.Nulls(b.Cols[c].Type, b.N)
	}
	for _, s := range x.sets {
		x.out = *b
		x.out.Cols = append(make([]*vec.Vector, 0, len(b.Cols)+len(x.cols)+1), b.Cols...)
		for i, c := range x.cols {
			v := nulls[i]
			if s.In[i] {
				v = b.Cols[c]
			}
			x.out.Cols = append(x.out.Cols, v)
		}
		id := s.ID
		if mutant.On("grouping sets share one id") {
			id = 0
		}
		x.out.Cols = append(x.out.Cols, vec.NewConst(types.Of(types.Int64), id, b.N))
		if err := emit(&x.out); err != nil {
			return err
		}
	}
	return nil
}
