package expr

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Param is a parameter of an enclosing lambda. ID is its number among all parameters
// in scope, outermost lambda first.
type Param struct {
	ID   int
	Name string
	T    types.Type
}

// Type implements Node.
func (p *Param) Type() types.Type { return p.T }

// Eval implements Node.
func (p *Param) Eval(c *fn.Ctx, _ *vec.Batch) (*vec.Vector, error) { return c.Params[p.ID], nil }

func (p *Param) String() string { return p.Name }

// Children implements Node.
func (p *Param) Children() []Node { return nil }

// WithChildren implements Node.
func (p *Param) WithChildren([]Node) Node { return p }

// Lambda is a function written as an argument. Before Resolver.Resolve it has only
// Names and Bind; Resolve calls Bind with the parameter types and fills the rest.
type Lambda struct {
	Names []string
	// Bind binds the body for parameters of these types.
	Bind func(params []types.Type) (Node, error)

	First int // ID of the first parameter
	Types []types.Type
	Body  Node
}

// NewLambda makes a lambda whose body is not bound yet. first is the number of
// parameters of enclosing lambdas: the new ones are Param{ID: first}, first+1, …
func NewLambda(first int, names []string, bind func(params []types.Type) (Node, error)) *Lambda {
	return &Lambda{Names: names, Bind: bind, First: first}
}

// Type implements Node: the type of the body.
func (l *Lambda) Type() types.Type {
	if l.Body == nil {
		return types.Type{}
	}
	return l.Body.Type()
}

// Eval implements Node. A lambda has no value of its own.
func (l *Lambda) Eval(*fn.Ctx, *vec.Batch) (*vec.Vector, error) {
	return nil, fmt.Errorf("lambda %s: evaluated outside a function", l)
}

func (l *Lambda) String() string {
	head := strings.Join(l.Names, ", ")
	if len(l.Names) != 1 {
		head = "(" + head + ")"
	}
	if l.Body == nil {
		return head + " -> ?"
	}
	return head + " -> " + l.Body.String()
}

// Children implements Node.
func (l *Lambda) Children() []Node {
	if l.Body == nil {
		return nil
	}
	return []Node{l.Body}
}

// WithChildren implements Node.
func (l *Lambda) WithChildren(kids []Node) Node {
	c := *l
	if len(kids) == 1 {
		c.Body = kids[0]
	}
	return &c
}

// boundLambda runs a lambda's body over the elements of a batch's lists.
type boundLambda struct {
	l     *Lambda
	batch *vec.Batch
}

// Apply implements fn.Lambda: it gathers the columns and outer parameters that the
// body captures, one row per call.
func (b *boundLambda) Apply(c *fn.Ctx, params []*vec.Vector, outer []int32) (*vec.Vector, error) {
	n := len(outer)
	inner := vec.Batch{N: n, Cols: make([]*vec.Vector, len(b.batch.Cols))}
	for _, col := range ColumnsOf(b.l.Body) {
		inner.Cols[col] = vec.Gather(b.batch.Cols[col], outer)
	}
	saved := c.Params
	scope := make([]*vec.Vector, b.l.First, b.l.First+len(params))
	for i := range min(len(scope), len(saved)) { // a constant is folded outside of the lambdas around it, whose parameters it does not read
		scope[i] = vec.Gather(saved[i], outer)
	}
	c.Params = append(scope, params...)
	v, err := b.l.Body.Eval(c, &inner)
	c.Params = saved
	return v, AtRow(err, func(row int) int { return int(outer[row]) })
}
