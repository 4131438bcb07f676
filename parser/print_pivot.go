package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) pivot(t *ast.Pivot) {
	if t.Statement {
		pr.pivotStatement(t)
		return
	}
	pr.side(t.Input, isComma(t.Input))
	pr.put(" PIVOT (")
	pr.pivotAggs(t.Aggs)
	pr.put(" FOR")
	for _, a := range t.Axes {
		pr.put(" ")
		pr.tuple(len(a.On), func(i int) { pr.expr(a.On[i], 0) })
		pr.pivotIn(a)
	}
	pr.pivotKeys(t)
	pr.put(")")
	pr.tableTail(nil, t.Alias)
}

func (pr *printer) pivotAggs(list []ast.SelectItem) {
	pr.list(len(list), func(i int) {
		pr.expr(list[i].Expr, 0)
		pr.valueAlias(list[i].Alias)
	})
}

func (pr *printer) pivotKeys(t *ast.Pivot) {
	if len(t.GroupBy) > 0 {
		pr.put(" GROUP BY ")
		pr.list(len(t.GroupBy), func(i int) { pr.name(t.GroupBy[i]) })
	}
}

func (pr *printer) pivotIn(a *ast.PivotAxis) {
	pr.put(" IN (")
	switch {
	case a.Query != nil:
		pr.query(a.Query)
	case len(a.Values) == 0:
		pr.put("ANY")
	}
	pr.list(len(a.Values), func(i int) {
		v := a.Values[i]
		pr.tuple(len(v.Exprs), func(i int) { pr.expr(v.Exprs[i], 0) })
		pr.valueAlias(v.Alias)
	})
	pr.put(")")
}

// pivotStatement prints the form that is a query by itself.
func (pr *printer) pivotStatement(t *ast.Pivot) {
	pr.put("PIVOT ")
	pr.side(t.Input, isComma(t.Input))
	if len(t.Axes) > 0 {
		pr.put(" ON ")
		pr.list(len(t.Axes), func(i int) {
			a := t.Axes[i]
			pr.put("(")
			pr.exprs(a.On)
			pr.put(")")
			pr.pivotIn(a)
		})
	}
	if len(t.Aggs) > 0 {
		pr.put(" USING ")
		pr.pivotAggs(t.Aggs)
	}
	pr.pivotKeys(t)
}

func (pr *printer) unpivot(t *ast.Unpivot) {
	in := func() {
		pr.list(len(t.In), func(i int) {
			c := t.In[i]
			if row, ok := c.Columns[0].(*ast.Row); ok && len(c.Columns) == 1 {
				pr.put("ROW(") // without it, they would be several columns
				pr.exprs(row.Elems)
				pr.put(")")
			} else {
				pr.tuple(len(c.Columns), func(i int) { pr.expr(c.Columns[i], 0) })
			}
			pr.valueAlias(c.Alias)
		})
	}
	if t.Statement {
		pr.put("UNPIVOT ")
	}
	pr.side(t.Input, isComma(t.Input))
	if !t.Statement {
		pr.put(" UNPIVOT")
	}
	if t.IncludeNulls {
		pr.put(" INCLUDE NULLS")
	}
	if t.Statement {
		pr.put(" ON ")
		in()
		pr.put(" INTO NAME ")
		pr.ident(t.Name, true)
		pr.put(" VALUE ")
		pr.idents(t.Values)
		return
	}
	pr.put(" (")
	pr.tuple(len(t.Values), func(i int) { pr.ident(t.Values[i], true) })
	pr.put(" FOR ")
	pr.ident(t.Name, true)
	pr.put(" IN (")
	in()
	pr.put("))")
	pr.tableTail(nil, t.Alias)
}

// tuple prints one element, or several in parentheses.
func (pr *printer) tuple(n int, item func(i int)) {
	if n == 1 {
		item(0)
		return
	}
	pr.put("(")
	pr.list(n, item)
	pr.put(")")
}

func (pr *printer) valueAlias(a *ast.Ident) {
	if a != nil {
		pr.put(" AS ")
		pr.ident(*a, true)
	}
}
