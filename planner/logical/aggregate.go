package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Aggregate groups rows by its keys. Its schema is the keys, then the aggregates.
// Without keys it has exactly one row, over an empty input too.
type Aggregate struct {
	Input    Node
	Keys     []expr.Node
	KeyNames []string
	Aggs     []Agg
}

// Agg is one aggregate.
type Agg struct {
	Func     *fn.Aggregate
	Impl     fn.AggImpl
	Args     []expr.Node
	Distinct bool
	Filter   expr.Node // nil = all rows
	Order    []SortKey // ORDER BY inside the call
}

// SortKey is one key of an order, over the input's columns. Equal rows are ordered
// by the whole row, ascending.
type SortKey struct {
	Expr       expr.Node
	Desc       bool
	NullsFirst bool
}

func (k SortKey) String() string {
	text := k.Expr.String()
	if k.Desc {
		text += " DESC"
	}
	if k.NullsFirst == k.Desc {
		text += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	return text
}

// Schema implements Node.
func (a *Aggregate) Schema() []types.Column {
	out := make([]types.Column, 0, len(a.Keys)+len(a.Aggs))
	for i, k := range a.Keys {
		out = append(out, types.Column{Name: a.KeyNames[i], Type: k.Type()})
	}
	for _, g := range a.Aggs {
		out = append(out, g.column())
	}
	return out
}

func (a Agg) column() types.Column { return types.Column{Name: a.String(), Type: a.Impl.Result} }

// Children implements Node.
func (a *Aggregate) Children() []Node { return []Node{a.Input} }

// WithChildren implements Node.
func (a *Aggregate) WithChildren(k []Node) Node {
	c := *a
	c.Input = k[0]
	return &c
}

// String is the call as SQL.
func (g Agg) String() string {
	text := g.Func.Name + "("
	if g.Distinct {
		text += "DISTINCT "
	}
	if len(g.Args) == 0 && g.Func.Name == "count" {
		text += "*"
	}
	text += exprList(g.Args)
	for i, k := range g.Order {
		text += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + k.String()
	}
	text += ")"
	if g.Filter != nil {
		text += " FILTER (WHERE " + g.Filter.String() + ")"
	}
	return text
}

// Empty is the result over no rows.
func (g Agg) Empty() *expr.Const {
	acc := g.Impl.New(false)
	acc.Grow(1)
	b := vec.NewBuilder(g.Impl.Result)
	if err := acc.Result([]uint32{0}, b); err != nil {
		return expr.Null(g.Impl.Result)
	}
	return expr.NewConst(b.Take())
}

// Describe implements Node.
func (a *Aggregate) Describe() string {
	text := "Aggregate"
	if len(a.Keys) > 0 {
		text += " by (" + exprList(a.Keys) + ")"
	}
	for i, g := range a.Aggs {
		if i > 0 {
			text += ","
		}
		text += " " + g.String()
	}
	return text
}
