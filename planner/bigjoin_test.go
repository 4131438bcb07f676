package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
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

// TestManyTables joins many tables: no order of theirs makes a product, and four times the
// tables are planned with less than 16 times the memory.
func TestManyTables(t *testing.T) {
	allocations := map[int]float64{}
	for _, n := range []int{16, 64} {
		tables, query := chain(n)
		s := newSession(t, tables)
		stmts, err := parser.Parse(diag.Source{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		_, plans, err := Logical(stmts[0], s.cat, s.set)
		if err != nil {
			t.Fatal(err)
		}
		logical.Walk(plans[0], func(n logical.Node) {
			if j, ok := n.(*logical.Join); ok && len(j.LKeys) == 0 {
				t.Errorf("a product: %s", j.Describe())
			}
		})
		allocations[n] = testing.AllocsPerRun(1, func() { _, _ = Plan(stmts[0], s.cat, s.set) })
	}
	if allocations[64] > 16*allocations[16] {
		t.Errorf("allocations by tables: %v", allocations)
	}
}
