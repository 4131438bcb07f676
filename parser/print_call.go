package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) call(e *ast.Call) {
	pr.callee(e.Name)
	pr.put("(")
	if e.Distinct {
		pr.put("DISTINCT ")
	}
	if e.Star {
		pr.put("*")
	}
	pr.list(len(e.Args), func(i int) {
		if ref, ok := e.Args[i].(*ast.ColumnRef); ok && i == 0 && len(ref.Parts) == 1 && bareUnit(ref.Parts[0].Name) && takesUnit(strings.ToLower(e.Name.String())) {
			pr.ident(ast.Ident{Name: ref.Parts[0].Name, Quoted: true}, true) // else it is a unit
			return
		}
		pr.expr(e.Args[i], 0)
	})
	for i, n := range e.Named {
		if i+len(e.Args) > 0 {
			pr.put(", ")
		}
		pr.ident(n.Name, true)
		pr.put(" => ")
		pr.expr(n.Value, 0)
	}
	if e.Returning != nil {
		pr.put(" RETURNING ")
		pr.typeName(e.Returning)
	}
	if len(e.OrderBy) > 0 && !e.WithinGroup {
		if len(e.Args)+len(e.Named) > 0 {
			pr.put(" ")
		}
		pr.orderBy(e.OrderBy)
	}
	pr.put(")")
	pr.afterCall(e)
}

func (pr *printer) afterCall(e *ast.Call) {
	if e.WithinGroup {
		pr.put(" WITHIN GROUP (")
		pr.orderBy(e.OrderBy)
		pr.put(")")
	}
	if e.Filter != nil {
		pr.put(" FILTER (WHERE ")
		pr.expr(e.Filter, 0)
		pr.put(")")
	}
	switch e.Nulls {
	case ast.IgnoreNulls:
		pr.put(" IGNORE NULLS")
	case ast.RespectNulls:
		pr.put(" RESPECT NULLS")
	}
	if e.Over != nil {
		pr.put(" OVER ")
		pr.window(e.Over)
	}
}

func (pr *printer) orderBy(items []ast.OrderItem) {
	pr.put("ORDER BY ")
	pr.list(len(items), func(i int) {
		pr.expr(items[i].Expr, 0)
		pr.direction(items[i])
	})
}

func (pr *printer) direction(item ast.OrderItem) {
	if item.Desc {
		pr.put(" DESC")
	}
	switch item.Nulls {
	case ast.NullsFirst:
		pr.put(" NULLS FIRST")
	case ast.NullsLast:
		pr.put(" NULLS LAST")
	}
}

func (pr *printer) window(w *ast.Window) {
	if w.Bare {
		pr.ident(*w.Base, true)
		return
	}
	var parts []func()
	if w.Base != nil {
		parts = append(parts, func() { pr.ident(*w.Base, true) })
	}
	if len(w.PartitionBy) > 0 {
		parts = append(parts, func() {
			pr.put("PARTITION BY ")
			pr.exprs(w.PartitionBy)
		})
	}
	if len(w.OrderBy) > 0 {
		parts = append(parts, func() { pr.orderBy(w.OrderBy) })
	}
	if w.Frame != nil {
		parts = append(parts, func() { pr.frame(w.Frame) })
	}
	pr.put("(")
	for i, part := range parts {
		if i > 0 {
			pr.put(" ")
		}
		part()
	}
	pr.put(")")
}

func (pr *printer) frame(f *ast.Frame) {
	if f.Unit == ast.FrameSession {
		pr.put("SESSION WITH GAP ")
		pr.expr(f.End.Offset, precConcat)
	} else {
		pr.put([...]string{"ROWS", "RANGE", "GROUPS"}[f.Unit], " BETWEEN ")
		pr.bound(f.Start)
		pr.put(" AND ")
		pr.bound(f.End)
	}
	switch f.Exclude {
	case ast.ExcludeCurrentRow:
		pr.put(" EXCLUDE CURRENT ROW")
	case ast.ExcludeGroup:
		pr.put(" EXCLUDE GROUP")
	case ast.ExcludeTies:
		pr.put(" EXCLUDE TIES")
	}
}

func (pr *printer) bound(b ast.FrameBound) {
	if b.Offset != nil {
		pr.expr(b.Offset, precConcat)
		pr.put(" ")
	}
	pr.put([...]string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind])
}

// tableArgument prints the arguments that only table functions have.
func (pr *printer) tableArgument(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Descriptor:
		pr.put("DESCRIPTOR(")
		pr.list(len(e.Columns), func(i int) { pr.name(e.Columns[i]) })
		pr.put(")")
	case *ast.TableArg:
		pr.put("TABLE ")
		if e.Query != nil {
			pr.put("(")
			pr.query(e.Query)
			pr.put(")")
		} else {
			pr.name(*e.Table)
		}
		if len(e.PartitionBy) > 0 {
			pr.put(" PARTITION BY (")
			pr.exprs(e.PartitionBy)
			pr.put(")")
		}
		if len(e.OrderBy) > 0 {
			pr.put(" ")
			pr.orderBy(e.OrderBy)
		}
	}
}
