package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// project computes columns.
func (i *interpreter) project(p *logical.Project) ([]Row, error) {
	in, err := i.node(p.Input)
	if err != nil {
		return nil, err
	}
	out := make([]Row, len(in))
	for k, r := range in {
		vals, err := i.evalAll(p.Exprs, r, p.Input.Schema())
		if err != nil {
			return nil, err
		}
		out[k] = Row{vals, r.Moment}
	}
	return out, nil
}
