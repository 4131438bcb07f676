package reference

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// scan accumulates the changes of a relation and computes its computed columns.
func (i *interpreter) scan(s *logical.Scan) ([]Row, error) {
	changes, err := i.Inputs(s)
	if err != nil {
		return nil, err
	}
	if s.Versions {
		return i.versions(s, changes)
	}
	if s.Relation.Upserts() {
		return i.latest(s, changes)
	}
	rows, err := Accumulate(changes)
	if err != nil {
		return nil, err
	}
	schema := s.Schema()
	for k := range rows {
		if rows[k].Values, err = i.complete(s, rows[k], schema); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// versions are all rows of a keyed source, with whether each is a deletion.
func (i *interpreter) versions(s *logical.Scan, changes []Change) ([]Row, error) {
	var rows []Row
	schema := s.Schema()
	for _, c := range changes {
		row, err := i.complete(s, Row{c.Values, c.Moment}, schema)
		if err != nil {
			return nil, err
		}
		row[len(row)-1] = c.Weight < 0
		rows = append(rows, Row{row, c.Moment})
	}
	return rows, nil
}

// latest is the last row of each key of a source whose rows replace one another; a
// deletion takes the row of its key away.
func (i *interpreter) latest(s *logical.Scan, changes []Change) ([]Row, error) {
	var order []string
	rows := map[string]Row{}
	schema := s.Schema()
	for _, c := range changes {
		row, err := i.complete(s, Row{c.Values, c.Moment}, schema)
		if err != nil {
			return nil, err
		}
		var key []any
		for _, k := range s.Relation.Key {
			key = append(key, row[k])
		}
		text := Text(key)
		if _, ok := rows[text]; !ok {
			order = append(order, text)
		}
		if delete(rows, text); c.Weight > 0 {
			rows[text] = Row{row, c.Moment}
		}
	}
	var out []Row
	for _, text := range order {
		if r, ok := rows[text]; ok {
			out = append(out, r)
			delete(rows, text)
		}
	}
	return out, nil
}

// complete brings what the connector delivered into the scan's columns.
func (i *interpreter) complete(s *logical.Scan, given Row, schema []types.Column) ([]any, error) {
	row := Row{make([]any, len(schema)), given.Moment}
	_, at := s.Relation.Inputs()
	for k, c := range at {
		row.Values[c] = given.Values[k]
	}
	for c, col := range s.Relation.Columns {
		if col.Kind != catalog.Computed {
			continue
		}
		v, err := i.eval(col.Expr, row, schema)
		if err != nil {
			return nil, err
		}
		row.Values[c] = v
	}
	extra, err := i.evalAll(s.Extra, row, schema)
	if err != nil {
		return nil, err
	}
	copy(row.Values[len(s.Relation.Columns):], extra)
	return row.Values, nil
}

// values evaluates constant rows.
func (i *interpreter) values(v *logical.Values) ([]Row, error) {
	rows := make([]Row, len(v.Rows))
	for k, r := range v.Rows {
		vals, err := i.evalAll(r, Row{}, nil)
		if err != nil {
			return nil, err
		}
		rows[k].Values = vals
	}
	return rows, nil
}
