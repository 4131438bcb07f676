package reference

import (
	"fmt"

	"github.com/sqlstream/sqlstream/planner/logical"
)

// recursive computes the step over and over. With UNION it reads all rows so far, until
// none is new; with UNION ALL those of the round before, until there are none.
func (i *interpreter) recursive(r *logical.Recursive) ([]Row, error) {
	base, err := i.node(r.Base)
	if err != nil {
		return nil, err
	}
	if i.rounds == nil {
		i.rounds = map[*logical.Recursion][]Row{}
	}
	defer delete(i.rounds, r.Of)
	var all []Row
	seen := map[string]bool{}
	for _, row := range base {
		if text := Text(row.Values); r.All || !seen[text] {
			seen[text] = true
			all = append(all, row)
		}
	}
	i.rounds[r.Of] = all
	for round := int64(0); ; round++ {
		if round > r.Of.Rounds || int64(len(all)) > r.Of.Rows {
			return nil, fmt.Errorf("it has not ended after %d rounds, with %d rows", round, len(all))
		}
		rows, err := i.node(r.Step)
		if err != nil {
			return nil, err
		}
		var added []Row
		for _, row := range rows {
			if text := Text(row.Values); r.All || !seen[text] {
				seen[text] = true
				added = append(added, row)
			}
		}
		if len(added) == 0 {
			return all, nil
		}
		all = append(all, added...)
		if i.rounds[r.Of] = all; r.All {
			i.rounds[r.Of] = added
		}
	}
}
