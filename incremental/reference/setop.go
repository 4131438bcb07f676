package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// setOp takes left rows one by one. For INTERSECT each needs a copy on the right, for
// EXCEPT none; with ALL every copy on the right serves once.
func (i *interpreter) setOp(s *logical.SetOp) ([]Row, error) {
	l, err := i.node(s.L)
	if err != nil {
		return nil, err
	}
	r, err := i.node(s.R)
	if err != nil {
		return nil, err
	}
	l, r = i.onTime(s, l, wholeRow), i.onTime(s, r, wholeRow)
	if !s.All {
		l, r = firstOf(l, wholeRow), firstOf(r, wholeRow)
	}
	right := BagOf(r)
	var out []Row
	for _, row := range l {
		found := right[Text(row.Values)] > 0
		if found {
			right.Add(row.Values, -1)
		}
		if found == s.Intersect {
			out = append(out, row)
		}
	}
	return out, nil
}
