package oracle

import (
	"github.com/sqlstream/sqlstream/exec/sink"
)

// result is what our rows add up to.
type result struct {
	mode sink.Mode
	key  []int
	rows []row
}

func (w *world) newResult() *result { return &result{mode: w.mode(), key: w.q.Plan.Outputs[0].Key} }

// take enters the rows of a trigger.
func (r *result) take(t turn) {
	if r.mode == sink.Complete && t.ran {
		r.rows = nil
	}
	for _, o := range t.rows {
		switch {
		case r.mode == sink.Update && r.key != nil:
			r.remove(o.json, r.key)
		case r.mode == sink.Changelog && o.weight < 0:
			r.remove(o.json, everyColumn(len(o.json)))
		}
		if o.weight > 0 {
			r.rows = append(r.rows, o.json)
		}
	}
}

func everyColumn(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// remove takes the row of the same key away.
func (r *result) remove(x row, key []int) {
	for i, o := range r.rows {
		if sameKey(o, x, key) {
			r.rows = append(r.rows[:i:i], r.rows[i+1:]...)
			return
		}
	}
}

func distinct(rows []row) bool {
	for i, r := range rows {
		for _, o := range rows[:i] {
			if (loose{}).sameRow(r, o) {
				return false
			}
		}
	}
	return true
}

func sameKey(x, y row, key []int) bool {
	for _, k := range key {
		if !(loose{}).sameValue(x[k], y[k]) {
			return false
		}
	}
	return true
}
