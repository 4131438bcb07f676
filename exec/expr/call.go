package expr

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Call is a scalar function applied to arguments that have the types of Impl.Args
// (lambdas aside).
type Call struct {
	F    *fn.Scalar
	Impl fn.Impl
	Args []Node
}

// NewCall applies a function to arguments of exactly the types that impl wants. Use
// Resolver.Resolve to have them found and cast.
func NewCall(f *fn.Scalar, impl fn.Impl, args []Node) *Call {
	return &Call{F: f, Impl: impl, Args: args}
}

// Type implements Node.
func (n *Call) Type() types.Type { return n.Impl.Result }

// Volatility tells when the call may give another result for the same arguments.
func (n *Call) Volatility() fn.Volatility { return max(n.F.Volatility, n.Impl.Volatility) }

// Children implements Node.
func (n *Call) Children() []Node { return n.Args }

// WithChildren implements Node.
func (n *Call) WithChildren(kids []Node) Node { return &Call{F: n.F, Impl: n.Impl, Args: kids} }

// String implements Node.
func (n *Call) String() string {
	name := n.F.Name
	switch {
	case n.F.Check:
		return n.Args[0].String()
	case isOperator(name) && len(n.Args) == 2:
		return "(" + n.Args[0].String() + " " + name + " " + n.Args[1].String() + ")"
	case isOperator(name) && len(n.Args) == 1:
		if x := n.Args[0].String(); !strings.HasPrefix(x, "-") { // -- begins a comment
			return "(" + name + x + ")"
		}
		return "(" + name + " " + n.Args[0].String() + ")"
	case name == "$at" && len(n.Args) == 2:
		return n.Args[0].String() + "[" + n.Args[1].String() + "]"
	}
	return name + "(" + joinNodes(n.Args) + ")"
}

func isOperator(name string) bool {
	return name[0] != '$' && !(name[0] >= 'a' && name[0] <= 'z') || name == "like" || name == "ilike" || name == "rlike" || name == "div"
}

func joinNodes(nodes []Node) string {
	parts := make([]string, len(nodes))
	for i, a := range nodes {
		parts[i] = a.String()
	}
	return strings.Join(parts, ", ")
}

// Eval implements Node.
func (n *Call) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	var room [4]*vec.Vector
	args := room[:0]
	for _, a := range n.Args {
		if _, lambda := a.(*Lambda); lambda {
			continue
		}
		v, err := a.Eval(c, b)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	rows := fn.Rows{N: b.N, Sel: b.Sel}
	if n.Impl.EvalLambda != nil {
		return n.evalLambda(c, b, args, rows)
	}
	return Apply(c, n.F, &n.Impl, args, rows)
}

// Apply runs a function over argument columns: constants once, a dictionary once per
// entry in use, the rest row by row; NULL arguments follow the function's rule.
func Apply(c *fn.Ctx, f *fn.Scalar, impl *fn.Impl, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	if rows.Len() == 0 {
		return repeat(nullVector(impl.Result), rows.N), nil
	}
	if f.Volatility != fn.Volatile {
		if allConst(args) {
			before := c.Errors
			v, err := applyOnce(c, f, impl, args, rows.N)
			c.Errors += (c.Errors - before) * int64(rows.Len()-1) // each row counts
			return v, AtRow(err, func(int) int { return rows.At(0) })
		}
		if d := soleDictionary(args); d >= 0 && usesDictionary(f, args[d], rows) {
			before := c.Errors
			v, err := applyToEntries(c, f, impl, args, d, rows)
			if err != nil || c.Errors == before {
				return v, err
			}
			c.Errors = before // each row counts, not each entry
		}
	}
	var room [4]*vec.Vector
	flat := room[:0]
	for _, a := range args {
		flat = append(flat, flatten(c, a, rows))
	}
	return applyRows(c, f, impl, flat, rows)
}

func allConst(args []*vec.Vector) bool {
	for _, a := range args {
		if !a.Const || a.Dict != nil {
			return false
		}
	}
	return true
}

// applyOnce computes a function of constants for one row. A function without
// arguments ends here too.
func applyOnce(c *fn.Ctx, f *fn.Scalar, impl *fn.Impl, args []*vec.Vector, n int) (*vec.Vector, error) {
	one := make([]*vec.Vector, len(args))
	for i, a := range args {
		v := *a
		v.N, v.Const = 1, false
		one[i] = &v
	}
	scratch := c.Scratch
	c.Scratch = nil // a constant may outlive the batch
	v, err := applyRows(c, f, impl, one, fn.Rows{N: 1})
	c.Scratch = scratch
	if err != nil {
		return nil, err
	}
	return repeat(flatten(c, v, fn.Rows{N: 1}), n), nil
}

// applyRows runs the kernel over flat and constant arguments.
func applyRows(c *fn.Ctx, f *fn.Scalar, impl *fn.Impl, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	if f.Nulls == fn.Custom {
		return impl.Eval(c, args, rows)
	}
	valid, allNull := jointValidity(c, args, rows.N)
	if allNull {
		return repeat(nullVector(impl.Result), rows.N), nil
	}
	if impl.Total && (rows.Sel == nil || len(rows.Sel)*2 >= rows.N) {
		rows.Sel = nil
	} else if valid != nil {
		rows.Sel = narrowValid(c, rows, valid)
		if len(rows.Sel) == 0 {
			return repeat(nullVector(impl.Result), rows.N), nil
		}
	}
	v, err := impl.Eval(c, args, rows)
	if err != nil || valid == nil {
		return v, err
	}
	return withValidity(c, v, valid), nil
}

func (n *Call) evalLambda(c *fn.Ctx, b *vec.Batch, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	var bodies []fn.Lambda
	for _, a := range n.Args {
		if l, ok := a.(*Lambda); ok {
			bodies = append(bodies, &boundLambda{l: l, batch: b})
		}
	}
	for i, a := range args {
		args[i] = vec.Flatten(a)
	}
	return n.Impl.EvalLambda(c, args, bodies, rows)
}
