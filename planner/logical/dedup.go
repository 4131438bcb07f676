package logical

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Distinct keeps each distinct row once.
type Distinct struct {
	Input Node
}

// Schema implements Node.
func (d *Distinct) Schema() []types.Column { return d.Input.Schema() }

// Children implements Node.
func (d *Distinct) Children() []Node { return []Node{d.Input} }

// WithChildren implements Node.
func (d *Distinct) WithChildren(k []Node) Node { return &Distinct{Input: k[0]} }

// Describe implements Node.
func (d *Distinct) Describe() string { return "Distinct" }

// Dedup keeps the row of each key that arrived first.
type Dedup struct {
	Input Node
	Keys  []int // input columns
	// Within: a key may come again once the watermark has passed its first row's time
	// plus the source's delay.
	Within bool
	Name   string // as the user called it, for messages
}

// Schema implements Node.
func (d *Dedup) Schema() []types.Column { return d.Input.Schema() }

// Children implements Node.
func (d *Dedup) Children() []Node { return []Node{d.Input} }

// WithChildren implements Node.
func (d *Dedup) WithChildren(k []Node) Node {
	c := *d
	c.Input = k[0]
	return &c
}

// Describe implements Node.
func (d *Dedup) Describe() string {
	names := make([]string, len(d.Keys))
	for i, k := range d.Keys {
		names[i] = d.Input.Schema()[k].Name
	}
	return fmt.Sprintf("Dedup by (%s) within=%t", strings.Join(names, ", "), d.Within)
}
