package parser

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// TestRandomStatements prints random statements on functions, prepared statements and objects,
// and parses them.
func TestRandomStatements(t *testing.T) {
	g := &generator{rng: rand.New(rand.NewPCG(7, 8))}
	for i := range 1000 {
		roundTrip(t, g.statement(i))
		if t.Failed() {
			return
		}
	}
}

func (g *generator) statement(i int) ast.Statement {
	path := &ast.Literal{Kind: ast.LitString, Text: "it's/x.json"}
	switch i % 9 {
	case 0:
		return &ast.CreateFunction{OrReplace: g.flip(2), Name: g.name(), Params: g.params(), Returns: &ast.TypeName{Name: "INT"}, Body: g.expr(2)}
	case 1:
		return &ast.CreateFunction{IfNotExists: g.flip(2), Name: g.name(), Params: g.params(), Body: g.expr(2)}
	case 2:
		f := &ast.CreateFunction{Name: g.name(), Params: g.params(), Table: true, Query: g.query(2)}
		if g.flip(2) {
			f.Columns = []ast.TypeField{{Name: g.ident(), Type: &ast.TypeName{Name: "STRING"}}}
		}
		return f
	case 3:
		return &ast.Prepare{Name: g.ident(), Types: []*ast.TypeName{{Name: "BIGINT"}}, Statement: &ast.QueryStmt{Query: g.query(2)}}
	case 4:
		return &ast.Execute{Name: g.ident(), Args: g.exprs(0, 2, 1), Named: []ast.NamedArg{{Name: g.ident(), Value: g.expr(1)}}}
	case 5:
		return &ast.Deallocate{Name: g.identRef()}
	case 6:
		return &ast.Copy{Query: g.query(1), Path: path, Options: []ast.Option{{Key: "format", Value: path}}}
	case 7:
		return &ast.Alter{Object: ast.ObjectTable, IfExists: g.flip(2), Name: g.name(), Action: ast.AlterRename, To: g.identRef()}
	}
	return &ast.Refresh{Name: g.name()}
}

func (g *generator) params() []ast.FuncParam {
	list := make([]ast.FuncParam, g.rng.IntN(3))
	for i := range list {
		list[i].Name = g.ident()
		if g.flip(2) {
			list[i].Type = &ast.TypeName{Name: "DOUBLE"}
		}
		if g.flip(2) {
			list[i].Default = g.expr(1)
		}
	}
	return list
}
