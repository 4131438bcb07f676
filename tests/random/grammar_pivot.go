package random

import "fmt"

// Pivot is PIVOT or UNPIVOT behind a query in FROM.
type Pivot struct {
	Text string
	Said bool // by DuckDB too
}

// pivot puts PIVOT or UNPIVOT behind a query and gives the columns of the result; none if
// the query has no columns for it.
func (g *grammar) pivot(f *From) (scope, bool) {
	for range 6 {
		draw := g.pivotColumns
		if g.chance(50) {
			draw = g.unpivotColumns
		}
		if sc, ok := draw(f); ok {
			return sc, true
		}
	}
	return nil, false
}

// pivotColumns makes two aggregates for each of two values. A count over no rows is NULL,
// for DuckDB 0.
func (g *grammar) pivotColumns(f *From) (scope, bool) {
	items := f.Sub.Items
	axis, arg := items[g.r.IntN(len(items))], items[g.r.IntN(len(items))]
	if axis.Kind != Int && axis.Kind != Str && axis.Kind != Bool || arg.Kind > Time || arg.Kind == Bool {
		return nil, false
	}
	first, one, two, x, y := "max", g.name("p"), g.name("p"), g.name("v"), g.name("v")
	kind := arg.Kind
	if g.chance(40) {
		first, kind = []string{"count", "count(DISTINCT "}[g.r.IntN(2)], Big
	}
	call := first + "(" + arg.Name + ")"
	if first == "count(DISTINCT " {
		call = first + arg.Name + ")"
	}
	group := ""
	sc := scope{}
	if g.chance(40) {
		key := items[g.r.IntN(len(items))]
		group = " GROUP BY " + key.Name
		sc.add(&Expr{Kind: key.Kind, Text: f.Alias + "." + key.Name})
	} else {
		for _, it := range items {
			if it.Name != axis.Name && it.Name != arg.Name {
				sc.add(&Expr{Kind: it.Kind, Text: f.Alias + "." + it.Name})
			}
		}
	}
	a, b := g.literal(axis.Kind).Text, g.literal(axis.Kind).Text
	f.Pivot = &Pivot{Said: kind == arg.Kind && first == "max" && a != b && len(sc) > 0,
		Text: fmt.Sprintf(" PIVOT (%s AS %s, min(%s) AS %s FOR %s IN (%s AS %s, %s AS %s)%s)", call, one, arg.Name, two, axis.Name, a, x, b, y, group)}
	for _, v := range []string{x, y} {
		sc.add(&Expr{Kind: kind, Text: f.Alias + "." + v + "_" + one})
		sc.add(&Expr{Kind: arg.Kind, Text: f.Alias + "." + v + "_" + two})
	}
	return sc, true
}

// unpivotColumns makes rows of two columns of one kind, or of a column twice.
func (g *grammar) unpivotColumns(f *From) (scope, bool) {
	items := f.Sub.Items
	a, b := items[g.r.IntN(len(items))], items[g.r.IntN(len(items))]
	if a.Kind != b.Kind || a.Name == b.Name || a.Kind == Win {
		return nil, false
	}
	nulls := []string{"", "INCLUDE NULLS ", "EXCLUDE NULLS "}[g.r.IntN(3)]
	value, name := g.name("v"), g.name("p")
	f.Pivot = &Pivot{Said: nulls != "EXCLUDE NULLS ", Text: fmt.Sprintf(" UNPIVOT %s(%s FOR %s IN (%s, %s AS %s))", nulls, value, name, a.Name, b.Name, g.name("x"))}
	sc := scope{}
	for _, it := range items {
		if it.Name != a.Name && it.Name != b.Name {
			sc.add(&Expr{Kind: it.Kind, Text: f.Alias + "." + it.Name})
		}
	}
	sc.add(&Expr{Kind: Str, Text: f.Alias + "." + name})
	sc.add(&Expr{Kind: a.Kind, Text: f.Alias + "." + value})
	return sc, true
}
