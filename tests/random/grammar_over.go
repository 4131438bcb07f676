package random

import (
	"fmt"
	"slices"
	"strings"
)

// overWindow is the order and the partitions of calls with OVER.
type overWindow struct {
	by, order []*Expr
	dirs      []string
}

// overCall is a call with OVER before its window is written: $1 is its argument.
type overCall struct {
	kind   Kind
	text   string
	args   []Kind
	duck   string
	framed bool
	places bool // depends on the places of rows that are equal in the order
}

func (g *grammar) overWindow(sc scope) *overWindow {
	w := &overWindow{}
	for range g.r.IntN(3) {
		w.by = append(w.by, g.leaf(sc, Kind(g.r.IntN(int(Ints)+1))))
	}
	n := 1 + g.r.IntN(2)
	if g.chance(8) {
		n = 0
	}
	for range n {
		k := []Kind{Int, Int, Big, Dbl, Dec, Time, Time, Str, Bool}[g.r.IntN(9)]
		list := sc[k]
		if len(list) == 0 || k == Bool && list[0].Text == "(1 = 2)" { // constants order nothing
			continue
		}
		w.order = append(w.order, list[g.r.IntN(len(list))].clone())
		w.dirs = append(w.dirs, []string{"", " NULLS FIRST", " NULLS LAST", " DESC", " DESC NULLS LAST", " DESC NULLS FIRST"}[g.r.IntN(6)])
	}
	return w
}

// overItems adds functions with OVER to a SELECT now and then, and a condition on one.
func (g *grammar) overItems(s *Select, sc scope) {
	if g.first || s.Sets != "" || !g.chance(12) {
		return
	}
	w := g.overWindow(sc)
	for range 1 + g.r.IntN(3) {
		if g.chance(25) {
			w = g.overWindow(sc)
		}
		s.Items = append(s.Items, Item{g.over(sc, w, nil), g.name("c")})
	}
	if g.chance(25) {
		e := g.over(sc, w, nil)
		if e.Kind == Ints {
			return
		}
		s.Qualify = append(s.Qualify, &Expr{Kind: Bool, Text: []string{"($1 <= $2)", "($1 IS NOT NULL)", "($1 = $2)"}[g.r.IntN(3)], Kids: []*Expr{e, g.leaf(sc, e.Kind)}})
	}
}

// over draws a call with its frame over a window. Where places count, DuckDB is told the
// columns of last as well, by which we order by ourselves; without them it is not asked.
func (g *grammar) over(sc scope, w *overWindow, last []string) *Expr {
	c := g.overCall()
	e := &Expr{Kind: c.kind}
	for _, k := range c.args {
		e.Kids = append(e.Kids, g.leaf(sc, k))
	}
	at := func(x *Expr) string {
		e.Kids = append(e.Kids, x)
		return "$" + string(rune('0'+len(e.Kids)))
	}
	var by, order []string
	for _, x := range w.by {
		by = append(by, at(x))
	}
	for i, x := range w.order {
		order = append(order, at(x)+w.dirs[i])
	}
	frame, alone := "", false
	if c.framed && g.chance(85) {
		var places bool
		frame, places, alone = g.frame(w)
		if c.ownPlace() { // a place is not one of a frame without the row
			frame, _, _ = strings.Cut(frame, " EXCLUDE")
		}
		if strings.Contains(c.duck+c.text, "DISTINCT") || strings.Contains(c.text, "FILTER") { // DuckDB knows no EXCLUDE beside them
			frame, _, _ = strings.Cut(frame, " EXCLUDE")
		}
		c.places = c.places || places
		if strings.Contains(frame, " 2 PRECEDING") && !strings.Contains(frame, "RANGE") && g.chance(20) { // another offset in each row
			frame = strings.Replace(frame, " 2 P", " CASE WHEN "+at(g.leaf(sc, Int))+" > 1 THEN 2 ELSE 0 END P", 1)
			alone = true
		}
	}
	write := func(call string, order []string) string {
		over := strings.TrimSpace(orderBy(order) + frame)
		if len(by) > 0 {
			over = strings.TrimSpace("PARTITION BY " + strings.Join(by, ", ") + " " + over)
		}
		return call + " OVER (" + over + ")"
	}
	e.Text, e.Duck = write(c.text, order), c.duck
	switch {
	case alone || c.places && (last == nil || strings.Contains(frame, "RANGE") || strings.Contains(frame, "GROUPS") || c.framed && frame == ""):
		e.Duck = "-"
	case e.Duck == "-":
	default:
		if e.Duck == "" {
			e.Duck = c.text
		}
		if c.places {
			order = append(order, last...)
		}
		e.Duck = write(e.Duck, order)
	}
	return e
}

// frame draws the frame of a row, whether the places of equal rows count in it, and
// whether DuckDB thinks otherwise of it.
func (g *grammar) frame(w *overWindow) (text string, places, alone bool) {
	unit := []string{"ROWS", "GROUPS", "RANGE"}[g.r.IntN(3)]
	if unit == "GROUPS" && len(w.order) == 0 {
		unit = "ROWS"
	}
	bounds := [][2]string{{"UNBOUNDED PRECEDING", "CURRENT ROW"}, {"CURRENT ROW", "UNBOUNDED FOLLOWING"}}
	near, far := "1", "2"
	if unit == "RANGE" && len(w.order) == 1 {
		near, far, alone = offsets(w.order[0].Kind)
	}
	if near != "" && (unit != "RANGE" || len(w.order) == 1) {
		bounds = append(bounds[g.r.IntN(3):], [][2]string{{far + " PRECEDING", near + " FOLLOWING"}, {near + " PRECEDING", "CURRENT ROW"},
			{near + " FOLLOWING", far + " FOLLOWING"}, {far + " PRECEDING", near + " PRECEDING"}, {"UNBOUNDED PRECEDING", near + " FOLLOWING"}, {"CURRENT ROW", far + " FOLLOWING"},
			{near + " PRECEDING", "UNBOUNDED FOLLOWING"}}...)
	}
	b := bounds[g.r.IntN(len(bounds))]
	exclude := []string{"", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[g.r.IntN(5)]
	return fmt.Sprintf(" %s BETWEEN %s AND %s%s", unit, b[0], b[1], exclude), unit == "ROWS", alone
}

// offsets are two distances in RANGE, "" where there are none.
func offsets(k Kind) (near, far string, alone bool) {
	switch k {
	case Int, Big:
		return "1", "2", false
	case Dbl, Dec:
		return "0.25", "1.5", true
	case Time:
		return "INTERVAL '5' MINUTE", "INTERVAL '10' MINUTE", false
	}
	return "", "", false
}

func (g *grammar) overCall() overCall {
	any := Kind(g.r.IntN(int(Time) + 1))
	if g.chance(45) {
		c := g.call()
		for strings.HasPrefix(c.text, "first(") || strings.HasPrefix(c.text, "last(") { // with OVER they are others
			c = g.call()
		}
		out := overCall{kind: c.kind, text: c.text, args: c.args, duck: c.duck, framed: true}
		if strings.Contains(c.text, "ORDER BY") || strings.Contains(c.text, "median") {
			out.duck = "-"
		}
		if g.chance(15) {
			n := len(c.args) + 1
			out.text += " FILTER (WHERE $" + string(rune('0'+n)) + ")"
			out.args = append(append([]Kind(nil), c.args...), Bool)
			if out.duck != "-" {
				out.duck = ""
			}
			if c.duck != "" {
				out.duck = "-"
			}
		}
		return out
	}
	list := []overCall{
		{kind: Big, text: "row_number()", places: true},
		{kind: Big, text: "rank()"},
		{kind: Big, text: "dense_rank()"},
		{kind: Big, text: "ntile(2)", places: true},
		{kind: Dbl, text: "percent_rank()"},
		{kind: Dbl, text: "cume_dist()"},
		{kind: any, text: "lag($1)", args: []Kind{any}, places: true},
		{kind: any, text: "lag($1, 2) IGNORE NULLS", duck: "lag($1, 2 IGNORE NULLS)", args: []Kind{any}, places: true},
		{kind: any, text: "lead($1)", args: []Kind{any}, places: true},
		{kind: any, text: "lead($1, 2, $2)", args: []Kind{any, any}, places: true},
		{kind: any, text: "lead($1) IGNORE NULLS", duck: "lead($1 IGNORE NULLS)", args: []Kind{any}, places: true},
		{kind: any, text: "first_value($1)", args: []Kind{any}, places: true, framed: true},
		{kind: any, text: "last_value($1)", args: []Kind{any}, places: true, framed: true},
		{kind: any, text: "nth_value($1, 2)", args: []Kind{any}, places: true, framed: true},
		{kind: any, text: "first_value($1) IGNORE NULLS", duck: "first_value($1 IGNORE NULLS)", args: []Kind{any}, places: true, framed: true},
		{kind: any, text: "last_value($1) IGNORE NULLS", duck: "last_value($1 IGNORE NULLS)", args: []Kind{any}, places: true, framed: true},
		{kind: any, text: "nth_value($1, 2) IGNORE NULLS", duck: "nth_value($1, 2 IGNORE NULLS)", args: []Kind{any}, places: true, framed: true},
	}
	list = append(list, g.ownOrders(any)...)
	return list[g.r.IntN(len(list))]
}

// ownPlace reports a call that takes the place of the row in an order of its own.
func (c overCall) ownPlace() bool {
	name, _, _ := strings.Cut(c.text, "(")
	return strings.Contains(c.text, "ORDER BY") && slices.Contains([]string{"row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead", "fill"}, name)
}

// ownOrders are calls with an order of their own, and those that another number steers in
// each row. Of equal rows DuckDB takes others.
func (g *grammar) ownOrders(any Kind) []overCall {
	by, dir := Kind(g.r.IntN(int(Time)+1)), []string{"", " DESC", " NULLS LAST", " DESC NULLS FIRST"}[g.r.IntN(4)]
	var list []overCall
	for _, f := range []string{"row_number(%s)", "rank(%s)", "dense_rank(%s)", "ntile(2 %s)"} {
		list = append(list, overCall{kind: Big, text: fmt.Sprintf(f, "ORDER BY $1"+dir), args: []Kind{by}, duck: "-", framed: true})
	}
	for _, f := range []string{"percent_rank(%s)", "cume_dist(%s)"} {
		list = append(list, overCall{kind: Dbl, text: fmt.Sprintf(f, "ORDER BY $1"+dir), args: []Kind{by}, duck: "-", framed: true})
	}
	for _, f := range []string{"first_value($1 %s)", "last_value($1 %s) IGNORE NULLS", "nth_value($1, 2 %s)", "lag($1 %s)", "lead($1, 2 %s)", "lead($1 %s) IGNORE NULLS"} {
		list = append(list, overCall{kind: any, text: fmt.Sprintf(f, "ORDER BY $2"+dir), args: []Kind{any, by}, duck: "-", framed: true})
	}
	for _, f := range []string{"lag($1, $2)", "lead($1, $2) IGNORE NULLS"} {
		list = append(list, overCall{kind: any, text: f, args: []Kind{any, Int}, duck: "-"})
	}
	number := []Kind{Int, Dbl}
	x, y := number[g.r.IntN(2)], number[g.r.IntN(2)]
	return append(list, overCall{kind: x, text: "fill($1 ORDER BY $2" + dir + ")", args: []Kind{x, y}, duck: "-"})
}

// overTop adds functions with OVER to a query, and keeps all of its rows.
func (g *grammar) overTop(sub *Select) *Top {
	sc, all := itemsOf("q", sub), []string(nil)
	for _, it := range sub.Items {
		all = append(all, "q."+it.Name+" NULLS FIRST")
	}
	t := &Top{}
	w := g.overWindow(sc)
	ours, theirs := "", ""
	for range 1 + g.r.IntN(3) {
		if g.chance(25) {
			w = g.overWindow(sc)
		}
		e, name := g.over(sc, w, all), g.name("ov")
		t.Added = append(t.Added, Item{e, name})
		o, _ := e.sql(Ours)
		ours += ", " + o + " AS " + name
		d, ok := e.sql(Duck)
		if theirs += ", " + d + " AS " + name; !ok {
			t.Duck = "-"
		}
	}
	t.Ours = "(SELECT *" + ours + " FROM ($q) AS q)"
	if t.Duck != "-" {
		t.Duck = "(SELECT *" + theirs + " FROM ($q) AS q)"
	} else {
		t.Duck = ""
	}
	return t
}

// sql prints an expression; false if the dialect cannot say it.
func (e *Expr) sql(d Dialect) (string, bool) {
	p := &printer{d: d}
	p.expr(e)
	return p.b.String(), !p.failed
}
