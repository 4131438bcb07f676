package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// foundCells are the values of an axis that lists none: the rows of its query in their
// order, else those that the input has, NULL left out. They are read when the statement is
// planned, for its columns are fixed then.
func (p *pivoter) foundCells(i int, a *ast.PivotAxis, outer *scope) ([]pivotCell, bool) {
	plan, ok := p.valuesPlan(i, a, outer)
	if !ok {
		return nil, false
	}
	if p.b.set.Rows == nil || !logical.IsFinite(plan) {
		p.b.errorf(diag.BadPivot, a.Span, "PIVOT without a list of values reads them from a table, and its columns are fixed when a query starts").
			WithHint("list them: IN ('a', 'b')")
		return nil, false
	}
	batches, err := p.b.set.Rows(plan)
	if err != nil {
		p.b.errorf(diag.BadPivot, a.Span, "%s", err.Error()).Cause = err
		return nil, false
	}
	var cells []pivotCell
	seen := map[string]bool{}
	for _, b := range batches {
		for r := range b.Rows() {
			c, ok := p.valueCell(i, a.Span, constants(b, b.Row(r)))
			if !ok {
				return nil, false
			}
			if !seen[c.name] {
				seen[c.name] = true
				cells = append(cells, c)
			}
		}
	}
	return cells, true
}

func constants(b *vec.Batch, row int) []*expr.Const {
	var list []*expr.Const
	for _, c := range b.Cols {
		list = append(list, expr.NewConst(vec.Slice(c, row, row+1)))
	}
	return list
}

// valuesPlan gives the values of an axis as rows.
func (p *pivoter) valuesPlan(i int, a *ast.PivotAxis, outer *scope) (logical.Node, bool) {
	if a.Query != nil {
		r := p.b.query(a.Query, outer)
		if r == nil {
			return nil, false
		}
		if n := len(r.plan.Schema()); n != len(a.On) {
			p.b.errorf(diag.BadPivot, a.Query.Span, "PIVOT compares %s with a query of %d columns", plural(len(a.On), "column"), n)
			return nil, false
		}
		return r.plan, true
	}
	project := &logical.Project{Input: p.sel.input}
	var given []expr.Node
	for k, n := range p.axes[i] {
		given = append(given, expr.NewIsNull(n, true))
		project.Exprs, project.Names = append(project.Exprs, n), append(project.Names, "col"+itoa(k+1))
	}
	project.Input = &logical.Filter{Input: project.Input, Predicate: expr.NewAnd(given...)}
	sorted := &logical.Sort{Input: &logical.Distinct{Input: project}, Limit: logical.NoLimit}
	for k := range project.Exprs {
		sorted.Keys = append(sorted.Keys, logical.SortKey{Expr: logical.Col(sorted.Input, k)})
	}
	return sorted, true
}
