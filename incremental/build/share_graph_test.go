package build_test

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// sharedQueries flush tables that are large enough for the graph's workers, into takers
// that want rows in order and others.
var sharedQueries = map[string]string{
	"output":    `SELECT k, count(*) AS n, sum(v) AS s FROM plain GROUP BY k`,
	"aggregate": `SELECT n, count(*) AS c FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) GROUP BY n`,
	"both": `SELECT n, count(*) AS c FROM (SELECT k, count(*) AS n FROM plain GROUP BY k) GROUP BY n
		UNION ALL SELECT count(*), s FROM (SELECT k, sum(v) AS s FROM plain GROUP BY k) GROUP BY s`,
	"distinct": `SELECT v, count(*) AS c FROM (SELECT DISTINCT k, v FROM plain) GROUP BY v`,
}

// Large tables are merged and emitted by all workers; the result is that of one.
func TestSharedFlush(t *testing.T) {
	var splits, again []*split
	for s := range 8 {
		p, q := pairs(), pairs()
		p.size, q.size = 1000, 1000
		for i := range 4_000 {
			x := (s*4_000 + i) * 7919 % 20_011
			p.rows = append(p.rows, row(fmt.Sprint("k", x), x%11))
			if i%2 == 0 {
				q.rows = append(q.rows, row(fmt.Sprint("k", x+5_000), x%7))
			}
		}
		splits, again = append(splits, p), append(again, q)
	}
	for name, sql := range sharedQueries {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var want [2][]string
			for _, workers := range []int{1, 2, 4} {
				g := w.graph(w.mode(sql, ast.EmitChangelog), workers)
				g.concurrent = []bool{workers == 2 && g.views[0].Passes()}
				for i, in := range [][]*split{splits, again} {
					_, got := g.must(of("plain", in...))
					if workers == 1 {
						want[i] = got
						continue
					}
					same(t, fmt.Sprintf("%d workers, trigger %d", workers, i), got, want[i]...)
				}
			}
		})
	}
}
