package logical

import "github.com/sqlstream/sqlstream/exec/types"

// Shared is a query with a name that is read at several places and planned once: one node
// for all of them, told apart by its address. What reads it stays above it: no filter moves
// into it, and all its columns are computed. The binder makes one where the plan would be
// too large with a copy at each place, or where the copies would have other values, such as
// random().
type Shared struct {
	Name  string
	Input Node
}

// Schema implements Node.
func (s *Shared) Schema() []types.Column { return s.Input.Schema() }

// Children implements Node.
func (s *Shared) Children() []Node { return []Node{s.Input} }

// WithChildren implements Node.
func (s *Shared) WithChildren(k []Node) Node { return &Shared{Name: s.Name, Input: k[0]} }

// Describe implements Node.
func (s *Shared) Describe() string { return "Shared " + s.Name }

// Size is the number of nodes of a plan, where what is shared counts as one.
func Size(n Node) int {
	if _, ok := n.(*Shared); ok {
		return 1
	}
	size := 1
	for _, c := range n.Children() {
		size += Size(c)
	}
	return size
}
