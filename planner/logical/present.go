package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Present joins each left row with the right rows that are there in the trigger in which
// it comes: what changes on the right later changes nothing, and a left row that goes takes
// with it what it was joined with.
type Present struct {
	L, R         Node
	LKeys, RKeys []expr.Node // over L, over R
	NullSafe     []bool      // key by key: NULL matches NULL
	Residual     expr.Node   // over L's columns, then R's; nil = true
	Outer        bool        // left rows without a match come beside NULLs
}

// Schema implements Node.
func (p *Present) Schema() []types.Column {
	return append(append([]types.Column(nil), p.L.Schema()...), p.R.Schema()...)
}

// Children implements Node.
func (p *Present) Children() []Node { return []Node{p.L, p.R} }

// WithChildren implements Node.
func (p *Present) WithChildren(k []Node) Node {
	c := *p
	c.L, c.R = k[0], k[1]
	return &c
}

// Join is the join of all rows of both sides: what it means where both are read at once.
func (p *Present) Join() *Join {
	j := &Join{L: p.L, R: p.R, LKeys: p.LKeys, RKeys: p.RKeys, NullSafe: p.NullSafe, Residual: p.Residual}
	if p.Outer {
		j.Kind = Left
	}
	return j
}

// Describe implements Node.
func (p *Present) Describe() string { return "Present " + p.Join().Describe() }
