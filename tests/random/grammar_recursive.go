package random

import (
	"fmt"
	"strings"
)

// recursion builds on the rows of a query in FROM: $q stands for the query. Each round
// replaces one column by that of a source with which another one is joined; with UNION no
// value is new, and with UNION ALL the rounds are counted. nil if the query has no such
// columns.
func (g *grammar) recursion(sub *Select) *Top {
	var can []int
	column := map[Kind]string{Int: "a", Big: "n", Str: "s", Bool: "b", Time: "ts"}
	for i, it := range sub.Items {
		if column[it.Kind] != "" {
			can = append(can, i)
		}
	}
	if len(can) == 0 {
		return nil
	}
	name, e := g.name("r"), g.name("t")
	var all, step []string
	key, next := can[g.r.IntN(len(can))], can[g.r.IntN(len(can))]
	for i, it := range sub.Items {
		all = append(all, it.Name)
		if i == next {
			step = append(step, e+"."+column[it.Kind])
		} else {
			step = append(step, name+"."+it.Name)
		}
	}
	from := fmt.Sprintf("%s JOIN %s AS %s ON %s.%s = %s.%s", name, g.sources[g.r.IntN(len(g.sources))].Name, e, e, column[sub.Items[key].Kind], name, all[key])
	if g.chance(30) {
		from += fmt.Sprintf(" AND %s.a > 0", e)
	}
	text := fmt.Sprintf("(WITH RECURSIVE %s AS (SELECT * FROM ($q) AS q UNION SELECT %s FROM %s) SELECT * FROM %s)", name, strings.Join(step, ", "), from, name)
	switch g.r.IntN(8) {
	case 0, 1, 2:
		text = fmt.Sprintf("(WITH RECURSIVE %s AS (SELECT *, 0 AS lvl FROM ($q) AS q UNION ALL SELECT %s, %s.lvl + 1 FROM %s WHERE %s.lvl < 2) SELECT %s FROM %s)",
			name, strings.Join(step, ", "), name, from, name, strings.Join(all, ", "), name)
	case 3, 4:
		text = g.rounds(sub, name, all[key], all[next])
	case 5:
		return &Top{Ours: keyedRecursion(name, all[key], all, step, from), Duck: "-"}
	}
	return &Top{Ours: text, Duck: text}
}

// rounds is a recursion whose step is not linear: it joins the rows of the last round with
// themselves, or with all so far, aggregates them, or asks which are missing. No value is new.
func (g *grammar) rounds(sub *Select, name, key, next string) string {
	var step, all, grouped []string
	for _, it := range sub.Items {
		all = append(all, it.Name)
		of := "x."
		if it.Name == next {
			of = "y."
		}
		step = append(step, of+it.Name)
		grouped = append(grouped, []string{"min(", "max("}[g.r.IntN(2)]+it.Name+")")
	}
	other := []string{"", "recurring."}[g.r.IntN(2)] + name
	switch g.r.IntN(3) {
	case 0:
		return fmt.Sprintf("(WITH RECURSIVE %[1]s AS (SELECT *, 0 AS lvl FROM ($q) AS q UNION ALL SELECT %[2]s, lvl + 1 FROM %[1]s WHERE lvl < 2 GROUP BY lvl, %[3]s) SELECT %[4]s FROM %[1]s)",
			name, strings.Join(grouped, ", "), key, strings.Join(all, ", "))
	case 1:
		return fmt.Sprintf("(WITH RECURSIVE %[1]sq AS ($q), %[1]s AS (SELECT * FROM %[1]sq UNION SELECT %[2]s FROM %[1]s AS x JOIN %[1]sq AS y ON x.%[3]s = y.%[3]s WHERE NOT EXISTS (SELECT 1 FROM %[4]s AS z WHERE z.%[5]s > y.%[5]s)) SELECT * FROM %[1]s)",
			name, strings.Join(step, ", "), key, other, next)
	}
	return fmt.Sprintf("(WITH RECURSIVE %[1]s AS (SELECT * FROM ($q) AS q UNION SELECT %[2]s FROM %[1]s AS x JOIN %[4]s AS y ON x.%[3]s = y.%[3]s) SELECT * FROM %[1]s)",
		name, strings.Join(step, ", "), key, other)
}

// keyedRecursion keeps the least values of each key: a round that finds no lesser one is the
// last.
func keyedRecursion(name, key string, all, step []string, from string) string {
	using := []string{key}
	for _, a := range all {
		if a != key {
			using = append(using, "min("+a+")")
		}
	}
	return fmt.Sprintf("(WITH RECURSIVE %[1]s (%[2]s) USING KEY (%[3]s) AS (SELECT * FROM ($q) AS q UNION SELECT %[4]s FROM %[5]s) SELECT * FROM %[1]s)",
		name, strings.Join(all, ", "), strings.Join(using, ", "), strings.Join(step, ", "), from)
}
