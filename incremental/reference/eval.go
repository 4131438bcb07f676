package reference

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// one makes a batch of a row, with the columns that the expressions read.
func one(row []any, schema []types.Column, exprs ...expr.Node) *vec.Batch {
	b := &vec.Batch{N: 1, Cols: make([]*vec.Vector, len(schema))}
	for _, c := range expr.ColumnsOf(exprs...) {
		b.Cols[c] = vec.FromAny(schema[c].Type, row[c])
	}
	return b
}

// eval computes an expression over a row of the schema.
func (i *interpreter) eval(e expr.Node, row Row, schema []types.Column) (any, error) {
	saved := i.ctx.Now
	defer func() { i.ctx.Now = saved }()
	if row.Now != 0 {
		i.ctx.Now = row.Now
	}
	v, err := e.Eval(i.ctx, one(row.Values, schema, e))
	if err != nil {
		return nil, err
	}
	return vec.ToAny(v, 0), nil
}

func (i *interpreter) evalAll(list []expr.Node, row Row, schema []types.Column) ([]any, error) {
	out := make([]any, len(list))
	for k, e := range list {
		v, err := i.eval(e, row, schema)
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

// isTrue tests a predicate; NULL is not true, and no predicate is.
func (i *interpreter) isTrue(e expr.Node, row Row, schema []types.Column) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := i.eval(e, row, schema)
	return v == true, err
}
