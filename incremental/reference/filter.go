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
		tested := r
		tested.Now = 0 // now() in a condition is the time of the answer, not that of the row
		keep, err := i.isTrue(f.Predicate, tested, f.Input.Schema())
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}
