package random

import (
	"fmt"
	"strings"
)

// overTop adds a function with OVER to a query, and keeps all of its rows. Where places
// count, DuckDB orders by all columns as well, as we do by ourselves.
func (g *grammar) overTop(by, order, all []string) *Top {
	if len(order) == 0 {
		order = all[:1]
	}
	t := &Top{Rank: g.name("ov")}
	call, places := g.overCall(strings.Fields(all[0])[0])
	text := func(keys []string) string {
		over := orderBy(keys)
		if len(by) > 0 {
			over = "PARTITION BY " + strings.Join(by, ", ") + over
		}
		return fmt.Sprintf("(SELECT *, "+call+" AS %s FROM ($q) AS q)", over, t.Rank)
	}
	t.Ours, t.Duck = text(order), text(order)
	if places {
		t.Duck = text(append(append([]string(nil), order...), all...))
	}
	return t
}

// overCall is a call with %s for its window, and whether it depends on the places of rows
// that are equal in the order.
func (g *grammar) overCall(column string) (call string, places bool) {
	if g.r.IntN(3) == 0 {
		f := []string{"row_number()", "ntile(2)", "rank()", "dense_rank()"}
		i := g.r.IntN(len(f))
		return f[i] + " OVER (%s)", i < 2
	}
	f := []string{"count(*)", "count(" + column + ")", "count(DISTINCT " + column + ")"}[g.r.IntN(3)]
	unit := []string{"ROWS", "GROUPS", "RANGE"}[g.r.IntN(3)]
	bounds := [][2]string{{"UNBOUNDED PRECEDING", "CURRENT ROW"}, {"CURRENT ROW", "UNBOUNDED FOLLOWING"}}
	if unit != "RANGE" {
		bounds = append(bounds, [][2]string{{"2 PRECEDING", "1 FOLLOWING"}, {"1 PRECEDING", "CURRENT ROW"}, {"1 FOLLOWING", "2 FOLLOWING"},
			{"2 PRECEDING", "1 PRECEDING"}, {"UNBOUNDED PRECEDING", "1 FOLLOWING"}}...)
	}
	b := bounds[g.r.IntN(len(bounds))]
	exclude := []string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}
	if unit == "ROWS" {
		exclude = exclude[:2]
	}
	if strings.Contains(f, "DISTINCT") { // DuckDB knows no EXCLUDE beside DISTINCT
		exclude = exclude[:1]
	}
	return fmt.Sprintf("%s OVER (%%s %s BETWEEN %s AND %s%s)", f, unit, b[0], b[1], exclude[g.r.IntN(len(exclude))]), unit == "ROWS"
}
