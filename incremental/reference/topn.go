package reference

import (
	"github.com/sqlstream/sqlstream/planner/logical"
)

// topN numbers the rows of each partition in their order, and keeps the first ones.
func (i *interpreter) topN(t *logical.TopN) ([]Row, error) {
	rows, err := i.node(t.Input)
	if err != nil {
		return nil, err
	}
	parts := map[string][]Row{}
	var names []string // in the order in which partitions are met
	for _, r := range rows {
		var key []any
		for _, e := range t.PartitionBy {
			v, err := i.eval(e, r, t.Input.Schema())
			if err != nil {
				return nil, err
			}
			key = append(key, v)
		}
		if i.Refuse != nil && i.Refuse(t, key, r.Moment) {
			continue
		}
		name := Text(key)
		if _, seen := parts[name]; !seen {
			names = append(names, name)
		}
		parts[name] = append(parts[name], r)
	}
	var out []Row
	for _, name := range names {
		first, err := i.firstRows(t, parts[name])
		if err != nil {
			return nil, err
		}
		out = append(out, first...)
	}
	return out, nil
}

// firstRows are those of one partition.
func (i *interpreter) firstRows(t *logical.TopN, rows []Row) ([]Row, error) {
	rows, err := i.ordered(rows, t.Order, t.Input)
	if err != nil {
		return nil, err
	}
	var out []Row
	var keys []any // of the row before
	rank, group := int64(0), int64(0)
	for at, r := range rows {
		var own []any
		for _, k := range t.Order {
			v, err := i.eval(k.Expr, r, t.Input.Schema())
			if err != nil {
				return nil, err
			}
			own = append(own, v)
		}
		if at == 0 || Text(own) != Text(keys) {
			rank, group = int64(at)+1, group+1
		}
		keys = own
		number := [...]int64{logical.ByPosition: int64(at) + 1, logical.ByRank: rank, logical.ByGroup: group}[t.Ranking]
		if int64(at) < t.Offset || t.Limit != logical.NoLimit && number-t.Offset > t.Limit {
			continue
		}
		if t.Rank != "" {
			r.Values = append(append([]any(nil), r.Values...), number)
		}
		out = append(out, r)
	}
	return out, nil
}
