package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Filter keeps the rows for which the predicate is true.
type Filter struct {
	Input     Node
	Predicate expr.Node
}

// Schema implements Node.
func (f *Filter) Schema() []types.Column { return f.Input.Schema() }

// Children implements Node.
func (f *Filter) Children() []Node { return []Node{f.Input} }

// WithChildren implements Node.
func (f *Filter) WithChildren(k []Node) Node { return &Filter{Input: k[0], Predicate: f.Predicate} }

// Describe implements Node.
func (f *Filter) Describe() string { return "Filter " + f.Predicate.String() }
