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
	return &Expr{Kind: Bool, Text: text, Duck: "-", Kids: []*Expr{g.leaf(sc, Time)}}
}
