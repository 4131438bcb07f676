package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Hop appends the start of a sliding window to each row, once for every window that
// contains the row's time. Sizes are in µs.
type Hop struct {
	Input               Node
	Time                int // input column
	Size, Slide, Offset int64
	// By replaces them for windows that are not of a fixed length, and for cumulating ones:
	// of these the end is appended, which tells their start.
	By *timewindow.Windows
}

// Column is the name of the column that is appended.
func (h *Hop) Column() string {
	if h.By != nil && h.By.Cumulate {
		return "window_end"
	}
	return "window_start"
}

// Schema implements Node.
func (h *Hop) Schema() []types.Column {
	in := h.Input.Schema()
	return append(append([]types.Column(nil), in...), types.Column{Name: h.Column(), Type: in[h.Time].Type})
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
	if h.By != nil {
		return fmt.Sprintf("Hop %s by %s", h.Input.Schema()[h.Time].Name, h.By)
	}
	return fmt.Sprintf("Hop %s size %dus slide %dus offset %dus", h.Input.Schema()[h.Time].Name, h.Size, h.Slide, h.Offset)
}
