package build_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/source"
)

// turnQueries are plans whose takers want rows in order, each another way.
var turnQueries = map[string]string{
	"stateless":     `SELECT k, v + 1 AS w FROM plain WHERE v <> 3`,
	"copies":        `SELECT k, v FROM plain UNION ALL SELECT k, -v FROM plain WHERE v > 0`,
	"dedup":         `SELECT k, v FROM drop_duplicates(TABLE plain, DESCRIPTOR(k))`,
	"filter, dedup": `SELECT k, v FROM drop_duplicates(TABLE (SELECT * FROM plain WHERE v % 2 = 0), DESCRIPTOR(k))`,
	"dedup and all": `SELECT k, v FROM drop_duplicates(TABLE plain, DESCRIPTOR(k)) UNION ALL SELECT k, v FROM plain WHERE v > 2`,
	"dedup twice": `SELECT k, v FROM drop_duplicates(TABLE (SELECT k, v FROM plain UNION ALL
		SELECT k, v + 100 FROM drop_duplicates(TABLE plain, DESCRIPTOR(v))), DESCRIPTOR(k))`,
	"unnest, dedup":          `SELECT k, u FROM drop_duplicates(TABLE (SELECT k, u FROM plain CROSS JOIN UNNEST(ARRAY[v, v * 10, v]) AS t(u) WHERE u <> 0), DESCRIPTOR(u))`,
	"temporal filter":        `SELECT k, v, ts FROM (SELECT k, v, timestamp_seconds(v) AS ts FROM plain) AS p WHERE ts > now() - INTERVAL '1' DAY`,
	"temporal filter, over":  `SELECT k, v, sum(v) OVER (PARTITION BY k ORDER BY v) AS w FROM (SELECT k, v, timestamp_seconds(v) AS ts FROM plain) AS p WHERE ts > now() - INTERVAL '1' DAY`,
	"temporal filter, limit": `SELECT k, v FROM (SELECT k, v, timestamp_seconds(v) AS ts FROM plain) AS p WHERE ts < now() + INTERVAL '1' DAY LIMIT 5`,
	"unnest":                 `SELECT k, u FROM plain CROSS JOIN UNNEST(ARRAY[v, v * 10]) AS t(u)`,
}

// The rows of an output, one after another, do not depend on the number of workers.
func TestOrderIsThatOfOneWorker(t *testing.T) {
	for name, sql := range turnQueries {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				rnd := rand.New(rand.NewPCG(seed, 1))
				var splits []*split
				for range 1 + rnd.IntN(9) {
					s := pairs()
					for range rnd.IntN(20) {
						s.rows = append(s.rows, row(fmt.Sprint("k", rnd.IntN(9)), rnd.IntN(9)-2))
					}
					splits = append(splits, s)
				}
				w := newWorld(t)
				if seed%2 == 1 {
					w.held = 1 // whoever has something waits for the turn
				}
				one, many := w.graph(w.plan(sql), 1), w.graph(w.plan(sql), 4)
				want, err := one.run(of("plain", splits...))
				if err != nil {
					t.Fatal(err)
				}
				got, err := many.run(of("plain", splits...))
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("seed %d", seed), many.rows[0], one.rows[0]...)
				if want.Ledgers[0] != got.Ledgers[0] {
					t.Errorf("seed %d: the ledger is %+v with four workers, %+v with one", seed, got.Ledgers[0], want.Ledgers[0])
				}
			}
		})
	}
}

// A split that is read last is delivered first, and the others wait for it in their order.
func TestOrderWaitsForTheFirstSplit(t *testing.T) {
	for _, name := range []string{"stateless", "dedup"} {
		w := newWorld(t)
		g := w.graph(w.plan(turnQueries[name]), 2)
		read := make(chan struct{}, 3)
		all := make(chan struct{})
		first := pairs(row("a", 1), row("b", 2))
		first.wait = all
		rest := []*split{pairs(row("c", 4), row("d", 5), row("e", 6)), pairs(), pairs(row("f", 7))}
		for _, s := range rest {
			s.read = read
		}
		go func() {
			for range rest {
				<-read
			}
			close(all)
		}()
		if _, err := g.run(of("plain", append([]*split{first}, rest...)...)); err != nil {
			t.Fatal(err)
		}
		keys := ""
		for _, r := range g.rows[0] {
			keys += r[:1]
		}
		if keys != "abcdef" {
			t.Errorf("%s: rows came as %s", name, keys)
		}
	}
}

// The fate of a row that waited is the one that the operator decides on when it takes it.
func TestOrderedOperatorsDecideFatesLater(t *testing.T) {
	w := newWorld(t)
	const sql = `SELECT k, v FROM drop_duplicates(TABLE ev, DESCRIPTOR(k, ts)) WHERE v >= 0`
	for _, workers := range []int{1, 3} {
		g := w.graph(w.plan(sql), workers)
		g.must(of("ev", timed(row(100, "a", 1))))
		out, rows := g.must(of("ev",
			timed(row(95, "b", 1), row(10, "late", 1)),
			timed(row(20, "late", 2), row(96, "c", -1)),
			timed(row(nil, "n", 3), row(97, "d", 4))))
		if l := out.Ledgers[0]; l.Input != 6 || l.Late != 2 || l.Contributed != 4 {
			t.Errorf("%d workers: ledger %+v", workers, l)
		}
		same(t, "rows", rows, "b | 1", "d | 4", "n | 3")
		if len(g.late) != 2 {
			t.Errorf("late rows: %v", g.late)
		}
	}
}

// Bad rows are told in the order of the splits.
func TestBadRowsComeInOrder(t *testing.T) {
	w := newWorld(t)
	g := w.graph(w.plan(`SELECT k, count(*) AS n FROM plain GROUP BY k EMIT CHANGES`), 4)
	var splits []*split
	var want []string
	for i := range 12 {
		s := pairs(row("a", i))
		s.bad = []string{fmt.Sprint(i, "x"), fmt.Sprint(i, "y")}
		want = append(want, s.bad...)
		splits = append(splits, s)
	}
	out, _ := g.must(of("plain", splits...))
	var got []string
	for _, b := range g.bad {
		got = append(got, string(b.Raw))
	}
	same(t, "bad rows", got, want...)
	if l := out.Ledgers[0]; l.Bad != 24 || l.Input != 36 {
		t.Errorf("ledger %+v", l)
	}
}

// What fails in one worker ends the trigger, whatever the others wait for.
func TestOrderFailsWithTheWorker(t *testing.T) {
	for name, breaks := range map[string]func(s *split){
		"error": func(s *split) { s.fail = errors.New("the disk is gone") },
		"panic": func(s *split) { s.panic = "the disk is gone" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.held = 1 // the others wait
			g := w.graph(w.plan(turnQueries["dedup"]), 3)
			splits := []*split{pairs(row("a", 1)), pairs(row("b", 1), row("c", 2), row("d", 3)), pairs(row("e", 1)), pairs(row("f", 1))}
			breaks(splits[0])
			_, err := g.run(of("plain", splits...))
			if err == nil || !strings.Contains(err.Error(), "the disk is gone") || !strings.Contains(err.Error(), `source "plain"`) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

var _ source.Split = (*split)(nil)
