package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// filter keeps the rows for which the predicate is true: WHERE, HAVING.
func (i *interpreter) filter(f *logical.Filter) ([]Row, error) {
	in, err := i.node(f.Input)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, r := range in {
		keep, err := i.isTrue(f.Predicate, r, f.Input.Schema())
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}
