package random

import "strings"

// asofJoin adds the nearest row of a relation that changes. It returns the columns that
// can be read above.
func (g *grammar) asofJoin(s *Select, left scope) scope {
	j := &Join{Kind: []string{"ASOF JOIN", "ASOF LEFT JOIN"}[g.r.IntN(2)], Stream: true}
	var right scope
	if g.chance(35) {
		j.From = From{Sub: g.level(1), Alias: g.name("t")}
		right = itemsOf(j.Alias, j.Sub)
	} else {
		j.From = From{Table: g.sources[g.r.IntN(len(g.sources))].Name, Alias: g.name("t")}
		right = columnsOf(j.Alias, sourceColumns())
	}
	near := g.nearest(left, right)
	if near == nil {
		return g.streamJoin(s, left, 1)
	}
	j.On = append(j.On, near)
	for range g.r.IntN(3) {
		if same := g.equalColumns(left, right); same != nil {
			j.On = append(j.On, same)
		}
	}
	s.Joins = append(s.Joins, j)
	return left.with(right)
}

// lateAsof takes the nearest row by the times of both sides, by which rows are late.
func (g *grammar) lateAsof(j *Join, left, right scope) {
	j.Kind = []string{"ASOF JOIN", "ASOF LEFT JOIN"}[g.r.IntN(2)]
	j.On = []*Expr{g.nearest(scope{Time: left[Time]}, scope{Time: right[Time]})}
	if same := g.equalColumns(left, right); same != nil && g.chance(80) {
		j.On = append(j.On, same)
	}
}

// nearest is the inequality of an ASOF join, nil if the sides have no columns that compare.
func (g *grammar) nearest(left, right scope) *Expr {
	kinds := []Kind{Time, Time, Time, Int, Str, Big, Dec}
	for range 30 {
		k := kinds[g.r.IntN(len(kinds))]
		if len(left[k]) == 0 || len(right[k]) == 0 {
			continue
		}
		texts := []string{"($1 >= $2)", "($1 > $2)", "($1 <= $2)", "($2 > $1)", "($2 <= $1)"}
		if k == Time {
			texts = append(texts, "($1 >= $2)", "($1 >= $2)", "($1 > ($2 - INTERVAL '5' MINUTE))", "(($1 - INTERVAL '10' MINUTE) >= $2)")
		}
		return &Expr{Kind: Bool, Text: texts[g.r.IntN(len(texts))], Kids: []*Expr{left[k][g.r.IntN(len(left[k]))].clone(), right[k][g.r.IntN(len(right[k]))].clone()}}
	}
	return nil
}

// equalColumns is an equality of two columns, nil if there are none of the kind drawn.
func (g *grammar) equalColumns(left, right scope) *Expr {
	k := []Kind{Int, Int, Str, Str, Bool}[g.r.IntN(5)]
	if len(left[k]) == 0 || len(right[k]) == 0 {
		return nil
	}
	text := "($1 = $2)"
	if g.chance(20) {
		text = "($1 IS NOT DISTINCT FROM $2)"
	}
	return &Expr{Kind: Bool, Text: text, Kids: []*Expr{left[k][g.r.IntN(len(left[k]))].clone(), right[k][g.r.IntN(len(right[k]))].clone()}}
}

// asof tells the nearest row to DuckDB, whose own ASOF join takes any of several rows of
// one time.
func (p *printer) asof(j *Join) {
	var cols []string
	if j.Sub != nil {
		for _, it := range j.Sub.Items {
			cols = append(cols, it.Name)
			p.failed = p.failed || it.Kind == Ints || it.Kind == Win
		}
	} else {
		p.failed = true // lists with NULL have another order there
		return
	}
	right, op := j.On[0].Kids[1], strings.TrimPrefix(j.On[0].Text, "(")
	forward := strings.HasPrefix(op, "$1 <") || strings.HasPrefix(op, "$2 >")
	p.add(map[bool]string{true: " LEFT JOIN", false: " JOIN"}[j.Kind == "ASOF LEFT JOIN"], " LATERAL (SELECT * FROM ")
	p.from(j.From)
	p.clause(" WHERE ", j.On, " AND ")
	p.add(" ORDER BY ")
	p.expr(right)
	p.add(map[bool]string{true: " ASC", false: " DESC"}[forward])
	for _, c := range cols {
		p.add(", ", j.Alias, ".", c, " DESC NULLS LAST")
	}
	p.add(" LIMIT 1) AS ", j.Alias, " ON true")
}
