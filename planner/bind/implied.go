package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// maxImplied bounds how deep queries that may see what stands before them are nested: each
// is bound twice if it has an unknown name.
const maxImplied = 6

// seesLeft binds a query in FROM that has names which only what stands before it knows as
// if LATERAL stood there, as in DuckDB; so it does the right side of a comma, which binds
// looser than JOIN. Either is an error otherwise, so that no other query changes its
// meaning. The errors since before are then taken back.
func (b *Binder) seesLeft(x *ast.Join, before int, l logical.Node, ls, outer *scope) (logical.Node, *scope, bool) {
	errs := slices.Clone(b.diags[before:])
	unknown := func(d *diag.Diagnostic) bool { return d.Code == diag.UnknownColumn || d.Code == diag.UnknownField }
	if ls.broken || b.implied >= maxImplied || !hasErrors(errs) ||
		slices.ContainsFunc(errs, func(d *diag.Diagnostic) bool { return d.Severity == diag.SeverityError && !unknown(d) }) {
		return nil, nil, false
	}
	b.diags = b.diags[:before]
	b.implied++
	plan, s, ok := b.besideLeft(x, l, ls, outer)
	b.implied--
	if left := b.diags[before:]; !ok || hasErrors(left) && len(left) >= len(errs) { // neither: the errors of the plain query
		b.diags = append(b.diags[:before], errs...)
		return nil, nil, false
	}
	return plan, s, true
}

func (b *Binder) besideLeft(x *ast.Join, l logical.Node, ls, outer *scope) (logical.Node, *scope, bool) {
	join := *x
	switch r := x.R.(type) {
	case *ast.Derived:
		if x.Kind == ast.RightJoin || x.Kind == ast.FullJoin || x.Asof {
			return nil, nil, false
		}
		lateral := *r
		lateral.Lateral = true
		join.R = &lateral
		plan, s := b.lateralQuery(&join, &lateral, l, ls, outer)
		return plan, s, true
	case *ast.Join:
		if !x.Comma || r.Natural || len(r.Using) > 0 || r.Asof || r.Kind != ast.InnerJoin && r.Kind != ast.CrossJoin && r.Kind != ast.LeftJoin {
			return nil, nil, false
		}
		join.R = r.L
		around := *r
		around.L = &join
		plan, s := b.join(&around, outer)
		return plan, s, true
	}
	return nil, nil, false
}

func hasErrors(list []*diag.Diagnostic) bool {
	return slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.SeverityError })
}

// overQueries puts a function in FROM that has subqueries among its arguments over a query
// that computes them.
func (b *Binder) overQueries(x *ast.TableFunc) (*ast.Derived, bool) {
	if _, ok := b.cat.Functions.Generator(strings.ToLower(x.Call.Name.String())); !ok || !slices.ContainsFunc(x.Call.Args, hasSubquery) {
		return nil, false
	}
	w := written{x.Span}
	args := &ast.Select{Span: x.Span}
	call := *x.Call
	call.Args = nil
	star := &ast.Star{Span: x.Span}
	for i, a := range x.Call.Args {
		name := w.name("$arg" + itoa(i+1))
		args.Items = append(args.Items, ast.SelectItem{Span: a.Pos(), Expr: a, Alias: &name})
		call.Args = append(call.Args, w.column(name.Name))
		star.Except = append(star.Except, ast.Name{Span: x.Span, Parts: []ast.Ident{name}})
	}
	function := *x
	function.Call, function.Lateral, function.Watermark = &call, true, nil
	from := &ast.Join{Span: x.Span, Kind: ast.CrossJoin, L: &ast.Derived{Span: x.Span, Query: &ast.Query{Span: x.Span, Body: args}}, R: &function}
	out := &ast.Derived{Span: x.Span, Query: w.query(star, from), Watermark: x.Watermark}
	if x.Alias != nil {
		out.Alias = &ast.Alias{Span: x.Alias.Span, Name: x.Alias.Name}
	}
	return out, true
}

// rowQueries makes a query of each row of VALUES.
func rowQueries(v *ast.Values) ast.Body {
	var out ast.Body
	for _, row := range v.Rows {
		sel := &ast.Select{Span: v.Span}
		for i, x := range row {
			name := written{x.Pos()}.name("col" + itoa(i+1))
			sel.Items = append(sel.Items, ast.SelectItem{Span: x.Pos(), Expr: x, Alias: &name})
		}
		if out == nil {
			out = sel
		} else {
			out = &ast.SetOp{Span: v.Span, Op: ast.Union, All: true, L: out, R: sel}
		}
	}
	return out
}
