package bind

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// byArgument puts the named arguments of a call in their places, by the names in the syntax of a
// built-in function; the call itself if it has none. nil means that an error was reported.
func (b *Binder) byArgument(x *ast.Call, syntax []string) *ast.Call {
	if len(x.Named) == 0 {
		return x
	}
	var problem *diag.Diagnostic
	for _, form := range syntax {
		out, d := inPlace(x, fn.Params(form))
		if d == nil {
			return out
		}
		if problem == nil {
			problem = d.WithHint("write %s", form)
		}
	}
	if problem != nil {
		b.errorf(problem.Code, problem.Span, "%s", problem.Message).Hint = problem.Hint
	}
	return nil
}

// inPlace is a call with its arguments in the order of the parameters, all of them at the front.
func inPlace(x *ast.Call, params []fn.Param) (*ast.Call, *diag.Diagnostic) {
	args := make([]ast.Expr, len(params))
	if len(x.Args) > len(args) {
		return nil, diag.Errorf(diag.WrongArguments, x.Span, "%s takes %d arguments here, got %d", x.Name, len(params), len(x.Args)+len(x.Named))
	}
	copy(args, x.Args)
	last := len(x.Args)
	for _, n := range x.Named {
		at := -1
		for i, p := range params {
			if p.Name != "" && n.Name.Is(p.Name) {
				at = i
			}
		}
		switch {
		case at < 0:
			return nil, diag.Errorf(diag.WrongArguments, n.Name.Span, "%s has no parameter %q", x.Name, n.Name.Name)
		case args[at] != nil:
			return nil, diag.Errorf(diag.WrongArguments, n.Name.Span, "parameter %q is given twice", n.Name.Name)
		}
		args[at], last = n.Value, max(last, at+1)
	}
	for i, a := range args[:last] {
		if a == nil && x.Name.Last().Is("make_interval") {
			args[i] = &ast.Literal{Span: x.Span, Kind: ast.LitInt, Text: "0"}
		} else if a == nil {
			return nil, diag.Errorf(diag.WrongArguments, x.Span, "%s needs a value for %q too", x.Name, params[i].Name)
		}
	}
	out := *x
	out.Args, out.Named = args[:last], nil
	return &out, nil
}
