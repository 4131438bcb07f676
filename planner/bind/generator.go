package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// generator binds a call that makes rows, over an input.
func (e *env) generator(x *ast.Call, input logical.Node) *logical.Unnest {
	g, _ := e.b.cat.Functions.Generator(x.Name.String())
	if len(x.Named) > 0 || x.Star || x.Distinct || x.Filter != nil || len(x.OrderBy) > 0 {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes plain arguments only", x.Name)
		return nil
	}
	args := e.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return nil
	}
	impl, err := g.Resolve(expr.Args(args))
	if err != nil {
		e.b.refuse(expr.Refused(g.Name, err), x.Span, g.Syntax, args)
		return nil
	}
	if err := e.b.res.Coerce(g.Name, impl.Args, args); err != nil {
		e.b.refuse(err, x.Span, g.Syntax, args)
		return nil
	}
	u := &logical.Unnest{Input: input, Gen: g, Impl: impl, Args: args, Outer: g.Outer}
	for _, c := range impl.Columns {
		u.Names = append(u.Names, c.Name)
	}
	return u
}

func (sel *selectBinder) isGenerator(x *ast.Call) bool {
	g, ok := sel.b.cat.Functions.Generator(strings.ToLower(x.Name.String()))
	return ok && x.Over == nil && !g.FromOnly
}

// generatorItem binds a generator of the select list: its columns join the input.
func (sel *selectBinder) generatorItem(x *ast.Call, it *selectItem) ([]expr.Node, []string) {
	if sel.grouped {
		sel.b.errorf(diag.NotPlanned, x.Span, "%s beside aggregates is not supported", x.Name).
			WithHint("aggregate in a subquery: SELECT %s(l) FROM (SELECT … AS l …)", x.Name)
		return nil, nil
	}
	u := sel.env(inSelect).generator(x, sel.input)
	if u == nil {
		return nil, nil
	}
	u.Input = sel.input // with the subqueries of the arguments
	names := append([]string(nil), u.Names...)
	aliases := it.ast.Aliases
	if it.ast.Alias != nil {
		aliases = []ast.Ident{*it.ast.Alias}
	}
	if len(aliases) > len(names) || len(aliases) > 0 && len(aliases) < len(names) {
		sel.b.errorf(diag.ColumnCount, it.ast.Span, "%s makes %d columns, but %d names are given", x.Name, len(names), len(aliases))
		return nil, nil
	}
	for i, a := range aliases {
		names[i] = a.Name
	}
	first := len(sel.input.Schema())
	u.Names = names
	if sel.made != nil && !(sel.made.Gen.Pairs && u.Gen.Pairs) {
		if u = sel.beside(x, sel.made, u); u == nil {
			return nil, nil
		}
	}
	sel.input, sel.made = u, u
	nodes := make([]expr.Node, len(names))
	for i := range names {
		nodes[i] = logical.Col(u, first+i)
	}
	return nodes, names
}

// beside puts a second generator of a select list beside the first: their rows go side by
// side, as in PostgreSQL and DuckDB, and the shorter one is filled with NULLs.
func (sel *selectBinder) beside(x *ast.Call, first, second *logical.Unnest) *logical.Unnest {
	if sel.input != logical.Node(first) {
		sel.b.errorf(diag.NotPlanned, x.Span, "%s beside another generator and a subquery is not supported", x.Name).
			WithHint("generate in FROM: CROSS JOIN %s(…)", x.Name)
		return nil
	}
	limit := len(first.Input.Schema())
	for _, c := range expr.ColumnsOf(second.Args...) {
		if _, _, outer := logical.Outer(c); c >= limit && !outer {
			sel.b.errorf(diag.NotPlanned, x.Span, "%s takes what another generator of the select list makes", x.Name).
				WithHint("generate one after the other in FROM: CROSS JOIN %s(…)", x.Name)
			return nil
		}
	}
	u := &logical.Unnest{Input: first.Input, Gen: first.Gen, Args: append(append([]expr.Node(nil), first.Args...), second.Args...),
		Names: append(append([]string(nil), first.Names...), second.Names...)}
	u.Gen = &fn.Generator{Name: first.Gen.Name + ", " + second.Gen.Name}
	u.Impl = fn.SideBySide(first.Impl, second.Impl, first.Outer, second.Outer)
	return u
}

// generatorCall binds a generator inside an expression of a select list: the expression is
// computed for each of its rows. Elsewhere, and beside aggregates, it is refused.
func (e *env) generatorCall(x *ast.Call) expr.Node {
	if e.clause == inSelect && e.sel != nil && !e.sel.grouped && !e.inAgg && !e.inOver && len(e.params) == 0 && e.scope == e.sel.scope {
		nodes, _ := e.sel.generatorItem(x, &selectItem{})
		if len(nodes) == 1 {
			return nodes[0]
		}
		if nodes == nil {
			return nil
		}
	}
	e.b.errorf(diag.NotPlanned, x.Span, "%s makes rows and must stand alone in the select list or in FROM", x.Name).
		WithHint("write CROSS JOIN UNNEST(…) AS u(x)")
	return nil
}

// generatorTable binds a generator alone in FROM: over one row without columns.
func (b *Binder) generatorTable(x *ast.TableFunc, outer *scope) (logical.Node, *scope) {
	one := &logical.Values{Rows: [][]expr.Node{{}}}
	j := &ast.Join{Span: x.Span, Kind: ast.CrossJoin}
	return b.unnest(j, x, one, &scope{parent: outer})
}
