package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// union puts the rows of all inputs one after the other.
func (i *interpreter) union(u *logical.UnionAll) ([]Row, error) {
	var out []Row
	for _, in := range u.Inputs {
		rows, err := i.node(in)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}
