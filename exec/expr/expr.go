// Package expr owns bound expressions: typed trees over the columns of one batch,
// evaluated column by column. It knows functions through exec/fn's contract, and
// neither SQL text nor plans. Open this file first.
package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Node is a bound expression. Nodes are immutable and safe for concurrent use;
// what a worker needs while evaluating is in fn.Ctx.
type Node interface {
	// Type is the type of the result.
	Type() types.Type
	// Eval computes the expression for the rows of b that count (b.Sel). The result
	// has b.N rows; it may be constant, a dictionary, or shared with a column of b, and
	// is valid as long as b.
	Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error)
	// String is canonical SQL over column names: it is shown by EXPLAIN, and equal
	// texts over equal inputs mean equal results (common expressions, operator ids).
	String() string
	// Children are the direct sub-expressions.
	Children() []Node
	// WithChildren returns a copy with other sub-expressions of the same types.
	WithChildren(kids []Node) Node
}

// Column refers to a column of the batch.
type Column struct {
	Index int
	Name  string // as EXPLAIN prints it, qualified where needed
	T     types.Type
}

// Type implements Node.
func (c *Column) Type() types.Type { return c.T }

// Eval implements Node.
func (c *Column) Eval(_ *fn.Ctx, b *vec.Batch) (*vec.Vector, error) { return b.Cols[c.Index], nil }

func (c *Column) String() string { return c.Name }

// Children implements Node.
func (c *Column) Children() []Node { return nil }

// WithChildren implements Node.
func (c *Column) WithChildren([]Node) Node { return c }
