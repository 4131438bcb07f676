package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

func (g *generator) pivot(d int) ast.TableRef {
	if d <= 0 {
		return &ast.TableName{Name: g.name()}
	}
	n := 1 + g.rng.IntN(2)
	t := &ast.Pivot{Input: g.table(d - 1), Alias: g.alias(), Aggs: []ast.SelectItem{{Expr: g.expr(d - 1), Alias: g.identRef()}, {Expr: g.expr(d - 1)}}}
	for range n {
		t.For = append(t.For, g.name())
	}
	for range 2 {
		t.Values = append(t.Values, ast.PivotValue{Exprs: g.exprs(n, n, d-1)})
	}
	t.Values[0].Alias = g.identRef()
	if g.flip(2) {
		t.GroupBy = []ast.Name{g.name(), g.name()}
	}
	return t
}

func (g *generator) unpivot(d int) ast.TableRef {
	if d <= 0 {
		return &ast.TableName{Name: g.name()}
	}
	n := 1 + g.rng.IntN(2)
	t := &ast.Unpivot{Input: g.table(d - 1), Alias: g.alias(), IncludeNulls: g.flip(2), Name: g.ident()}
	t.In = make([]ast.UnpivotColumns, 2)
	for range n {
		t.Values = append(t.Values, g.ident())
		for i := range t.In {
			t.In[i].Columns = append(t.In[i].Columns, g.name())
		}
	}
	t.In[1].Alias = g.identRef()
	return t
}
