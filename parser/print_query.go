package parser

import (
	"slices"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func (pr *printer) query(q *ast.Query) {
	if q.With != nil {
		pr.with(q.With)
	}
	pr.body(q.Body)
	if len(q.OrderBy) > 0 {
		pr.put(" ")
		pr.orderBy(q.OrderBy)
	}
	if q.OrderAll != nil {
		pr.put(" ORDER BY ALL")
		pr.direction(*q.OrderAll)
	}
	switch {
	case q.Ties:
		pr.put(" FETCH FIRST ")
		pr.expr(q.Limit, precPrimary)
		pr.put(" ROWS WITH TIES")
	case q.Limit != nil:
		pr.put(" LIMIT ")
		pr.expr(q.Limit, precPrimary)
		if q.Percent {
			pr.put(" PERCENT")
		}
	}
	if q.Offset != nil {
		pr.put(" OFFSET ")
		pr.offset(q.Offset)
	}
}

// offset prints what cannot be taken for an alias OFFSET and its columns.
func (pr *printer) offset(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Param, *ast.Subquery:
		pr.expr(x, precPrimary)
		return
	case *ast.Literal:
		if slices.Contains([]ast.LiteralKind{ast.LitInt, ast.LitDecimal, ast.LitDouble, ast.LitString, ast.LitNull}, x.Kind) {
			pr.literal(x)
			return
		}
	}
	pr.put("((")
	pr.expr(x, 0)
	pr.put("))")
}

func (pr *printer) with(w *ast.With) {
	pr.put("WITH ")
	if w.Recursive {
		pr.put("RECURSIVE ")
	}
	pr.list(len(w.CTEs), func(i int) {
		c := w.CTEs[i]
		pr.ident(c.Name, true)
		if len(c.Columns) > 0 {
			pr.put(" (")
			pr.idents(c.Columns)
			pr.put(")")
		}
		if len(c.Key) > 0 {
			pr.put(" USING KEY (")
			pr.list(len(c.Key), func(i int) { pr.item(c.Key[i]) })
			pr.put(")")
		}
		pr.put(" AS ")
		if c.Materialized != nil {
			if !*c.Materialized {
				pr.put("NOT ")
			}
			pr.put("MATERIALIZED ")
		}
		pr.put("(")
		pr.query(c.Query)
		pr.put(")")
	})
	pr.put(" ")
}

func (pr *printer) body(b ast.Body) {
	switch b := b.(type) {
	case *ast.Select:
		pr.selectBody(b)
	case *ast.SetOp:
		pr.setOp(b)
	case *ast.Values:
		pr.put("VALUES ")
		pr.list(len(b.Rows), func(i int) {
			pr.put("(")
			pr.exprs(b.Rows[i])
			pr.put(")")
		})
	case *ast.Query:
		pr.put("(")
		pr.query(b)
		pr.put(")")
	}
}

func (pr *printer) setOp(s *ast.SetOp) {
	pr.operand(s.L, s.Op, false)
	pr.put(" ", s.Op.String())
	if s.All {
		pr.put(" ALL")
	}
	switch {
	case s.ByName:
		pr.put(" BY NAME")
	case len(s.By) > 0:
		pr.put(" CORRESPONDING BY (")
		pr.idents(s.By)
		pr.put(")")
	case s.Corresponding:
		pr.put(" CORRESPONDING")
	}
	pr.put(" ")
	pr.operand(s.R, s.Op, true)
}

// operand prints one side of a set operator, in parentheses where it would
// otherwise bind to another operator.
func (pr *printer) operand(b ast.Body, parent ast.SetOperator, right bool) {
	child, ok := b.(*ast.SetOp)
	if ok && child.Op != ast.Intersect && (right || parent == ast.Intersect) ||
		ok && child.Op == ast.Intersect && parent == ast.Intersect && right {
		pr.put("(")
		pr.body(b)
		pr.put(")")
		return
	}
	pr.body(b)
}

func (pr *printer) selectBody(s *ast.Select) {
	switch t := s.From.(type) { // a query by itself, which selects * of it
	case *ast.Pivot:
		if t.Statement {
			pr.pivot(t)
			return
		}
	case *ast.Unpivot:
		if t.Statement {
			pr.unpivot(t)
			return
		}
	}
	pr.put("SELECT ")
	for _, h := range s.Hints {
		pr.put("/*+ ", h, " */ ")
	}
	if s.Stream {
		pr.put("STREAM ")
		if !s.Distinct && len(s.DistinctOn) == 0 {
			pr.put("ALL ") // before a symbol, STREAM alone would be a column or a call
		}
	}
	if s.Distinct {
		pr.put("DISTINCT ")
	}
	if len(s.DistinctOn) > 0 {
		pr.put("DISTINCT ON (")
		pr.exprs(s.DistinctOn)
		pr.put(") ")
	}
	pr.list(len(s.Items), func(i int) { pr.item(s.Items[i]) })
	if s.From != nil {
		pr.put(" FROM ")
		pr.table(s.From)
	}
	pr.clause(" WHERE ", s.Where)
	if s.GroupBy != nil {
		pr.groupBy(s.GroupBy)
	}
	pr.clause(" HAVING ", s.Having)
	if len(s.Windows) > 0 {
		pr.put(" WINDOW ")
		pr.list(len(s.Windows), func(i int) {
			pr.ident(s.Windows[i].Name, true)
			pr.put(" AS ")
			pr.window(s.Windows[i].Window)
		})
	}
	pr.clause(" QUALIFY ", s.Qualify)
	if s.Sample != nil {
		pr.put(" USING SAMPLE ")
		pr.sampleSize(s.Sample)
		pr.sampleSeed(s.Sample)
	}
}

func (pr *printer) clause(word string, e ast.Expr) {
	if e != nil {
		pr.put(word)
		pr.expr(e, 0)
	}
}

func (pr *printer) item(item ast.SelectItem) {
	pr.expr(item.Expr, 0)
	switch {
	case item.Alias != nil:
		pr.put(" AS ")
		pr.ident(*item.Alias, true)
	case len(item.Aliases) > 0:
		pr.put(" AS (")
		pr.idents(item.Aliases)
		pr.put(")")
	}
}

func (pr *printer) star(s *ast.Star) {
	switch {
	case s.X == nil:
	case pr.behindIn():
		pr.expr(s.X, precPostfix)
		pr.put(".")
	default:
		pr.put("(")
		pr.expr(s.X, 0)
		pr.put(").")
	}
	for i, q := range s.Qualifier {
		pr.ident(q, i == 0)
		pr.put(".")
	}
	pr.put("*")
	if len(s.Except) > 0 {
		pr.put(" EXCEPT (")
		pr.list(len(s.Except), func(i int) { pr.name(s.Except[i]) })
		pr.put(")")
	}
	if len(s.Replace) > 0 {
		pr.put(" REPLACE (")
		pr.list(len(s.Replace), func(i int) { pr.item(s.Replace[i]) })
		pr.put(")")
	}
	if len(s.Rename) > 0 {
		pr.put(" RENAME (")
		pr.list(len(s.Rename), func(i int) {
			pr.name(s.Rename[i].From)
			pr.put(" AS ")
			pr.ident(s.Rename[i].To, true)
		})
		pr.put(")")
	}
}

func (pr *printer) groupBy(g *ast.GroupBy) {
	pr.put(" GROUP BY ")
	if g.All {
		pr.put("ALL")
		return
	}
	if g.Distinct {
		pr.put("DISTINCT ")
	}
	pr.groupItems(g.Items)
}

func (pr *printer) groupItems(items []ast.GroupItem) {
	pr.list(len(items), func(i int) { pr.groupItem(items[i]) })
}

func (pr *printer) groupItem(item ast.GroupItem) {
	switch item.Kind {
	case ast.GroupRollup:
		pr.put("ROLLUP (")
	case ast.GroupCube:
		pr.put("CUBE (")
	case ast.GroupSets:
		pr.put("GROUPING SETS (")
	default:
		pr.groupTuple(item.Exprs)
		return
	}
	pr.groupItems(item.Items)
	pr.put(")")
}

func (pr *printer) groupTuple(exprs []ast.Expr) {
	if len(exprs) != 1 {
		pr.put("(")
		pr.exprs(exprs)
		pr.put(")")
		return
	}
	if row, ok := exprs[0].(*ast.Row); ok && len(row.Elems) > 1 {
		pr.put("ROW")
	}
	pr.expr(exprs[0], 0)
}
