package random

import (
	"fmt"
	"strings"
)

// shared reads the rows of a query in FROM more than once, by a name: $q stands for the
// query. The columns are those of the query, and no value is new. Small queries are planned
// at each place, large ones once: so that the plan becomes large, what is read twice may be
// read twice again. nil if the query has no column to compare.
func (g *grammar) shared(sub *Select) *Top {
	var all, can []string
	for _, it := range sub.Items {
		all = append(all, it.Name)
		if it.Kind < Ints {
			can = append(can, it.Name)
		}
	}
	if len(can) == 0 {
		return nil
	}
	name := g.name("w")
	list := []string{name + " AS ($q)"}
	for range g.r.IntN(3) {
		next := g.name("w")
		list = append(list, next+" AS ("+g.readTwice(name, all, can)+")")
		name = next
	}
	text := "(WITH " + strings.Join(list, ", ") + " " + g.readTwice(name, all, can) + ")"
	return &Top{Ours: text, Duck: text}
}

// readTwice is a query that reads another one at two places, one of which or both stand
// under aggregates, a join or a set operation.
func (g *grammar) readTwice(from string, all, can []string) string {
	key, by := can[g.r.IntN(len(can))], can[g.r.IntN(len(can))]
	least := []string{"min", "max"}[g.r.IntN(2)]
	columns := func(of string) string { return of + strings.Join(all, ", "+of) }
	switch g.r.IntN(8) {
	case 0: // the rows with the least value of their group
		return fmt.Sprintf("SELECT %[1]s FROM %[2]s AS x JOIN (SELECT %[3]s AS k, %[4]s(%[5]s) AS m FROM %[2]s GROUP BY %[3]s) AS y ON x.%[3]s = y.k AND x.%[5]s = y.m",
			columns("x."), from, key, least, by)
	case 1: // aggregates on both sides
		return fmt.Sprintf("SELECT %[1]s FROM (SELECT DISTINCT * FROM %[2]s) AS x %[6]s (SELECT %[3]s AS k, count(*) AS n, %[4]s(%[5]s) AS m FROM %[2]s GROUP BY %[3]s) AS y ON x.%[3]s IS NOT DISTINCT FROM y.k AND y.n > 1",
			columns("x."), from, key, least, by, []string{"JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN"}[g.r.IntN(4)])
	case 2: // a group for each value, beside another aggregation of the same rows
		first := grouped(all, key, least)
		return fmt.Sprintf("SELECT %[1]s FROM (SELECT %[2]s FROM %[3]s GROUP BY %[4]s) AS x JOIN (SELECT %[5]s AS k FROM %[3]s GROUP BY %[5]s HAVING count(*) < 3) AS y ON x.%[5]s = y.k",
			columns("x."), first, from, key, by)
	case 3:
		return fmt.Sprintf("SELECT %[1]s FROM %[2]s AS x JOIN (SELECT DISTINCT %[3]s AS k FROM %[2]s) AS y ON x.%[3]s = y.k", columns("x."), from, key)
	case 4:
		return fmt.Sprintf("SELECT * FROM %[1]s UNION ALL SELECT %[2]s FROM %[1]s GROUP BY %[3]s", from, grouped(all, key, least), key)
	case 5:
		return fmt.Sprintf("SELECT * FROM %[1]s %[2]s SELECT %[3]s FROM %[1]s GROUP BY %[4]s", from, []string{"EXCEPT ALL", "INTERSECT", "EXCEPT", "UNION"}[g.r.IntN(4)], grouped(all, key, least), key)
	case 6:
		return fmt.Sprintf("SELECT %[1]s FROM %[2]s AS x JOIN (SELECT %[4]s(%[3]s) AS m FROM %[2]s) AS y ON x.%[3]s = y.m", columns("x."), from, by, least)
	}
	return fmt.Sprintf("SELECT %[1]s FROM %[2]s AS x %[5]s JOIN %[2]s AS y ON x.%[3]s = y.%[3]s AND y.%[4]s < x.%[4]s", columns("x."), from, key, by, []string{"SEMI", "ANTI"}[g.r.IntN(2)])
}

// grouped are the columns of a group of one of them.
func grouped(all []string, key, least string) string {
	var out []string
	for _, a := range all {
		if a != key {
			a = least + "(" + a + ") AS " + a
		}
		out = append(out, a)
	}
	return strings.Join(out, ", ")
}
