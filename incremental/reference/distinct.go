package reference

import "github.com/sqlstream/sqlstream/planner/logical"

// distinct keeps the first of equal rows.
func (i *interpreter) distinct(d *logical.Distinct) ([]Row, error) {
	in, err := i.node(d.Input)
	if err != nil {
		return nil, err
	}
	return firstOf(i.onTime(d, in, wholeRow), wholeRow), nil
}

func wholeRow(r Row) []any { return r.Values }

// firstOf keeps the first row of each key.
func firstOf(rows []Row, key func(Row) []any) []Row {
	seen := map[string]bool{}
	var out []Row
	for _, r := range rows {
		if k := Text(key(r)); !seen[k] {
			seen[k] = true
			out = append(out, r)
		}
	}
	return out
}
