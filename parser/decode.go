package parser

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// decoder turns TiDB's tree into ours. It knows only the nodes that the rewriter
// makes TiDB build; any other is an error, since the grammar accepts much that
// we do not.
type decoder struct {
	p    *parser
	text rendered
}

// refuse fails on a node that should not be there.
func (d *decoder) refuse(span diag.Span) ast.Expr {
	d.p.failf(diag.Syntax, span, "this is not supported here")
	return &ast.Literal{}
}

// start maps the position of a TiDB node to the user's text.
func (d *decoder) start(n tidb.Node) int { return d.text.source(n.OriginTextPosition()) }

// extent is the place of an operand with the parentheses around it, which the
// tree does not keep.
func (d *decoder) extent(n tidb.ExprNode, e ast.Expr) diag.Span {
	switch n.(type) {
	case *tidb.ParenthesesExpr, *tidb.SubqueryExpr:
		if i := d.tokenAfter(d.start(n)); i < d.p.end && d.p.toks[i].match > int32(i) {
			return diag.Span{Start: int(d.p.toks[i].start), End: int(d.p.toks[d.p.toks[i].match].end)}
		}
	}
	return e.Pos()
}

// tokenAfter is the index of the first token at or behind an offset.
func (d *decoder) tokenAfter(offset int) int {
	toks := d.p.toks[d.p.first:d.p.end]
	return d.p.first + sort.Search(len(toks), func(i int) bool { return int(toks[i].start) >= offset })
}

// skip moves the end of a span over the words and brackets that follow it.
func (d *decoder) skip(span diag.Span, words ...string) diag.Span {
	for i := d.tokenAfter(span.End); i < d.p.end; i++ {
		t := d.p.toks[i]
		if !slices.Contains(words, strings.ToUpper(d.p.text(t))) {
			break
		}
		span.End = int(t.end)
	}
	return span
}

// lookup finds the carrier with a number.
func (d *decoder) lookup(number uint64) (carrier, bool) {
	if number >= uint64(len(d.p.side)) {
		return carrier{}, false
	}
	return d.p.side[number], true
}

// named finds the carrier whose number is a quoted name.
func (d *decoder) named(name tidb.CIStr) carrier {
	n, err := strconv.ParseUint(name.O, 10, 32)
	c, ok := d.lookup(n)
	if err != nil || !ok {
		d.refuse(diag.Span{})
	}
	return c
}

// carried finds the carrier of a call and fills its holes.
func (d *decoder) carried(n tidb.ExprNode) (carrier, bool) {
	call, ok := n.(*tidb.FuncCallExpr)
	if !ok || len(call.Args) == 0 {
		return carrier{}, false
	}
	id, ok := call.Args[0].(*value)
	if !ok {
		return carrier{}, false
	}
	c, ok := d.lookup(id.number)
	if !ok || len(c.holes) != len(call.Args)-1 {
		return carrier{}, false
	}
	for i, h := range c.holes {
		if !d.fill(h, call.Args[i+1]) {
			return carrier{}, false
		}
	}
	return c, true
}

func (d *decoder) fill(h hole, n tidb.ExprNode) bool {
	if h.expr != nil {
		*h.expr = d.expr(n)
		return true
	}
	sub, ok := n.(*tidb.SubqueryExpr)
	if !ok {
		return false
	}
	if h.query != nil {
		*h.query = d.query(sub.Query)
		return true
	}
	sel, ok := sub.Query.(*tidb.SelectStmt)
	if !ok || sel.From == nil {
		return false
	}
	*h.table = d.tableRef(sel.From.TableRefs)
	return true
}

// expr decodes an expression.
func (d *decoder) expr(n tidb.ExprNode) ast.Expr {
	switch n := n.(type) {
	case *tidb.FuncCallExpr:
		if c, ok := d.carried(n); ok {
			if e, ok := c.node.(ast.Expr); ok {
				return e
			}
		}
	case *tidb.ColumnNameExpr:
		if e, ok := d.named(n.Name.Name).node.(ast.Expr); ok {
			return e
		}
	case *value:
		if c, ok := d.lookup(n.number); ok {
			if e, ok := c.node.(ast.Expr); ok {
				return e
			}
		}
	case *tidb.ParenthesesExpr:
		return d.expr(n.Expr)
	case *tidb.BinaryOperationExpr:
		return d.binary(n)
	case *tidb.UnaryOperationExpr:
		return d.unary(n)
	default:
		return d.predicate(n)
	}
	return d.refuse(diag.Span{Start: d.start(n), End: d.start(n) + 1})
}

// predicate decodes the expressions that have a query or a list inside.
func (d *decoder) predicate(n tidb.ExprNode) ast.Expr {
	switch n := n.(type) {
	case *tidb.PatternInExpr:
		return d.in(n)
	case *tidb.BetweenExpr:
		x, lo, hi := d.expr(n.Expr), d.expr(n.Left), d.expr(n.Right)
		return &ast.Between{Span: diag.Join(d.extent(n.Expr, x), d.extent(n.Right, hi)), X: x, Lo: lo, Hi: hi, Not: n.Not}
	case *tidb.IsNullExpr:
		x := d.expr(n.Expr)
		return &ast.Is{Span: d.isSpan(n.Expr, x), X: x, Not: n.Not}
	case *tidb.IsTruthExpr:
		x, what := d.expr(n.Expr), ast.IsFalse
		if n.True == 1 {
			what = ast.IsTrue
		}
		return &ast.Is{Span: d.isSpan(n.Expr, x), X: x, Not: n.Not, What: what}
	case *tidb.ExistsSubqueryExpr:
		return d.exists(n)
	case *tidb.SubqueryExpr:
		q := d.query(n.Query)
		e := &ast.Subquery{Span: q.Span, Query: q}
		e.Span = d.extent(n, e)
		return e
	}
	return d.refuse(diag.Span{Start: d.start(n), End: d.start(n) + 1})
}

// isSpan is the place of x IS [NOT] NULL.
func (d *decoder) isSpan(n tidb.ExprNode, x ast.Expr) diag.Span {
	return d.skip(d.extent(n, x), "IS", "NOT", "NULL", "TRUE", "FALSE", "UNKNOWN", "ISNULL", "NOTNULL")
}

func (d *decoder) in(n *tidb.PatternInExpr) ast.Expr {
	x := d.expr(n.Expr)
	node := &ast.In{Span: d.extent(n.Expr, x), X: x, Not: n.Not}
	var last diag.Span
	if sub, ok := n.Sel.(*tidb.SubqueryExpr); ok {
		node.Query = d.query(sub.Query)
		last = node.Query.Span
	}
	for _, e := range n.List {
		item := d.expr(e)
		node.List = append(node.List, item)
		last = d.extent(e, item)
	}
	node.Span = diag.Join(node.Span, last)
	if i := d.tokenAfter(last.End); i < d.p.end && d.p.text(d.p.toks[i]) == ")" {
		node.End = int(d.p.toks[i].end)
	}
	return node
}

// exists decodes EXISTS; TiDB folds a NOT before it into the node.
func (d *decoder) exists(n *tidb.ExistsSubqueryExpr) ast.Expr {
	sub, ok := n.Sel.(*tidb.SubqueryExpr)
	if !ok {
		return d.refuse(diag.Span{})
	}
	q := d.query(sub.Query)
	e := &ast.Exists{Span: diag.Span{Start: d.start(sub), End: q.End}, Query: q}
	e.End = d.extent(sub, e).End
	if i := d.tokenAfter(e.Start) - 1; i >= d.p.first {
		e.Start = int(d.p.toks[i].start)
	}
	if n.Not {
		return &ast.Unary{Span: diag.Span{Start: d.start(n), End: e.End}, Op: ast.Not, X: e}
	}
	return e
}

func (d *decoder) unary(n *tidb.UnaryOperationExpr) ast.Expr {
	op := ast.Not
	switch n.Op {
	case opcode.Not:
	case opcode.Minus:
		op = ast.Neg
	case opcode.Plus:
		op = ast.Plus
	case opcode.BitNeg:
		op = ast.BitNot
	default:
		return d.refuse(diag.Span{Start: d.start(n), End: d.start(n) + 1})
	}
	x := d.expr(n.V)
	return &ast.Unary{Span: diag.Span{Start: d.start(n), End: d.extent(n.V, x).End}, Op: op, X: x}
}

func (d *decoder) binary(n *tidb.BinaryOperationExpr) ast.Expr {
	op, ok := opOf(n.Op)
	if !ok {
		return d.refuse(diag.Span{Start: d.start(n), End: d.start(n) + 1})
	}
	l := d.expr(n.L)
	r := d.expr(n.R)
	return &ast.Binary{Span: diag.Join(d.extent(n.L, l), d.extent(n.R, r)), Op: op, L: l, R: r}
}

func opOf(op opcode.Op) (ast.Op, bool) {
	switch op {
	case opcode.LogicOr:
		return ast.Or, true
	case opcode.LogicAnd:
		return ast.And, true
	case opcode.EQ:
		return ast.Eq, true
	case opcode.NE:
		return ast.NotEq, true
	case opcode.LT:
		return ast.Less, true
	case opcode.LE:
		return ast.LessEq, true
	case opcode.GT:
		return ast.Greater, true
	case opcode.GE:
		return ast.GreaterEq, true
	case opcode.NullEQ:
		return ast.NotDistinct, true
	}
	return arithmeticOf(op)
}

func arithmeticOf(op opcode.Op) (ast.Op, bool) {
	switch op {
	case opcode.Or:
		return ast.BitOr, true
	case opcode.And:
		return ast.BitAnd, true
	case opcode.LeftShift:
		return ast.ShiftLeft, true
	case opcode.RightShift:
		return ast.ShiftRight, true
	case opcode.Plus:
		return ast.Add, true
	case opcode.Minus:
		return ast.Sub, true
	case opcode.Mul:
		return ast.Mul, true
	case opcode.Div:
		return ast.Div, true
	case opcode.IntDiv:
		return ast.IntDiv, true
	case opcode.Mod:
		return ast.Mod, true
	}
	return 0, false
}
