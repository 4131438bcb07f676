package logical

import "github.com/sqlstream/sqlstream/exec/types"

// OpColumn is the column of Changelog that tells what became of a row.
const OpColumn = "changelog_op"

// Changelog makes rows of the changes of its input: each that comes or goes in a trigger,
// with what became of it. They are only added.
type Changelog struct{ Input Node }

// Schema implements Node.
func (c *Changelog) Schema() []types.Column {
	return append(append([]types.Column(nil), c.Input.Schema()...), types.Column{Name: OpColumn, Type: types.Of(types.Int16)})
}

// Children implements Node.
func (c *Changelog) Children() []Node { return []Node{c.Input} }

// WithChildren implements Node.
func (c *Changelog) WithChildren(k []Node) Node { return &Changelog{Input: k[0]} }

// Describe implements Node.
func (c *Changelog) Describe() string { return "Changelog" }
