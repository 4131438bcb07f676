package random

import (
	"fmt"
	"strings"
)

// Top keeps the first rows of a query in FROM: $q stands for the query. Order and
// partition are columns of it.
type Top struct {
	Ours, Duck string
	Added      []Item // further columns: the number of the row, or functions with OVER
}

// top puts a limit on a query: of each partition by a number, by DISTINCT ON, or of all.
func (g *grammar) top(sub *Select) *Top {
	var by, order, all []string
	for _, it := range sub.Items {
		all = append(all, it.Name+" NULLS FIRST")
	}
	perm := g.r.Perm(len(sub.Items))
	for _, i := range perm[:g.r.IntN(min(len(perm), 2)+1)] {
		by = append(by, sub.Items[i].Name)
	}
	for _, i := range perm[:g.r.IntN(min(len(perm), 3)+1)] {
		order = append(order, sub.Items[len(perm)-1-i].Name+[]string{" NULLS FIRST", " DESC NULLS LAST", " NULLS LAST", " DESC NULLS FIRST"}[g.r.IntN(4)])
	}
	n := 1 + g.r.IntN(3)
	switch g.r.IntN(6) {
	case 0:
		if len(order) > 0 && g.chance(40) {
			return tiesTop(order, n)
		}
		return limitTop(order, all, n, g.r.IntN(3))
	case 2, 3:
		return g.overTop(sub)
	case 1:
		if len(by) > 0 {
			return onTop(by, order, all)
		}
	}
	return g.rankTop(by, order, all, n)
}

func limitTop(order, all []string, n, offset int) *Top {
	text := func(keys []string) string {
		return fmt.Sprintf("(SELECT * FROM ($q) AS q%s LIMIT %d OFFSET %d)", orderBy(keys), n, offset)
	}
	if len(order) == 0 {
		order = all[:1]
	}
	return &Top{Ours: text(order), Duck: text(append(order, all...))}
}

// tiesTop is WITH TIES, which is a rank.
func tiesTop(order []string, n int) *Top {
	return &Top{Ours: fmt.Sprintf("(SELECT * FROM ($q) AS q%s FETCH FIRST %d ROWS WITH TIES)", orderBy(order), n),
		Duck: fmt.Sprintf("(SELECT * FROM ($q) AS q QUALIFY rank() OVER (%s) <= %d)", orderBy(order), n)}
}

func onTop(by, order, all []string) *Top {
	text := func(keys []string) string {
		return fmt.Sprintf("(SELECT DISTINCT ON (%s) * FROM ($q) AS q%s)", strings.Join(by, ", "), orderBy(keys))
	}
	keys := append(append([]string(nil), by...), order...)
	return &Top{Ours: text(keys), Duck: text(append(keys, all...))}
}

func orderBy(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

func (g *grammar) rankTop(by, order, all []string, n int) *Top {
	f := []string{"row_number", "row_number", "rank", "dense_rank"}[g.r.IntN(4)]
	cond := []string{"%s <= %d", "%s < %d", "%s = %d", "%s BETWEEN 1 AND %d"}[g.r.IntN(4)]
	rank := g.name("rn")
	t := &Top{Added: []Item{{&Expr{Kind: Big}, rank}}}
	text := func(keys []string) string {
		over := orderBy(keys)
		if len(by) > 0 {
			over = "PARTITION BY " + strings.Join(by, ", ") + over
		}
		return fmt.Sprintf("(SELECT * FROM (SELECT *, %s() OVER (%s) AS %s FROM ($q) AS q) AS r WHERE "+cond+")", f, over, rank, rank, n)
	}
	t.Ours, t.Duck = text(order), text(order)
	if f == "row_number" {
		t.Duck = text(append(append([]string(nil), order...), all...))
	}
	return t
}

// someRows is a LIMIT without an order, of equal rows: which ones it takes is not seen.
func (g *grammar) someRows(f *From) {
	var items []string
	for _, c := range sourceColumns() {
		items = append(items, Literal(c.kind, simplest(c.kind))+" AS "+c.name)
	}
	f.Func = "(SELECT " + strings.Join(items, ", ") + " FROM $t" + []string{"", " WHERE a > 0"}[g.r.IntN(2)] + " LIMIT 3" + []string{"", " OFFSET 1"}[g.r.IntN(2)] + ")"
	f.Duck = f.Func
}

// print writes the query with its limit.
func (t *Top) print(p *printer, sub *Select) {
	text := t.Ours
	if p.d == Duck {
		text = t.Duck
		p.failed = p.failed || text == ""
	}
	head, tail, _ := strings.Cut(text, "$q")
	p.add(head)
	p.query(sub)
	p.add(tail)
}
