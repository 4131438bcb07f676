package random

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// grammar draws queries. Names of columns and aliases are unique within a query, so that
// parts can be moved while it is shrunk.
type grammar struct {
	r       *rand.Rand
	sources []Source
	names   int
	nesting int   // of subqueries
	first   bool  // under DISTINCT ON, whose rows must not change: no subqueries
	start   int64 // of event time, µs
	late    bool  // rows may be: each source is read once, as late.go says
	size    int64 // of the windows over sources, where rows may be late; else 0
	timed   bool  // some condition reads the clock
}

// scope has the columns and aggregates that an expression may use.
type scope map[Kind][]*Expr

func (s scope) add(e *Expr) { s[e.Kind] = append(s[e.Kind], e) }

func (s scope) with(o scope) scope {
	out := scope{}
	for k, list := range s {
		out[k] = append(out[k], list...)
	}
	for k, list := range o {
		out[k] = append(out[k], list...)
	}
	return out
}

func (g *grammar) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// chance is true in percent of all cases.
func (g *grammar) chance(percent int) bool { return g.r.IntN(100) < percent }

// query draws a query of up to three levels.
func (g *grammar) query() *Select {
	s := g.level(1 + g.r.IntN(3))
	if g.chance(12) {
		g.union(s, 1+g.r.IntN(2))
	}
	return s
}

// order adds ORDER BY, and LIMIT now and then.
func (g *grammar) order(s *Select) {
	for _, i := range g.r.Perm(len(s.Items))[:1+g.r.IntN(len(s.Items))] {
		s.Order = append(s.Order, s.Items[i].Name+[]string{"", " DESC", " NULLS LAST", " DESC NULLS FIRST"}[g.r.IntN(4)])
	}
	if g.chance(40) {
		s.Limit = 1 + g.r.IntN(4)
	}
}

// level draws one SELECT over another level or a source.
func (g *grammar) level(depth int) *Select {
	s := &Select{}
	sc, ordered := g.from(s, depth)
	if ordered && g.chance(8) {
		g.distinctOn(s, sc)
		return s
	}
	sc = g.joins(s, sc, depth)
	if len(sc[Ints]) > 0 && g.chance(25) {
		s.Unnest, s.UnnestAs, s.Numbered = g.leaf(sc, Ints), g.name("u"), g.chance(30)
		sc = sc.with(scope{Int: {{Kind: Int, Text: s.UnnestAs + ".e"}}})
		if s.Numbered {
			sc.add(&Expr{Kind: Big, Text: s.UnnestAs + ".o"})
		}
	}
	for range []int{0, 0, 0, 1, 1, 2}[g.r.IntN(6)] {
		s.Where = append(s.Where, g.condition(sc))
	}
	if !g.late && len(sc[Time]) > 0 && g.chance(6) {
		s.Where = append(s.Where, g.temporal(sc))
	}
	switch {
	case g.chance(60):
		g.group(s, sc)
		if !g.late && g.chance(6) {
			g.present(s)
		}
	default:
		g.project(s, sc, g.kinds(sc))
		g.overItems(s, sc)
		s.Distinct = g.chance(25)
	}
	return s
}

// from chooses the input and returns its columns; ordered tells that rows come in the
// order in which a source that cannot delete gave them.
func (g *grammar) from(s *Select, depth int) (scope, bool) {
	alias := g.name("t")
	if depth <= 1 && g.size > 0 {
		s.From = From{Sub: g.windowed(), Alias: alias}
		return itemsOf(alias, s.From.Sub), false
	}
	if depth <= 1 && g.chance(4) { // a table that a stream is joined to
		s.From = From{Table: g.table(), Alias: alias}
		return g.streamJoin(s, columnsOf(alias, tableColumns()), depth), false
	}
	if depth <= 1 {
		src := g.sources[g.r.IntN(len(g.sources))]
		s.From = From{Table: src.Name, Alias: alias}
		sc := columnsOf(alias, sourceColumns())
		if g.chance(15) {
			g.tableFunction(&s.From, src, sc)
		}
		return sc, src.appends() && s.From.Func == ""
	}
	sub := g.level(depth - 1)
	if g.chance(20) {
		g.union(sub, 1)
	}
	s.From = From{Sub: sub, Alias: alias}
	sc := itemsOf(alias, sub)
	if g.size == 0 && g.chance(20) {
		if pivoted, ok := g.pivot(&s.From); ok {
			return pivoted, false
		}
	}
	if g.chance(20) {
		s.From.Top = g.top(sub)
		for _, it := range s.From.Top.Added {
			sc.add(&Expr{Kind: it.Kind, Text: alias + "." + it.Name})
		}
	}
	if s.From.Top == nil && g.size == 0 && g.chance(8) {
		s.From.Top = g.recursion(sub)
	}
	if s.From.Top == nil && g.size == 0 && g.chance(10) {
		s.From.Top = g.shared(sub)
	}
	return sc, false
}

// tableFunction reads the source through a function.
func (g *grammar) tableFunction(f *From, src Source, sc scope) {
	keys := []string{"a, s", "s", "b, x", "ts, a", "xs"}[g.r.IntN(5)]
	switch g.r.IntN(9) {
	case 8:
		g.someRows(f)
		return
	case 4, 5:
		g.sessionTable(f)
	case 6:
		g.cumulating(f)
	case 7:
		g.calendarTable(f)
	case 0:
		f.Func = "TUMBLE(TABLE $t, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
		f.Duck = "(SELECT *, time_bucket(INTERVAL '10' MINUTE, ts) AS window_start, " +
			"time_bucket(INTERVAL '10' MINUTE, ts) + INTERVAL '10' MINUTE AS window_end FROM $t WHERE ts IS NOT NULL)"
	case 1:
		f.Func = "HOP(TABLE $t, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '20' MINUTE)"
		f.Duck = "(SELECT *, time_bucket(INTERVAL '10' MINUTE, ts) - to_minutes(10 * i) AS window_start, " +
			"time_bucket(INTERVAL '10' MINUTE, ts) + to_minutes(20 - 10 * i) AS window_end FROM $t, (SELECT unnest(range(2)) AS i) WHERE ts IS NOT NULL)"
	case 2:
		if src.appends() {
			f.Func = "drop_duplicates(TABLE $t, DESCRIPTOR(" + keys + "))"
		}
		return
	default:
		if src.appends() {
			f.Func = "drop_duplicates_within_watermark(TABLE $t, DESCRIPTOR(" + keys + "))"
		}
		return
	}
	sc.add(&Expr{Kind: Time, Text: f.Alias + ".window_start"})
	sc.add(&Expr{Kind: Time, Text: f.Alias + ".window_end"})
}

func columnsOf(alias string, cols []column) scope {
	sc := scope{}
	for _, c := range cols {
		sc.add(&Expr{Kind: c.kind, Text: alias + "." + c.name})
	}
	return sc
}

func itemsOf(alias string, s *Select) scope {
	sc := scope{}
	for _, it := range s.Items {
		sc.add(&Expr{Kind: it.Kind, Text: alias + "." + it.Name})
		if it.Kind == Win {
			sc.add(&Expr{Kind: Time, Text: alias + "." + it.Name + ".start"})
			sc.add(&Expr{Kind: Time, Text: alias + "." + it.Name + ".end"})
		}
	}
	return sc
}

// kinds chooses the columns of a projection; times come often, because windows need
// them further up.
func (g *grammar) kinds(sc scope) []Kind {
	var out []Kind
	for range 1 + g.r.IntN(4) {
		out = append(out, Kind(g.r.IntN(int(Ints)+1)))
	}
	if len(sc[Time]) > 0 && g.chance(60) {
		out = append(out, Time)
	}
	return out
}

func (g *grammar) project(s *Select, sc scope, kinds []Kind) {
	for _, k := range kinds {
		e := g.expr(sc, k, 2)
		if g.chance(40) {
			e = g.leaf(sc, k)
		}
		switch {
		case g.first:
		case k == Bool && g.chance(12):
			e = g.subquery(sc)
		case k < Bool && g.chance(8):
			e = g.value(sc, k)
		}
		s.Items = append(s.Items, Item{e, g.name("c")})
	}
}

func (g *grammar) distinctOn(s *Select, sc scope) {
	for range 1 + g.r.IntN(2) {
		e := g.leaf(sc, []Kind{Int, Str, Bool, Dbl, Time}[g.r.IntN(5)])
		if _, err := strconv.Atoi(e.Text); err == nil { // alone, it would be the place of a column
			e = &Expr{Kind: e.Kind, Text: "CAST(" + e.Text + " AS INT)"}
		}
		s.On = append(s.On, e)
	}
	g.first = true
	g.project(s, sc, g.kinds(sc))
	g.first = false
}

// group makes an aggregation: keys, a window, aggregates, HAVING.
func (g *grammar) group(s *Select, sc scope) {
	s.Grouped = true
	out := scope{}
	if len(sc[Time]) > 0 && g.chance(60) {
		g.window(s, sc, out)
	}
	keys := scope{}
	for range g.r.IntN(3) {
		k := g.key(sc)
		s.Keys = append(s.Keys, k)
		out.add(k)
		keys.add(k)
		if g.chance(85) {
			s.Items = append(s.Items, Item{k.clone(), g.name("c")})
		}
	}
	for range 1 + g.r.IntN(3) {
		a := g.aggregate(sc)
		out.add(a)
		s.Items = append(s.Items, Item{a.clone(), g.name("c")})
		if same, ok := sameDistinct(a); ok && g.chance(50) {
			out.add(same)
			s.Items = append(s.Items, Item{same.clone(), g.name("c")})
		}
	}
	g.overItems(s, out)
	if g.chance(20) {
		e := g.expr(out, []Kind{Int, Big, Dbl, Str, Bool}[g.r.IntN(5)], 2)
		s.Items = append(s.Items, Item{e, g.name("c")})
	}
	g.groupingSets(s)
	if g.chance(30) {
		s.Having = append(s.Having, g.having(out, keys))
	}
	s.Grouped = s.Window != nil || len(s.Keys) > 0
}

func (g *grammar) window(s *Select, sc scope, out scope) {
	w := &Window{Time: g.leaf(sc, Time), Alias: g.name("w")}
	size := [][2]int64{{10, 10}, {10, 10}, {20, 20}, {20, 10}, {15, 5}, {10, 4}, {60, 60}, {25, 10}, {1440, 1440}, {60, 30}}[g.r.IntN(10)]
	w.Size, w.Slide = size[0], size[1]
	if g.chance(20) {
		g.session(w, sc)
	}
	s.Window = w
	start, end := w.bound(false), w.bound(true)
	out.add(start)
	out.add(end)
	if g.chance(80) {
		s.Items = append(s.Items, Item{start.clone(), g.name("c")})
	}
	if g.chance(40) {
		s.Items = append(s.Items, Item{end.clone(), g.name("c")})
	}
	if g.chance(10) {
		s.Items = append(s.Items, Item{w.whole(), g.name("c")})
	}
}

// key is a column, or an expression that has one.
func (g *grammar) key(sc scope) *Expr {
	if len(sc[Win]) > 0 && g.chance(40) {
		return sc[Win][0].clone()
	}
	k := []Kind{Int, Int, Str, Str, Bool, Dbl, Dec, Big, Time}[g.r.IntN(9)]
	for len(sc[k]) == 0 {
		if k = Kind(g.r.IntN(int(Ints) + 1)); g.chance(10) {
			return &Expr{Kind: Bool, Text: "(1 = 2)"}
		}
	}
	e := sc[k][g.r.IntN(len(sc[k]))].clone()
	if !g.chance(25) {
		return e
	}
	switch k {
	case Int, Big:
		return &Expr{Kind: k, Text: "($1 % 2)", Kids: []*Expr{e}}
	case Str:
		return &Expr{Kind: Str, Text: "substring($1, 1, 1)", Kids: []*Expr{e}}
	case Time:
		return &Expr{Kind: Time, Text: "date_trunc('hour', $1)", Kids: []*Expr{e}}
	}
	return &Expr{Kind: Bool, Text: "($1 IS NULL)", Kids: []*Expr{e}}
}

// join adds a static relation and returns its visible columns.
func (g *grammar) join(s *Select, left scope) scope {
	j := &Join{Kind: []string{"JOIN", "LEFT JOIN", "LEFT JOIN", "SEMI JOIN", "ANTI JOIN", "RIGHT JOIN", "FULL JOIN"}[g.r.IntN(7)]}
	if g.size > 0 && (j.Kind == "RIGHT JOIN" || j.Kind == "FULL JOIN") { // its rows without times are never late
		j.Kind = "JOIN"
	}
	j.Alias = g.name("t")
	right := columnsOf(j.Alias, tableColumns())
	if g.chance(25) {
		j.Sub = g.static(nil)
		right = itemsOf(j.Alias, j.Sub)
	} else {
		j.Table = g.table()
	}
	if !g.chance(10) {
		j.On = append(j.On, g.sameKind(left, right))
	}
	if g.chance(25) {
		j.On = append(j.On, g.sameKind(left, right))
	}
	if g.chance(35) {
		j.On = append(j.On, g.simple(left.with(right)))
	}
	s.Joins = append(s.Joins, j)
	if j.Kind == "SEMI JOIN" || j.Kind == "ANTI JOIN" {
		return nil
	}
	return right
}

func (g *grammar) table() string { return fmt.Sprintf("d%d", g.r.IntN(2)) }

// sameKind compares a column of each side.
func (g *grammar) sameKind(left, right scope) *Expr {
	k := []Kind{Int, Int, Str, Str, Big, Dbl, Dec, Bool}[g.r.IntN(8)]
	text := "($1 = $2)"
	if g.chance(15) {
		text = "($1 IS NOT DISTINCT FROM $2)"
	}
	return &Expr{Kind: Bool, Text: text, Kids: []*Expr{g.leaf(left, k), g.leaf(right, k)}}
}

// static is a query over a table, with one column of each kind, or some if nil.
func (g *grammar) static(kinds []Kind) *Select {
	s := &Select{From: From{Table: g.table(), Alias: g.name("t")}}
	sc := columnsOf(s.From.Alias, tableColumns())
	if g.chance(40) {
		s.Where = append(s.Where, g.simple(sc))
	}
	if kinds == nil && g.chance(50) {
		g.group(s, sc)
		return s
	}
	if kinds == nil {
		kinds = []Kind{Int, Str, Big}
	}
	for _, k := range kinds {
		s.Items = append(s.Items, Item{g.leaf(sc, k), g.name("c")})
	}
	return s
}
