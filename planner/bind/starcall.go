package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// starCall binds a function of single values that is given * or t.*: the columns that it
// stands for are its arguments, as in Spark. struct(*) is the row.
func (e *env) starCall(x *ast.Call, name string) (n expr.Node, is bool) {
	list := x.Args
	if x.Star {
		list = []ast.Expr{&ast.Star{Span: x.Span}}
	}
	found := false
	for _, a := range list {
		_, star := a.(*ast.Star)
		found = found || star
	}
	if _, ok := e.b.cat.Functions.Scalar(name); !ok && name != "row" || !found {
		return nil, false
	}
	plain := *x
	plain.Star = false
	if !e.plainCall(&plain) {
		return nil, true
	}
	names, args, ok := e.spread(list)
	if !ok {
		return nil, true
	}
	switch name {
	case "struct", "row":
		return e.b.namedRow(x.Span, names, args), true
	case "to_json", "to_jsonb", "row_to_json", "json_quote": // PostgreSQL's to_jsonb(t.*)
		return e.b.resolve(x.Span, name, e.b.namedRow(x.Span, names, args)), true
	}
	return e.b.resolve(x.Span, name, args...), true
}

// spread binds arguments, and what stars among them stand for, with the names that they
// have as fields.
func (e *env) spread(list []ast.Expr) (names []string, args []expr.Node, ok bool) {
	ok = true
	for i, a := range list {
		if star, is := a.(*ast.Star); is {
			n, v, fine := e.starValues(star)
			names, args, ok = append(names, n...), append(args, v...), ok && fine
			continue
		}
		n := e.argument(a)
		names, args, ok = append(names, valueName(a, i)), append(args, n), ok && n != nil
	}
	return names, args, ok
}

// starValues are the columns of *, t.* or the fields of s.*.
func (e *env) starValues(star *ast.Star) (names []string, values []expr.Node, ok bool) {
	sel := &selectBinder{b: e.b, scope: e.scope, ok: true}
	add := func(name string, n expr.Node) {
		names, values, sel.ok = append(names, name), append(values, n), sel.ok && n != nil
	}
	if ref, is := star.X.(*ast.ColumnRef); is {
		path := *star
		path.X, path.Qualifier = nil, ref.Parts
		star = &path
	}
	switch {
	case star.X == nil && len(star.Qualifier) == 0 && len(e.scope.cols) == 0 && !e.scope.broken:
		e.b.errorf(diag.NoColumns, star.Span, "* without a FROM clause has no columns")
		return nil, nil, false
	case star.X == nil && (len(star.Qualifier) == 0 || sel.tableColumns(star.Qualifier) != nil):
		for _, p := range sel.starPicks(star) {
			inner := *e
			inner.pick = &p
			add(p.name, inner.picked(&ast.Call{Span: star.Span}))
		}
	default:
		from := star.X
		if from == nil {
			from = &ast.ColumnRef{Span: star.Span, Parts: star.Qualifier}
		}
		s := e.expr(from)
		for _, p := range sel.fieldPicks(star, s) {
			if p.value != nil {
				add(p.name, e.expr(p.value.Expr))
				continue
			}
			add(p.name, newField(s, p.at))
		}
	}
	return names, values, sel.ok
}
