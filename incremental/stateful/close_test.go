package stateful

import (
	"sort"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// closeTwin keeps rows and shows those below the frontier.
type closeTwin struct {
	front int64
	rows  [][]any
}

func (c *closeTwin) take(ch change) vec.Fate {
	if at := ch.row[0]; at != nil && at.(int64) < c.front {
		return vec.Late
	}
	if ch.w > 0 {
		c.rows = append(c.rows, ch.row)
	} else {
		c.rows = without(c.rows, ch.row)
	}
	return vec.Contributed
}

func (c *closeTwin) advance(fronts []int64) { c.front = fronts[0] }
func (c *closeTwin) live() [][]any          { return c.rows }
func (c *closeTwin) want() bag {
	out := bag{}
	for _, r := range c.rows {
		if r[0] != nil && r[0].(int64) < c.front {
			out.add(r, 1)
		}
	}
	return out
}

func closeCases() []*opCase {
	var out []*opCase
	for _, width := range []int64{1, 25} {
		cfg := CloseConfig{Name: "close", Types: dedupInput, Bound: 0, Width: width}
		out = append(out, &opCase{name: map[int64]string{1: "exact", 25: "wide"}[width], types: dedupInput, row: dedupRow, fronts: aggFronts, retract: true,
			twin: func() twin { return &closeTwin{front: NoFrontier} },
			make: func(t tester) Operator {
				op, err := NewClose(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return op
			}})
	}
	return out
}

func TestClose(t *testing.T) { playAll(t, closeCases(), 15) }

// matTwin keeps rows, and shows them sorted by column 1 descending, then by all.
type matTwin struct {
	rows          [][]any
	offset, limit int64
}

func (m *matTwin) take(c change) vec.Fate {
	if c.w > 0 {
		m.rows = append(m.rows, c.row)
	} else {
		m.rows = without(m.rows, c.row)
	}
	return vec.Contributed
}

func (m *matTwin) advance([]int64) {}
func (m *matTwin) live() [][]any   { return m.rows }
func (m *matTwin) want() bag {
	out := bag{}
	for i, r := range sortedRows(m.rows) {
		if int64(i) >= m.offset && (m.limit < 0 || int64(i) < m.offset+m.limit) {
			out.add(r, 1)
		}
	}
	return out
}

func sortedRows(rows [][]any) [][]any {
	out := append([][]any{}, rows...)
	compare := func(a, b any, col int, o vec.Order) int {
		return vec.CompareOrder(vec.FromAny(dedupInput[col], a), 0, vec.FromAny(dedupInput[col], b), 0, o)
	}
	sort.SliceStable(out, func(i, j int) bool {
		if c := compare(out[i][1], out[j][1], 1, vec.Order{Desc: true}); c != 0 {
			return c < 0
		}
		for col := range dedupInput {
			if c := compare(out[i][col], out[j][col], col, vec.Order{}); c != 0 {
				return c < 0
			}
		}
		return false
	})
	return out
}

func matConfig(limit, offset int64, whole bool) MaterializeConfig {
	return MaterializeConfig{Name: "materialize", Types: dedupInput, Order: []OrderColumn{{Col: 1, Order: vec.Order{Desc: true}}},
		Limit: limit, Offset: offset, Whole: whole}
}

func matCases() []*opCase {
	mk := func(name string, cfg MaterializeConfig) *opCase {
		return &opCase{name: name, types: dedupInput, row: dedupRow, fronts: func(int) []int64 { return nil }, retract: true, replaces: cfg.Whole,
			twin: func() twin { return &matTwin{offset: cfg.Offset, limit: cfg.Limit} },
			make: func(t tester) Operator {
				op, err := NewMaterialize(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return op
			}}
	}
	return []*opCase{
		mk("whole", matConfig(-1, 0, true)),
		mk("limit", matConfig(4, 2, true)),
		mk("view", matConfig(-1, 0, false)),
	}
}

func TestMaterialize(t *testing.T) { playAll(t, matCases(), 15) }

func TestMaterializeOrder(t *testing.T) {
	c := matCases()[0]
	r := c.newRun(t, variant{batch: 4})
	rows := [][]any{{int64(3), "a", nil}, {nil, "b", int64(1)}, {int64(1), nil, nil}, {int64(3), "a", nil}, {int64(2), "b", int64(1)}}
	var changes []change
	for _, x := range rows {
		changes = append(changes, change{x, 1})
	}
	r.trigger(t, 0, changes, nil)
	var got []string
	err := r.op.(*Materialize).Snapshot(func(b *vec.Batch) error {
		for i := range b.N {
			got = append(got, rowText([]any{vec.ToAny(b.Cols[0], i), vec.ToAny(b.Cols[1], i), vec.ToAny(b.Cols[2], i)}))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i, row := range sortedRows(rows) {
		if got[i] != rowText(row) {
			t.Fatalf("row %d is %s, want %s", i, got[i], rowText(row))
		}
	}
}

// A deletion of a row that is not there fails the query and names the operator.
func TestNegativeWeight(t *testing.T) {
	c := matCases()[0]
	r := c.newRun(t, variant{batch: 4})
	b := r.batch([]change{{[]any{int64(1), "a", nil}, -1}})
	tr := &Trigger{Ctx: &fn.Ctx{}}
	none := func(*vec.Batch) error { return nil }
	if err := r.op.Step(tr, 0, 0, b, none); err != nil {
		t.Fatalf("%v", err)
	}
	if err := r.op.Flush(tr, none); err == nil {
		t.Fatal("a negative weight must be an error")
	}
}
