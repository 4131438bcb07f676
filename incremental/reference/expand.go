package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// expand copies each row for every grouping set.
func (i *interpreter) expand(x *logical.Expand) ([]Row, error) {
	in, err := i.node(x.Input)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range in {
		keys, err := i.evalAll(x.Keys, r, x.Input.Schema())
		if err != nil {
			return nil, err
		}
		for _, s := range x.Sets {
			vals := append([]any{}, r.Values...)
			for k, v := range keys {
				if !s.In[k] {
					v = nil
				}
				vals = append(vals, v)
			}
			out = append(out, Row{Values: append(vals, s.ID), Moment: r.Moment})
		}
	}
	return out, nil
}
