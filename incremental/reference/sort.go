package reference

import (
	"cmp"
	"slices"

	"github.com/sqlstream/sqlstream/planner/logical"
)

// sort orders rows, ties by the whole row ascending, and cuts them.
func (i *interpreter) sort(s *logical.Sort) ([]Row, error) {
	rows, err := i.node(s.Input)
	if err != nil {
		return nil, err
	}
	rows, err = i.ordered(rows, s.Keys, s.Input)
	if err != nil {
		return nil, err
	}
	if s.Ties {
		return i.firstRows(s.Top(), rows)
	}
	rows = rows[min(int(s.Offset), len(rows)):]
	if s.Limit != logical.NoLimit {
		rows = rows[:min(int(s.Limit), len(rows))]
	}
	return rows, nil
}

// ordered sorts rows of a node.
func (i *interpreter) ordered(rows []Row, keys []logical.SortKey, of logical.Node) ([]Row, error) {
	type keyed struct {
		row  Row
		keys []any
	}
	list := make([]keyed, len(rows))
	for k, r := range rows {
		list[k].row = r
		for _, key := range keys {
			v, err := i.eval(key.Expr, r, of.Schema())
			if err != nil {
				return nil, err
			}
			list[k].keys = append(list[k].keys, v)
		}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		for k, key := range keys {
			if c := compareBy(a.keys[k], b.keys[k], key); c != 0 {
				return c
			}
		}
		return compareRows(a.row.Values, b.row.Values)
	})
	out := make([]Row, len(list))
	for k := range list {
		out[k] = list[k].row
	}
	return out, nil
}

// compareBy is compare in the direction of a sort key.
func compareBy(a, b any, key logical.SortKey) int {
	if a == nil || b == nil {
		c := cmp.Compare(boolInt(a != nil), boolInt(b != nil))
		if key.NullsFirst {
			return c
		}
		return -c
	}
	if key.Desc {
		return -compare(a, b)
	}
	return compare(a, b)
}
