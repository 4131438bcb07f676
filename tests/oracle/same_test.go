package oracle

import (
	"encoding/json"
	"testing"
)

func TestSameValue(t *testing.T) {
	n := func(s string) json.Number { return json.Number(s) }
	m := func(pairs ...any) any { return map[string]any{"$map": pairs} }
	for _, x := range []struct {
		l            loose
		ours, theirs any
		same         bool
	}{
		{loose{}, n("9007199254740993"), n("9007199254740992"), false}, // whole numbers are exact
		{loose{}, 0.1 + 0.2, n("0.3"), true},
		{loose{}, 0.3001, n("0.3"), false},
		{loose{}, "NaN", "NaN", true},
		{loose{}, "1.50", "1.5", false}, // a decimal has its scale
		{loose{}, n("0"), nil, false},
		{loose{}, nil, nil, true},
		{loose{}, []any{n("1"), n("2")}, []any{n("2"), n("1")}, false},
		{loose{bags: true}, []any{n("1"), n("2")}, []any{n("2"), n("1")}, true},
		{loose{bags: true}, []any{n("1"), n("1")}, []any{n("2"), n("1")}, false},
		{loose{}, m([]any{"a", n("1")}, []any{"b", nil}), m([]any{"b", nil}, []any{"a", n("1")}), true},
		{loose{}, map[string]any{"a": n("1")}, map[string]any{"b": n("1")}, false},
		{loose{nulls: true}, nil, n("5"), true},
		{loose{nulls: true}, n("5"), nil, false},
		{loose{rel: 0.05}, n("100"), n("103"), true},
		{loose{rel: 0.05}, n("100"), n("110"), false},
		{loose{spelling: true}, "1429:45:56.789012", "INTERVAL '59 13:45:56.789012' DAY TO SECOND", true},
		{loose{spelling: true}, "1429:45:57", "INTERVAL '59 13:45:56' DAY TO SECOND", false},
		{loose{spelling: true}, "1e+20", "1.0E20", true},
		{loose{spelling: true}, "10000000.0", "1.0E8", false},
		{loose{spelling: true}, "-00:00:01", "-1 day, 23:59:59", true},
	} {
		if got := x.l.sameValue(x.ours, x.theirs); got != x.same {
			t.Errorf("%v and %v: %v", x.ours, x.theirs, got)
		}
	}
}

func TestFold(t *testing.T) {
	c := &Case{Mode: "append", Schema: [][2]string{{"a", "int"}, {"a", "int"}}}
	r := func(x string) map[string]any { return map[string]any{"a": json.Number(x), "a#1": json.Number(x)} }
	c.Batches = []Batch{{Rows: []map[string]any{r("1")}}, {NoData: true, Rows: []map[string]any{r("2")}}, {Rows: nil}}
	got := c.fold()
	if len(got.rows) != 2 || len(got.rows[0]) != 2 || len(got.rows[0][0]) != 2 || len(got.rows[1]) != 0 {
		t.Errorf("got %v", got.rows)
	}
	c.Mode = "complete"
	if got := c.fold(); len(got.rows[0]) != 1 {
		t.Errorf("complete mode: got %v", got.rows)
	}
}
