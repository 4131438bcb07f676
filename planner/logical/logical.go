// Package logical owns the bound query as relational algebra: typed expressions over
// columns, no choice of algorithm, mode or frontier. The binder makes it, the rules
// rewrite it, planner turns it into a physical plan, and incremental/reference
// interprets it. It knows no SQL text and no operators. Open this file first, then
// the node you need: one file each.
package logical

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Node is a relation. Nodes are immutable once a plan is bound: rules copy. Column
// references in a node's expressions are indexes into its input's schema.
type Node interface {
	Schema() []types.Column
	Children() []Node
	// WithChildren returns a copy over other inputs with the same schemas.
	WithChildren(kids []Node) Node
	// Describe is the node in one line, without its children.
	Describe() string
}

// String prints a plan, one node a line, inputs indented; what is shared once.
func String(n Node) string {
	var b strings.Builder
	print(&b, n, 0, map[*Shared]bool{})
	return b.String()
}

func print(b *strings.Builder, n Node, depth int, seen map[*Shared]bool) {
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(n.Describe())
	s, shared := n.(*Shared)
	if shared && seen[s] {
		b.WriteString(" (see above)\n")
		return
	}
	if shared {
		seen[s] = true
	}
	b.WriteByte('\n')
	for _, c := range n.Children() {
		print(b, c, depth+1, seen)
	}
}

// Walk calls visit for every node, inputs first; for what is shared once.
func Walk(n Node, visit func(Node)) {
	var seen map[*Shared]bool
	var walk func(Node)
	walk = func(n Node) {
		if s, ok := n.(*Shared); ok {
			if seen[s] {
				return
			}
			if seen == nil {
				seen = map[*Shared]bool{}
			}
			seen[s] = true
		}
		for _, c := range n.Children() {
			walk(c)
		}
		visit(n)
	}
	walk(n)
}

// Rewrite applies f to every node, inputs first, and returns the new plan. f gets
// a node whose inputs are already rewritten, and what is shared once: it stays shared.
func Rewrite(n Node, f func(Node) Node) Node {
	r := rewriter{f: f}
	return r.node(n)
}

type rewriter struct {
	f    func(Node) Node
	done map[*Shared]Node
}

func (r *rewriter) node(n Node) Node {
	s, shared := n.(*Shared)
	if done := r.done[s]; done != nil {
		return done
	}
	kids := n.Children()
	changed := false
	next := make([]Node, len(kids))
	for i, c := range kids {
		next[i] = r.node(c)
		changed = changed || next[i] != c
	}
	if changed {
		n = n.WithChildren(next)
	}
	n = r.f(n)
	if shared {
		if r.done == nil {
			r.done = map[*Shared]Node{}
		}
		r.done[s] = n
	}
	return n
}

// IsFinite reports whether no streaming input is below the node.
func IsFinite(n Node) bool {
	finite := true
	Walk(n, func(n Node) {
		switch n := n.(type) {
		case *Scan:
			finite = finite && n.Finite
		case *Feed:
			finite = false
		}
	})
	return finite
}

// Col is a reference to a column of a node's output.
func Col(n Node, i int) *expr.Column {
	c := column(n, i)
	return &expr.Column{Index: i, Name: c.Name, T: c.Type}
}

// Columns are references to all columns of a node's output.
func Columns(n Node) []expr.Node {
	cols := n.Schema()
	out := make([]expr.Node, len(cols))
	for i, c := range cols {
		out[i] = &expr.Column{Index: i, Name: c.Name, T: c.Type}
	}
	return out
}

func exprList(list []expr.Node) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}
