package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) pivot(t *ast.Pivot) {
	pr.side(t.Input, isComma(t.Input))
	pr.put(" PIVOT (")
	pr.list(len(t.Aggs), func(i int) {
		pr.expr(t.Aggs[i].Expr, 0)
		pr.valueAlias(t.Aggs[i].Alias)
	})
	pr.put(" FOR ")
	pr.tuple(len(t.For), func(i int) { pr.name(t.For[i]) })
	pr.put(" IN (")
	pr.list(len(t.Values), func(i int) {
		v := t.Values[i]
		pr.tuple(len(v.Exprs), func(i int) { pr.expr(v.Exprs[i], 0) })
		pr.valueAlias(v.Alias)
	})
	pr.put(")")
	if len(t.GroupBy) > 0 {
		pr.put(" GROUP BY ")
		pr.list(len(t.GroupBy), func(i int) { pr.name(t.GroupBy[i]) })
	}
	pr.put(")")
	pr.tableTail(nil, t.Alias)
}

func (pr *printer) unpivot(t *ast.Unpivot) {
	pr.side(t.Input, isComma(t.Input))
	pr.put(" UNPIVOT ")
	if t.IncludeNulls {
		pr.put("INCLUDE NULLS ")
	}
	pr.put("(")
	pr.tuple(len(t.Values), func(i int) { pr.ident(t.Values[i], true) })
	pr.put(" FOR ")
	pr.ident(t.Name, true)
	pr.put(" IN (")
	pr.list(len(t.In), func(i int) {
		c := t.In[i]
		pr.tuple(len(c.Columns), func(i int) { pr.name(c.Columns[i]) })
		pr.valueAlias(c.Alias)
	})
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
