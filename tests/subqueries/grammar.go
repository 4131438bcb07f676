package subqueries

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// grammar draws queries. Every name is unique, so that a column means the same anywhere.
type grammar struct {
	r       *rand.Rand
	names   int
	depth   int // of subqueries
	without func(feature string) bool
}

// scope lists what an expression can read: the columns of FROM, then those of the queries
// around.
type scope struct {
	ints, texts []string
	outer       *scope
}

func (g *grammar) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *grammar) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *grammar) allows(feature string) bool { return g.without == nil || !g.without(feature) }

func (g *grammar) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// query draws a whole query.
func (g *grammar) query() string {
	from, sc := g.from(nil)
	g.depth = 2
	if g.chance(25) {
		return g.grouped(from, sc, 1+g.r.IntN(2))
	}
	items := []string{g.item(sc) + " AS " + g.name("c")}
	for range g.r.IntN(3) {
		items = append(items, g.item(sc)+" AS "+g.name("c"))
	}
	return "SELECT " + g.distinct(10) + strings.Join(items, ", ") + from + g.where(sc, 70)
}

func (g *grammar) distinct(percent int) string {
	if g.chance(percent) {
		return "DISTINCT "
	}
	return ""
}

// item is a column of the select list: a plain one, a value or a condition.
func (g *grammar) item(sc *scope) string {
	switch g.r.IntN(4) {
	case 0:
		return g.cond(sc, 1)
	case 1, 2:
		return g.num(sc, 2)
	}
	return g.text(sc)
}

// from draws FROM and its columns.
func (g *grammar) from(outer *scope) (string, *scope) {
	sc := &scope{outer: outer}
	text := " FROM " + g.table(sc, outer)
	switch g.r.IntN(8) {
	case 0:
		text += g.pick(" JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ") + g.table(sc, outer) + " ON "
		text += g.on(sc)
	case 1:
		text += ", " + g.table(sc, outer)
	case 2:
		if g.depth > 0 && g.allows("lateral") {
			text += g.lateral(sc)
		}
	}
	return text, sc
}

// on is the condition of a join, with a subquery now and then.
func (g *grammar) on(sc *scope) string {
	if g.depth > 0 && g.allows("on") && g.chance(25) {
		return g.simple(sc) + " AND " + g.cond(sc, 1)
	}
	return g.simple(sc)
}

// table is an input: a table, or a query over one.
func (g *grammar) table(sc, outer *scope) string {
	alias := g.name("t")
	if g.depth > 0 && g.chance(12) {
		g.depth--
		defer func() { g.depth++ }()
		from, in := g.from(outer)
		x, y := g.name("c"), g.name("c")
		sc.ints = append(sc.ints, alias+"."+x, alias+"."+y)
		return "(SELECT " + g.distinct(20) + g.num(in, 1) + " AS " + x + ", " + g.num(in, 1) + " AS " + y + from + g.where(in, 50) + ") AS " + alias
	}
	sc.ints = append(sc.ints, alias+".a", alias+".b")
	sc.texts = append(sc.texts, alias+".s")
	return fmt.Sprintf("t%d AS %s", g.r.IntN(3), alias)
}

// lateral joins a query that reads the tables before it.
func (g *grammar) lateral(sc *scope) string {
	alias, x, y := g.name("l"), g.name("c"), g.name("c")
	g.depth--
	around := *sc
	sub := g.body(&around, func(in *scope, grouped bool) string {
		if grouped {
			return g.aggregate(in) + " AS " + x + ", " + g.aggregate(in) + " AS " + y
		}
		return g.num(in, 1) + " AS " + x + ", " + g.num(in, 0) + " AS " + y
	}, 2)
	g.depth++
	sc.ints = append(sc.ints, alias+"."+x, alias+"."+y)
	if g.chance(50) {
		return ", LATERAL (" + sub + ") AS " + alias
	}
	return " LEFT JOIN LATERAL (" + sub + ") AS " + alias + " ON " + g.pick("TRUE", g.on(sc))
}

func (g *grammar) where(sc *scope, percent int) string {
	if !g.chance(percent) {
		return ""
	}
	text := " WHERE " + g.cond(sc, 1)
	for g.chance(35) {
		text += " AND " + g.cond(sc, 1)
	}
	return text
}

// grouped draws GROUP BY with HAVING.
func (g *grammar) grouped(from string, sc *scope, keys int) string {
	var list []string
	out := &scope{outer: sc.outer}
	for range keys {
		k := sc.ints[g.r.IntN(len(sc.ints))]
		list, out.ints = append(list, k), append(out.ints, k)
	}
	items := strings.Join(list, ", ") + ", " + g.aggregate(sc) + " AS " + g.name("c")
	if g.depth > 0 && g.chance(50) {
		items += ", " + g.num(out, 2) + " AS " + g.name("c")
	}
	text := "SELECT " + items + from + g.where(sc, 50) + " GROUP BY " + strings.Join(list, ", ")
	if g.chance(50) {
		having := &scope{ints: append([]string{g.aggregate(sc)}, out.ints...), outer: sc.outer}
		text += " HAVING " + g.cond2(having, out)
	}
	return text
}

// cond2 is a condition whose subqueries read other columns than its comparisons: HAVING
// may use aggregates, a subquery inside of it may not.
func (g *grammar) cond2(sc, inner *scope) string {
	if g.depth > 0 && g.chance(60) {
		return g.num(sc, 0) + g.op() + g.scalar(inner)
	}
	if g.depth > 0 && g.chance(50) {
		return g.subcond(inner)
	}
	return g.simple(sc)
}

func (g *grammar) op() string { return g.pick(" = ", " <> ", " < ", " <= ", " > ", " >= ") }

// cond draws a condition.
func (g *grammar) cond(sc *scope, level int) string {
	switch g.r.IntN(9) {
	case 0, 1, 2, 3:
		if g.depth > 0 {
			return g.subcond(sc)
		}
	case 4:
		if level > 0 {
			return "(" + g.cond(sc, level-1) + g.pick(" OR ", " AND ") + g.cond(sc, level-1) + ")"
		}
	case 5:
		if level > 0 {
			return "(NOT " + g.cond(sc, level-1) + ")"
		}
	case 6:
		return "(" + g.num(sc, 1) + g.pick(" IS NULL", " IS NOT NULL") + ")"
	}
	return g.simple(sc)
}

// simple is a comparison without subqueries.
func (g *grammar) simple(sc *scope) string {
	if g.chance(15) && len(sc.texts) > 0 {
		return "(" + g.text(sc) + " = " + g.text(sc) + ")"
	}
	if g.chance(10) {
		return "(" + g.num(sc, 0) + g.pick(" IS NOT DISTINCT FROM ", " IS DISTINCT FROM ") + g.num(sc, 0) + ")"
	}
	op := " = "
	if g.chance(40) {
		op = g.op()
	}
	return "(" + g.num(sc, 0) + op + g.num(sc, 0) + ")"
}

// subcond is a condition with a subquery.
func (g *grammar) subcond(sc *scope) string {
	g.depth--
	defer func() { g.depth++ }()
	one := func(in *scope, grouped bool) string {
		if grouped {
			return g.aggregate(in)
		}
		return g.num(in, 1)
	}
	switch g.r.IntN(6) {
	case 0, 1:
		return g.pick("", "NOT ") + "EXISTS (" + g.body(sc, one, 2) + ")"
	case 2, 3:
		return "(" + g.num(sc, 1) + g.pick(" IN", " NOT IN") + " (" + g.body(sc, one, 2) + "))"
	case 4:
		if g.allows("row in") {
			two := func(in *scope, grouped bool) string { return one(in, grouped) + ", " + one(in, grouped) }
			return "((" + g.num(sc, 0) + ", " + g.num(sc, 0) + ")" + g.pick(" IN", " NOT IN") + " (" + g.body(sc, two, 2) + "))"
		}
	}
	return "(" + g.num(sc, 1) + g.op() + g.pick("ANY", "ALL") + " (" + g.body(sc, one, 2) + "))"
}

// scalar is a subquery of at most one row.
func (g *grammar) scalar(sc *scope) string {
	g.depth--
	defer func() { g.depth++ }()
	from, in := g.from(sc)
	if g.allows("limit") && g.chance(20) {
		x := g.name("c")
		return "(SELECT " + g.num(in, 1) + " AS " + x + from + g.where(in, 90) + " ORDER BY " + x + g.pick("", " DESC") + " NULLS LAST LIMIT 1" + g.pick("", " OFFSET 1") + ")"
	}
	value := g.aggregate(in)
	if g.chance(25) {
		value = "(" + value + " + " + g.num(sc, 0) + ")"
	}
	text := "SELECT " + value + from + g.where(in, 90)
	if g.chance(15) {
		text += " HAVING " + g.aggregate(in) + g.op() + g.num(sc, 0)
	}
	return "(" + text + ")"
}

// body is a subquery with a given select list: plain, distinct, grouped, aggregated,
// limited, or two of them put together.
func (g *grammar) body(sc *scope, items func(in *scope, grouped bool) string, set int) string {
	if set > 0 && g.chance(12) {
		op := g.pick(" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ")
		return g.body(sc, items, 0) + op + g.body(sc, items, 0)
	}
	from, in := g.from(sc)
	switch g.r.IntN(10) {
	case 0:
		return "SELECT " + items(in, true) + from + g.where(in, 80)
	case 1:
		k := in.ints[g.r.IntN(len(in.ints))]
		text := "SELECT " + items(in, true) + from + g.where(in, 80) + " GROUP BY " + k
		if g.chance(40) {
			text += " HAVING " + g.aggregate(in) + g.op() + g.pick("1", "2", k)
		}
		return text
	case 2:
		return "SELECT DISTINCT " + items(in, false) + from + g.where(in, 80)
	case 3:
		if set > 0 && g.allows("limit") {
			text := items(in, false)
			var order []string
			for i := range strings.Count(text, ", ") + 1 {
				order = append(order, fmt.Sprintf("%d%s", i+1, g.pick("", " DESC NULLS LAST", " NULLS LAST")))
			}
			if strings.Contains(text, "(SELECT") {
				return "SELECT " + text + from + g.where(in, 80)
			}
			return "SELECT " + text + from + g.where(in, 80) + " ORDER BY " + strings.Join(order, ", ") + fmt.Sprintf(" LIMIT %d", 1+g.r.IntN(2))
		}
	}
	return "SELECT " + items(in, false) + from + g.where(in, 90)
}

// aggregate is a call over the columns of FROM, with those of queries around beside.
func (g *grammar) aggregate(in *scope) string {
	own := &scope{ints: in.ints}
	x := g.num(own, 0)
	if in.outer != nil && len(in.outer.ints) > 0 && g.chance(15) {
		x = "(" + own.ints[g.r.IntN(len(own.ints))] + " + " + g.num(in.outer, 0) + ")"
	}
	switch g.r.IntN(6) {
	case 0:
		return "count(*)"
	case 1:
		return "count(" + own.ints[g.r.IntN(len(own.ints))] + ")"
	case 2:
		return "count(DISTINCT " + own.ints[g.r.IntN(len(own.ints))] + ")"
	case 3:
		return "sum(" + x + ")"
	}
	return g.pick("min", "max") + "(" + own.ints[g.r.IntN(len(own.ints))] + ")"
}

// num is a number: mostly a column, of this query or one around.
func (g *grammar) num(sc *scope, level int) string {
	s := sc
	for s.outer != nil && g.chance(40) {
		s = s.outer
	}
	for s != nil && len(s.ints) == 0 {
		s = s.outer
	}
	if s == nil || g.chance(8) {
		return g.pick("0", "1", "2")
	}
	x := s.ints[g.r.IntN(len(s.ints))]
	if level == 0 {
		return x
	}
	switch g.r.IntN(8) {
	case 0:
		return "(" + x + " + " + g.num(sc, 0) + ")"
	case 1:
		return "(CASE WHEN " + g.cond(sc, 0) + " THEN " + x + " ELSE " + g.num(sc, 0) + " END)"
	case 2, 3:
		if g.depth > 0 && level > 1 {
			return g.scalar(sc)
		}
	case 4:
		if g.depth > 0 {
			return "coalesce(" + g.scalar(sc) + ", 7)"
		}
	}
	return x
}

func (g *grammar) text(sc *scope) string {
	for s := sc; s != nil; s = s.outer {
		if len(s.texts) > 0 {
			return s.texts[g.r.IntN(len(s.texts))]
		}
	}
	return "'x'"
}
