package parser

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// TestRandomTrees prints random trees and parses them: whatever is printed must
// come back as the same tree, through the rewriter, the inner grammar and the
// decoder. It is the test of every precedence and of every carrier.
func TestRandomTrees(t *testing.T) {
	g := &generator{rng: rand.New(rand.NewPCG(5, 6))}
	for i := range 2500 {
		roundTrip(t, &ast.QueryStmt{Query: g.query(i % 5)})
		if t.Failed() {
			return
		}
	}
}

// generator makes random trees of bounded depth.
type generator struct {
	rng *rand.Rand
}

func (g *generator) flip(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) ident() ast.Ident {
	if g.flip(2) {
		words := append(Keywords(), "ANY", "SOME", "AT", "COLLATE", "DIV", "MOD", "PIVOT", "UNPIVOT", "IGNORE", "RESPECT", "SIMILAR", "OVERLAPS", "SYMMETRIC", "SAMPLE", "DATE", "UUID")
		return ast.Ident{Name: strings.ToLower(words[g.rng.IntN(len(words))]), Quoted: g.flip(5)}
	}
	names := []string{"a", "b", "größe", "order", "left", "window", "interval", "my col", `q"q`, "date", "end", "emit", "stream", "x`y", "1st"}
	return ast.Ident{Name: names[g.rng.IntN(len(names))], Quoted: g.flip(5)}
}

func (g *generator) name() ast.Name {
	n := ast.Name{Parts: []ast.Ident{g.ident()}}
	for g.flip(4) {
		n.Parts = append(n.Parts, g.ident())
	}
	return n
}

func (g *generator) identRef() *ast.Ident {
	id := g.ident()
	return &id
}

func (g *generator) exprs(least, most, depth int) []ast.Expr {
	list := make([]ast.Expr, least+g.rng.IntN(most-least+1))
	for i := range list {
		list[i] = g.expr(depth)
	}
	return list
}

func (g *generator) leaf() ast.Expr {
	switch g.rng.IntN(7) {
	case 0:
		return &ast.Literal{Kind: ast.LitInt, Text: "12"}
	case 1:
		return &ast.Literal{Kind: ast.LitString, Text: "it's\n\\d"}
	case 2:
		return []*ast.Literal{{Kind: ast.LitNull}, {Kind: ast.LitBool, Text: "true"}, {Kind: ast.LitDecimal, Text: ".5", Suffix: "BD"},
			{Kind: ast.LitDouble, Text: "1e3"}, {Kind: ast.LitBytes, Text: "\x00\xff"}, {Kind: ast.LitDate, Text: "2024-01-01"}}[g.rng.IntN(6)]
	case 3:
		return &ast.Param{Name: []string{"1", "p"}[g.rng.IntN(2)]}
	case 4:
		return &ast.Interval{Months: g.rng.Int64N(3), Days: -g.rng.Int64N(3), Micros: g.rng.Int64N(4_000_000_000)}
	}
	if g.flip(9) {
		return &ast.Place{Number: "2"}
	}
	return &ast.ColumnRef{Parts: g.name().Parts}
}

func (g *generator) expr(depth int) ast.Expr {
	if depth <= 0 {
		return g.leaf()
	}
	d := depth - 1
	switch g.rng.IntN(12) {
	case 0, 1, 2, 3:
		return &ast.Binary{Op: ast.Op(g.rng.IntN(int(ast.JSONPathText) + 1)), L: g.expr(d), R: g.expr(d)}
	case 4:
		return &ast.Unary{Op: ast.UnaryOp(g.rng.IntN(4)), X: g.expr(d)}
	case 5, 6:
		return g.predicate(d)
	case 7, 8:
		return g.access(d)
	case 9:
		return g.call(d)
	case 10:
		return g.constructor(d)
	}
	return g.leaf()
}

func (g *generator) predicate(d int) ast.Expr {
	x, negated := g.expr(d), g.flip(2)
	switch g.rng.IntN(8) {
	case 0:
		return &ast.Is{X: x, Not: negated, What: ast.IsWhat(g.rng.IntN(3))}
	case 1:
		if g.flip(4) {
			return &ast.In{X: x, Not: negated, Array: g.inArray(d)}
		}
		return &ast.In{X: x, Not: negated, List: g.inList(d)}
	case 2:
		return &ast.In{X: x, Not: negated, Query: g.query(d - 1)}
	case 3:
		return &ast.Between{X: x, Not: negated, Symmetric: g.flip(2), Lo: g.expr(d), Hi: g.expr(d)}
	case 4, 5:
		if g.flip(4) {
			return &ast.Like{Op: []ast.LikeOp{ast.LikePattern, ast.ILikePattern, ast.Regex, ast.RegexI}[g.rng.IntN(4)], X: x, Not: negated, All: g.flip(2), Many: g.exprs(1, 3, d)}
		}
		like := &ast.Like{Op: ast.LikeOp(g.rng.IntN(5)), X: x, Not: negated, Pattern: g.expr(d)}
		if g.flip(3) {
			like.Escape = g.expr(d)
		}
		return like
	case 6:
		return &ast.Quantified{Op: ast.Eq + ast.Op(g.rng.IntN(6)), All: negated, L: x, R: g.expr(d)}
	}
	return &ast.Exists{Query: g.query(d - 1)}
}

// inList avoids the list of one subquery, which is the same as IN (query).
func (g *generator) inList(d int) []ast.Expr {
	list := g.exprs(1, 3, d)
	if _, ok := list[0].(*ast.Subquery); ok {
		list = append(list, g.leaf())
	}
	return list
}

func (g *generator) access(d int) ast.Expr {
	x := g.expr(d)
	switch g.rng.IntN(6) {
	case 0:
		return &ast.Cast{X: x, Try: g.flip(2), Type: g.typeName(2)}
	case 1:
		return &ast.Subscript{X: x, Index: g.expr(d)}
	case 2:
		s := &ast.Slice{X: x}
		if g.flip(2) {
			s.Lo = g.expr(d)
		}
		if g.flip(2) {
			s.Hi = g.expr(d)
		}
		return s
	case 3:
		return &ast.Field{X: x, Name: g.ident()}
	case 4:
		return &ast.AtTimeZone{X: x, Zone: g.expr(d)}
	}
	return &ast.Collate{X: x, Name: g.ident()}
}

func (g *generator) constructor(d int) ast.Expr {
	switch g.rng.IntN(7) {
	case 0:
		return &ast.Array{Elems: g.exprs(0, 3, d)}
	case 1:
		return &ast.Map{Keys: []ast.Expr{g.expr(d)}, Values: []ast.Expr{g.expr(d)}}
	case 2:
		return &ast.Struct{Fields: []ast.StructField{{Value: g.expr(d)}, {Name: g.identRef(), Value: g.expr(d)}}}
	case 3:
		return &ast.Row{Elems: g.exprs(0, 3, d)}
	case 4:
		if g.flip(4) {
			return &ast.ArrayQuery{Query: &ast.Subquery{Query: g.query(d - 1)}}
		}
		return &ast.Subquery{Query: g.query(d - 1)}
	case 5:
		return &ast.IntervalExpr{Value: g.expr(d), Unit: ast.Unit(g.rng.IntN(10))}
	}
	c := &ast.Case{Whens: []ast.When{{Cond: g.expr(d), Then: g.expr(d)}}}
	if g.flip(2) {
		c.Operand, c.Else = g.expr(d), g.expr(d)
	}
	return c
}

func (g *generator) call(d int) ast.Expr {
	c := &ast.Call{Name: ast.Name{Parts: []ast.Ident{{Name: []string{"f", "sum", "trim", "position", "extract", "left", "order", "try_cast", "row", "floor", "substring", "overlay"}[g.rng.IntN(12)]}}}}
	c.Args = g.exprs(0, 2, d)
	if len(c.Args) == 0 && g.flip(2) {
		c.Args = append(c.Args, &ast.Lambda{Params: []ast.Ident{g.ident()}, Body: g.expr(d)})
	}
	c.Distinct = len(c.Args) > 0 && g.flip(4)
	if g.flip(4) {
		c.Filter = g.expr(d)
	}
	if len(c.Args) > 0 && g.flip(4) {
		c.OrderBy = g.orderBy(d)
		c.WithinGroup = g.flip(2)
	}
	if g.flip(4) {
		c.Over = g.window(d)
	}
	return c
}

func (g *generator) window(d int) *ast.Window {
	if g.flip(3) {
		return &ast.Window{Base: g.identRef(), Bare: true}
	}
	w := &ast.Window{PartitionBy: g.exprs(0, 2, d), OrderBy: g.orderBy(d)}
	if g.flip(2) {
		w.Frame = &ast.Frame{Unit: ast.FrameUnit(g.rng.IntN(3)), Exclude: ast.FrameExclude(g.rng.IntN(4)),
			Start: ast.FrameBound{Kind: ast.Preceding, Offset: g.expr(d)}, End: ast.FrameBound{Kind: ast.CurrentRow}}
	}
	return w
}

func (g *generator) orderBy(d int) []ast.OrderItem {
	return []ast.OrderItem{{Expr: g.expr(d), Desc: g.flip(2), Nulls: ast.NullOrder(g.rng.IntN(3))}}
}

func (g *generator) typeName(depth int) *ast.TypeName {
	if depth > 0 && g.flip(2) {
		switch g.rng.IntN(3) {
		case 0:
			return &ast.TypeName{Name: "ARRAY", Elem: g.typeName(depth - 1)}
		case 1:
			return &ast.TypeName{Name: "MAP", Key: g.typeName(0), Elem: g.typeName(depth - 1)}
		}
		return &ast.TypeName{Name: "STRUCT", Fields: []ast.TypeField{{Name: g.ident(), Type: g.typeName(depth - 1), NotNull: g.flip(2)}}}
	}
	return []*ast.TypeName{{Name: "INT"}, {Name: "DECIMAL", Args: []int{10, 2}}, {Name: "TIMESTAMP_NTZ"}, {Name: "STRING", Args: []int{5}}}[g.rng.IntN(4)]
}

// inArray is what may stand behind IN without parentheses.
func (g *generator) inArray(d int) ast.Expr {
	switch g.rng.IntN(5) {
	case 0:
		return &ast.Field{X: &ast.Literal{Kind: ast.LitString, Text: "x"}, Name: g.ident()}
	case 1:
		return &ast.Binary{Op: []ast.Op{ast.Concat, ast.JSONGet, ast.JSONText}[g.rng.IntN(3)], L: &ast.ColumnRef{Parts: g.name().Parts}, R: g.leaf()}
	case 2:
		return &ast.ColumnRef{Parts: g.name().Parts}
	case 3:
		return &ast.Subscript{X: &ast.ColumnRef{Parts: g.name().Parts}, Index: g.expr(d)}
	}
	return &ast.Array{Elems: g.exprs(1, 3, d)}
}
