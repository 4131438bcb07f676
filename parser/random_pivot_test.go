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
	for range 1 + g.rng.IntN(2) {
		axis := &ast.PivotAxis{}
		for range n {
			axis.On = append(axis.On, &ast.ColumnRef{Parts: g.name().Parts})
		}
		for range 2 {
			axis.Values = append(axis.Values, ast.PivotValue{Exprs: g.exprs(n, n, d-1)})
		}
		axis.Values[0].Alias = g.identRef()
		t.Axes = append(t.Axes, axis)
	}
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
			t.In[i].Columns = append(t.In[i].Columns, &ast.ColumnRef{Parts: g.name().Parts})
		}
	}
	t.In[1].Alias = g.identRef()
	return t
}
