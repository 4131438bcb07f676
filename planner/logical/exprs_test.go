package logical

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// withoutExprs are the nodes that have no expressions over their inputs. Scan's extra
// columns are over its own relation.
var withoutExprs = []string{"Changelog", "Dedup", "Distinct", "Feed", "Hop", "Shared", "Recursive", "RecursiveRef", "Scan", "SetOp", "UnionAll"}

// TestMapExprsKnowsEveryNode: a node that MapExprs does not know would hide its outer
// references.
func TestMapExprsKnowsEveryNode(t *testing.T) {
	nodes, known := map[string]bool{}, map[string]bool{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Name.Name == "Describe" && fn.Recv != nil {
				nodes[fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = true
			}
			if fn.Name.Name == "MapExprs" {
				ast.Inspect(fn, func(n ast.Node) bool {
					if c, ok := n.(*ast.CaseClause); ok {
						for _, e := range c.List {
							known[e.(*ast.StarExpr).X.(*ast.Ident).Name] = true
						}
					}
					return true
				})
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(nodes)) {
		if known[n] == slices.Contains(withoutExprs, n) {
			t.Errorf("%s: give it a case in MapExprs, or say in this test that it has no expressions", n)
		}
	}
}
