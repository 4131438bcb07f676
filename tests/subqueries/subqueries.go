// Package subqueries draws random queries with subqueries in every place and of every
// shape, over three small tables whose values are few and often NULL: what DuckDB, the
// reference and the engine must agree on. It knows no engine. Open this file first, then
// grammar.go.
package subqueries

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Case is a query over tables.
type Case struct {
	Seed   uint64
	SQL    string
	Tables []Table
}

// Table has columns a, b (INT) and s (VARCHAR).
type Table struct {
	Name string
	Rows [][3]any // int32, int32, string or nil
}

// New draws the case of a seed. Features are left out when a predicate says so.
func New(seed uint64, without func(feature string) bool) *Case {
	r := rand.New(rand.NewPCG(seed, 77))
	g := &grammar{r: r, without: without}
	c := &Case{Seed: seed}
	for i := range 3 {
		t := Table{Name: fmt.Sprintf("t%d", i)}
		for range r.IntN(6) {
			t.Rows = append(t.Rows, Row(r))
		}
		c.Tables = append(c.Tables, t)
	}
	c.SQL = g.query()
	return c
}

// Row draws a row.
func Row(r *rand.Rand) [3]any {
	var row [3]any
	for k := range 2 {
		if r.IntN(4) > 0 {
			row[k] = int32(1 + r.IntN(3))
		}
	}
	if r.IntN(4) > 0 {
		row[2] = []string{"x", "y"}[r.IntN(2)]
	}
	return row
}

// Columns is the column list of a table.
const Columns = "a INT, b INT, s VARCHAR"

// Setup creates and fills the tables.
func (c *Case) Setup() []string {
	var out []string
	for _, t := range c.Tables {
		out = append(out, "CREATE TABLE "+t.Name+" ("+Columns+")")
		var rows []string
		for _, r := range t.Rows {
			rows = append(rows, "("+literal(r[0])+", "+literal(r[1])+", "+literal(r[2])+")")
		}
		if len(rows) > 0 {
			out = append(out, "INSERT INTO "+t.Name+" VALUES "+strings.Join(rows, ", "))
		}
	}
	return out
}

func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + v + "'"
	}
	return fmt.Sprint(v)
}
