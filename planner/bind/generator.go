package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// generator binds a call that makes rows, over an input.
func (e *env) generator(x *ast.Call, input logical.Node) *logical.Unnest {
	x, deep, ok := e.b.unnesting(x)
	if !ok || !e.plainGenerator(x) {
		return nil
	}
	args := e.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return nil
	}
	return e.generate(x, deep, args, input)
}

func (e *env) plainGenerator(x *ast.Call) bool {
	if len(x.Named) > 0 || x.Star || x.Distinct || x.Filter != nil || len(x.OrderBy) > 0 {
		e.b.errorf(diag.WrongArguments, x.Span, "%s takes plain arguments only", x.Name)
		return false
	}
	return true
}

// generate makes rows of bound arguments.
func (e *env) generate(x *ast.Call, deep unnesting, args []expr.Node, input logical.Node) *logical.Unnest {
	name, args := deep.deep(x.Name.String(), args)
	g, _ := e.b.cat.Functions.Generator(name)
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

// made is a generator of the select list, so that GROUP BY and the item that it names share
// one.
type made struct {
	gen   *fn.Generator
	args  []expr.Node
	nodes []expr.Node
}

// generatorItem binds a generator of the select list: its columns join the input. Beside
// aggregates it is one of the keys.
func (sel *selectBinder) generatorItem(x *ast.Call, it *selectItem) ([]expr.Node, []string) {
	e := sel.env(inSelect)
	call, deep, ok := sel.b.unnesting(x)
	if !ok || !e.plainGenerator(call) {
		return nil, nil
	}
	args := e.exprs(call.Args)
	if args == nil && len(call.Args) > 0 {
		return nil, nil
	}
	if nodes, names := sel.unnestStruct(call, deep, args); nodes != nil {
		if names = sel.named(x, it, names); names == nil {
			return nil, nil
		}
		return nodes, names
	}
	u := e.generate(x, deep, args, sel.input)
	if u == nil {
		return nil, nil
	}
	if u.Names = sel.named(x, it, u.Names); u.Names == nil {
		return nil, nil
	}
	return sel.rowsBeside(x, u), u.Names
}

// named gives the columns of a generator the names of the item; nil after an error.
func (sel *selectBinder) named(x *ast.Call, it *selectItem, names []string) []string {
	aliases := it.ast.Aliases
	if it.ast.Alias != nil {
		aliases = []ast.Ident{*it.ast.Alias}
	}
	if len(aliases) > len(names) || len(aliases) > 0 && len(aliases) < len(names) {
		sel.b.errorf(diag.ColumnCount, it.ast.Span, "%s makes %d columns, but %d names are given", x.Name, len(names), len(aliases))
		return nil
	}
	names = append([]string(nil), names...)
	for i, a := range aliases {
		names[i] = a.Name
	}
	return names
}

// rowsBeside puts the rows of a generator on the input, and returns its columns. One that
// GROUP BY has made is found again: elsewhere beside aggregates there is none.
func (sel *selectBinder) rowsBeside(x *ast.Call, u *logical.Unnest) []expr.Node {
	if sel.grouped {
		for _, m := range sel.generated {
			if m.gen == u.Gen && slices.EqualFunc(m.args, u.Args, expr.Equal) {
				return m.nodes
			}
		}
		if !sel.keying {
			sel.b.errorf(diag.NotPlanned, x.Span, "%s beside aggregates is not supported, unless it is in GROUP BY", x.Name).
				WithHint("aggregate in a subquery: SELECT %s(l) FROM (SELECT … AS l …)", x.Name)
			return nil
		}
		if slices.ContainsFunc(u.Args, hasAggRef) {
			sel.b.errorf(diag.MisplacedAggregate, x.Span, "GROUP BY %s generates from an aggregate", x.Name)
			return nil
		}
	}
	m := made{gen: u.Gen, args: u.Args}
	first, own := len(sel.input.Schema()), len(u.Names)
	u.Input = sel.input // with the subqueries of the arguments
	if sel.made != nil && !(sel.made.Gen.Pairs && u.Gen.Pairs) {
		if u = sel.beside(x, sel.made, u); u == nil {
			return nil
		}
	}
	sel.input, sel.made = u, u
	for i := range own {
		m.nodes = append(m.nodes, logical.Col(u, first+i))
	}
	sel.generated = append(sel.generated, m)
	return m.nodes
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
	here := e.clause == inSelect || e.clause == inGroupBy && e.sel != nil && e.sel.keying
	if here && e.sel != nil && !e.inAgg && !e.inOver && len(e.params) == 0 && e.scope == e.sel.scope {
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
