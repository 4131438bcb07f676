package parser

import (
	"github.com/sqlstream/sqlstream/parser/ast"
)

func (g *generator) query(d int) *ast.Query {
	q := &ast.Query{Body: g.body(d)}
	if d > 0 && g.flip(4) {
		q.With = &ast.With{Recursive: g.flip(2), CTEs: []*ast.CTE{{Name: g.ident(), Columns: g.columns(), Query: g.query(d - 1)}}}
		if g.flip(3) {
			q.With.CTEs[0].Key = []ast.SelectItem{g.item(0), g.item(d - 1)}
		}
	}
	switch g.rng.IntN(4) {
	case 0:
		q.OrderBy = g.orderBy(d - 1)
	case 1:
		q.OrderAll = &ast.OrderItem{Desc: g.flip(2)}
	}
	if g.flip(4) {
		q.Limit, q.Ties = &ast.Literal{Kind: ast.LitInt, Text: "3"}, g.flip(3)
	}
	if g.flip(4) {
		q.Offset = &ast.Param{Name: "n"}
	}
	return q
}

func (g *generator) columns() []ast.Ident {
	if g.flip(2) {
		return nil
	}
	return []ast.Ident{g.ident(), g.ident()}
}

func (g *generator) match() ast.SetMatch {
	switch {
	case g.flip(5):
		return ast.SetMatch{ByName: true}
	case g.flip(5):
		return ast.SetMatch{Corresponding: true, By: g.columns()}
	}
	return ast.SetMatch{}
}

func (g *generator) body(d int) ast.Body {
	switch {
	case d > 0 && g.flip(4):
		return &ast.SetOp{Op: ast.SetOperator(g.rng.IntN(3)), All: g.flip(2), SetMatch: g.match(), L: g.operand(d - 1), R: g.operand(d - 1)}
	case g.flip(8):
		return &ast.Values{Rows: [][]ast.Expr{g.exprs(2, 2, d-1), g.exprs(2, 2, d-1)}}
	}
	return g.selectBody(d)
}

// operand is a body or a query with a clause of its own, which keeps its
// parentheses.
func (g *generator) operand(d int) ast.Body {
	if g.flip(4) {
		return &ast.Query{Body: g.body(d), Limit: &ast.Literal{Kind: ast.LitInt, Text: "1"}}
	}
	return g.body(d)
}

func (g *generator) selectBody(d int) ast.Body {
	s := &ast.Select{Distinct: g.flip(4), Items: []ast.SelectItem{g.item(d - 1), g.item(d - 1)}}
	if !s.Distinct && g.flip(6) {
		s.DistinctOn = g.exprs(1, 2, d-1)
	}
	if g.flip(3) {
		s.Where = g.expr(d - 1)
	}
	if g.flip(4) {
		s.GroupBy = &ast.GroupBy{Items: []ast.GroupItem{g.group(d, 2), g.group(d, 2)}}
	}
	if g.flip(5) {
		return s
	}
	s.From = g.table(d - 1)
	if g.flip(4) {
		s.Having = g.expr(d - 1)
	}
	if g.flip(4) {
		s.Qualify = g.expr(d - 1)
	}
	if s.From != nil {
		s.Sample = g.sample()
	}
	if g.flip(5) {
		w := g.window(d - 1)
		if !w.Bare {
			s.Windows = []ast.NamedWindow{{Name: g.ident(), Window: w}}
		}
	}
	return s
}

func (g *generator) item(d int) ast.SelectItem {
	switch g.rng.IntN(4) {
	case 0:
		star := &ast.Star{Except: []ast.Name{g.name(), g.name()}}
		if g.flip(3) {
			star.Rename = []ast.Renamed{{From: g.name(), To: g.ident()}}
		}
		if g.flip(2) {
			star.Qualifier = g.name().Parts
		}
		if g.flip(3) {
			star.Replace = []ast.SelectItem{{Expr: g.expr(d), Alias: g.identRef()}}
		}
		return ast.SelectItem{Expr: star}
	case 1:
		return ast.SelectItem{Expr: g.expr(d), Aliases: []ast.Ident{g.ident(), g.ident()}}
	case 2:
		return ast.SelectItem{Expr: g.expr(d), Alias: g.identRef()}
	}
	return ast.SelectItem{Expr: g.expr(d)}
}

func (g *generator) group(d, depth int) ast.GroupItem {
	if depth > 0 && g.flip(3) {
		kind := []ast.GroupKind{ast.GroupRollup, ast.GroupCube, ast.GroupSets}[g.rng.IntN(3)]
		return ast.GroupItem{Kind: kind, Items: []ast.GroupItem{g.group(d, depth-1), g.group(d, depth-1)}}
	}
	return ast.GroupItem{Exprs: g.exprs(0, 2, d-1)}
}

func (g *generator) alias() *ast.Alias {
	if g.flip(3) {
		return nil
	}
	return &ast.Alias{Name: g.ident(), Columns: g.columns()}
}

func (g *generator) watermark(d int) *ast.Watermark {
	switch g.rng.IntN(6) {
	case 0:
		return &ast.Watermark{Column: g.name(), Delay: &ast.Interval{Micros: 5_000_000}}
	case 1:
		return &ast.Watermark{Column: g.name(), Expr: g.expr(d)}
	}
	return nil
}

func (g *generator) table(d int) ast.TableRef {
	if d > 0 && g.flip(2) {
		return g.join(d - 1)
	}
	switch g.rng.IntN(7) {
	case 5:
		return g.pivot(d)
	case 6:
		return g.unpivot(d)
	case 0:
		t := &ast.Derived{Query: g.query(d - 1), Lateral: g.flip(2), Alias: g.alias(), Watermark: g.watermark(d - 1)}
		if !t.Lateral {
			t.Sample = g.sample()
		}
		return t
	case 1:
		return &ast.File{Path: "in/*.json", Stream: g.flip(2), Alias: g.alias(), Watermark: g.watermark(d - 1)}
	case 2:
		return g.tableFunc(d)
	}
	t := &ast.TableName{Name: g.name(), Alias: g.alias(), Watermark: g.watermark(d - 1), Sample: g.sample()}
	if t.Sample == nil && g.flip(4) {
		t.AsOf = g.expr(d - 1)
	}
	return t
}

func (g *generator) tableFunc(d int) ast.TableRef {
	table := g.name()
	arg := &ast.TableArg{Table: &table, PartitionBy: g.exprs(0, 2, d-1)}
	if g.flip(2) {
		arg = &ast.TableArg{Query: g.query(d - 1)}
	}
	call := &ast.Call{Name: ast.Name{Parts: []ast.Ident{{Name: "tumble"}}}, Args: []ast.Expr{arg, &ast.Descriptor{Columns: []ast.Name{g.name()}}}}
	call.Named = []ast.NamedArg{{Name: g.ident(), Value: g.expr(d - 1)}}
	return &ast.TableFunc{Call: call, Lateral: g.flip(2), Ordinality: g.flip(3), Alias: g.alias(), Watermark: g.watermark(d - 1)}
}

func (g *generator) join(d int) ast.TableRef {
	j := &ast.Join{Kind: ast.JoinKind(g.rng.IntN(7)), L: g.table(d), R: g.table(d)}
	switch {
	case j.Kind == ast.CrossJoin:
		j.Comma = g.flip(2)
		return j
	case j.Kind < ast.CrossJoin && g.flip(5):
		j.Natural = true
		return j
	case j.Kind <= ast.LeftJoin && g.flip(4):
		j.Asof = true
		if g.flip(2) {
			j.Match = g.expr(d)
		}
	}
	if g.flip(3) {
		j.Using = []ast.Ident{g.ident()}
	} else {
		j.On = g.expr(d)
	}
	return j
}

func (g *generator) sample() *ast.Sample {
	if !g.flip(8) {
		return nil
	}
	s := &ast.Sample{Size: &ast.Literal{Kind: ast.LitDecimal, Text: "12.5"}, Rows: g.flip(2)}
	if g.flip(2) {
		s.Seed = &ast.Literal{Kind: ast.LitInt, Text: "7"}
	}
	return s
}
