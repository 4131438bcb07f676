package op

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// project replaces the columns by computed ones; rows stay as they are.
type project struct {
	exprs []expr.Node
	out   vec.Batch
	cols  []*vec.Vector
}

// NewProject returns the operator.
func NewProject(exprs []expr.Node) Op {
	return &project{exprs: exprs, cols: make([]*vec.Vector, len(exprs))}
}

// Process implements Op.
func (p *project) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	m := c.Mark()
	defer c.Release(m)
	for i, e := range p.exprs {
		v, err := e.Eval(c, b)
		if err != nil {
			return expr.Blame(err, e, b)
		}
		p.cols[i] = v
	}
	p.out = *b
	p.out.Cols = p.cols
	return emit(&p.out)
}
