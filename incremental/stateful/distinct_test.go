package stateful

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// distinctTwin counts rows.
type distinctTwin struct {
	bound int
	front int64
	seen  map[string]*twinGroup
	rows  [][]any
}

func (d *distinctTwin) take(c change) vec.Fate {
	if d.bound >= 0 && c.row[d.bound] != nil && c.row[d.bound].(int64) < d.front {
		return vec.Late
	}
	g := d.seen[rowText(c.row)]
	if g == nil {
		g = &twinGroup{key: c.row}
		d.seen[rowText(c.row)] = g
	}
	if c.w > 0 {
		g.rows, d.rows = append(g.rows, c.row), append(d.rows, c.row)
	} else {
		g.rows, d.rows = g.rows[1:], without(d.rows, c.row)
	}
	return vec.Contributed
}

func (d *distinctTwin) advance(fronts []int64) {
	if d.bound >= 0 {
		d.front = fronts[0]
	}
}

func (d *distinctTwin) want() bag {
	out := bag{}
	for _, g := range d.seen {
		if len(g.rows) > 0 {
			out.add(g.key, 1)
		}
	}
	return out
}

func (d *distinctTwin) live() [][]any { return d.rows }

func distinctCases() []*opCase {
	var out []*opCase
	for _, retract := range []bool{false, true} {
		for _, bound := range []int{-1, 0} {
			cfg := DistinctConfig{Name: "distinct", Types: dedupInput, Retract: retract, Bound: bound, Width: 25}
			name := map[bool]string{false: "append", true: "retract"}[retract] + map[int]string{-1: "", 0: ", bound"}[bound]
			out = append(out, &opCase{name: name, types: dedupInput, row: dedupRow, fronts: aggFronts, retract: retract, net: true,
				twin: func() twin { return &distinctTwin{bound: bound, front: NoFrontier, seen: map[string]*twinGroup{}} },
				make: func(t tester) Operator {
					op, err := NewDistinct(cfg)
					if err != nil {
						t.Fatalf("%v", err)
					}
					return op
				}})
		}
	}
	return out
}

func TestDistinct(t *testing.T) { playAll(t, distinctCases(), 10) }
