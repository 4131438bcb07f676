package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// shares binds percentile(x, array(p, q)) and its kin: the list of what each share
// gives alone, NULL if there are no values. ok false = the call has no list of shares.
func (e *env) shares(x *ast.Call, f *fn.Aggregate) (n expr.Node, ok bool) {
	if f.Name != "percentile" && f.Name != "percentile_disc" || len(x.Args) < 2 || x.WithinGroup {
		return nil, false
	}
	list, ok := elements(x.Args[1])
	if !ok || len(list) == 0 {
		return nil, false
	}
	parts := make([]expr.Node, len(list))
	for i, p := range list {
		one := *x
		one.Args = append([]ast.Expr{x.Args[0], p}, x.Args[2:]...)
		if parts[i] = e.call(&one); parts[i] == nil {
			return nil, true
		}
	}
	array := e.b.resolve(x.Span, "array", parts...)
	if array == nil {
		return nil, true
	}
	n, err := e.b.res.Case([]expr.Node{expr.NewIsNull(parts[0], true)}, []expr.Node{array}, nil)
	if err != nil {
		e.b.report(err, x.Span)
		return nil, true
	}
	return n, true
}

// elements lists what is written in array(…) or ARRAY[…].
func elements(x ast.Expr) ([]ast.Expr, bool) {
	switch x := x.(type) {
	case *ast.Array:
		return x.Elems, true
	case *ast.Call:
		if x.Name.String() == "array" && len(x.Named) == 0 {
			return x.Args, true
		}
	}
	return nil, false
}
