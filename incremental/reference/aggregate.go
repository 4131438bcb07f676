package reference

import (
	"github.com/sqlstream/sqlstream/planner/logical"
)

// aggregate groups rows by the text of their keys and computes each aggregate over the
// list of its rows. Without keys there is one group, empty or not.
func (i *interpreter) aggregate(a *logical.Aggregate) ([]Row, error) {
	in, err := i.node(a.Input)
	if err != nil {
		return nil, err
	}
	groups, err := i.groups(a, in)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, g := range groups {
		vals := g.key
		for _, call := range a.Aggs {
			v, err := i.call(call, g.rows, a.Input)
			if err != nil {
				return nil, err
			}
			vals = append(vals, v)
		}
		out = append(out, Row{Values: vals})
	}
	return out, nil
}

type group struct {
	key  []any
	rows []Row
}

func (i *interpreter) groups(a *logical.Aggregate, in []Row) ([]*group, error) {
	if len(a.Keys) == 0 {
		return []*group{{rows: in}}, nil
	}
	var out []*group
	byText := map[string]*group{}
	for _, r := range in {
		key, err := i.evalAll(a.Keys, r, a.Input.Schema())
		if err != nil {
			return nil, err
		}
		if i.Refuse != nil && i.Refuse(a, key, r.Moment) {
			continue
		}
		g := byText[Text(key)]
		if g == nil {
			g = &group{key: key}
			byText[Text(key)] = g
			out = append(out, g)
		}
		g.rows = append(g.rows, r)
	}
	return out, nil
}

// call computes one aggregate: FILTER, then ORDER BY, then DISTINCT, then the function.
func (i *interpreter) call(a logical.Agg, rows []Row, of logical.Node) (any, error) {
	rows, err := i.kept(a, rows, of)
	if err != nil {
		return nil, err
	}
	if len(a.Order) > 0 {
		if rows, err = i.ordered(rows, a.Order, of); err != nil {
			return nil, err
		}
	}
	args := make([]Row, len(rows))
	for k, r := range rows {
		if args[k].Values, err = i.evalAll(a.Args, r, of.Schema()); err != nil {
			return nil, err
		}
	}
	if a.Distinct {
		args = firstOf(args, wholeRow)
	}
	list := make([][]any, len(args))
	for k, r := range args {
		list[k] = r.Values
	}
	return compute(a, list)
}

func (i *interpreter) kept(a logical.Agg, rows []Row, of logical.Node) ([]Row, error) {
	var out []Row
	for _, r := range rows {
		keep, err := i.isTrue(a.Filter, r, of.Schema())
		if err != nil {
			return nil, err
		}
		if keep {
			out = append(out, r)
		}
	}
	return out, nil
}
