package reference

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// apply computes the right side again for each left row, with the row's values in the
// place of the outer references: what SQL says of a correlated subquery.
func (i *interpreter) apply(a *logical.Apply) ([]Row, error) {
	left, err := i.node(a.L)
	if err != nil {
		return nil, err
	}
	schema := a.L.Schema()
	var out []Row
	for _, l := range left {
		plan := logical.MapOuter(a.R, a.Scope, func(e expr.Node) expr.Node {
			return expr.Rewrite(e, func(x expr.Node) expr.Node {
				c, ok := x.(*expr.Column)
				if !ok {
					return x
				}
				if scope, col, outer := logical.Outer(c.Index); outer && scope == a.Scope {
					return expr.NewConst(vec.FromAny(schema[col].Type, l.Values[col]))
				}
				return x
			})
		})
		right, err := i.node(plan)
		if err != nil {
			return nil, err
		}
		rows, err := i.joinRow(&a.Join, l, right)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}
