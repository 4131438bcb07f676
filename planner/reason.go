package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// reason names the node that makes rows change, and why they are never final.
func reason(root physical.Node) string {
	found := firstChanging(root)
	switch n := found.(type) {
	case *physical.Aggregate:
		if n.Global {
			return fmt.Sprintf("%s (%s) is one row that changes as long as rows come", physical.Summary(n), physical.ShortID(n))
		}
		if n.HasEnd() {
			return fmt.Sprintf("%s (%s) changes while its window is open", physical.Summary(n), physical.ShortID(n))
		}
		return fmt.Sprintf("%s (%s) can change for ever: no group column is bounded by a watermark", physical.Summary(n), physical.ShortID(n))
	case *physical.Session:
		return fmt.Sprintf("the bounds of %s (%s) change while a session is open", physical.Summary(n), physical.ShortID(n))
	case *physical.TopN:
		return fmt.Sprintf("rows of %s (%s) are pushed out by later ones: no partition column is bounded by a watermark", physical.Summary(n), physical.ShortID(n))
	case *physical.Join:
		if why := n.Unmatched(); why != "" {
			return fmt.Sprintf("%s (%s): %s", physical.Summary(n), physical.ShortID(n), why)
		}
	case *physical.Over:
		if n.Why != "" {
			return fmt.Sprintf("%s (%s) can change for ever: %s", physical.Summary(n), physical.ShortID(n), n.Why)
		}
	case *physical.Asof:
		if why := n.NeverFinal(); why != "" {
			return fmt.Sprintf("%s (%s): %s", physical.Summary(n), physical.ShortID(n), why)
		}
	case *physical.Refresh:
		return fmt.Sprintf("table %q is read again, and its rows can go (refresh)", n.Input.(*physical.Scan).Relation.Name)
	case *physical.Scan:
		return fmt.Sprintf("rows of %q can be deleted", n.Relation.Name)
	case nil:
		return "its rows can change"
	}
	return fmt.Sprintf("rows of %s can change", physical.Summary(found))
}

func firstChanging(root physical.Node) physical.Node {
	var found physical.Node
	physical.Walk(root, func(n physical.Node) {
		if n.Props().Kind != physical.AppendOnly && found == nil {
			found = n
		}
	})
	return found
}

// lost names the operator above which no column is bounded by a watermark any more, though
// it reads one that is.
func lost(root physical.Node) string {
	var found physical.Node
	physical.Walk(root, func(n physical.Node) {
		if found == nil && len(n.Props().Frontiers) == 0 && readsFrontier(n) {
			found = n
		}
	})
	switch found {
	case nil:
		return ""
	case firstChanging(root):
		return "; the watermark is lost there"
	}
	return fmt.Sprintf("; the watermark is lost at %s (%s)", physical.Summary(found), physical.ShortID(found))
}

// readsFrontier reports that a node with state, or an expression of a projection, has a
// column with a frontier to read.
func readsFrontier(n physical.Node) bool {
	p, project := n.(*physical.Project)
	if !project && !n.Stateful() {
		return false
	}
	for _, c := range n.Children() {
		for _, f := range c.Props().Frontiers {
			if !project || slices.Contains(expr.ColumnsOf(p.Exprs...), f.Col) {
				return true
			}
		}
	}
	return false
}

// waysOut are the nearest legal queries.
func (p *planner) waysOut(o *output, root physical.Node) string {
	var ways []string
	if agg := firstAggregate(root); agg != nil && !agg.HasEnd() {
		switch {
		case agg.Windowed() && hasWatermark(root):
			ways = append(ways, "window the column that has the watermark")
		case hasWatermark(root):
			ways = append(ways, "add window(ts, …) to GROUP BY")
		case agg.Windowed():
			ways = append(ways, "declare a watermark in the source: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE")
		default:
			ways = append(ways, "declare a watermark in the source and add window(ts, …) to GROUP BY")
		}
	}
	if top := firstTopN(root); top != nil && top.Bound == nil && hasWatermark(root) {
		ways = append(ways, "add the window or another column with a watermark to PARTITION BY")
	}
	if way := boundWay(firstChanging(root)); way != "" {
		ways = append(ways, way)
	}
	if o.target == physical.ToView {
		return strings.Join(append(ways, "leave EMIT out: the view then holds the current result"), ", or ")
	}
	if key := bestKey(root.Props().Keys); key != nil && p.takes(o, sink.Update) {
		ways = append(ways, "use EMIT UPDATE (key: "+keyNames(root.Props(), key)+")")
	}
	if unaggregated(root) == "" && p.takes(o, sink.Complete) {
		ways = append(ways, "use EMIT COMPLETE")
	}
	if p.takes(o, sink.Changelog) {
		ways = append(ways, "use EMIT CHANGELOG")
	}
	if o.target == physical.ToSink && len(ways) < 2 {
		ways = append(ways, "write to a materialised view")
	}
	return strings.Join(ways, ", or ")
}

// boundWay tells how the rows of a join become final that nothing bounds, "" if it is
// another node or reason.
func boundWay(n physical.Node) string {
	switch n := n.(type) {
	case *physical.Join:
		if n.Unmatched() == "" {
			return ""
		}
	case *physical.Asof:
		if n.Forward || n.NeverFinal() == "" {
			return ""
		}
	default:
		return ""
	}
	_, way := physical.Unbounded(n)
	return way
}

func keyNames(props *physical.Props, key []int) string {
	if len(key) == 0 {
		return "one row"
	}
	list := make([]string, len(key))
	for i, k := range key {
		list[i] = props.Columns[k].Name
	}
	return strings.Join(list, ", ")
}

func firstAggregate(root physical.Node) *physical.Aggregate {
	var found *physical.Aggregate
	physical.Walk(root, func(n physical.Node) {
		if a, ok := n.(*physical.Aggregate); ok && found == nil {
			found = a
		}
	})
	return found
}

func firstTopN(root physical.Node) *physical.TopN {
	var found *physical.TopN
	physical.Walk(root, func(n physical.Node) {
		if t, ok := n.(*physical.TopN); ok && found == nil {
			found = t
		}
	})
	return found
}

func hasWatermark(root physical.Node) bool {
	found := false
	physical.Walk(root, func(n physical.Node) {
		if s, ok := n.(*physical.Scan); ok && s.Watermark != nil {
			found = true
		}
	})
	return found
}
