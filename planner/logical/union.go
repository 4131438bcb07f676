package logical

import "github.com/sqlstream/sqlstream/exec/types"

// UnionAll has the rows of all inputs. Inputs have the same types; the names are
// those of the first.
type UnionAll struct {
	Inputs []Node
}

// Schema implements Node.
func (u *UnionAll) Schema() []types.Column { return u.Inputs[0].Schema() }

// Children implements Node.
func (u *UnionAll) Children() []Node { return u.Inputs }

// WithChildren implements Node.
func (u *UnionAll) WithChildren(k []Node) Node { return &UnionAll{Inputs: k} }

// Describe implements Node.
func (u *UnionAll) Describe() string { return "UnionAll" }
