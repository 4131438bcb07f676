package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Field takes a field of a STRUCT; NULL if the struct is.
type Field struct {
	X     Node
	Index int
}

// NewField takes field i of a struct, or of a struct constructor directly.
func NewField(x Node, i int) Node {
	if c, ok := x.(*Const); ok && !c.IsNull() {
		return NewConst(c.V.Child[i])
	}
	return &Field{X: x, Index: i}
}

// Type implements Node.
func (n *Field) Type() types.Type { return n.X.Type().Fields[n.Index].Type }

// Children implements Node.
func (n *Field) Children() []Node { return []Node{n.X} }

// WithChildren implements Node.
func (n *Field) WithChildren(kids []Node) Node { return &Field{X: kids[0], Index: n.Index} }

func (n *Field) String() string {
	return n.X.String() + "." + quoteName(n.X.Type().Fields[n.Index].Name)
}

// Eval implements Node.
func (n *Field) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := n.X.Eval(c, b)
	if err != nil {
		return nil, err
	}
	if v.Dict != nil {
		v = flatten(c, v, fn.Rows{N: b.N, Sel: b.Sel})
	}
	child := v.Child[n.Index]
	if v.Const {
		if v.IsNull(0) {
			return repeat(nullVector(n.Type()), b.N), nil
		}
		return repeat(flatten(c, child, fn.Rows{N: 1}), b.N), nil
	}
	if v.Valid == nil {
		return child, nil
	}
	if child.Const {
		child = vec.Flatten(child)
	}
	return withValidity(c, child, v.Valid), nil
}
