// Package rewrites compares plans before and after the rewrite rules: random queries in
// which rules fire, over random rows with NULLs and duplicates, answered by the reference
// from the plan as bound and from the plan as rewritten, with all rules and without some.
package rewrites

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Case is a query over the sources s0 … s3 and the table d0, each with columns k and v.
type Case struct {
	SQL  string
	Rows map[string][][]any // by relation; an INT or nil
}

// relations that a query reads.
var relations = []string{"s0", "s1", "s2", "s3", "d0"}

// New draws a case.
func New(seed uint64) *Case {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x7e))}
	c := &Case{SQL: g.query(), Rows: map[string][][]any{}}
	for _, name := range relations {
		for range g.r.IntN(7) {
			c.Rows[name] = append(c.Rows[name], []any{g.value(), g.value()})
		}
	}
	return c
}

type generator struct {
	r     *rand.Rand
	names int
}

func (g *generator) value() any {
	if g.r.IntN(4) == 0 {
		return nil
	}
	return int64(g.r.IntN(3))
}

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) name() string {
	g.names++
	return fmt.Sprintf("t%d", g.names)
}

func (g *generator) constant() string { return fmt.Sprint(g.r.IntN(3)) }

// query joins some relations, and selects from them.
func (g *generator) query() string {
	from, cols := g.from()
	var list []string
	for i := range 1 + g.r.IntN(4) {
		list = append(list, fmt.Sprintf("%s AS c%d", g.pick(cols...), i))
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + from + g.where(cols, 1, true)
	if g.chance(15) {
		sql = "SELECT DISTINCT c0 FROM (" + sql + ") AS q WHERE " + g.condition([]string{"c0"}, true)
	}
	return sql
}

// from is a FROM clause, and the columns that it gives.
func (g *generator) from() (string, []string) {
	text, cols := g.relation(2)
	for range g.r.IntN(4) {
		right, more := g.relation(1)
		kind := g.pick(",", ",", ",", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN")
		if kind == "," {
			text, cols = text+" CROSS JOIN "+right, append(cols, more...)
			continue
		}
		both := append(append([]string(nil), cols...), more...)
		on := g.pick(cols...) + g.pick(" = ", " = ", " = ", " <=> ") + g.pick(more...)
		if g.chance(40) {
			on += " AND " + g.condition(both, false)
		}
		text += " " + kind + " " + right + " ON " + on
		if kind != "SEMI JOIN" && kind != "ANTI JOIN" {
			cols = both
		}
	}
	return text, cols
}

// relation is an input with an alias.
func (g *generator) relation(depth int) (string, []string) {
	alias := g.name()
	cols := []string{alias + ".k", alias + ".v"}
	if depth == 0 || g.chance(45) {
		return g.pick(relations...) + " AS " + alias, cols
	}
	in, own := g.relation(depth - 1)
	var sql string
	switch g.r.IntN(9) {
	case 0:
		sql = "SELECT " + own[0] + " AS k, " + own[1] + " + 1 AS v FROM " + in + g.where(own, 1, false)
	case 1:
		sql = "SELECT DISTINCT " + own[0] + " AS k, " + own[1] + " AS v FROM " + in
	case 2:
		sql = "SELECT " + own[0] + " AS k, " + g.pick("count(*)", "sum("+own[1]+")", "max("+own[1]+")") + " AS v FROM " + in + " GROUP BY " + own[0]
	case 3:
		sql = "SELECT count(*) AS k, " + g.pick("max("+own[0]+")", "1") + " AS v FROM " + in
	case 4:
		x := g.name()
		sql = fmt.Sprintf("SELECT k, v FROM (SELECT %s AS k, %s AS v, row_number() OVER (PARTITION BY %[1]s ORDER BY %[2]s) AS r FROM %s) AS %s WHERE r <= 2", own[0], own[1], in, x)
	case 5:
		sql = "SELECT " + own[0] + " AS k, sum(" + own[1] + ") OVER (PARTITION BY " + own[0] + ") AS v FROM " + in
	case 6:
		other, more := g.relation(0)
		sql = fmt.Sprintf("SELECT %s AS k, %s AS v FROM %s %s SELECT %s, %s FROM %s", own[0], own[1], in,
			g.pick("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL"), more[0], more[1], other)
	case 7:
		sql = "SELECT " + own[0] + " AS k, " + g.constant() + " AS v FROM " + in
	default:
		other, more := g.relation(0)
		sql = fmt.Sprintf("SELECT %s AS k, %s AS v FROM %s %s %s ON %s = %s", own[0], more[1], in, g.pick("LEFT JOIN", "FULL JOIN", "JOIN"), other, own[0], more[0])
	}
	return "(" + sql + ") AS " + alias, cols
}

func (g *generator) where(cols []string, least int, subqueries bool) string {
	var conds []string
	for range least + g.r.IntN(4) {
		if g.chance(55) && len(cols) > 2 {
			conds = append(conds, g.pick(cols...)+" = "+g.pick(cols...))
		} else {
			conds = append(conds, g.condition(cols, subqueries))
		}
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

// condition is a predicate over columns.
func (g *generator) condition(cols []string, subqueries bool) string {
	x, y := g.pick(cols...), g.pick(cols...)
	switch g.r.IntN(15) {
	case 0, 1:
		return x + " = " + g.constant()
	case 2:
		return x + g.pick(" > ", " <> ", " <= ") + g.constant()
	case 3:
		return x + g.pick(" IS NULL", " IS NOT NULL")
	case 4:
		return "coalesce(" + x + ", " + g.constant() + ") > " + g.constant()
	case 5:
		return "NOT (" + x + " = " + y + ")"
	case 6:
		return x + " IN (" + g.constant() + ", " + g.constant() + ")"
	case 7:
		return x + " + " + y + " > " + g.constant()
	case 8:
		return x + " IS NOT DISTINCT FROM " + y
	case 9, 10:
		common := x + " = " + y
		return "(" + common + " AND " + g.simple(cols) + " OR " + g.simple(cols) + " AND " + common + ")"
	case 11:
		return "(" + g.simple(cols) + " OR " + g.simple(cols) + ")"
	case 12:
		return "CASE WHEN " + g.simple(cols) + " THEN " + x + " = " + y + " ELSE " + g.pick("true", "false", "NULL") + " END"
	}
	if !subqueries {
		return g.simple(cols)
	}
	in, own := g.relation(1)
	if g.chance(40) {
		return g.pick("", "NOT ") + "EXISTS (SELECT DISTINCT 1 FROM " + in + " WHERE " + own[0] + " = " + x + " AND " + g.simple(own) + ")"
	}
	first := ""
	if g.chance(30) {
		first = x + " = " + g.constant() + " AND "
	}
	return first + x + g.pick(" IN", " NOT IN") + " (SELECT DISTINCT " + own[0] + " FROM " + in + " WHERE " + g.simple(own) + ")"
}

func (g *generator) simple(cols []string) string {
	return g.pick(cols...) + g.pick(" = ", " > ", " <> ") + g.pick(g.constant(), g.pick(cols...))
}
