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
	if g.chance(40) {
		text = fmt.Sprintf("(WITH RECURSIVE %s AS (SELECT *, 0 AS lvl FROM ($q) AS q UNION ALL SELECT %s, %s.lvl + 1 FROM %s WHERE %s.lvl < 2) SELECT %s FROM %s)",
			name, strings.Join(step, ", "), name, from, name, strings.Join(all, ", "), name)
	}
	return &Top{Ours: text, Duck: text}
}
