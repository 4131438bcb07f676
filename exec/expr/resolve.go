package expr

import (
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Resolver turns names and arguments into typed expressions: it picks functions,
// casts arguments, and folds constants. It is read-only.
type Resolver struct {
	Functions *fn.Registry
	Zone      *time.Location // session time zone, for folding; nil = UTC
}

// Resolve applies a function, or an operator by its spelling ("+", "=", "like",
// "$at"), to bound arguments. Lambdas among them come unbound. Errors are
// *UnknownFunction and *ArgumentError.
func (r *Resolver) Resolve(name string, args ...Node) (Node, error) {
	f, ok := r.Functions.Scalar(name)
	if !ok {
		return nil, &UnknownFunction{Name: name}
	}
	args = append([]Node(nil), args...)
	impl, err := f.Resolve(r.describe(args))
	if err != nil {
		return nil, Refused(f.Name, err)
	}
	if err := r.coerce(f, impl, args); err != nil {
		return nil, err
	}
	if f.Form != fn.Ordinary {
		return r.form(f, impl, args)
	}
	if n, ok := r.fuse(f.Name, args); ok {
		return n, nil
	}
	return r.Fold(NewCall(f, impl, args)), nil
}

// fuse replaces an element of a split text by the function that finds it without
// splitting the rest: split(x, '/')[4].
func (r *Resolver) fuse(name string, args []Node) (Node, bool) {
	if name != "$at" && name != "get" {
		return nil, false
	}
	call, ok := args[0].(*Call)
	index := ConstValue(args[1])
	if !ok || call.F.Name != "split" || len(call.Args) != 2 || index == nil || index.IsNull(0) {
		return nil, false
	}
	sep := ConstValue(call.Args[1])
	if sep == nil || sep.IsNull(0) || sep.Text(0) == "" || strings.ContainsAny(sep.Text(0), `\.+*?()|[]{}^$`) {
		return nil, false
	}
	i := index.Int(0)
	if name == "$at" {
		i--
	}
	if i < 0 || i > 1<<20 {
		return nil, false
	}
	n, err := r.Resolve("split_index", call.Args[0], call.Args[1], Int(types.Of(types.Int32), i))
	return n, err == nil
}

// Args describes bound arguments to a function's Resolve; aggregates use it too.
func Args(nodes []Node) []fn.Arg { return (&Resolver{}).describe(nodes) }

// Coerce casts bound arguments, in place, to the types that an implementation wants.
func (r *Resolver) Coerce(name string, want []types.Type, nodes []Node) error {
	return r.coerce(&fn.Scalar{Name: name}, fn.Impl{Args: want}, nodes)
}

// describe makes fn.Args; binding a lambda's body replaces it in nodes.
func (r *Resolver) describe(nodes []Node) []fn.Arg {
	args := make([]fn.Arg, len(nodes))
	for i, n := range nodes {
		args[i].Type = n.Type()
		switch x := n.(type) {
		case *Const:
			args[i].Const = x.V
		case *Column:
			args[i].Name = x.Name[strings.LastIndexByte(x.Name, '.')+1:]
		case *Field:
			args[i].Name = x.X.Type().Fields[x.Index].Name
		case *Lambda:
			args[i].Params = len(x.Names)
			args[i].Body = func(params []types.Type) (types.Type, error) {
				bound := *x
				body, err := x.Bind(params)
				if err != nil {
					return types.Type{}, err
				}
				bound.Types, bound.Body = params, body
				nodes[i] = &bound
				return body.Type(), nil
			}
		}
	}
	return args
}

// coerce casts arguments to what the implementation wants. Lambdas are cast at
// their body.
func (r *Resolver) coerce(f *fn.Scalar, impl fn.Impl, args []Node) error {
	if len(impl.Args) != len(args) {
		return &ArgumentError{Func: f.Name, Msg: "has an implementation for another number of arguments"}
	}
	for i, want := range impl.Args {
		if l, ok := args[i].(*Lambda); ok {
			if l.Body == nil { // a function of any type, which did not ask what the lambda gives
				return &ArgumentError{Func: f.Name, Msg: "takes no lambda, got one as argument " + strconv.Itoa(i+1)}
			}
			body, err := r.implicit(f.Name, l.Body, want)
			if err != nil {
				return err
			}
			args[i] = l.WithChildren([]Node{body})
			continue
		}
		arg, err := r.implicit(f.Name, args[i], want)
		if err != nil {
			return err
		}
		args[i] = arg
	}
	return nil
}

// form builds the functions that this package evaluates itself.
func (r *Resolver) form(f *fn.Scalar, impl fn.Impl, args []Node) (Node, error) {
	switch f.Form {
	case fn.FormCoalesce:
		return newCoalesce(args), nil
	case fn.FormIf:
		return r.Fold(NewCase(args[:1], args[1:2], args[2])), nil
	case fn.FormNvl2:
		return r.Fold(NewCase([]Node{NewIsNull(args[0], true)}, args[1:2], args[2])), nil
	case fn.FormIsNull:
		return NewIsNull(args[0], false), nil
	case fn.FormIsNotNull:
		return NewIsNull(args[0], true), nil
	case fn.FormAnd:
		return NewAnd(args...), nil
	case fn.FormOr:
		return NewOr(args...), nil
	case fn.FormNot:
		return NewNot(args[0]), nil
	case fn.FormIn:
		return r.in(args)
	case fn.FormTry:
		return r.Fold(&Try{X: args[0]}), nil
	case fn.FormTryCast:
		return r.Cast(args[0], impl.Result, true)
	}
	return nil, &ArgumentError{Func: f.Name, Msg: "has a form that expressions do not know"}
}

// newCoalesce drops NULL constants and what can never be reached.
func newCoalesce(args []Node) Node {
	var kept []Node
	for _, a := range args {
		c, constant := a.(*Const)
		if constant && c.IsNull() {
			continue
		}
		kept = append(kept, a)
		if constant {
			break
		}
	}
	switch len(kept) {
	case 0:
		return Null(args[0].Type())
	case 1:
		return kept[0]
	}
	return &Coalesce{Args: kept}
}

// in builds x IN (a, b, …) from arguments that have one type already. Elements that
// are not constants, and intervals, which are equal when equally long, become
// comparisons.
func (r *Resolver) in(args []Node) (Node, error) {
	x := args[0]
	var list []*Const
	var parts []Node
	for _, a := range args[1:] {
		if c, ok := a.(*Const); ok && x.Type().Kind != types.Interval {
			list = append(list, c)
			continue
		}
		eq, err := r.Resolve("=", x, a)
		if err != nil {
			return nil, err
		}
		parts = append(parts, eq)
	}
	if len(list) > 0 {
		parts = append([]Node{r.Fold(NewIn(x, list))}, parts...)
	}
	return NewOr(parts...), nil
}

// Cast converts to a type (TRY_CAST with try), folding constants.
func (r *Resolver) Cast(x Node, to types.Type, try bool) (Node, error) {
	n, err := NewCast(x, to, try)
	if err != nil {
		return nil, err
	}
	return r.Fold(n), nil
}

// implicit is a cast that the query does not write. A constant that has no value of the
// type is an error of the query, not of a row.
func (r *Resolver) implicit(what string, x Node, to types.Type) (Node, error) {
	n, err := r.Cast(x, to, false)
	if err != nil || !IsConst(x) || IsConst(n) {
		return n, err
	}
	return nil, Refused(what, &Unreadable{X: x, To: to})
}

// Case builds CASE WHEN conds[i] THEN thens[i] … ELSE otherwise END, finding the
// common type of the branches; otherwise may be nil.
func (r *Resolver) Case(conds, thens []Node, otherwise Node) (Node, error) {
	if otherwise == nil {
		otherwise = Null(types.Type{})
	}
	branches, err := r.Unify("CASE", append(append([]Node(nil), thens...), otherwise))
	if err != nil {
		return nil, err
	}
	tests := make([]Node, len(conds))
	for i, c := range conds {
		if tests[i], err = r.Condition("CASE WHEN", c); err != nil {
			return nil, err
		}
	}
	return r.Fold(NewCase(tests, branches[:len(thens)], branches[len(thens)])), nil
}

// Condition makes x a BOOLEAN, which it must be already unless it is NULL or text.
func (r *Resolver) Condition(what string, x Node) (Node, error) {
	switch x.Type().Kind {
	case types.Bool:
		return x, nil
	case types.Null:
		return Null(boolType), nil
	}
	return nil, &ArgumentError{Func: what, Msg: "needs a BOOLEAN condition, got " + x.Type().String()}
}

// Unify casts nodes to their common type. what names the construct in errors.
func (r *Resolver) Unify(what string, nodes []Node) ([]Node, error) {
	t := nodes[0].Type()
	for _, n := range nodes[1:] {
		common, ok := types.CommonType(t, n.Type())
		if !ok {
			return nil, typeError(what, t, n.Type())
		}
		t = common
	}
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		c, err := r.implicit(what, n, t)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// Fold computes a node whose children are all constants, unless its value may change
// or the computation fails: then it fails where it runs, if it runs.
func (r *Resolver) Fold(n Node) Node {
	kids := n.Children()
	if call, ok := n.(*Call); ok && call.Volatility() != fn.Immutable {
		return n
	}
	for _, k := range kids {
		if _, ok := k.(*Const); !ok && !constantLambda(k) {
			return n
		}
	}
	if len(kids) == 0 {
		if _, ok := n.(*Call); !ok {
			return n
		}
	}
	c := &fn.Ctx{Zone: r.Zone}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	v, err := n.Eval(c, &vec.Batch{N: 1})
	if err != nil {
		return n
	}
	return NewConst(vec.Flatten(v))
}

// constantLambda reports a lambda that reads nothing but its own parameters, and gives the
// same for the same ones.
func constantLambda(n Node) bool {
	l, ok := n.(*Lambda)
	if !ok || l.Body == nil || Volatility(l) != fn.Immutable {
		return false
	}
	constant := true
	Walk(l.Body, func(x Node) bool {
		switch x := x.(type) {
		case *Column:
			constant = false
		case *Param:
			constant = constant && x.ID >= l.First && x.ID < l.First+len(l.Names)
		case *Lambda:
			constant = constant && constantLambda(x)
			return false
		}
		return constant
	})
	return constant
}
