package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// arrows binds a chain of -> that may end in ->> as the one path that it is: j -> 'a' ->> 'b'
// is get_json_object(j, '$.a.b'). What is no constant member or element stays an operator.
func (e *env) arrows(x *ast.Binary) expr.Node {
	path, base, ok := "", ast.Expr(x), false
	for {
		b, arrow := base.(*ast.Binary)
		if !arrow || b.Op != ast.JSONGet && b != x {
			break
		}
		step, known := jsonStep(b.R, path == "")
		if !known {
			break
		}
		path, base, ok = step+path, b.L, true
		if strings.HasPrefix(step, "$") {
			break // a path of its own
		}
	}
	if !ok {
		return e.compare(x.Span, operators[x.Op], x.L, x.R)
	}
	name := "json_extract"
	if x.Op == ast.JSONText {
		name = "get_json_object"
	}
	return e.b.resolve(x.Span, name, e.expr(base), expr.Text("$"+strings.TrimPrefix(path, "$")))
}

// jsonStep is a member or element as a step of a path, or a whole path where one may stand.
func jsonStep(x ast.Expr, last bool) (string, bool) {
	l, ok := x.(*ast.Literal)
	switch {
	case !ok:
		return "", false
	case l.Kind == ast.LitInt:
		return "[" + l.Text + "]", len(l.Text) < 10
	case l.Kind != ast.LitString:
		return "", false
	case strings.HasPrefix(l.Text, "$"):
		return l.Text, last
	}
	return "." + l.Text, isPlainMember(l.Text)
}

// isPlainMember reports a name that a path needs no quotes for.
func isPlainMember(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
