// Package physical owns the plan that incremental/build turns into a running
// graph: one struct per kind of node, with what is known about each edge (columns,
// kind, unique keys, frontiers), the operator ids, and the text of EXPLAIN. It
// knows bound expressions and catalog objects, but neither SQL text nor operators.
//
// Open this file first: it states the contract. props.go has the properties of an
// edge, then one file per node; output.go is the root; explain.go prints.
//
// A plan is a graph, not a tree: a Scan that several branches read is one node, met
// again by pointer. Expressions of a node refer to the columns of its input by
// index; StaticJoin's residual to the columns of both sides, one after the other.
package physical

import "github.com/sqlstream/sqlstream/exec/types"

// Node is an operator of the plan: *Scan, *Values, *Filter, *Project, *Unnest, *Hop,
// *Expand, *Aggregate, *Distinct, *Dedup, *TopN, *Join, *StaticJoin, *Asof, *Present, *Changelog, *Versions, *Recursive, *Feed, *UnionAll, *SetOp, *Close,
// *Materialize or *Output.
type Node interface {
	// ID names the operator's state: a hash of the logical subtree that determines it.
	// Equal subtrees have equal ids, whatever their place in the plan. Nodes without
	// state have one too, for metrics; only stateful ids are kept in checkpoints.
	ID() string
	Props() *Props
	// Children are the inputs whose deltas the node takes, port by port. The static
	// side of a StaticJoin is not among them.
	Children() []Node
	// Stateful reports whether the node keeps state between triggers.
	Stateful() bool
	// explain is what EXPLAIN says of the node beside its edge.
	explain() explained
}

// explained describes a node to a reader of the plan.
type explained struct {
	summary string   // a few words on the node's own line
	details []string // lines below: its state, and when that is dropped
	late    string   // which rows it refuses; "" = none
	kept    string   // what it never forgets, and why; "" = nothing
	last    bool     // kept is one row a key, which every plan of the kind needs: no refusal
	way     string   // how to write the query so that it forgets, where kept
}

// Base is what all nodes share.
type Base struct {
	OpID string
	P    Props
}

// ID implements Node.
func (b *Base) ID() string { return b.OpID }

// Props implements Node.
func (b *Base) Props() *Props { return &b.P }

// Stateful implements Node; nodes with state shadow it.
func (b *Base) Stateful() bool { return false }

func (b *Base) explain() explained { return explained{} }

// Columns are the columns of the node's output.
func (b *Base) Columns() []types.Column { return b.P.Columns }

// Walk calls visit for every node below and including root, each once, children
// first, in a fixed order. Static sides of joins are not entered.
func Walk(root Node, visit func(Node)) {
	seen := map[Node]bool{}
	var walk func(Node)
	walk = func(n Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, c := range n.Children() {
			walk(c)
		}
		visit(n)
	}
	walk(root)
}
