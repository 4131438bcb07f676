package random

import "fmt"

// temporal is a condition on the current time, by which rows enter and leave as triggers
// pass.
func (g *grammar) temporal(sc scope) *Expr {
	minutes := []int{0, 1, 2, 5, 10, 30, 60}[g.r.IntN(7)]
	op := []string{">", ">=", "<", "<="}[g.r.IntN(4)]
	text := fmt.Sprintf("($1 %s now() %s INTERVAL '%d' MINUTE)", op, []string{"-", "+"}[g.r.IntN(2)], minutes)
	if g.chance(20) {
		text = fmt.Sprintf("(now() %s $1 + INTERVAL '%d' MINUTE)", op, minutes)
	}
	g.timed = true
	e := &Expr{Kind: Bool, Text: text, Duck: "-", Kids: []*Expr{g.leaf(sc, Time)}}
	switch { // what is no comparison of a column is asked of all rows again
	case g.chance(15):
		e.Text, e.Kids = "("+text+" OR $2)", append(e.Kids, g.simple(sc))
	case g.chance(10):
		e.Text, e.Kids = "(minute(now()) % 2 = 0)", nil
	}
	return e
}

// present adds a column to an aggregation that reads the current time: over rows that come
// and go, it is another one in each trigger.
func (g *grammar) present(s *Select) {
	sc := scope{}
	for _, it := range s.Items {
		sc.add(it.Expr)
	}
	list := []form{{text: "(minute(now()) % 2 = 0)"}}
	kinds := []Kind{Bool}
	add := func(k Kind, text string, of Kind) {
		if len(sc[of]) > 0 {
			list, kinds = append(list, form{text: text, args: []Kind{of}}), append(kinds, k)
		}
	}
	add(Int, "($1 + minute(now()) % 2)", Int)
	add(Big, "(CASE WHEN minute(now()) % 3 = 0 THEN $1 END)", Big)
	add(Str, "($1 || CAST(date_trunc('hour', now()) AS STRING))", Str)
	add(Bool, "($1 > now() - INTERVAL '10' MINUTE)", Time)
	add(Time, "greatest($1, now())", Time)
	i := g.r.IntN(len(list))
	e := &Expr{Kind: kinds[i], Text: list[i].text, Duck: "-"}
	for _, k := range list[i].args {
		e.Kids = append(e.Kids, sc[k][g.r.IntN(len(sc[k]))].clone())
	}
	g.timed = true
	s.Items = append(s.Items, Item{e, g.name("c")})
}
