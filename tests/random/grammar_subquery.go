package random

// subquery is a condition with a subquery: EXISTS, IN, ANY, ALL, a comparison with a
// value, or two of them joined by OR.
func (g *grammar) subquery(sc scope) *Expr {
	k := []Kind{Int, Str, Dbl, Big}[g.r.IntN(4)]
	x := g.leaf(sc, k)
	two := func(text string, sub *Select) *Expr { return &Expr{Kind: Bool, Text: text, Kids: []*Expr{x}, Sub: sub} }
	switch g.r.IntN(9) {
	case 0, 1:
		return two("($1 NOT IN ($q))", g.inner(sc, k))
	case 2:
		return two("($1 IN ($q))", g.inner(sc, k))
	case 3:
		return &Expr{Kind: Bool, Text: "($1 OR $2)", Kids: []*Expr{g.subquery(sc), g.simple(sc)}}
	case 4:
		op := []string{"=", "<>", "<", "<=", ">", ">="}[g.r.IntN(6)]
		return two("($1 "+op+[]string{" ANY", " ALL"}[g.r.IntN(2)]+" ($q))", g.inner(sc, k))
	case 5, 6:
		return &Expr{Kind: Bool, Text: "($1 <= $2)", Kids: []*Expr{x, g.value(sc, k)}}
	}
	return &Expr{Kind: Bool, Text: []string{"EXISTS ($q)", "NOT EXISTS ($q)"}[g.r.IntN(2)], Sub: g.inner(sc, k)}
}

// value is a subquery of one value: an aggregate.
func (g *grammar) value(sc scope, k Kind) *Expr {
	s, own := g.correlated(sc)
	text := "max($1)"
	if k == Big && g.chance(50) {
		text = "count($1)"
	}
	s.Items = []Item{{&Expr{Kind: k, Text: text, Kids: []*Expr{g.leaf(own, k)}}, g.name("c")}}
	return &Expr{Kind: k, Text: "($q)", Sub: s}
}

// inner is a subquery of one column.
func (g *grammar) inner(sc scope, k Kind) *Select {
	s, own := g.correlated(sc)
	if g.chance(25) {
		a := &Expr{Kind: k, Text: "min($1)", Kids: []*Expr{g.leaf(own, k)}}
		s.Items = []Item{{a, g.name("c")}}
		if g.chance(60) {
			s.Grouped, s.Keys = true, []*Expr{g.key(own)}
		}
		return s
	}
	s.Items = []Item{{g.leaf(own, k), g.name("c")}}
	if g.chance(15) {
		s.Items[0].Expr = g.leaf(sc, k)
	}
	s.Distinct = g.chance(20)
	return s
}

// correlated reads a relation where its columns and those of the query around agree, and
// returns the relation's columns: a table, or a source where no row is late.
func (g *grammar) correlated(sc scope) (*Select, scope) {
	s := &Select{From: From{Table: g.table(), Alias: g.name("t")}}
	own := columnsOf(s.From.Alias, tableColumns())
	if !g.late && g.chance(40) {
		s.From.Table = g.sources[g.r.IntN(len(g.sources))].Name
		own = columnsOf(s.From.Alias, sourceColumns())
	}
	if g.chance(60) {
		s.Where = append(s.Where, g.sameKind(sc, own))
	}
	if g.chance(35) {
		s.Where = append(s.Where, g.simple(own.with(sc)))
	}
	if g.nesting < 1 && g.chance(20) {
		g.nesting++
		s.Where = append(s.Where, g.subquery(own.with(sc)))
		g.nesting--
	}
	return s, own
}
