package random

import (
	"strings"

	"github.com/sqlstream/sqlstream/incremental/reference"
)

// streamJoin adds a relation that changes: a source, perhaps the same one, or a query over
// one. It returns the columns that can be read above.
func (g *grammar) streamJoin(s *Select, left scope, depth int) scope {
	j := &Join{Kind: []string{"JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"}[g.r.IntN(7)], Stream: true}
	var right scope
	if g.chance(35) {
		j.From = From{Sub: g.level(1 + g.r.IntN(depth)), Alias: g.name("t")}
		right = itemsOf(j.Alias, j.Sub)
	} else {
		j.From = From{Table: g.sources[g.r.IntN(len(g.sources))].Name, Alias: g.name("t")}
		right = columnsOf(j.Alias, sourceColumns())
	}
	if !g.chance(8) {
		j.On = append(j.On, g.sameKind(left, right))
	}
	if g.chance(20) {
		j.On = append(j.On, g.sameKind(left, right))
	}
	if len(left[Time]) > 0 && len(right[Time]) > 0 && g.chance(60) {
		j.On = append(j.On, g.band(left, right)...)
	}
	if g.chance(30) {
		j.On = append(j.On, g.simple(left.with(right)))
	}
	s.Joins = append(s.Joins, j)
	switch j.Kind {
	case "SEMI JOIN", "ANTI JOIN":
		return left
	}
	return left.with(right)
}

// band bounds the times of two sides by one another, from one side or from both.
func (g *grammar) band(left, right scope) []*Expr {
	l, r := left[Time][g.r.IntN(len(left[Time]))], right[Time][g.r.IntN(len(right[Time]))]
	two := func(text string) *Expr { return &Expr{Kind: Bool, Text: text, Kids: []*Expr{l.clone(), r.clone()}} }
	lower := []string{"($1 >= $2)", "($1 > $2)", "($1 >= ($2 - INTERVAL '10' MINUTE))", "($2 <= ($1 + INTERVAL '5' MINUTE))"}[g.r.IntN(4)]
	upper := []string{"($1 <= $2)", "($1 < ($2 + INTERVAL '10' MINUTE))", "($1 <= ($2 + INTERVAL '5' MINUTE))", "(($1 - INTERVAL '20' MINUTE) <= $2)"}[g.r.IntN(4)]
	switch g.r.IntN(6) {
	case 0:
		return []*Expr{two(lower)}
	case 1:
		return []*Expr{two(upper)}
	case 2:
		return []*Expr{two("($1 = $2)")}
	case 3:
		return []*Expr{two("($1 BETWEEN ($2 - INTERVAL '10' MINUTE) AND ($2 + INTERVAL '5' MINUTE))")}
	}
	return []*Expr{two(lower), two(upper)}
}

// lateJoin is the query of a case with late rows that begins with a join: each source is
// read by a join whose condition bounds the times of both sides by one another, so that
// a row is refused when its ts is below the watermark that the trigger before left, a
// deletion like an insertion. A window of the times of the join closes by what they have
// become there, and refuses nothing.
func (g *grammar) lateJoin() *Select {
	s := &Select{From: From{Table: g.sources[0].Name, Alias: g.name("t")}}
	j := &Join{Kind: []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"}[g.r.IntN(6)], Stream: true,
		From: From{Table: g.sources[g.r.IntN(2)].Name, Alias: g.name("t")}}
	left, right := columnsOf(s.From.Alias, sourceColumns()), columnsOf(j.Alias, sourceColumns())
	if g.chance(25) {
		g.lateAsof(j, left, right)
	} else {
		g.banded(j, left, right)
	}
	s.Joins = append(s.Joins, j)
	sc := left
	if j.Kind != "SEMI JOIN" && j.Kind != "ANTI JOIN" {
		sc = left.with(right)
	}
	if g.chance(30) {
		s.Where = append(s.Where, g.simple(sc))
	}
	if g.chance(40) {
		g.project(s, sc, append(g.kinds(sc), Time))
		return s
	}
	g.group(s, sc)
	return s
}

// banded bounds the times of both sides by one another.
func (g *grammar) banded(j *Join, left, right scope) {
	for len(j.On) != 2 {
		j.On = g.band(left, right)
	}
	if g.chance(70) {
		j.On = append(j.On, g.sameKind(left, right))
	}
	if g.chance(30) {
		j.On = append(j.On, g.simple(left.with(right)))
	}
}

// joinsBand tells that a query is one of those above: shrinking may leave them.
func (c *Case) joinsBand(s *Select) bool {
	if len(s.Joins) != 1 || len(s.Union) > 0 || s.From.Sub != nil {
		return false
	}
	j := s.Joins[0]
	if !j.Stream || j.Sub != nil || len(j.On) == 0 || !isBand(j.On[0]) {
		return false
	}
	return strings.HasPrefix(j.Kind, "ASOF") || len(j.On) >= 2 && isBand(j.On[1])
}

func isBand(e *Expr) bool {
	return len(e.Kids) == 2 && strings.HasSuffix(e.Kids[0].Text, ".ts") && strings.HasSuffix(e.Kids[1].Text, ".ts")
}

// since drops changes below the watermark.
func since(changes []reference.Change) []reference.Change {
	var out []reference.Change
	for _, c := range changes {
		if t, ok := c.Values[timeColumn].(int64); !ok || t >= c.Watermark {
			out = append(out, c)
		}
	}
	return out
}

// joins adds up to three joins: of streams, where no row is late, and of tables.
func (g *grammar) joins(s *Select, sc scope, depth int) scope {
	for range 3 {
		switch {
		case !g.late && g.chance(28):
			sc = g.streamJoin(s, sc, depth)
		case !g.late && g.chance(8):
			sc = g.asofJoin(s, sc)
		case g.chance(20):
			sc = sc.with(g.join(s, sc))
		default:
			return sc
		}
	}
	return sc
}
