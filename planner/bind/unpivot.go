package bind

import (
	"slices"
	"strings"

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
	in, ok := b.unpivotElements(s, x)
	if !ok {
		return broken()
	}
	cells, used := b.unpivotCells(e, x, in)
	if cells == nil {
		return broken()
	}
	args := []expr.Node{expr.Int(types.Of(types.Int32), int64(len(in)))}
	for i, row := range cells {
		args = append(args, expr.Text(in[i].name))
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

// unpivotElement is an element of IN, with the column that its COLUMNS stands for.
type unpivotElement struct {
	name  string
	parts []columnsPart
}

// unpivotElements names the elements of IN, each once for each column of its COLUMNS.
func (b *Binder) unpivotElements(s *scope, x *ast.Unpivot) ([]unpivotElement, bool) {
	sel := &selectBinder{b: b, scope: s, ok: true}
	var out []unpivotElement
	for _, in := range x.In {
		for _, c := range in.Columns {
			if hasSubquery(c) || b.hasAggregate(c) {
				b.errorf(diag.BadPivot, c.Pos(), "UNPIVOT takes columns, and expressions without subqueries and aggregates")
				return nil, false
			}
		}
		parts := sel.eachColumn(in.Columns)
		if len(in.Columns) == 1 {
			for _, p := range parts {
				e := unpivotElement{parts: []columnsPart{p}}
				e.name = unpivotName(in)
				switch found := s.find("", e.name); {
				case in.Alias != nil:
				case p.pick != nil:
					e.name = p.pick.name
				case x.Statement && len(found) == 1: // as in DuckDB, the name that the column has
					e.name = s.cols[found[0]].name
				}
				out = append(out, e)
			}
			continue
		}
		out = append(out, unpivotElement{name: unpivotName(in), parts: parts})
	}
	for i, e := range out {
		if e.name == "" || len(e.parts) != len(x.Values) {
			b.errorf(diag.BadPivot, x.In[min(i, len(x.In)-1)].Span, "UNPIVOT calls a row as the column that it is made of, and this is made of none or several").
				WithHint("name it: … AS name")
			return nil, false
		}
	}
	return out, sel.ok
}

// unpivotCells binds the elements of IN, of one type for each column of values; nil after
// an error. used are the columns that they read.
func (b *Binder) unpivotCells(e *env, x *ast.Unpivot, in []unpivotElement) (cells [][]expr.Node, used []int) {
	cells = make([][]expr.Node, len(in))
	for i, el := range in {
		for _, c := range el.parts {
			one := *e
			one.pick = c.pick
			n := one.expr(c.x)
			if n == nil {
				return nil, nil
			}
			cells[i] = append(cells[i], n)
			used = append(used, expr.ColumnsOf(n)...)
		}
	}
	for v := range x.Values {
		column := make([]expr.Node, len(in))
		for i := range cells {
			column[i] = cells[i][v]
		}
		column, err := b.res.Unify("column "+x.Values[v].Name+" of UNPIVOT", column)
		if err != nil {
			b.errorf(diag.TypeMismatch, x.In[0].Span, "%s", err.Error()).
				WithHint("bring the columns to one type in a subquery: FROM (SELECT CAST(… AS STRING) AS …, …)")
			return nil, nil
		}
		for i := range cells {
			cells[i][v] = column[i]
		}
	}
	return cells, used
}

// unpivotName is what the row of some columns is called: the alias, else their names; "" if
// an expression reads not exactly one.
func unpivotName(c ast.UnpivotColumns) string {
	if c.Alias != nil {
		return c.Alias.Name
	}
	name := ""
	for i, x := range c.Columns {
		read := columnRead(x)
		if read == "" {
			return ""
		}
		if i > 0 {
			name += "_"
		}
		name += read
	}
	return name
}

// columnRead is the column that an expression reads, "" if there is not exactly one.
func columnRead(x ast.Expr) string {
	names := map[string]string{}
	walkExpr(x, func(n ast.Expr) bool {
		if ref, ok := n.(*ast.ColumnRef); ok {
			last := ref.Parts[len(ref.Parts)-1].Name
			names[strings.ToLower(last)] = last
		}
		return true
	})
	if len(names) != 1 {
		return ""
	}
	for _, n := range names {
		return n
	}
	return ""
}
