package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Asof joins each left row with one right row of equal keys: the nearest one by time.
// Among right rows of one time it is the least, column by column, as the first row of any
// order is; of versions (Void) the greatest.
type Asof struct {
	L, R         Node
	LKeys, RKeys []expr.Node // over L, over R
	NullSafe     []bool      // key by key: NULL matches NULL
	LTime, RTime expr.Node   // over L, over R; of one type
	// Forward: the first right row not before the left one, instead of the last one not
	// after it.
	Forward bool
	Strict  bool      // a right row of the same time is no match
	Outer   bool      // left rows without a match come beside NULLs
	Void    expr.Node // over R: a right row for which it is true stands for none; nil = none does
}

// Schema implements Node.
func (a *Asof) Schema() []types.Column {
	return append(append([]types.Column(nil), a.L.Schema()...), a.R.Schema()...)
}

// Children implements Node.
func (a *Asof) Children() []Node { return []Node{a.L, a.R} }

// WithChildren implements Node.
func (a *Asof) WithChildren(k []Node) Node {
	c := *a
	c.L, c.R = k[0], k[1]
	return &c
}

// Operator is the comparison of the times, left to right.
func (a *Asof) Operator() string {
	op := ">"
	if a.Forward {
		op = "<"
	}
	if !a.Strict {
		op += "="
	}
	return op
}

// Describe implements Node.
func (a *Asof) Describe() string {
	text := "Asof "
	if a.Outer {
		text += "left "
	}
	j := Join{LKeys: a.LKeys, RKeys: a.RKeys, NullSafe: a.NullSafe}
	text += "on "
	if len(a.LKeys) > 0 {
		text += j.Condition() + " AND "
	}
	text += a.LTime.String() + " " + a.Operator() + " " + a.RTime.String()
	if a.Void != nil {
		text += " void if " + a.Void.String()
	}
	return text
}
