package op

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// filter keeps the rows for which a predicate is true.
type filter struct {
	predicate expr.Node
	out       vec.Batch
}

// NewFilter returns the operator.
func NewFilter(predicate expr.Node) Op { return &filter{predicate: predicate} }

// Process implements Op.
func (f *filter) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	m := c.Mark()
	defer c.Release(m)
	sel, err := expr.Filter(c, f.predicate, b)
	if err != nil || sel != nil && len(sel) == 0 {
		return expr.Blame(err, f.predicate, b)
	}
	f.out = *b
	f.out.Sel = sel
	return emit(&f.out)
}
