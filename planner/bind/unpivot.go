package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// unpivot binds UNPIVOT as one pass over the input: stack makes a row of each element of
// IN, beside the columns that IN does not name.
func (b *Binder) unpivot(x *ast.Unpivot, outer *scope) (logical.Node, *scope) {
	input, s := b.from(x.Input, outer)
	if s.broken {
		return broken()
	}
	e := &env{b: b, scope: s}
	cells, used := b.unpivotCells(e, x)
	if cells == nil {
		return broken()
	}
	args := []expr.Node{expr.Int(types.Of(types.Int32), int64(len(x.In)))}
	for i, row := range cells {
		args = append(args, expr.Text(unpivotName(x.In[i])))
		args = append(args, row...)
	}
	gen, _ := b.cat.Functions.Generator("stack")
	impl, err := gen.Resolve(expr.Args(args))
	if err == nil {
		err = b.res.Coerce(gen.Name, impl.Args, args)
	}
	if err != nil {
		b.report(err, x.Span)
		return broken()
	}
	u := &logical.Unnest{Input: input, Gen: gen, Impl: impl, Args: args, Names: []string{x.Name.Name}}
	for _, v := range x.Values {
		u.Names = append(u.Names, v.Name)
	}
	return b.aliased(unpivoted(x, u, s, used), x.Alias, "", nil)
}

// unpivoted drops rows without values and the columns that IN names.
func unpivoted(x *ast.Unpivot, u *logical.Unnest, s *scope, used []int) logical.Node {
	first := len(u.Input.Schema())
	var plan logical.Node = u
	if !x.IncludeNulls {
		plan = &logical.Filter{Input: plan, Predicate: anyValue(u, first+1)}
	}
	p := &logical.Project{Input: plan}
	for _, i := range s.visible() {
		if c := s.cols[i]; !slices.Contains(used, c.index) {
			p.Exprs, p.Names = append(p.Exprs, s.ref(i)), append(p.Names, c.name)
		}
	}
	for i, name := range u.Names {
		p.Exprs, p.Names = append(p.Exprs, logical.Col(u, first+i)), append(p.Names, name)
	}
	return p
}

// anyValue is true for rows of which some column from one on is not NULL.
func anyValue(plan logical.Node, from int) expr.Node {
	var tests []expr.Node
	for i := from; i < len(plan.Schema()); i++ {
		tests = append(tests, expr.NewIsNull(logical.Col(plan, i), true))
	}
	return expr.NewOr(tests...)
}

// unpivotCells binds the columns of IN, of one type for each column of values; nil after
// an error. used are the columns that they read.
func (b *Binder) unpivotCells(e *env, x *ast.Unpivot) (cells [][]expr.Node, used []int) {
	cells = make([][]expr.Node, len(x.In))
	for i, in := range x.In {
		for _, c := range in.Columns {
			n := e.column(&ast.ColumnRef{Span: c.Span, Parts: c.Parts})
			if n == nil {
				return nil, nil
			}
			cells[i] = append(cells[i], n)
			used = append(used, expr.ColumnsOf(n)...)
		}
	}
	for v := range x.Values {
		column := make([]expr.Node, len(x.In))
		for i := range cells {
			column[i] = cells[i][v]
		}
		column, err := b.res.Unify("column "+x.Values[v].Name+" of UNPIVOT", column)
		if err != nil {
			b.errorf(diag.TypeMismatch, x.In[0].Columns[v].Span, "%s", err.Error()).
				WithHint("bring the columns to one type in a subquery: FROM (SELECT CAST(… AS STRING) AS …, …)")
			return nil, nil
		}
		for i := range cells {
			cells[i][v] = column[i]
		}
	}
	return cells, used
}

// unpivotName is what the row of some columns is called: the alias, else their names.
func unpivotName(c ast.UnpivotColumns) string {
	if c.Alias != nil {
		return c.Alias.Name
	}
	name := c.Columns[0].Last().Name
	for _, n := range c.Columns[1:] {
		name += "_" + n.Last().Name
	}
	return name
}
