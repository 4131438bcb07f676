package conformance

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// many leaves a table that has, or gets from another one, many rows to the batch engine
// alone. A table with a key stays: its keys are looked up row by row.
func (w *world) many(t *table, from string) (bool, error) {
	if t.bulk {
		return true, nil
	}
	if len(t.key) > 0 || !w.d.noViews {
		return false, nil
	}
	res, err := rowsOf(w.ctx, w.batch, "SELECT count(*) FROM "+from)
	if err != nil || res.rows[0].Cols[0].Int(0)+int64(len(t.rows)) <= bulkRows {
		return false, err
	}
	if from != quote(t.name) {
		if err := w.fill(t.name, t.relation, t.live()); err != nil {
			return false, err
		}
	}
	t.bulk, t.rows, t.at, t.unsynced = true, nil, nil, false
	w.apart[strings.ToLower(t.name)] = true
	return true, nil
}

// single gives the rows of a table back that the batch engine has alone, to be looked up
// one by one.
func (w *world) single(t *table) error {
	if !t.bulk {
		return nil
	}
	res, err := rowsOf(w.ctx, w.batch, "SELECT * FROM "+quote(t.name))
	if err != nil {
		return err
	}
	t.at = map[string][]int{}
	for _, b := range res.rows {
		for _, r := range singles([]*vec.Batch{b}) {
			t.add(r)
		}
	}
	t.bulk = false
	return nil
}
