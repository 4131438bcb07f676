package build_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Rows too far ahead of the trigger's time are bad rows and move no watermark.
func TestMaxAhead(t *testing.T) {
	w := newWorld(t)
	for _, workers := range []int{1, 3} {
		g := w.graph(w.plan(`SELECT ts, k FROM near`), workers)
		g.now = 100 * second
		out, rows := g.must(of("near", timed(row(150, "a", 1), row(161, "far", 2)), timed(row(160, "b", 3), row(nil, "n", 4), row(9999, "farther", 5))))
		same(t, "rows", rows, "2m30s | a", "2m40s | b", "NULL | n")
		if l := out.Ledgers[0]; l.Input != 5 || l.Bad != 2 || l.Contributed != 3 {
			t.Errorf("ledger %+v", l)
		}
		if g.front() != "160" || out.Times.Max != 160*second {
			t.Errorf("the watermark is %s, the greatest time %d", g.front(), out.Times.Max)
		}
		if len(g.bad) != 2 || string(g.bad[0].Raw) != "1970-01-01 00:02:41 | far" || !strings.Contains(g.bad[0].Reason, "max_ahead") || g.bad[0].Source != "near" {
			t.Errorf("bad rows %+v", g.bad)
		}
	}
}

// A batch of which no row is left gives none, the first one of a worker too.
func TestNoRowIsLeft(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.plan(`SELECT ts, k FROM near`), 1)
	g.now = 100 * second
	out, rows := g.must(of("near", timed(row(161, "far", 1), row(162, "farther", 2))))
	same(t, "rows", rows)
	if l := out.Ledgers[0]; l.Bad != 2 || l.Contributed != 0 || out.Times.Count != 0 {
		t.Errorf("ledger %+v, times %+v", l, out.Times)
	}
}

// A row with NULL in a column that is declared NOT NULL is a bad row, if the query reads
// the column (Rule L12): it is left out or fails the query, and moves no watermark.
func TestNotNull(t *testing.T) {
	w := newWorld(t)
	for _, workers := range []int{1, 3} {
		g := w.graph(w.plan(`SELECT ts, k FROM firm`), workers)
		g.now = 100 * second
		out, rows := g.must(of("firm", timed(row(90, nil, 1), row(95, nil, 2)), timed(row(30, "a", 3), row(99, nil, 4), row(500, "far", 5), row(50, "b", 6))))
		same(t, "rows", rows, "30s | a", "50s | b")
		if l := out.Ledgers[0]; l.Input != 6 || l.Bad != 4 || l.Contributed != 2 || g.front() != "50" {
			t.Errorf("ledger %+v, watermark %s", l, g.front())
		}
		if len(g.bad) != 4 || string(g.bad[0].Raw) != "1970-01-01 00:01:30 | NULL" || g.bad[0].Reason != `column "k" is NULL, and is declared NOT NULL` {
			t.Errorf("bad rows %+v", g.bad)
		}
	}
	g := w.graph(w.plan(`SELECT ts FROM firm`), 1)
	if out, _ := g.must(of("firm", timed(row(9, nil, 1)))); out.Ledgers[0].Contributed != 1 {
		t.Errorf("a column that is not read: ledger %+v", out.Ledgers[0])
	}
	g = w.graph(w.plan(`SELECT k FROM strict`), 1)
	_, err := g.run(of("strict", timed(row(1, "a", 1), row(2, nil, 2))))
	if want := `source "strict": column "k" is NULL, and is declared NOT NULL; the row is NULL; on_error = 'skip'`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A watermark that is stated above a filter moves with the rows behind it alone; the
// others are read all the same.
func TestWatermarkAboveAFilter(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.plan(`SELECT ts, k FROM (SELECT * FROM ev WHERE k = 'yes') AS y WATERMARK ts DELAY '0 seconds'`), 2)
	out, rows := g.must(of("ev", timed(row(50, "yes", 1), row(90, "no", 1))))
	same(t, "rows", rows, "50s | yes")
	if g.front() != "50" || out.Ledgers[0].Filtered != 1 {
		t.Errorf("the watermark is %s, ledger %+v", g.front(), out.Ledgers[0])
	}
}

// Each row of a scan has one fate, whatever becomes of it in several branches: it
// contributed if any of them took it.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		mode      ast.EmitMode
		want      build.Ledger
	}{
		{"filter", `SELECT k FROM ev WHERE v > 1`, ast.EmitAppend, build.Ledger{Input: 5, Contributed: 3, Filtered: 2}},
		{"two branches", `SELECT k FROM ev WHERE v > 1 UNION ALL SELECT k FROM ev WHERE v < 3`, ast.EmitAppend, build.Ledger{Input: 5, Contributed: 5}},
		{"windows", `SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '10 seconds')`, ast.EmitUpdate, build.Ledger{Input: 5, Contributed: 3, Late: 1, Filtered: 1}},
		{"late in one branch", `SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '10 seconds') UNION ALL SELECT ts AS s, v AS n FROM ev WHERE v = 1`,
			ast.EmitChangelog, build.Ledger{Input: 5, Contributed: 4, Filtered: 1}},
		{"sliding windows", `SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '60 seconds', '10 seconds')`,
			ast.EmitUpdate, build.Ledger{Input: 5, Contributed: 4, Filtered: 1, Partial: 1}},
		{"unnest", `SELECT u FROM ev CROSS JOIN UNNEST(CASE WHEN v > 2 THEN ARRAY[v, v] ELSE CAST(ARRAY[] AS ARRAY<INT>) END) AS t(u)`,
			ast.EmitAppend, build.Ledger{Input: 5, Contributed: 2, Filtered: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, workers := range []int{1, 2} {
				g := w.graph(w.mode(c.sql, c.mode), workers)
				g.must(of("ev", timed(row(100, "x", 0)))) // watermark 90
				out, _ := g.must(of("ev", timed(row(95, "a", 1), row(101, "b", 2), row(55, "late", 1)), timed(row(nil, "null", 3), row(102, "c", 4))))
				if out.Ledgers[0] != c.want {
					t.Errorf("%d workers: ledger %+v, want %+v", workers, out.Ledgers[0], c.want)
				}
			}
		})
	}
}

// Random plans over random rows: the ledger adds up (graph.run checks that), and several
// workers have the results of one.
func TestWorkersAgree(t *testing.T) {
	queries := []string{
		`SELECT k, count(*) AS n, sum(v) AS s FROM ev GROUP BY k`,
		`SELECT window.start AS s, k, count(*) AS n FROM ev GROUP BY window(ts, '10 seconds'), k`,
		`SELECT window.start AS s, count(*) AS n FROM ev GROUP BY window(ts, '20 seconds', '5 seconds')`,
		`SELECT n, count(*) AS c FROM (SELECT k, count(*) AS n FROM ev GROUP BY k) AS x GROUP BY n`,
		`SELECT DISTINCT k, v FROM ev`,
		`SELECT k, first(v) AS f, last(v) AS l FROM ev GROUP BY k`,
		`SELECT k, v FROM drop_duplicates(TABLE ev, DESCRIPTOR(k, ts))`,
		`SELECT ev.k, fixed.v FROM ev LEFT JOIN fixed ON ev.k = fixed.k`,
	}
	for _, sql := range queries {
		rnd := rand.New(rand.NewPCG(7, 7))
		w := newWorld(t)
		w.tables["fixed"] = []source.Split{timed(row(1, "k1", 10), row(1, "k2", 20), row(1, "k1", 30))}
		one, many := w.graph(w.mode(sql, ast.EmitChangelog), 1), w.graph(w.mode(sql, ast.EmitChangelog), 4)
		for n := range 12 {
			var splits []*split
			for range rnd.IntN(7) {
				s := timed()
				for range rnd.IntN(8) {
					var at any = int64(n*5+rnd.IntN(40)) * second
					if rnd.IntN(6) == 0 {
						at = nil
					}
					s.rows = append(s.rows, row(at, fmt.Sprint("k", rnd.IntN(4)), rnd.IntN(3)))
				}
				splits = append(splits, s)
			}
			out1, rows1 := one.must(of("ev", splits...))
			out4, rows4 := many.must(of("ev", splits...))
			same(t, fmt.Sprintf("%s, trigger %d", sql, n), rows4, rows1...)
			if out1.Ledgers[0] != out4.Ledgers[0] {
				t.Errorf("%s, trigger %d: ledgers %+v and %+v", sql, n, out1.Ledgers[0], out4.Ledgers[0])
			}
		}
	}
}

// Several outputs are fed by one scan; one of them may take rows from several goroutines.
func TestConcurrentOutputs(t *testing.T) {
	w := newWorld(t)
	q := w.plan(`EXECUTE STATEMENT SET BEGIN INSERT INTO keyed SELECT k, v AS n FROM plain; INSERT INTO keyed2 SELECT k, -v AS n FROM plain; END`)
	g := w.graph(q, 4)
	g.concurrent = []bool{true, false}
	var splits []*split
	var want []string
	for i := range 40 {
		splits = append(splits, pairs(row("k", i)))
		want = append(want, fmt.Sprint("k | ", -i))
	}
	if _, err := g.run(of("plain", splits...)); err != nil {
		t.Fatal(err)
	}
	same(t, "the output in order", g.rows[1], want...)
	if len(g.rows[0]) != 40 {
		t.Errorf("the other one has %d rows", len(g.rows[0]))
	}
}

// A worker that panics fails the trigger; so does a sink, and a context that ends.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	const sql = `SELECT k, count(*) AS n FROM plain GROUP BY k EMIT CHANGES`
	for workers := range 4 {
		bad := pairs(row("a", 1))
		bad.panic = "invariant"
		g := w.graph(w.plan(sql), workers)
		if _, err := g.run(of("plain", pairs(row("a", 1)), bad, pairs(row("b", 1)))); err == nil || !strings.Contains(err.Error(), "internal error: invariant") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	g := w.graph(w.plan(`SELECT k FROM plain`), 2)
	full := errors.New("no space")
	_, err := g.Run(context.Background(), build.Trigger{Inputs: []build.Input{{Scan: g.Scans[0], Splits: []source.Split{pairs(row("a", 1)), pairs(row("a", 1))}}},
		Emit: func(int, *vec.Batch) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("a sink that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g = w.graph(w.plan(`SELECT k FROM plain`), 2)
	_, err = g.Run(ctx, build.Trigger{Inputs: []build.Input{{Scan: g.Scans[0], Splits: []source.Split{pairs(row("a", 1)), pairs(row("a", 1))}}},
		Emit: func(int, *vec.Batch) error { return nil }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
