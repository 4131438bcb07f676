package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// outName is what a query of a set operation calls a column of its result: by its name
// there, or as the column that it is.
type outName struct{ table, name string }

// outNames are what a SELECT calls its columns.
func (sel *selectBinder) outNames() [][]outName {
	var out [][]outName
	for _, it := range sel.items {
		for i, n := range it.nodes {
			list := []outName{{"", it.names[i]}}
			c, ok := n.(*expr.Column)
			for _, s := range sel.scope.cols {
				if ok && s.index == c.Index {
					list = append(list, outName{s.table, s.name})
				}
			}
			out = append(out, list)
		}
	}
	return out
}

// calledBy joins what both sides of a set operation call their columns: by place, or those
// of one name.
func calledBy(x *ast.SetOp, plan logical.Node, l, r *relation) [][]outName {
	out := make([][]outName, len(plan.Schema()))
	for i, c := range plan.Schema() {
		for _, side := range []*relation{l, r} {
			at := i
			if x.ByName || x.Corresponding {
				at = -1
				for k, s := range side.plan.Schema() {
					if at < 0 && strings.EqualFold(s.Name, c.Name) {
						at = k
					}
				}
			}
			if at >= 0 && at < len(side.called) {
				out[i] = append(out[i], side.called[at]...)
			}
		}
	}
	return out
}

// calledColumn is the one column of a set operation's result that a query in it calls so;
// nil if none or several are.
func (r *relation) calledColumn(x ast.Expr) expr.Node {
	ref, ok := x.(*ast.ColumnRef)
	if !ok || len(ref.Parts) > 2 {
		return nil
	}
	last, found := ref.Parts[len(ref.Parts)-1], -1
	for _, c := range r.plan.Schema() {
		if len(ref.Parts) == 1 && last.Is(c.Name) {
			return nil // the result itself calls one so
		}
	}
	for i, names := range r.called {
		for _, n := range names {
			if !last.Is(n.name) || len(ref.Parts) == 2 && !ref.Parts[0].Is(n.table) {
				continue
			}
			if found >= 0 && found != i {
				return nil
			}
			found = i
		}
	}
	if found < 0 {
		return nil
	}
	return logical.Col(r.plan, found)
}
