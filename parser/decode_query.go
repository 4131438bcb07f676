package parser

import (
	tidb "github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// query decodes a SELECT or a chain of set operators with what is around it.
func (d *decoder) query(n tidb.Node) *ast.Query {
	var q *ast.Query
	switch n := n.(type) {
	case *tidb.SelectStmt:
		body, c := d.core(n)
		if c == nil || c.query == nil {
			break
		}
		q = c.query
		q.Body = body
		d.around(q, n.With, n.OrderBy, n.Limit)
	case *tidb.SetOprStmt:
		q = d.setOperation(n)
		if q != nil {
			d.around(q, n.With, n.OrderBy, n.Limit)
		}
	}
	if q == nil {
		d.refuse(diag.Span{})
		return &ast.Query{}
	}
	return q
}

// around decodes WITH, ORDER BY and LIMIT.
func (d *decoder) around(q *ast.Query, with *tidb.WithClause, order *tidb.OrderByClause, limit *tidb.Limit) {
	if with != nil {
		q.With = d.with(with)
	}
	if order != nil {
		for _, item := range order.Items {
			c, _ := d.carried(item.Expr)
			if _, ok := c.node.(*limitItem); ok {
				continue
			}
			if node, ok := c.node.(*ast.OrderItem); ok {
				q.OrderBy = append(q.OrderBy, *node)
			} else {
				d.refuse(q.Span)
			}
		}
	}
	if limit == nil {
		return
	}
	if n, ok := limit.Count.(*value); !ok || n.number != 1<<64-1 {
		q.Limit = d.expr(limit.Count)
	}
	if limit.Offset != nil {
		q.Offset = d.expr(limit.Offset)
	}
}

func (d *decoder) with(n *tidb.WithClause) *ast.With {
	out := &ast.With{Recursive: n.IsRecursive}
	for _, c := range n.CTEs {
		node := d.named(c.Name).node
		if _, key := node.(cteKey); key && len(out.CTEs) > 0 {
			out.CTEs[len(out.CTEs)-1].Key = d.keyItems(c)
			continue
		}
		cte, ok := node.(*ast.CTE)
		if !ok {
			d.refuse(diag.Span{})
			break
		}
		cte.Query = d.query(c.Query.Query)
		out.Span = diag.Join(out.Span, cte.Span)
		out.CTEs = append(out.CTEs, cte)
	}
	return out
}

// keyItems are the items of USING KEY.
func (d *decoder) keyItems(c *tidb.CommonTableExpression) []ast.SelectItem {
	if sel, ok := d.query(c.Query.Query).Body.(*ast.Select); ok {
		return sel.Items
	}
	d.refuse(diag.Span{})
	return nil
}

// setOperation folds TiDB's flat list: INTERSECT binds tighter than UNION and
// EXCEPT, which associate to the left.
func (d *decoder) setOperation(n *tidb.SetOprStmt) *ast.Query {
	var q *ast.Query
	var left, term ast.Body
	var pending *ast.SetOp // joins left and term
	for i, s := range n.SelectList.Selects {
		sel, ok := s.(*tidb.SelectStmt)
		if !ok {
			return nil
		}
		body, c := d.core(sel)
		if c == nil {
			return nil
		}
		if i == 0 {
			q, term = c.query, body
			continue
		}
		op := setOp(sel.AfterSetOperator)
		op.SetMatch = c.match
		if op.Op == ast.Intersect {
			term = combine(op, term, body)
			continue
		}
		if pending != nil {
			term = combine(pending, left, term)
		}
		left, term, pending = term, body, op
	}
	if pending != nil {
		term = combine(pending, left, term)
	}
	if q != nil {
		q.Body = term
	}
	return q
}

func combine(op *ast.SetOp, left, right ast.Body) ast.Body {
	op.L, op.R = left, right
	op.Span = diag.Join(left.Pos(), right.Pos())
	return op
}

func setOp(t *tidb.SetOprType) *ast.SetOp {
	if t == nil {
		return &ast.SetOp{}
	}
	switch *t {
	case tidb.UnionAll:
		return &ast.SetOp{Op: ast.Union, All: true}
	case tidb.Except:
		return &ast.SetOp{Op: ast.Except}
	case tidb.ExceptAll:
		return &ast.SetOp{Op: ast.Except, All: true}
	case tidb.Intersect:
		return &ast.SetOp{Op: ast.Intersect}
	case tidb.IntersectAll:
		return &ast.SetOp{Op: ast.Intersect, All: true}
	}
	return &ast.SetOp{Op: ast.Union}
}

// core decodes one SELECT. Its first field says what it stands for.
func (d *decoder) core(n *tidb.SelectStmt) (ast.Body, *core) {
	if n.Fields == nil || len(n.Fields.Fields) == 0 || n.LockInfo != nil || n.SelectIntoOpt != nil {
		return nil, nil
	}
	first, ok := d.carried(n.Fields.Fields[0].Expr)
	c, isCore := first.node.(*core)
	switch {
	case !ok || !isCore:
		return nil, nil
	case c.values != nil:
		return c.values, c
	case c.paren != nil:
		return bare(c.paren), c
	}
	d.fields(c.sel, n.Fields.Fields[1:])
	d.clauses(c.sel, n)
	return c.sel, c
}

// bare drops parentheses around a query without clauses of its own.
func bare(q *ast.Query) ast.Body {
	if q.With == nil && q.OrderBy == nil && q.OrderAll == nil && q.Limit == nil && q.Offset == nil {
		return q.Body
	}
	return q
}

func (d *decoder) fields(sel *ast.Select, fields []*tidb.SelectField) {
	sel.Distinct = sel.Distinct && len(sel.DistinctOn) == 0
	for _, f := range fields {
		c, _ := d.carried(f.Expr)
		item, ok := c.node.(*ast.SelectItem)
		if !ok {
			d.refuse(sel.Span)
			return
		}
		sel.Items = append(sel.Items, *item)
	}
}

func (d *decoder) clauses(sel *ast.Select, n *tidb.SelectStmt) {
	if n.From != nil {
		sel.From = d.tableRef(n.From.TableRefs)
	}
	if n.Where != nil {
		sel.Where = d.expr(n.Where)
	}
	if n.GroupBy != nil {
		if _, ok := d.carried(n.GroupBy.Items[0].Expr); !ok {
			d.refuse(sel.Span)
		}
	}
	if n.Having == nil {
		return
	}
	if c, ok := d.carried(n.Having.Expr); ok && c.node == nil {
		return // QUALIFY: the carrier filled both conditions
	} else if ok {
		sel.Having, _ = c.node.(ast.Expr)
		return
	}
	sel.Having = d.expr(n.Having.Expr)
}

// tableRef decodes a table reference.
func (d *decoder) tableRef(n tidb.ResultSetNode) ast.TableRef {
	switch n := n.(type) {
	case *tidb.Join:
		if n.Right == nil {
			return d.tableRef(n.Left)
		}
		return d.join(n)
	case *tidb.TableSource:
		return d.tableSource(n)
	}
	d.refuse(diag.Span{})
	return &ast.TableName{}
}

func (d *decoder) join(n *tidb.Join) ast.TableRef {
	left := d.tableRef(n.Left)
	right := d.tableRef(n.Right)
	if n.On != nil {
		if c, ok := d.carried(n.On.Expr); ok {
			if join, ok := c.node.(*ast.Join); ok {
				join.L, join.R = left, right
				return join
			}
		}
	}
	d.refuse(diag.Join(left.Pos(), right.Pos()))
	return left
}

func (d *decoder) tableSource(n *tidb.TableSource) ast.TableRef {
	var c carrier
	switch s := n.Source.(type) {
	case *tidb.TableName:
		c = d.named(s.Name)
	case *tidb.SelectStmt:
		if len(s.Fields.Fields) == 1 {
			c, _ = d.carried(s.Fields.Fields[0].Expr)
		}
	}
	if ref, ok := c.node.(ast.TableRef); ok {
		return ref
	}
	d.refuse(diag.Span{})
	return &ast.TableName{}
}
