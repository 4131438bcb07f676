package random

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// accumulated is the result as a reader of the sink has it, by mode.
type accumulated struct {
	mode sink.Mode
	key  []int // update mode over rows that change
	rows reference.Bag
	keys map[string][]any // update mode: the row of each key
}

func newAccumulated(o *physical.Output) accumulated {
	a := accumulated{mode: o.Mode, rows: reference.Bag{}, keys: map[string][]any{}}
	if o.Mode == sink.Update && o.Input.Props().Kind != physical.AppendOnly {
		a.key = append([]int{}, o.Key...)
	}
	return a
}

// take applies what one trigger published.
func (a *accumulated) take(changes []reference.Change) error {
	if a.mode == sink.Complete {
		a.rows = reference.Bag{}
	}
	for _, c := range changes {
		if a.mode != sink.Changelog && a.mode != sink.Update && c.Weight < 0 {
			return fmt.Errorf("%s mode shows a deletion of %s", a.mode, reference.Text(c.Values))
		}
		if a.key != nil {
			if err := a.upsert(c); err != nil {
				return err
			}
			continue
		}
		a.rows.Add(c.Values, c.Weight)
	}
	for row, w := range a.rows {
		if w < 0 {
			return fmt.Errorf("the sum of the output has weight %d for %s", w, row)
		}
	}
	return nil
}

func (a *accumulated) upsert(c reference.Change) error {
	key := make([]any, len(a.key))
	for i, k := range a.key {
		key[i] = c.Values[k]
	}
	text := reference.Text(key)
	if c.Weight < 0 {
		old, ok := a.keys[text]
		if !ok || reference.Text(old) != reference.Text(c.Values) {
			return fmt.Errorf("update mode removes %s, but the key has %v", reference.Text(c.Values), old)
		}
		delete(a.keys, text)
		return nil
	}
	if c.Weight != 1 {
		return fmt.Errorf("update mode shows %s with weight %d", reference.Text(c.Values), c.Weight)
	}
	a.keys[text] = c.Values
	return nil
}

func (a *accumulated) bag() reference.Bag {
	if a.key == nil {
		return a.rows
	}
	out := reference.Bag{}
	for _, row := range a.keys {
		out.Add(row, 1)
	}
	return out
}
