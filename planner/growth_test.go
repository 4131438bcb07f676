package planner

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/tests/cputime"
)

// list writes n parts with something between them.
func list(n int, between, part string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(part, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, between)
}

// longQueries are long queries of n parts, over a table t and one of many columns.
var longQueries = map[string]func(n int) string{
	"in":         func(n int) string { return "SELECT a FROM t WHERE a IN (" + list(n, ", ", "#") + ")" },
	"in of rows": func(n int) string { return "SELECT a FROM t WHERE a IN (" + list(n, ", ", "a + #") + ")" },
	"case":       func(n int) string { return "SELECT CASE" + list(n, "", " WHEN a = # THEN 'r#'") + " END AS x FROM t" },
	"union":      func(n int) string { return list(n, " UNION ALL ", "SELECT a, # AS k FROM t") },
	"ctes":       func(n int) string { return "WITH " + list(n, ", ", "c# AS (SELECT a FROM t)") + " SELECT a FROM c0" },
	"joins":      func(n int) string { return "SELECT t.a FROM t" + list(n, "", " JOIN t AS t# ON t.a = t#.a") },
	"left joins": func(n int) string { return "SELECT t.a FROM t" + list(n, "", " LEFT JOIN t AS t# ON t.a = t#.a") },
	"from": func(n int) string {
		return "SELECT t0.a FROM " + list(n, ", ", "t AS t#") + " WHERE " + list(n, " AND ", "t0.a = t#.a")
	},
	"columns":    func(n int) string { return "SELECT " + list(n, ", ", "c#") + " FROM wide" },
	"items":      func(n int) string { return "SELECT " + list(n, ", ", "a + # AS x#") + " FROM t" },
	"aggregates": func(n int) string { return "SELECT " + list(n, ", ", "sum(a + #) AS x#") + " FROM t" },
	"keys":       func(n int) string { return "SELECT count(*) AS n FROM t GROUP BY " + list(n, ", ", "a + #") },
	"conditions": func(n int) string { return "SELECT a FROM t WHERE " + list(n, " AND ", "a <> #") },
	"choices":    func(n int) string { return "SELECT a FROM t WHERE " + list(n, " OR ", "(a = # AND b = 'x')") },
	"coalesce":   func(n int) string { return "SELECT coalesce(" + list(n, ", ", "a + #") + ") AS x FROM t" },
	"array":      func(n int) string { return "SELECT array(" + list(n, ", ", "a + #") + ") AS x FROM t" },
	"values":     func(n int) string { return "SELECT * FROM (VALUES " + list(n, ", ", "(# + 1, 'x')") + ") AS v (x, y)" },
	"exists": func(n int) string {
		return "SELECT a FROM t WHERE " + list(n, " AND ", "EXISTS (SELECT 1 FROM t AS u WHERE u.a = t.a + #)")
	},
	"scalars": func(n int) string {
		return "SELECT " + list(n, ", ", "(SELECT max(u.a) FROM t AS u WHERE u.b = t.b AND u.a > #) AS x#") + " FROM t"
	},
	"laterals": func(n int) string {
		return "SELECT t.a FROM t" + list(n, "", ", LATERAL (SELECT u.a FROM t AS u WHERE u.b = t.b LIMIT 1) AS l#")
	},
	"grouping": func(n int) string {
		return "SELECT count(*) AS n FROM t GROUP BY GROUPING SETS (" + list(n, ", ", "(a + # % 7)") + ")"
	},
	"windows": func(n int) string {
		return "SELECT " + list(n, ", ", "sum(a) OVER (ORDER BY a + #) AS x#") + " FROM t"
	},
	"lateral views": func(n int) string {
		return "SELECT a FROM t" + list(n, "", " LATERAL VIEW explode(array(a, #)) v# AS e#")
	},
	"wrong names": func(n int) string { return "SELECT " + list(n, ", ", "upper#(nothing#)") + " FROM t" },
}

// allocated is how many bytes are allocated for the plan of a query, or for its errors.
func (s *session) allocated(query string) uint64 {
	stmts, err := parser.Parse(diag.Source{Text: query})
	if err != nil {
		s.t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Plan(stmts[0], s.cat, s.set)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestGrowth: four times the text takes much less than 16 times the memory. Memory is the
// same on a busy machine.
func TestGrowth(t *testing.T) {
	const n = 30
	s := newSession(t, "CREATE TABLE t (a BIGINT, b STRING); CREATE TABLE wide ("+list(4*n, ", ", "c# BIGINT")+");")
	for name, query := range longQueries {
		s.allocated(query(1))
		if small, large := s.allocated(query(n)), s.allocated(query(4*n)); large > 11*small {
			t.Errorf("%s: %d parts take %d bytes, %d parts %d", name, n, small, 4*n, large)
		}
	}
}

// searched are queries for whose plan each of n expressions is looked for among the others.
var searched = map[string]func(n int) string{
	"conditions": longQueries["conditions"],
	"aggregates": longQueries["aggregates"],
	"keys": func(n int) string {
		return "SELECT " + list(n, ", ", "a + # AS k#") + " FROM t GROUP BY " + list(n, ", ", "k#")
	},
	"order": func(n int) string {
		return "SELECT " + list(n, ", ", "a + # AS k#") + " FROM t ORDER BY " + list(n, ", ", "k#")
	},
	"calls of one window": func(n int) string {
		return "SELECT " + list(n, ", ", "sum(a + #) OVER (PARTITION BY b ORDER BY a) AS x#") + " FROM t"
	},
}

// TestSearches: 16 times the expressions take 16 times the time of this thread, not 256 times.
func TestSearches(t *testing.T) {
	const n = 150
	s := newSession(t, "CREATE TABLE t (a BIGINT, b STRING);")
	measure := func(query string) time.Duration {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		stmts, err := parser.Parse(diag.Source{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // else this thread helps to collect garbage
		start := cputime.Thread()
		if _, err := Plan(stmts[0], s.cat, s.set); err != nil {
			t.Fatal(err)
		}
		return cputime.Thread() - start
	}
	for name, query := range searched {
		var small, large time.Duration
		linear := false
		for range 5 { // what else runs disturbs some attempts, not all
			small, large = max(min(measure(query(n)), measure(query(n))), time.Millisecond), measure(query(16*n))
			if linear = large <= 128*small; linear {
				break
			}
		}
		if !linear {
			t.Errorf("%s: %d took %v, %d took %v", name, n, small, 16*n, large)
		}
	}
}

// TestExpansion: what doubles at each step is refused, with the place, before it is large.
func TestExpansion(t *testing.T) {
	s := newSession(t, "CREATE TABLE t (a BIGINT, m MAP<INT, BIGINT>); CREATE TABLE arr (x ARRAY<BIGINT>);")
	for query, code := range map[string]diag.Code{
		"SELECT a AS x0, " + doublingAliases(40) + " FROM t":                                                                     diag.TooDeep,
		"SELECT x" + strings.Repeat("[0]", 60) + " AS y FROM arr":                                                                diag.WrongArguments,
		"SELECT " + strings.Repeat("(", 60) + "CAST(a AS STRING)" + strings.Repeat(" LIKE ANY ('a', 'b'))", 60) + " AS y FROM t": diag.TooDeep,
		"SELECT nothing" + strings.Repeat("[0]", 60) + " AS y FROM t":                                                            diag.UnknownColumn,
	} {
		stmts, err := parser.Parse(diag.Source{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Plan(stmts[0], s.cat, s.set)
		var list *diag.Error
		if !errors.As(err, &list) || list.Diagnostics[0].Code != code {
			t.Errorf("%.40s…: %v, want %s", query, err, code)
		}
	}
}

func doublingAliases(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf("x%d + x%d AS x%d", i, i, i+1))
	}
	return strings.Join(items, ", ")
}

// TestSubqueriesGrowth: eight times the correlated subqueries take much less than the cube of
// that: each is planned without a look at all of the plan before it.
func TestSubqueriesGrowth(t *testing.T) {
	const n = 50
	s := newSession(t, "CREATE TABLE t (a BIGINT, b STRING);")
	for _, name := range []string{"scalars", "laterals"} {
		query := longQueries[name]
		s.allocated(query(1))
		if small, large := s.allocated(query(n)), s.allocated(query(8*n)); large > 48*small {
			t.Errorf("%s: %d parts take %d bytes, %d parts %d", name, n, small, 8*n, large)
		}
	}
}
