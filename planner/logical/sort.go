package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// NoLimit is Sort.Limit without a limit.
const NoLimit = -1

// Sort orders rows and cuts them: ORDER BY, LIMIT, OFFSET.
type Sort struct {
	Input  Node
	Keys   []SortKey
	Limit  int64 // NoLimit = all
	Offset int64
	// Ties keeps further rows whose keys are those of the last one; Offset is 0 then.
	Ties bool
}

// Top is what a cut keeps, without an order of its own.
func (s *Sort) Top() *TopN {
	t := &TopN{Input: s.Input, Order: s.Keys, Limit: s.Limit, Offset: s.Offset}
	if s.Ties {
		t.Ranking = ByRank
	}
	return t
}

// Schema implements Node.
func (s *Sort) Schema() []types.Column { return s.Input.Schema() }

// Children implements Node.
func (s *Sort) Children() []Node { return []Node{s.Input} }

// WithChildren implements Node.
func (s *Sort) WithChildren(k []Node) Node {
	c := *s
	c.Input = k[0]
	return &c
}

// Describe implements Node.
func (s *Sort) Describe() string {
	text := "Sort"
	for i, k := range s.Keys {
		if i > 0 {
			text += ","
		}
		text += " " + k.String()
	}
	if s.Limit != NoLimit {
		text += fmt.Sprintf(" limit %d", s.Limit)
	}
	if s.Ties {
		text += " with ties"
	}
	if s.Offset > 0 {
		text += fmt.Sprintf(" offset %d", s.Offset)
	}
	return text
}
