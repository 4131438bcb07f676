package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Hop appends the start of a sliding window to each row, once for every window that
// contains the row's time. Sizes are in µs.
type Hop struct {
	Input               Node
	Time                int // input column
	Size, Slide, Offset int64
}

// Schema implements Node.
func (h *Hop) Schema() []types.Column {
	in := h.Input.Schema()
	return append(append([]types.Column(nil), in...), types.Column{Name: "window_start", Type: in[h.Time].Type})
}

// Children implements Node.
func (h *Hop) Children() []Node { return []Node{h.Input} }

// WithChildren implements Node.
func (h *Hop) WithChildren(k []Node) Node {
	c := *h
	c.Input = k[0]
	return &c
}

// Describe implements Node.
func (h *Hop) Describe() string {
	return fmt.Sprintf("Hop %s size %dus slide %dus offset %dus", h.Input.Schema()[h.Time].Name, h.Size, h.Slide, h.Offset)
}
