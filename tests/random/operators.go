package random

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/planner/physical"
)

// Operators are the names of the kinds of operators that the cases must reach, so that a
// production that never comes is seen.
func Operators() []string {
	return []string{"Aggregate", "Aggregate of panes", "Aggregate of sessions", "Aggregate on close", "Close", "Dedup", "Distinct", "Expand", "Filter", "Hop",
		"Join anti", "Join full", "Join inner", "Join left", "Join mark", "Join semi", "Limit", "Materialize", "Moving", "Over", "Project", "Session",
		"SetOp EXCEPT", "SetOp EXCEPT ALL", "SetOp INTERSECT", "SetOp INTERSECT ALL",
		"StaticJoin anti", "StaticJoin inner", "StaticJoin left", "StaticJoin mark", "StaticJoin semi",
		"shared Aggregate", "shared Distinct",
		"Temporal", "TopN dense_rank", "TopN rank", "TopN row_number", "UnionAll", "Unnest", "Upsert"}
}

// operatorsOf lists the kinds of operators of a plan, each once.
func operatorsOf(o *physical.Output) []string {
	seen, readers := map[string]bool{}, map[physical.Node]int{}
	physical.Walk(o, func(n physical.Node) {
		if n != physical.Node(o) {
			seen[kindOf(n)] = true
		}
		for _, c := range n.Children() {
			if readers[c]++; readers[c] > 1 {
				seen["shared "+kindOf(c)] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(seen))
}

func kindOf(n physical.Node) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*physical.")
	switch n := n.(type) {
	case *physical.Join:
		return name + " " + n.Kind.String()
	case *physical.StaticJoin:
		return name + " " + n.Kind.String()
	case *physical.SetOp:
		return name + " " + n.Name()
	case *physical.TopN:
		return name + " " + [...]string{"row_number", "rank", "dense_rank"}[n.Ranking]
	case *physical.Aggregate:
		return name + aggregateKind(n)
	}
	return name
}

func aggregateKind(a *physical.Aggregate) string {
	switch {
	case a.Sessions != nil:
		return " of sessions"
	case a.Panes != nil:
		return " of panes"
	case a.EmitOnClose:
		return " on close"
	}
	return ""
}
