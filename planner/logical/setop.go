package logical

import "github.com/sqlstream/sqlstream/exec/types"

// SetOp keeps the left rows that are also on the right (INTERSECT), or are not
// (EXCEPT): each distinct row once, or with All as often as counting the copies on both
// sides says, min(l, r) and max(0, l − r). Both inputs have the same types; the names
// are those of the left.
type SetOp struct {
	Intersect bool // else EXCEPT
	All       bool
	L, R      Node
}

// Schema implements Node.
func (s *SetOp) Schema() []types.Column { return s.L.Schema() }

// Children implements Node.
func (s *SetOp) Children() []Node { return []Node{s.L, s.R} }

// WithChildren implements Node.
func (s *SetOp) WithChildren(k []Node) Node {
	c := *s
	c.L, c.R = k[0], k[1]
	return &c
}

// Name is the operator in SQL.
func (s *SetOp) Name() string {
	text := "EXCEPT"
	if s.Intersect {
		text = "INTERSECT"
	}
	if s.All {
		text += " ALL"
	}
	return text
}

// Describe implements Node.
func (s *SetOp) Describe() string { return "SetOp " + s.Name() }
