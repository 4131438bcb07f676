// Package reference owns the naive interpreter of logical plans: the referee that says
// what a query over everything read so far must answer. It takes the rows of each scan
// one by one, boxes every value, and computes each node from scratch in the plainest
// way. It shares nothing with the engine but the evaluation of scalar expressions and
// generators over a batch of one row; it knows no physical plans, no frontiers, no
// state, and may be as slow as it likes.
//
// Open this file first, then row.go (rows and multisets) and value.go (equality and
// order of values); there is one file for each node, and aggregates are in agg.go and
// the files beside it.
package reference

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Inputs gives the changes of a scan in order of arrival. The values are those that the
// connector delivers (Relation.Inputs); rows that an operator refused as late are
// left out by the caller.
type Inputs func(*logical.Scan) ([]Change, error)

// Refuse tells that an operator refused a row as late: its group, its distinct row or
// the row to be deduplicated is key. The reference knows no frontiers; who asks it
// knows the rule, and the watermark that the row met.
type Refuse func(n logical.Node, key []any, m Moment) bool

// Question is a plan over inputs.
type Question struct {
	Plan   logical.Node
	Inputs Inputs
	Refuse Refuse // nil = nothing is late
}

// Answer computes the whole answer of a plan. Rows come in an order only if the plan
// ends in a Sort. c.Now is the time for expressions over rows that have no time of
// their own.
func (q Question) Answer(c *fn.Ctx) ([]Row, error) {
	i := &interpreter{ctx: c, Question: q}
	return i.node(q.Plan)
}

// interpreter computes one answer.
type interpreter struct {
	ctx *fn.Ctx
	Question
	recursions map[*logical.Recursion]*parts // those whose step is computed
}

// onTime drops the rows that the operator refused.
func (i *interpreter) onTime(n logical.Node, rows []Row, key func(Row) []any) []Row {
	if i.Refuse == nil {
		return rows
	}
	var out []Row
	for _, r := range rows {
		if !i.Refuse(n, key(r), r.Moment) {
			out = append(out, r)
		}
	}
	return out
}

// node is the relation of a plan node: its rows, in order of arrival where that means
// anything.
func (i *interpreter) node(n logical.Node) ([]Row, error) {
	rows, err := i.compute(n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Describe(), err)
	}
	return rows, nil
}

func (i *interpreter) compute(n logical.Node) ([]Row, error) {
	switch n := n.(type) {
	case *logical.Scan:
		return i.scan(n)
	case *logical.Values:
		return i.values(n)
	case *logical.Filter:
		return i.filter(n)
	case *logical.Project:
		return i.project(n)
	case *logical.Hop:
		return i.hop(n)
	case *logical.Session:
		return i.session(n)
	case *logical.Unnest:
		return i.unnest(n)
	case *logical.UnionAll:
		return i.union(n)
	case *logical.Expand:
		return i.expand(n)
	case *logical.SetOp:
		return i.setOp(n)
	case *logical.Aggregate:
		return i.aggregate(n)
	case *logical.Distinct:
		return i.distinct(n)
	case *logical.Dedup:
		return i.dedup(n)
	case *logical.TopN:
		return i.topN(n)
	case *logical.Join:
		return i.join(n)
	case *logical.Recursive:
		return i.recursive(n)
	case *logical.RecursiveRef:
		return i.recursions[n.Of][n.Part], nil
	case *logical.Asof:
		return i.asof(n)
	case *logical.Over:
		return i.over(n)
	case *logical.Apply:
		return i.apply(n)
	case *logical.Sort:
		return i.sort(n)
	case *logical.Shared:
		return i.node(n.Input)
	}
	return nil, fmt.Errorf("the reference does not know %T", n)
}
