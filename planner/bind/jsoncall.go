package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// jsonClauses lists the clauses of the JSON functions of the standard, as the parser
// names them.
var jsonClauses = map[string][]string{
	"json_value":  {"on_empty", "on_error", "default_on_empty", "default_on_error"},
	"json_query":  {"on_empty", "on_error", "wrapper"},
	"json_exists": {"on_error"},
	"json_object": {"on_null"},
	"json_array":  {"on_null"},
}

// jsonCall binds a call of them with clauses.
func (e *env) jsonCall(x *ast.Call, name string) (expr.Node, bool) {
	known, ok := jsonClauses[name]
	if !ok || len(x.Named) == 0 && x.Returning == nil {
		return nil, false
	}
	words, defaults := map[string]string{}, map[string]expr.Node{}
	for _, n := range x.Named {
		if !contains(known, n.Name.Name) {
			e.b.errorf(diag.WrongArguments, n.Name.Span, "%s does not take %s", x.Name, n.Name.Name)
			return nil, true
		}
		v := e.expr(n.Value)
		if v == nil {
			return nil, true
		}
		defaults[n.Name.Name] = v
		if lit, ok := n.Value.(*ast.Literal); ok {
			words[n.Name.Name] = lit.Text
		}
	}
	args := e.exprs(x.Args)
	if args == nil && len(x.Args) > 0 {
		return nil, true
	}
	word := func(clause string) expr.Node {
		if w, ok := words[clause]; ok {
			return expr.Text(w)
		}
		return expr.Text("NULL")
	}
	switch name {
	case "json_value":
		return e.jsonValue(x, append(args, word("on_empty"), word("on_error")), defaults, words["on_error"]), true
	case "json_query":
		return e.jsonQuery(x, append(args, word("on_empty"), word("on_error"), word("wrapper"))), true
	case "json_exists":
		args = append(args, word("on_error"))
	case "json_object":
		if words["on_null"] == "ABSENT" {
			name = "$json_object_absent"
		}
	case "json_array":
		if words["on_null"] == "NULL" {
			name = "json_build_array"
		}
	}
	if x.Returning != nil {
		e.b.errorf(diag.WrongArguments, x.Span, "%s does not take RETURNING", x.Name).WithHint("write CAST(%s(…) AS STRING)", x.Name)
		return nil, true
	}
	return e.b.resolve(x.Span, name, args...), true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// jsonAggregate reads NULL ON NULL and ABSENT ON NULL of the JSON aggregates. absent:
// pairs whose value is NULL are left out.
func (e *env) jsonAggregate(x *ast.Call, f *fn.Aggregate) (call *ast.Call, absent, ok bool) {
	if len(x.Named) != 1 || x.Named[0].Name.Name != "on_null" || f.Name != "json_objectagg" && f.Name != "json_arrayagg" {
		return x, false, true
	}
	word := ""
	if lit, ok := x.Named[0].Value.(*ast.Literal); ok {
		word = lit.Text
	}
	if f.Name == "json_arrayagg" && word != "ABSENT" {
		e.b.errorf(diag.NotPlanned, x.Named[0].Name.Span, "%s with NULL ON NULL is not supported", x.Name).
			WithHint("write to_json(list(x)), which keeps NULLs")
		return x, false, false
	}
	c := *x
	c.Named = nil
	return &c, f.Name == "json_objectagg" && word == "ABSENT" && len(x.Args) == 2, true
}

// jsonQuery gives text, whatever STRING type or JSON RETURNING says.
func (e *env) jsonQuery(x *ast.Call, args []expr.Node) expr.Node {
	n := e.b.resolve(x.Span, "json_query", args...)
	if x.Returning == nil || n == nil {
		return n
	}
	t, ok := e.b.typeOf(x.Returning)
	if !ok {
		return nil
	}
	return e.castTo(n, t, false, x.Span)
}

func (e *env) castTo(n expr.Node, t types.Type, try bool, span diag.Span) expr.Node {
	c, err := e.b.res.Cast(n, t, try)
	if err != nil {
		e.b.report(err, span)
		return nil
	}
	return c
}

// jsonValue casts what json_value finds to the type of RETURNING: text that is not of the
// type is what ON ERROR says.
func (e *env) jsonValue(x *ast.Call, args []expr.Node, defaults map[string]expr.Node, onError string) expr.Node {
	t := types.Of(types.String)
	if x.Returning != nil {
		var ok bool
		if t, ok = e.b.typeOf(x.Returning); !ok {
			return nil
		}
	}
	for _, clause := range []string{"default_on_empty", "default_on_error"} {
		def, ok := defaults[clause]
		if !ok {
			def = expr.Null(t)
		}
		if def = e.castTo(def, t, false, x.Span); def == nil {
			return nil
		}
		defaults[clause] = def
		args = append(args, def)
	}
	found := e.b.resolve(x.Span, "json_value", args...)
	if found == nil || t.Kind == types.String {
		return found
	}
	cast := e.castTo(found, t, !strings.EqualFold(onError, "ERROR"), x.Span)
	if cast == nil || !strings.EqualFold(onError, "DEFAULT") {
		return cast
	}
	instead := e.b.resolve(x.Span, "coalesce", cast, defaults["default_on_error"])
	if instead == nil {
		return nil
	}
	return e.b.resolve(x.Span, "if", expr.NewIsNull(found, false), expr.Null(t), instead)
}
