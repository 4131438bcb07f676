package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Recursion is what a WITH RECURSIVE query and its references to itself share.
type Recursion struct {
	Name    string
	Columns []types.Column
	Rounds  int64 // the most rounds of a trigger
	Rows    int64 // the most rows
}

// Recursive is the least relation that has the rows of Base, and those that Step makes of
// its rows.
type Recursive struct {
	Of   *Recursion
	Base Node
	Step Node // reads Of by RecursiveRef
	All  bool // UNION ALL: every way to a row counts
}

// Schema implements Node.
func (r *Recursive) Schema() []types.Column { return r.Of.Columns }

// Children implements Node.
func (r *Recursive) Children() []Node { return []Node{r.Base, r.Step} }

// WithChildren implements Node.
func (r *Recursive) WithChildren(k []Node) Node {
	c := *r
	c.Base, c.Step = k[0], k[1]
	return &c
}

// Describe implements Node.
func (r *Recursive) Describe() string {
	return fmt.Sprintf("Recursive %s %s", r.Of.Name, map[bool]string{true: "union all", false: "union"}[r.All])
}

// RecursiveRef stands, within a Step, for the rows of the recursion.
type RecursiveRef struct{ Of *Recursion }

// Schema implements Node.
func (r *RecursiveRef) Schema() []types.Column { return r.Of.Columns }

// Children implements Node.
func (r *RecursiveRef) Children() []Node { return nil }

// WithChildren implements Node.
func (r *RecursiveRef) WithChildren([]Node) Node { return r }

// Describe implements Node.
func (r *RecursiveRef) Describe() string { return "Recursion " + r.Of.Name }

// Feed stands, within the step of a recursion that runs on its own, for rows that are given
// to it: 0 are those of the recursion. Only lower makes it.
type Feed struct {
	Index   int
	Columns []types.Column
}

// Schema implements Node.
func (f *Feed) Schema() []types.Column { return f.Columns }

// Children implements Node.
func (f *Feed) Children() []Node { return nil }

// WithChildren implements Node.
func (f *Feed) WithChildren([]Node) Node { return f }

// Describe implements Node.
func (f *Feed) Describe() string { return fmt.Sprintf("Feed %d", f.Index) }
