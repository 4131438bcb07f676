package stateful

import (
	"fmt"
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Aggregates over different values share one map of them: sum, count, max and mode (the
// least) of DISTINCT v, and others of the rows alone where the flag is true.

// sharedTwin groups rows of aggInput by the text column.
type sharedTwin struct{ rows [][]any }

func (s *sharedTwin) take(c change) vec.Fate {
	if c.w > 0 {
		s.rows = append(s.rows, c.row)
	} else {
		s.rows = without(s.rows, c.row)
	}
	return vec.Contributed
}

func (s *sharedTwin) advance([]int64) {}
func (s *sharedTwin) live() [][]any   { return s.rows }

func (s *sharedTwin) want() bag {
	keys, all, flagged := map[string]any{}, map[string]map[int64]bool{}, map[string]map[int64]bool{}
	for _, r := range s.rows {
		k := fmt.Sprint(r[1])
		if all[k] == nil {
			keys[k], all[k], flagged[k] = r[1], map[int64]bool{}, map[int64]bool{}
		}
		if v, ok := r[2].(int64); ok {
			all[k][v] = true
			if r[3] == true {
				flagged[k][v] = true
			}
		}
	}
	out := bag{}
	for k, key := range keys {
		out.add(append([]any{key}, sharedRow(all[k], flagged[k])...), 1)
	}
	return out
}

func sharedRow(all, flagged map[int64]bool) []any {
	row := []any{nil, int64(len(all)), nil, nil, nil, int64(len(flagged))}
	var vs []int64
	var sum int64
	for v := range all {
		vs, sum = append(vs, v), sum+v
	}
	sort.Slice(vs, func(i, j int) bool { return vs[i] < vs[j] })
	if n := len(vs); n > 0 {
		row[0], row[2], row[3] = sum, vs[n-1], vs[0]
	}
	sum = 0
	for v := range flagged {
		sum += v
	}
	if len(flagged) > 0 {
		row[4] = sum
	}
	return row
}

func sharedCases() []*opCase {
	return []*opCase{{name: "shared distinct", types: aggInput, row: aggRow, fronts: aggFronts, retract: true, net: true,
		twin: func() twin { return &sharedTwin{} },
		make: func(t tester) Operator {
			var aggs []AggregateSpec
			add := func(f fn.Aggregate, filter int) {
				aggs = append(aggs, AggregateSpec{Impl: resolve(t, f, bigint), Args: []int{2}, Filter: filter, Distinct: true})
			}
			add(agg.Sum, -1)
			add(agg.Count, -1)
			add(agg.Max, -1)
			add(agg.Mode, -1)
			add(agg.Sum, 3)
			add(agg.Count, 3)
			op, err := NewAggregate(AggregateConfig{Name: "shared", Keys: []int{1}, KeyTypes: aggInput[1:2], Aggs: aggs, Retract: true, Bound: -1, Front: -1})
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		}}}
}

func TestSharedDistinct(t *testing.T) { playAll(t, sharedCases(), 12) }
