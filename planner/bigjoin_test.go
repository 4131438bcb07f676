package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// chain joins n tables, a chain whose links are written in no order.
func chain(n int) (tables, query string) {
	var from, where []string
	for i := range n {
		t := i * 37 % n // 37 has no divisor in common with the numbers used
		tables += fmt.Sprintf("CREATE TABLE t%d (a%d BIGINT, b%d BIGINT, x%d STRING);\n", i, i, i, i)
		from = append(from, fmt.Sprintf("t%d", t))
		if t > 0 {
			where = append(where, fmt.Sprintf("b%d = a%d", t, t-1))
		}
	}
	where = append(where, "a3 = 7")
	return tables, "SELECT x0, x1, x2 FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(where, " AND ")
}

// logical parses a query and gives its logical plan.
func (s *session) logical(query string) (ast.Statement, logical.Node) {
	stmts, err := parser.Parse(diag.Source{Text: query})
	if err != nil {
		s.t.Fatal(err)
	}
	_, plans, err := Logical(stmts[0], s.cat, s.set)
	if err != nil {
		s.t.Fatal(err)
	}
	return stmts[0], plans[0]
}

// TestManyTables joins many tables: no order of theirs makes a product, and four times the
// tables are planned with less than 16 times the memory.
func TestManyTables(t *testing.T) {
	allocations := map[int]float64{}
	for _, n := range []int{16, 64} {
		tables, query := chain(n)
		s := newSession(t, tables)
		stmt, plan := s.logical(query)
		logical.Walk(plan, func(n logical.Node) {
			if j, ok := n.(*logical.Join); ok && len(j.LKeys) == 0 {
				t.Errorf("a product: %s", j.Describe())
			}
		})
		allocations[n] = testing.AllocsPerRun(1, func() { _, _ = Plan(stmt, s.cat, s.set) })
	}
	if allocations[64] > 16*allocations[16] {
		t.Errorf("allocations by tables: %v", allocations)
	}
}

// doubling is a chain of queries with names, or views, each of which reads the one before
// twice.
func doubling(n int, views bool) (before, query string) {
	const body = "SELECT x.k, x.v + y.v AS v FROM a%d x JOIN a%d y ON x.k = y.k WHERE x.v > %d"
	names := []string{"a0 AS (SELECT k, v FROM plain)"}
	before = "CREATE VIEW a0 AS SELECT k, v FROM plain;\n"
	for i := range n {
		text := fmt.Sprintf(body, i, i, i)
		names = append(names, fmt.Sprintf("a%d AS (%s)", i+1, text))
		before += fmt.Sprintf("CREATE VIEW a%d AS %s;\n", i+1, text)
	}
	query = fmt.Sprintf("SELECT k, v FROM a%d", n)
	if views {
		return before, query
	}
	return "", "WITH " + strings.Join(names, ", ") + " " + query
}

// TestDoubling plans what would be a million joins with a copy of each query at each place.
func TestDoubling(t *testing.T) {
	for _, views := range []bool{false, true} {
		for _, n := range []int{10, 20} {
			before, query := doubling(n, views)
			joins := 0
			physical.Walk(newSession(t, before).plan(query).Outputs[0], func(n physical.Node) {
				if _, ok := n.(*physical.Join); ok {
					joins++
				}
			})
			if joins > 10*n {
				t.Errorf("views: %t, %d queries: %d joins", views, n, joins)
			}
		}
	}
}

// TestFewReadersShareNothing: filters move into each copy of a query that is small, or read
// once.
func TestFewReadersShareNothing(t *testing.T) {
	_, query := doubling(3, false)
	_, plan := newSession(t).logical(query)
	if text := logical.String(plan); strings.Contains(text, "Shared") {
		t.Error(text)
	}
}

// TestNestedForms plans forms that are written with what the language has, each in the next
// one: a query in them is bound once, not twice at each level.
func TestNestedForms(t *testing.T) {
	for _, form := range []string{
		"SELECT cardinality(ARRAY(%s)) AS n",
		"SELECT 1 AS n WHERE (1, 2) >= ANY (SELECT n, 2 FROM (%s) AS q)",
		"SELECT n FROM gap_fill(TABLE (SELECT ts, n FROM (SELECT TIMESTAMP '2024-01-01 00:00:00' AS ts, 1 AS n) AS a JOIN (%s) AS q USING (n)), ts, INTERVAL '1' MINUTE)",
		"SELECT CAST((%s) AS STRING) LIKE ANY ('a', 'b') AS n",
		"SELECT 1 AS n WHERE (SELECT max(n) FROM (%s) AS q) = ANY (ARRAY[1, 2])",
	} {
		query := "SELECT 1 AS n"
		for range 24 {
			query = fmt.Sprintf(form, query)
		}
		newSession(t).logical(query)
	}
}

// TestManyReaders joins queries of WITH with themselves, one after the other: the plan has one
// node for each, and neither what is known of keys nor of frontiers doubles with each.
func TestManyReaders(t *testing.T) {
	for _, first := range []string{"SELECT random() AS a, random() AS b, ts FROM s", "SELECT a, b, ts FROM s GROUP BY a, b, ts"} {
		allocations := map[int]float64{}
		for _, n := range []int{6, 24} {
			query := "WITH a0 AS (" + first + ")"
			for i := range n {
				query += fmt.Sprintf(", a%d AS (SELECT x.a, y.b, x.ts FROM a%d AS x JOIN a%d AS y ON x.a = y.a AND x.ts = y.ts)", i+1, i, i)
			}
			s := newSession(t, "CREATE SOURCE s (a INT, b INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)")
			stmt, _ := s.logical(fmt.Sprintf("%s SELECT a FROM a%d", query, n))
			allocations[n] = testing.AllocsPerRun(1, func() { _, _ = Plan(stmt, s.cat, s.set) })
		}
		if allocations[24] > 64*allocations[6] {
			t.Errorf("%s: allocations by queries: %v", first, allocations)
		}
	}
}

// TestManyCorrelated plans correlated subqueries that stand on one another, and beside one
// another: each reads the plan of those before it, which is one node for both of its readers.
func TestManyCorrelated(t *testing.T) {
	allocations := map[int]float64{}
	for _, n := range []int{8, 32} {
		lateral, beside := "SELECT count(*) FROM plain AS q0", "SELECT k FROM plain AS t WHERE false"
		for i := range n {
			lateral += fmt.Sprintf(", LATERAL (SELECT max(u.v) AS v FROM plain u WHERE u.v >= q%d.v) q%d", i, i+1)
			beside += fmt.Sprintf(" OR v IN (SELECT v + %d FROM plain x WHERE x.v < t.v)", i)
		}
		s := newSession(t)
		for _, query := range []string{lateral, beside} {
			stmt, _ := s.logical(query)
			allocations[n] += testing.AllocsPerRun(1, func() { _, _ = Plan(stmt, s.cat, s.set) })
		}
	}
	if allocations[32] > 64*allocations[8] {
		t.Errorf("allocations by subqueries: %v", allocations)
	}
}
