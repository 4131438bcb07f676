package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// This file binds COLLATE. A collation is no part of a type here: where values are compared or
// are keys, it is short for a function of them, and elsewhere it is refused.

// collations are the functions that collations are short for: of DuckDB and SQLite, and of Spark.
var collations = map[string]string{"nocase": "lower", "utf8_lcase": "lower", "noaccent": "strip_accents", "nfc": "normalize"}

// uncollated takes COLLATE off an expression. DuckDB's COLLATE a.b, and a COLLATE behind
// another, has several names.
func uncollated(x ast.Expr) (inner ast.Expr, names []ast.Ident) {
	switch c := x.(type) {
	case *ast.Collate:
		inner, names = uncollated(c.X)
		return inner, append(names, c.Name)
	case *ast.Field:
		if inner, names = uncollated(c.X); len(names) > 0 {
			return inner, append(names, c.Name)
		}
	}
	return x, nil
}

// collate is x COLLATE name where the order of x does not matter: only what is compared by its
// bytes is x itself.
func (e *env) collate(x ast.Expr) expr.Node {
	inner, names := uncollated(x)
	n := e.expr(inner)
	if n == nil || !e.b.isText(x.Pos(), n) {
		return nil
	}
	for _, name := range names {
		if name.ByteOrder() {
			continue
		}
		if f := collations[strings.ToLower(name.Name)]; f != "" {
			e.b.errorf(diag.NotPlanned, x.Pos(), "COLLATE %s stands behind what is compared, or what ORDER BY, PARTITION BY or GROUP BY is by", name.Name).
				WithHint("elsewhere, a text whose order is not that of its bytes is %s(x)", f)
			return nil
		}
	}
	return e.b.collated(x.Pos(), names, n)
}

// isText refuses a collation of what is no text.
func (b *Binder) isText(span diag.Span, n expr.Node) bool {
	if k := n.Type().Kind; k == types.String || k == types.Null {
		return true
	}
	b.errorf(diag.TypeMismatch, span, "COLLATE is of text, got %s", typeOf(n))
	return false
}

// collated is the value by which n is compared.
func (b *Binder) collated(span diag.Span, names []ast.Ident, n expr.Node) expr.Node {
	if n == nil || !slices.ContainsFunc(names, func(name ast.Ident) bool { return !name.ByteOrder() }) {
		return n
	}
	if !b.isText(span, n) {
		return nil
	}
	for _, name := range names {
		f := collations[strings.ToLower(name.Name)]
		switch {
		case name.ByteOrder():
		case f == "":
			b.errorf(diag.NotPlanned, name.Span, "COLLATE %s is not supported", name.Name).
				WithHint("there are \"C\", which compares bytes, NOCASE, which compares lower(x), NOACCENT, which compares strip_accents(x), and NOCASE.NOACCENT")
			return nil
		default:
			n = b.resolve(span, f, n)
		}
	}
	return n
}

// key binds an expression whose order matters.
func (e *env) key(x ast.Expr) expr.Node {
	inner, names := uncollated(x)
	return e.b.collated(x.Pos(), names, e.expr(inner))
}

// compared binds values that are compared with each other: a collation of one is that of all.
func (e *env) compared(list ...ast.Expr) []expr.Node {
	var by []ast.Ident
	nodes, ok := make([]expr.Node, len(list)), true
	for i, x := range list {
		inner, names := uncollated(x)
		nodes[i] = e.expr(inner)
		ok = ok && nodes[i] != nil
		if len(names) > 0 && len(by) > 0 && !slices.EqualFunc(by, names, func(a, b ast.Ident) bool { return a.Is(b.Name) }) {
			e.b.errorf(diag.WrongArguments, x.Pos(), "COLLATE %s and COLLATE %s are compared with each other", pathOf(by), pathOf(names))
			ok = false
		}
		if len(names) > 0 {
			by = names
		}
	}
	for i := range nodes {
		if ok {
			nodes[i] = e.b.collated(list[i].Pos(), by, nodes[i])
			ok = nodes[i] != nil
		}
	}
	if !ok {
		return nil
	}
	return nodes
}
