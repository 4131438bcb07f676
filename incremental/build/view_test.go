package build_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// The modes as views on one delta: what a sink receives of two triggers.
func TestViews(t *testing.T) {
	const groups = `SELECT k, count(*) AS n FROM plain GROUP BY k`
	for _, c := range []struct {
		name, sql     string
		mode          ast.EmitMode
		first, second []string
	}{
		{"append passes rows", `SELECT k, v FROM plain`, ast.EmitAppend,
			[]string{"a | 1", "a | 1", "b | 2"}, []string{"a | 3", "c | 4"}},
		{"update shows new versions", groups, ast.EmitUpdate,
			[]string{"a | 2", "b | 1"}, []string{"a | 3", "c | 1"}},
		{"changelog shows both sides", groups, ast.EmitChangelog,
			[]string{"a | 2", "b | 1"}, []string{"a | 2 | -1", "a | 3", "c | 1"}},
		{"a row twice has weight 2", `SELECT n FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) AS x`, ast.EmitChangelog,
			[]string{"1", "2"}, []string{"1", "2 | -1", "3"}},
		{"what cancels out is not shown", `SELECT count(*) > 0 AS some FROM plain GROUP BY k`, ast.EmitChangelog,
			[]string{"true | +2"}, []string{"true"}},
		{"keys that vanish", groups + ` HAVING count(*) < 3`, ast.EmitUpdate,
			[]string{"a | 2", "b | 1"}, []string{"a | 2 | -1", "c | 1"}},
		{"complete shows all", groups, ast.EmitComplete,
			[]string{"a | 2", "b | 1"}, []string{"a | 3", "b | 1", "c | 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, workers := range []int{1, 3} {
				g := w.graph(w.mode(c.sql, c.mode), workers)
				_, rows := g.must(of("plain", pairs(row("a", 1), row("b", 2)), pairs(row("a", 1))))
				same(t, "first trigger", rows, c.first...)
				_, rows = g.must(of("plain", pairs(row("c", 4)), pairs(row("a", 3))))
				same(t, "second trigger", rows, c.second...)
			}
		})
	}
}

// Removals come before additions, so that a sink that applies one after the other is right.
func TestRemovalsComeFirst(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.mode(`SELECT k, count(*) AS n FROM plain GROUP BY k`, ast.EmitChangelog), 1)
	g.must(of("plain", pairs(row("a", 1), row("b", 1))))
	if _, err := g.run(of("plain", pairs(row("b", 1), row("a", 1), row("c", 1)))); err != nil {
		t.Fatal(err)
	}
	for i, r := range g.rows[0] {
		if removed := r[len(r)-2:] == "-1"; removed != (i < 2) {
			t.Errorf("rows %v", g.rows[0])
		}
	}
}

// A source with deletions retracts what it inserted.
func TestRetractions(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.mode(`SELECT k, sum(v) AS s FROM changes GROUP BY k`, ast.EmitChangelog), 2)
	g.must(of("changes", pairs(row("a", 1, 1), row("a", 2, 1), row("b", 5, 1))))
	_, rows := g.must(of("changes", pairs(row("a", 2, -1)), pairs(row("b", 5, -1))))
	same(t, "after the deletions", rows, "a | 1", "a | 3 | -1", "b | 5 | -1")
	if _, err := g.run(of("changes", pairs(row("never", 1, -1)))); err == nil {
		t.Error("a deletion of what was never there is accepted")
	}
}

// The first trigger gives the rows that are there without input, once.
func TestFirstTrigger(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.mode(`SELECT count(*) AS n FROM plain`, ast.EmitUpdate), 2)
	if !g.StartsWithRows() {
		t.Error("a global aggregate has a row before any input")
	}
	_, rows := g.must(nil)
	same(t, "the row of nothing", rows, "0")
	if g.StartsWithRows() {
		t.Error("the first trigger has run")
	}
	_, rows = g.must(nil)
	same(t, "later", rows)
	again := w.graph(w.mode(`SELECT k FROM plain UNION ALL SELECT 'constant' AS k`, ast.EmitAppend), 2)
	if err := again.Resume(0, true); err != nil {
		t.Fatal(err)
	}
	if _, rows = again.must(of("plain", pairs(row("a", 1)))); len(rows) != 1 {
		t.Errorf("constants came again after a restart: %v", rows)
	}
}
