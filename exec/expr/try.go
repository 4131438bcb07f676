package expr

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Try is X, and NULL on the rows where X cannot be computed. Such rows are not counted
// as errors. Rows are looked at one by one only where one of them fails.
type Try struct{ X Node }

// Type implements Node.
func (n *Try) Type() types.Type { return n.X.Type() }

// Children implements Node.
func (n *Try) Children() []Node { return []Node{n.X} }

// WithChildren implements Node.
func (n *Try) WithChildren(kids []Node) Node { return &Try{X: kids[0]} }

func (n *Try) String() string { return "try(" + n.X.String() + ")" }

// Eval implements Node. Errors inside X are errors, whatever the query says of others:
// else try(coalesce(1 / 0, 2)) would be 2.
func (n *Try) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	lenient := c.NullOnError
	c.NullOnError = false
	defer func() { c.NullOnError = lenient }()
	m := newMerger(c, n.Type(), b.N)
	if err := n.part(c, b, b.Sel, m); err != nil {
		return nil, err
	}
	return m.result()
}

// part computes some rows: all at once, or, where one fails, half by half. sel nil = all.
func (n *Try) part(c *fn.Ctx, b *vec.Batch, sel []int32, m *merger) error {
	err := m.branch(c, n.X, b, sel)
	var data *DataError
	if err == nil || !errors.As(err, &data) {
		return err
	}
	if sel == nil {
		sel = make([]int32, b.N)
		for i := range sel {
			sel[i] = int32(i)
		}
	}
	if len(sel) == 1 {
		m.take(repeat(nullVector(n.Type()), b.N), sel)
		return nil
	}
	half := len(sel) / 2
	if err := n.part(c, b, sel[:half:half], m); err != nil {
		return err
	}
	return n.part(c, b, sel[half:], m)
}
